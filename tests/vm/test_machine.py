"""The machine around a guest: its first file system, the words that start QEMU, the profile."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from builders import run_gate
from vm.made import write_side

from gate.errors import MeasureError
from gate.model import Guest
from gate.vm.archive import Archive, MissingProgram
from gate.vm.machine import CountingBoot, counting_command
from gate.vm.plugin import HEADER, compile_plugin

PROFILE = """harness = "instructions"
command = "dd if=/dev/nullb0 of=/dev/null count={operations}"
[guest]
modules = ["null_blk nr_devices=1"]
operations = [2000, 12000]
[metric.kernel_instructions_per_io]
tolerance = "1%"
"""


def test_the_archive_is_read_by_the_kernels_own_format(tmp_path):
    """busybox, which unpacks such archives too, finds every file, its mode and its content."""
    archive = Archive()
    archive.add_directories("proc")
    archive.add("init", b"#!/bin/sh\n", runs=True)
    archive.add("gate/deep/odd", b"abc")
    (tmp_path / "archive").write_bytes(archive.content())
    place = tmp_path / "out"
    place.mkdir()
    words = ("busybox", "cpio", "-id", "-F", str(tmp_path / "archive"))
    subprocess.run(words, cwd=place, check=True, capture_output=True)
    assert (place / "init").stat().st_mode & 0o777 == 0o755
    assert (place / "gate" / "deep" / "odd").read_bytes() == b"abc"
    assert (place / "proc").is_dir()
    again = Archive()
    again.add("gate/deep/odd", b"abc")
    again.add("init", b"#!/bin/sh\n", runs=True)
    again.add_directories("proc")
    assert again.content() == archive.content(), "the order of adding is no part of it"


def test_a_program_comes_with_its_libraries(tmp_path):
    """And runs with nothing else, in a root of its own."""
    archive = Archive()
    archive.add_program("true", {"PATH": "/usr/bin:/bin"})
    (tmp_path / "archive").write_bytes(archive.content())
    words = ("busybox", "cpio", "-id", "-F", str(tmp_path / "archive"))
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    assert subprocess.run(("chroot", str(tmp_path), "/bin/true"), check=False).returncode == 0


def test_a_program_that_is_not_here_is_named():
    """A guest without it would fail in words that nobody understands."""
    with pytest.raises(MissingProgram, match="no-such-program is not installed"):
        Archive().add_program("no-such-program", {"PATH": "/usr/bin"})


def test_a_comma_in_a_path_ends_no_option():
    """QEMU would take what follows for another option."""
    place = Path("/x/a,b")
    words = counting_command(
        CountingBoot(
            kernel=place, archive=place, plugin=place, directory=place, seed=3, machine=Guest()
        )
    )
    assert "file,id=console,path=/x/a,,b/console" in words
    assert "/x/a,,b,counts=/x/a,,b/counts" in words
    assert words[: words.index("--")] == ("setpriv", "--pdeathsig", "KILL")


def test_no_header_is_an_error_with_its_cure(tmp_path, monkeypatch):
    """A variable that names nothing is told; it never falls back on another header."""
    monkeypatch.setenv(HEADER, str(tmp_path / "gone.h"))
    with pytest.raises(MeasureError, match=r"gone\.h is no file.*qemu-plugin\.h"):
        compile_plugin("count")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[2000, 12000]", "[2000]", "is no short and no long run"),
        ("[2000, 12000]", "[2000, 2000]", "is no short and no long run"),
        ("[2000, 12000]", "[0, 5]", "is no short and no long run"),
        ("operations = ", 'memory = "64 MiB"\noperations = ', "guest.memory must be"),
        ("operations = ", 'memory = "much"\noperations = ', "guest.memory"),
        ('"null_blk nr_devices=1"', '" "', "guest.modules"),
        ("count={operations}", "count=1", "does not use {operations}"),
        ("[guest]", '[environment]\nA = "1"\n[guest]', "environment means nothing to instructions"),
        ("[guest]", '[background]\ncommand = "x"\n[guest]', "background means nothing to"),
        ("[guest]", "[storage]\n[guest]", "storage means nothing to instructions"),
        ('harness = "instructions"', 'harness = "fio"', "needs the key job"),
        ("kernel_instructions_per_io", "iops", "iops"),
    ],
)
def test_a_wrong_profile_is_refused_with_its_cure(tmp_path, old, new, words):
    """Before anything boots."""
    (tmp_path / "profiles").mkdir()
    assert old in PROFILE
    (tmp_path / "profiles" / "p.toml").write_text(PROFILE.replace(old, new, 1))
    answer = run_gate(["run", "p", "--head", "."], cwd=tmp_path)
    assert answer.status == 2, answer
    assert words in " ".join(answer.err.split())


def test_sides_that_differ_in_variables_alone_are_one(tmp_path):
    """The guest sees none of them: its pairs would clear anything."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "p.toml").write_text(PROFILE)
    write_side(tmp_path / "side", [("null_blk", "")])
    words = ["--base", "side", "--head", "side", "--base-env", "A=1", "--head-env", "A=2"]
    answer = run_gate(["check", "p", *words], cwd=tmp_path)
    assert answer.status == 2, answer
    assert "base and head are one and the same" in " ".join(answer.err.split())


def test_a_side_without_a_kernel_is_refused(tmp_path):
    """No directory, and one that holds none."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "p.toml").write_text(PROFILE)
    answer = run_gate(["run", "p"], cwd=tmp_path)
    assert answer.status == 2
    assert "the head side has no directory, and so no kernel" in " ".join(answer.err.split())
    answer = run_gate(["run", "p", "--head", "profiles"], cwd=tmp_path)
    assert answer.status == 2
    assert "holds no kernel image" in " ".join(answer.err.split())
