"""Commands that judge, show and publish load nothing that measures: no room of the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from builders import HOST_CLASS, write_replay_project
from publish.github_server import GitHubServer
from publish.server_client import HEAD, REPOSITORY, TOKEN

MACHINE = {f"gate.{room}" for room in ("host", "measure", "vm", "subject", "linux", "harness")}
_LOADED = """
import atexit, sys
from pathlib import Path
place = Path(sys.argv.pop(1))
atexit.register(lambda: place.write_text("\\n".join(sys.modules)))
from gate.__main__ import main
main()
"""


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A project with a baseline and a finished check."""
    root = tmp_path_factory.mktemp("judged")
    project = write_replay_project(root, sides=True)
    project.accept()
    assert project.gate("check", "p", "--out", "out").status == 0
    return root


@pytest.fixture
def rooms_loaded(judged, tmp_path):
    """The exit status of a command in a process of its own, and the rooms that it has loaded."""

    def call(*words, **environment):
        place = tmp_path / "modules"
        shutil.copytree(judged, tmp_path / "p")  # what a command writes is no other test's
        done = subprocess.run(
            [sys.executable, "-c", _LOADED, str(place), *words],
            cwd=tmp_path / "p",
            env={"PATH": os.environ["PATH"], "GATE_HOST_CLASS": HOST_CLASS, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        names = place.read_text(encoding="utf-8").split()
        return done.returncode, {".".join(name.split(".")[:2]) for name in names}

    return call


@pytest.mark.parametrize(
    "words",
    [
        "judge --session out/session.json",
        "report out/report.json --html page.html --junit junit.xml --markdown -",
        "power",
        "plan --shards 1",
        "baseline show",
        "publish step out",
    ],
)
def test_a_verdict_needs_no_machine(words, rooms_loaded):
    """From files to a verdict, a page or a figure nothing of the rooms of the machine is loaded."""
    status, rooms = rooms_loaded(*words.split())
    assert (status, rooms & MACHINE) == (0, set())
    assert "gate.cli" in rooms


def test_accepting_sessions_needs_no_machine(judged, rooms_loaded):
    """Sessions become a baseline without a look at the machine."""
    sessions = sorted(str(path) for path in (judged / "reports" / "sessions").glob("*.json"))
    words = ("--reason", "again", "--by", "me", "--baseline", "fresh")
    status, rooms = rooms_loaded("baseline", "accept", *sessions, *words)
    assert (status, rooms & MACHINE) == (0, set())


@pytest.mark.parametrize("words", [["comment", "--pull", "7"], ["check"]], ids=lambda one: one[0])
def test_publishing_needs_no_machine(words, rooms_loaded, tmp_path):
    """A report reaches GitHub from a process that cannot measure."""
    with GitHubServer(tmp_path / "hub") as hub:
        hub.add_repository(REPOSITORY)
        hub.add_token(TOKEN)
        hub.add_pull(REPOSITORY, 7, head=HEAD)
        environment = {
            "GATE_API_URL": hub.url,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_TOKEN": TOKEN,
        }
        status, rooms = rooms_loaded(
            "publish", words[0], "out/report.json", *words[1:], "--head", HEAD, **environment
        )
    assert (status, rooms & MACHINE) == (0, set())
