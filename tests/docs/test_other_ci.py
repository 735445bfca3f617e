"""The examples for other CI systems are run: their shell lines, on a change that is slower."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.etree import ElementTree as ET

import builders
import pytest
from docs.test_documentation import check

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "other-ci.md").read_text(encoding="utf-8")
LEVELS = {"fine": (1.0, 0), "slower": (1.3, 10), "crashing": ("fail", 4)}


def block(language, holding):
    """The fenced block of a language that holds the words."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    return next(text for text in found if holding in text)


def items(yaml, key):
    """The plain items of a list in our own YAML: one line each."""
    below = re.search(rf"^  {key}:.*\n((?:    .*\n)+)", yaml, re.MULTILINE)[1]
    return [line.strip()[2:] for line in below.splitlines() if line.strip().startswith("- ")]


def shells(groovy):
    """The texts that `sh` is given."""
    return [textwrap.dedent(text) for text in re.findall(r"sh '''\n(.*?)'''", groovy, re.DOTALL)]


GITLAB = block("yaml", "performance:")
JENKINS = block("groovy", "pipeline {")
SYSTEMS = {
    "gitlab": (
        ["bash", "-eo", "pipefail", "-c"],
        "\n".join(items(GITLAB, "script")),
        "\n".join(items(GITLAB, "after_script")),
    ),
    "jenkins": (["sh", "-xe", "-c"], *shells(JENKINS)),
}


def test_every_command_in_it_exists():
    """Each `gate` line names a command and options that the tool has."""
    found = re.findall(r"^\s*(?:- )?gate (.+)$", TEXT, re.MULTILINE)
    assert len(found) == 5
    for line in found:
        check(shlex.split(line))


def test_the_fragments_are_well_formed():
    """YAML is indented by twos without tabs, Groovy closes what it opens."""
    for text in re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE):
        for line in text.splitlines():
            assert "\t" not in line
            assert (len(line) - len(line.lstrip())) % 2 == 0, line
            assert re.match(r"\s*(#|- |[a-zA-Z_.-]+:( |$)|$)", line), line
            assert not re.match(r"\s*- [^'\"\[{]*: ", line.partition(" #")[0]) or "- if: " in line
    assert JENKINS.count("{") == JENKINS.count("}")
    assert len(shells(JENKINS)) == 2


def test_nothing_swallows_the_exit_status():
    """None of the ways to lose it stands in a fragment."""
    for text in (GITLAB, JENKINS):
        for way in ("|| true", "allow_failure", "returnStatus", "'SUCCESS'", "set +e"):
            assert way not in text


@pytest.fixture
def change(tmp_path):
    """A repository with a baseline on main, a branch to edit, and `gate` on the PATH."""
    root = tmp_path / "project"
    project = builders.write_replay_project(root, sides=True)
    project.accept()
    start = tmp_path / "start.py"
    start.write_text(f"PLAY = {builders.PLAY!r}\n{builders._START}", encoding="utf-8")
    shim = tmp_path / "bin" / "gate"
    shim.parent.mkdir()
    words = shlex.join([sys.executable, str(start), str(tmp_path / "lock"), "unwatched"])
    shim.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    (root / ".gitignore").write_text("reports/\n", encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": f"{shim.parent}:{os.environ['PATH']}",
        "TMPDIR": str(tmp_path),
        "GATE_HOST_CLASS": builders.HOST_CLASS,
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "CI_JOB_URL": "https://example.com/job/1",
        "BUILD_URL": "https://example.com/job/1",
        "CHANGE_TARGET": "main",
    }

    def git(*words):
        identity = ["-c", "user.name=me", "-c", "user.email=me@example.com"]
        done = subprocess.run(
            ["git", *identity, *words], cwd=root, env=environment,
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout.strip()

    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "main")
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    environment["CI_MERGE_REQUEST_DIFF_BASE_SHA"] = git("rev-parse", "HEAD")
    git("checkout", "-q", "-b", "change")
    return project, environment, git


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("kind", LEVELS)
def test_the_status_of_the_job_is_the_gates(change, system, kind):
    """Fine is 0, slower 10, crashing 4; JUnit and the page are there in each case."""
    project, environment, git = change
    level, status = LEVELS[kind]
    head = [level] * 40 if isinstance(level, str) else [level, level * 1.002, level * 0.998] * 14
    project.record({"b": head}, {"b": [1.0, 1.002, 0.998] * 14})
    git("commit", "-q", "-a", "--allow-empty", "-m", "change")
    environment["CI_COMMIT_SHA"] = git("rev-parse", "HEAD")
    shell, main, after = SYSTEMS[system]
    done = [
        subprocess.run(
            [*shell, text], cwd=project.root, env=environment, capture_output=True, text=True,
            check=False, timeout=120,
        )
        for text in (main, after)
    ]  # fmt: skip
    assert done[0].returncode == status, done[0].stderr
    assert done[1].returncode == 0, done[1].stderr
    out = project.root / "reports" / "gate"
    root = ET.parse(out / "junit.xml").getroot()
    bad = int(root.get("failures")) + int(root.get("errors"))
    assert (bad > 0) == (status != 0)
    assert {"report.json", "report.html", "session.json"} <= {path.name for path in out.iterdir()}
    if system == "gitlab":
        comment = (out / "comment.md").read_text(encoding="utf-8")
        assert comment.startswith("<!-- driftgate:gate -->\n### ")
        assert "[the run](https://example.com/job/1)" in comment
        assert f"`{environment['CI_COMMIT_SHA']}`" in comment
