"""Only what talks to GitHub loads the client: no help, no verdict and no required job does."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from builders import write_replay_project

_LOADED = """
import atexit, sys
from pathlib import Path
place = Path(sys.argv.pop(1))
atexit.register(lambda: place.write_text("\\n".join(sys.modules)))
from gate.__main__ import main
main()
"""
COMMANDS = [
    "step",
    "required",
    "locate",
    "approvals",
    "fetch",
    "comment",
    "check",
    "accept",
    "baseline",
]
NEEDS = json.dumps({"a": {"result": "success", "outputs": {"gate": "open"}}})


@pytest.fixture
def modules_of(tmp_path):
    """What a command has loaded when it ends, and its exit status."""

    def run(*words, cwd=tmp_path):
        place = tmp_path / "modules"
        done = subprocess.run(
            [sys.executable, "-c", _LOADED, str(place), *map(str, words)],
            cwd=cwd,
            env={"PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, set(place.read_text(encoding="utf-8").splitlines())

    return run


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["publish", "--help"],
        *(["publish", name, "--help"] for name in COMMANDS),
        ["publish", "required", "--needs", NEEDS],
    ],
    ids=" ".join,
)
def test_helping_and_counting_jobs_loads_no_client(words, modules_of):
    """Neither a page of help nor the last job of a workflow waits for urllib3."""
    status, modules = modules_of(*words)
    assert status == 0
    assert not {"urllib3", "gate.publish.github.api"} & modules


def test_a_check_and_its_report_load_no_client(tmp_path, modules_of):
    """From sessions to a verdict and a step's summary nothing of the client is loaded."""
    project = write_replay_project(tmp_path / "p")
    project.accept()
    assert project.gate("check", "p", "--out", "out").status == 0
    words = ["judge", "out/session.json", "--baseline", "baselines"]
    for command in (words, ["publish", "step", "out"]):
        _, modules = modules_of(*command, cwd=project.root)
        assert "gate.judge.verdict.findings" in modules
        assert not {"urllib3", "gate.publish.github.api"} & modules
