"""A project in a real git repository: a main branch with profiles and baselines, and a change."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from builders import write_replay_project

TODAY = datetime.now(UTC).date()
PAST, SOON = TODAY - timedelta(days=10), TODAY + timedelta(days=100)


def waiver_text(**more):
    keys = {
        "profile": "p", "benchmark": "b", "metric": "wall", "ceiling": "25%",
        "since": str(PAST), "expires": str(SOON), "issue": "#7", "reason": "known",
    } | more  # fmt: skip
    return "[[waiver]]\n" + "".join(f'{key} = "{value}"\n' for key, value in keys.items())


class Repository:
    """A project on branch `main`; edits go to branch `change`."""

    def __init__(self, project) -> None:
        self.project, self.root = project, project.root

    def git(self, *words):
        done = subprocess.run(
            ["git", "-c", "user.name=me", "-c", "user.email=me@example.com",
             "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always", *words],
            cwd=self.root, check=True, capture_output=True, text=True,
            env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"},
        )  # fmt: skip
        return done.stdout.strip()

    def commit(self, message="change"):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def begin(self):
        (self.root / ".gitignore").write_text("reports/\nout*/\nheld/\n")
        self.git("init", "-q", "-b", "main")
        self.commit("first")
        self.git("checkout", "-q", "-b", "change")

    def swap(self, path, before, after):
        place = self.root / path
        text = place.read_text()
        assert before in text, text
        place.write_text(text.replace(before, after))

    def judge(self, *arguments, sessions=(), proposed="HEAD"):
        """`gate judge --merge-base main`, and its report."""
        words = [word for path in sessions for word in ("--session", path)]
        words += ["--proposed", proposed] if proposed else []
        answer = self.project.gate("judge", *words, "--merge-base", "main", "--json", *arguments)
        report = json.loads(answer.out) if answer.out else None
        return answer, report


@pytest.fixture(scope="session")
def accepted_files(tmp_path_factory):
    """A project with two profiles and accepted baselines, and a session of each, made once."""
    root = tmp_path_factory.mktemp("trusted")
    for name in ("p", "q"):
        made = write_replay_project(root, name=name, tail='floor = "1 ms"\nnegligible = "0.9%"')
        made.accept()
        for kind, level in (("same", 1.0), ("slow", 1.2)):
            path = made.session({"b": [level * one for one in (1.0, 1.002, 0.998)]})
            (root / "held").mkdir(exist_ok=True)
            (root / "held" / f"{name}-{kind}.json").write_bytes(path.read_bytes())
        made.record({"b": [1.0, 1.002, 0.998]})
    return {
        path.relative_to(root): path.read_bytes()
        for path in root.rglob("*.*")
        if path.is_file() and "reports" not in path.parts
    }


@pytest.fixture
def repository(tmp_path, accepted_files):
    """That project, committed on `main`, with branch `change` checked out."""
    root = tmp_path / "project"
    for path, content in accepted_files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    from builders import Project

    made = Repository(Project(root, "p"))
    made.begin()
    return made


SAME = ("held/p-same.json", "held/q-same.json")
SLOW = ("held/p-slow.json", "held/q-same.json")


def only(report):
    """The one edit that a report tells of."""
    assert len(report["edits"]) == 1, report["edits"]
    return report["edits"][0]
