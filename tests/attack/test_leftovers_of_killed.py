"""What a gate that was killed left behind goes at the next start, and nothing else does."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from builders import run_gate, start_gate, write_replay_project

from gate.formats import disk
from gate.pipeline.host_reservation import work_directory
from gate.scratch import scratch_directory, temporary_beside

_KILLED = """
import os, signal, sys
from pathlib import Path
from gate.formats import disk
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
disk.write_text(Path(sys.argv[1]), "half")
"""
_SCRATCH = """
import os, signal, sys
from pathlib import Path
from gate.pipeline.host_reservation import work_directory
from gate.scratch import scratch_directory
with scratch_directory("try") as one, work_directory(Path(sys.argv[1])) as two:
    (one / "file").touch()
    (two / "file").touch()
    print("there", flush=True)
    sys.stdin.read() if sys.argv[2:] else os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(code, *words):
    done = subprocess.run([sys.executable, "-c", code, *map(str, words)], check=False)
    assert done.returncode == -signal.SIGKILL


def test_a_temporary_file_goes_with_the_next_write(tmp_path):
    """The file that a killed gate was writing; no other that is called alike."""
    place = tmp_path / "p.toml"
    place.write_text("before", "ascii")
    (tmp_path / ".p.toml.swp").write_text("an editor's", "ascii")
    killed(_KILLED, place)
    assert len(list(tmp_path.iterdir())) == 3
    disk.write_text(place, "after")
    assert sorted(one.name for one in tmp_path.iterdir()) == [".p.toml.swp", "p.toml"]
    assert place.read_text("ascii") == "after"


def test_a_temporary_file_that_is_being_written_stays(tmp_path):
    """Another gate that is alive holds its file's lock."""
    with temporary_beside(tmp_path / "x.toml") as (handle, name):
        os.write(handle, b"mine")
        code = "import sys; from pathlib import Path; from gate.formats import disk; "
        code += "disk.write_text(Path(sys.argv[1]), 'theirs')"
        subprocess.run([sys.executable, "-c", code, str(tmp_path / "y.toml")], check=True)
        assert Path(name).read_text("ascii") == "mine"


def test_directories_of_a_killed_gate_go_and_those_of_a_living_one_stay(tmp_path, monkeypatch):
    """In the directory for temporary files, and in the work directory; a user's own stay too."""
    temp, work = tmp_path / "tmp", tmp_path / "work"
    for one in (temp, work, work / "work-of-mine", temp / "driftgate-mine"):
        one.mkdir()
    monkeypatch.setenv("TMPDIR", str(temp))
    monkeypatch.setattr(tempfile, "tempdir", None)
    killed(_SCRATCH, work)
    assert (len(list(temp.iterdir())), len(list(work.iterdir()))) == (2, 2)
    living = subprocess.Popen(
        [sys.executable, "-c", _SCRATCH, str(work), "lives"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with living:
        assert living.stdout.readline() == "there\n"
        with scratch_directory("try"), work_directory(work):
            assert (len(list(temp.iterdir())), len(list(work.iterdir()))) == (3, 3)
        assert len(list(temp.glob("*/file"))) == len(list(work.glob("*/file"))) == 1
        living.stdin.close()
    assert [one.name for one in work.iterdir()] == ["work-of-mine"]
    assert [one.name for one in temp.iterdir()] == ["driftgate-mine"]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EMFILE, "too many open files"),
        (errno.ENFILE, "too many open files"),
        (errno.ENOMEM, "too little memory"),
    ],
)
def test_a_limit_of_the_machine_is_no_internal_error(tmp_path, monkeypatch, number, words):
    """It is told as what it is, with the cure."""
    project = write_replay_project(tmp_path)

    def fail(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("gate.pipeline.run.read_host", fail, raising=False)
    monkeypatch.setattr("gate.cli.baseline.show.command.callback", fail)
    answer = run_gate(["baseline", "show"], cwd=project.root)
    assert answer.status == 4, answer
    assert f"error[G287]: {words}" in answer.err


def test_no_memory_in_python_is_told_too(tmp_path, monkeypatch):
    """Python's own MemoryError says the same."""

    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("gate.cli.baseline.show.command.callback", fail)
    assert "error[G287]: too little memory" in run_gate(["baseline", "show"], cwd=tmp_path).err


def test_a_real_limit_of_open_files_is_told(tmp_path):
    """A gate that may open only a few files says so, whichever is the first that it lacks."""
    project = write_replay_project(tmp_path)
    for most in (9, 12, 14):
        before = ("prlimit", f"--nofile={most}")
        gate = start_gate(["check", "p", "--out", "out"], cwd=project.root, before=before)
        _, err = gate.communicate(timeout=60)
        assert "G299" not in err, err
        assert "Traceback" not in err, err
        assert gate.returncode not in {0, 1}, err
