"""The scripts of the shipped profiles fail loudly: never a figure of a run that did not happen."""

import os
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

WORK = Path(__file__).resolve().parents[3] / "profiles" / "work"
SHELL = sorted(path.name for path in WORK.glob("*.sh"))
SOURCED = {"common.sh", "kernel-source.sh"}
BASICS = ("sh", "cat", "cp", "rm", "mkdir", "tail", "sed", "awk", "grep", "stat", "nproc", "ls")
"""What every system has; no workload's own program is among it."""


def call(script, *words, work=None, path=None):
    """Run a script as a profile does."""
    environment = {"PATH": str(path) if path else os.environ["PATH"]}
    if work is not None:
        environment["GATE_WORK"] = str(work)
    program = "python3" if script.endswith(".py") else "sh"
    return subprocess.run(
        [shutil.which(program), str(WORK / script), *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def bare(tmp_path):
    """A path on which the programs of the workloads are missing."""
    place = tmp_path / "bin"
    place.mkdir()
    for name in BASICS:
        (place / name).symlink_to(shutil.which(name))
    return place


@pytest.mark.parametrize("name", [n for n in SHELL if n not in SOURCED] + ["application-mix.py"])
@pytest.mark.parametrize("work", [None, "relative", "/nowhere/at/all"])
def test_without_a_work_directory_nothing_runs(name, work):
    """GATE_WORK must be there, absolute, and a directory: else the status is not 0."""
    answer = call(name, *(["1"] if name.endswith(".py") else ["1", "1"]), work=work)
    assert answer.returncode != 0
    assert answer.stdout == ""
    assert "GATE_WORK" in answer.stderr


WRONG = {
    "application-mix.py": ["0", "x", "-1"],
    "build-kernel.sh": ["", "run", "run 0 vmlinux", "run 2", "build"],
    "chat.sh": ["", "0 1", "20", "20 x"],
    "copy-file.sh": ["", "prepare", "prepare 07", "loop -1", "run"],
    "copy-tree.sh": ["", "prepare 1e6", "run"],
    "crypto-block.sh": ["", "aes-256-cbc", "aes-256-cbc 0", "no-such-cipher 1"],
    "dbench.sh": ["", "disk", "disk 20", "disk 20 1", "tape 20 2"],
    "image.sh": ["", "turn tiff", "blur", "blur gif", "blur tiff"],
    "kernel-quick.sh": ["", "syscall", "dreams 1"],
    "make-data.py": ["", "tree", "file /nowhere/x 0", "film /nowhere/x 1", "images"],
    "render.sh": ["", "0 1", "1", "1 10"],
    "stress.sh": ["", "get", "no-such-stressor 1"],
    "unpack-kernel.sh": ["", "prepare", "run"],
}


@pytest.mark.parametrize(
    ("name", "words"), [(name, words) for name, rows in WRONG.items() for words in rows]
)
def test_wrong_words_are_refused(name, words, tmp_path):
    """A wrong or missing argument, or a missing preparation, is an error and prints no figure."""
    answer = call(name, *words.split(), work=tmp_path)
    assert answer.returncode != 0
    assert answer.stdout == ""
    assert answer.stderr.strip()


def test_every_script_is_tried():
    """No script of the profiles is left out of the tests above."""
    assert set(WRONG) == {path.name for path in WORK.glob("*.[sp][hy]")} - SOURCED


MISSING = [
    ("build-kernel.sh", "prepare", "make is not installed: apt install make"),
    ("chat.sh", "20 1", "hackbench is not installed: apt install rt-tests"),
    ("crypto-block.sh", "aes-256-cbc 1", "openssl is not installed: apt install openssl"),
    ("dbench.sh", "disk 20 2", "dbench is not installed: apt install dbench"),
    ("dbench.sh", "network 20 2", "dbench is not installed: apt install dbench"),
    ("image.sh", "blur tiff", "ImageMagick is not installed: apt install imagemagick"),
    ("kernel-quick.sh", "fork 1", "stress-ng is not installed: apt install stress-ng"),
    ("render.sh", "1 1", "povray is not installed: apt install povray"),
    ("stress.sh", "get 1", "stress-ng is not installed: apt install stress-ng"),
    ("unpack-kernel.sh", "prepare all", "bzip2 is not installed: apt install bzip2"),
]


@pytest.mark.parametrize(("name", "words", "said"), MISSING)
def test_a_missing_program_is_named_with_its_cure(name, words, said, bare, tmp_path):
    """Without the workload's program the script says which one and how it is installed."""
    answer = call(name, *words.split(), work=tmp_path, path=bare)
    assert answer.returncode != 0
    assert answer.stdout == ""
    assert said in answer.stderr


def test_a_program_that_fails_is_no_figure(bare, tmp_path):
    """hackbench that ends with an error, or that says no time, gives neither a count nor a rate."""
    for text in ("exit 1", "echo Time: later; exit 3", "echo nothing"):
        program = bare / "hackbench"
        program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        program.chmod(0o755)
        answer = call("chat.sh", "20", "1", work=tmp_path, path=bare)
        assert answer.stdout == ""


def test_the_photographs_have_the_published_sizes_and_are_pictures(tmp_path):
    """TIFF 11.6 MB and PNG 7.3 MB within 1 %, of 2272 x 1704, and twice the same bytes."""
    first, second = tmp_path / "a", tmp_path / "b"
    for place in (first, second):
        assert call("make-data.py", "images", str(place), work=tmp_path).returncode == 0
    tiff, png = ((first / name).read_bytes() for name in ("photo.tiff", "photo.png"))
    assert len(tiff) == pytest.approx(11.6e6, rel=0.01)
    assert len(png) == pytest.approx(7.3e6, rel=0.01)
    assert struct.unpack(">II", png[16:24]) == (2272, 1704)
    length = struct.unpack(">I", png[33:37])[0]
    assert len(zlib.decompress(png[41 : 41 + length])) == 1704 * (3 * 2272 + 1)
    assert tiff[8 : 8 + 3 * 2272 * 1704].count(0) < len(tiff) // 50
    assert [(second / name).read_bytes() for name in ("photo.tiff", "photo.png")] == [tiff, png]


def test_the_tree_has_34_mb_in_many_small_files_and_is_copied_whole(tmp_path):
    """34,000,000 bytes in 4,114 files, the same everywhere; the copy is counted and complete."""
    assert call("copy-tree.sh", "prepare", "34000000", work=tmp_path).returncode == 0
    answer = call("copy-tree.sh", "run", work=tmp_path)
    assert answer.stdout == "files 4114\n"
    copied = [one for one in (tmp_path / "copy-tree.copy").rglob("*") if one.is_file()]
    assert (len(copied), sum(one.stat().st_size for one in copied)) == (4114, 34_000_000)
    again = call("copy-tree.sh", "run", work=tmp_path)
    assert again.returncode != 0
    assert "is left over" in again.stderr


def test_a_large_file_is_copied_and_its_bytes_are_counted(tmp_path):
    """Two preparations make the file once; the copy has the bytes that are printed."""
    assert call("copy-file.sh", "prepare", "3000", work=tmp_path).returncode == 0
    born = (tmp_path / "copy-file.source").stat().st_mtime_ns
    assert call("copy-file.sh", "run", work=tmp_path).stdout == "copied 3000000 B\n"
    assert (tmp_path / "copy-file.copy").stat().st_size == 3_000_000
    assert call("copy-file.sh", "prepare", "3000", work=tmp_path).returncode == 0
    assert (tmp_path / "copy-file.source").stat().st_mtime_ns == born
    assert not (tmp_path / "copy-file.copy").exists()
    assert call("copy-file.sh", "loop", "100", work=tmp_path).returncode == 0
    assert not (tmp_path / "copy-load.source.copy").exists()
