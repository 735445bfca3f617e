"""The measuring process stays light: no numpy, no scipy before the last trial has ended."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from builders import HOST_CLASS, PLAY, write_replay_project

HEAVY = {"numpy", "scipy", "jinja2", "urllib3"}
_TOLD = """
import atexit, json, os, sys
from pathlib import Path
import gate.host.lock
from gate.measure import recorder
seen = []
told = Path(sys.argv.pop(1))
gate.host.lock.lock_path = lambda: told.with_suffix(".lock")
add = recorder.SessionRecorder.add
def look():
    seen.append(sorted({name.partition(".")[0] for name in sys.modules}))
    told.write_text(json.dumps(seen))
def watched(self, trial):
    add(self, trial)
    look()
recorder.SessionRecorder.add = watched
if sys.argv[1] == "run":
    atexit.register(look)
from gate.__main__ import main
main()
"""


@pytest.fixture
def modules_seen(tmp_path):
    """Top-level modules loaded after each recorded trial (and at the end of a run)."""

    def look(project, *arguments):
        told = tmp_path / "modules.json"
        done = subprocess.run(
            [sys.executable, "-c", PLAY + _TOLD, str(told), *arguments],
            cwd=project.root,
            env={"GATE_HOST_CLASS": HOST_CLASS, "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert "error" not in done.stderr, done.stderr
        return done.returncode, [set(one) for one in json.loads(told.read_text("utf-8"))]

    return look


def test_a_run_never_loads_them(tmp_path, modules_seen):
    """From its start to its exit, `gate run` loads neither numpy nor scipy nor a renderer."""
    status, seen = modules_seen(write_replay_project(tmp_path / "p"), "run", "p")
    assert status == 0
    assert len(seen) == 4
    assert not HEAVY & set().union(*seen)


@pytest.mark.parametrize("sides", [True, False], ids=["pairs", "strikes"])
def test_a_check_loads_them_after_measuring(sides, tmp_path, modules_seen):
    """A check that screens and confirms has loaded none of them when its last trial ends."""
    steady = [1.0, 1.002, 0.998] * 20
    project = write_replay_project(tmp_path / "p", sides=sides)
    project.accept()
    project.record({"b": [1.4 * one for one in steady]}, {"b": steady})
    status, seen = modules_seen(project, "check", "p", "--out", "out")
    assert status == 10
    assert len(seen) > 6, "the second stage did not run"
    assert not HEAVY & set().union(*seen)
