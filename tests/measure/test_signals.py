"""Signals at odd moments: twice, while starting, from a terminal that goes away."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest
from builders import tree
from measure.remains import RESUME, copy_of, is_litter

RUN = ("run", "p", "--repeat", "4", "--out", "out/p")


@pytest.mark.parametrize("pause", [0.0, 0.003, 0.02, 0.06])
def test_a_second_interruption_changes_nothing(pause, single, tmp_path, started):
    """However soon the second Ctrl-C follows, the first one's hint is still said, once."""
    project = copy_of(single, tmp_path / "p")
    gate = started(project, *RUN)
    gate.wait_for((project.root / "out/p/p-001.json").exists)
    for _ in range(6):
        gate.kill(signal.SIGINT, group=True)
        time.sleep(pause)
        if gate.process.poll() is not None:
            break
    status, _, err = gate.end()
    assert status == 130, err
    assert err.count("error[G290]") == 1
    assert RESUME.search(err)
    assert "Traceback" not in err
    assert gate.dead()
    assert not [name for name in tree(project.root) if is_litter(name)]


_EARLY = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
        return None
sys.meta_path.insert(0, Finder())
from gate.__main__ import main
sys.argv = ["gate", "check", "p"]
main()
"""


@pytest.mark.parametrize("name", ["gate.cli.main", "click", "gate.cli.check", "pydantic"])
def test_interrupted_while_starting(name, tmp_path):
    """A Ctrl-C while the gate still imports itself ends it without a traceback and any file."""
    done = subprocess.run(
        [sys.executable, "-c", _EARLY.format(name=name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 130, done.stderr
    assert done.stderr.strip() == "interrupted"
    assert not list(tmp_path.iterdir())


def test_nohup_is_respected(single, tmp_path, started):
    """A gate started with SIGHUP ignored measures on when its terminal goes away."""
    project = copy_of(single, tmp_path / "p")

    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    gate = started(project, "run", "p", "--out", "out/p", preexec_fn=ignore)
    gate.wait_for((project.root / "out/p/p-001.json").exists)
    gate.kill(signal.SIGHUP, group=True)
    status, out, err = gate.end()
    assert status == 0, err
    assert "6 trials" in out


def test_a_lost_terminal_stops_the_gate(single, tmp_path, started):
    """Without nohup a SIGHUP ends the gate as cleanly as a Ctrl-C."""
    project = copy_of(single, tmp_path / "p")
    gate = started(project, *RUN)
    gate.wait_for((project.root / "out/p/p-001.json").exists)
    gate.kill(signal.SIGHUP, group=True)
    status, _, err = gate.end()
    assert status == 129, err
    assert RESUME.search(err)
    assert gate.dead()
