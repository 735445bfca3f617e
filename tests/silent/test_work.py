"""A head that does not do its work is faster, and never a gain that opens the gate by itself."""

from __future__ import annotations

import shutil
import sys

import pytest
from builders import run_gate
from silent.passes import closed, report

PROFILE = """
harness = "hyperfine"
command = "COMMAND"
trials = { screen = 2 }
[metric.wall]
tolerance = "100%"
"""
"""So wide a tolerance that a loud machine does not matter: what is looked for are gains."""
WORK = """
import time
until = time.process_time() + 0.15
while time.process_time() < until: pass
print("processed 1000 records")
"""
CRASHES = "import sys\nsys.exit(3)\n"
SAYS_USAGE = "print('usage: bench [--records N] FILE')\n"
GOES_AWAY = f"""
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv({sys.executable!r}, [{sys.executable!r}, "-c", {WORK.replace("0.15", "30")!r}])
    os._exit(0)
os.wait()
"""
pytestmark = pytest.mark.slow


class Project:
    """A baseline of the program that works, and heads that do something else."""

    def __init__(self, root, command, more=""):
        self.root = root
        for side in ("base", "head"):
            (root / side).mkdir()
            (root / side / "bench.py").write_text(WORK, "utf-8")
        (root / "profiles").mkdir()
        text = PROFILE.replace("COMMAND", f"{sys.executable} {{side}}/bench.py{command}")
        (root / "profiles/p.toml").write_text(text.replace("[metric", f"{more}[metric", 1), "utf-8")

    def gate(self, *arguments):
        return run_gate(arguments, cwd=self.root)

    def measure(self, sessions=5):
        """Accept sessions of the base side."""
        shutil.rmtree(self.root / "reports", ignore_errors=True)
        run = ("run", "p", "--head", "base", "--repeat", str(sessions), "--quiet")
        answer = self.gate(*run)
        assert answer.status == 0, answer
        self.accept(*sorted((self.root / "reports/sessions").glob("*.json")))
        return self

    def accept(self, *sessions):
        answer = self.gate("baseline", "accept", *sessions, "--reason", "it is so")
        assert answer.status == 0, answer

    def check(self, head=WORK):
        """`gate check` of a head with another program, both sides given."""
        (self.root / "head/bench.py").write_text(head, "utf-8")
        shutil.rmtree(self.root / "out", ignore_errors=True)
        sides = ("--base", "base", "--head", "head")
        return self.gate("check", "p", *sides, "--no-why", "--out", "out", "--quiet")

    def headline(self):
        return report(self)["findings"][0]["headline"]


def test_a_crash_behind_a_pipe_is_broken(tmp_path):
    """`program | cat` fails where the program does: its status is the pipe's, and no gain."""
    project = Project(tmp_path, ' | cat"\nshell = "bash').measure()
    assert project.check().status == 0
    closed(project, project.check(CRASHES), 4, "G050")
    assert "ended with status 3" in project.headline()


def test_usage_instead_of_work_is_suspicious(tmp_path):
    """A program that prints its usage and ends with 0 is too fast to be believed, until somebody
    accepts that level; then it passes, against the accepted level and against the old base."""
    project = Project(tmp_path, "").measure()
    closed(project, project.check(SAYS_USAGE), 5, "G046")
    assert "beyond what is plausible" in project.headline()
    project.accept(tmp_path / "out/p/head.json")
    answer = project.check(SAYS_USAGE)
    assert answer.status == 0, answer


def test_work_in_a_daemon_is_broken(tmp_path):
    """Work that goes on after the trial has ended was not measured: the trial fails by it."""
    project = Project(tmp_path, "").measure()
    closed(project, project.check(GOES_AWAY), 4, "G050")
    assert "left a process behind" in project.headline()


EXPECT = "[expect]\nfigure = 'processed ([0-9]+) records'\n"


@pytest.mark.night
def test_less_work_is_broken_until_it_is_accepted(tmp_path):
    """A head that processes 400 of 1000 records closes, against sessions and against pairs; once
    that figure is accepted it passes, and 300 do not."""
    project = Project(tmp_path, "", EXPECT).measure()
    assert project.check().status == 0
    assert "work_done" in (tmp_path / "baselines/lab/p.toml").read_text("utf-8")
    less = WORK.replace("1000", "400")
    closed(project, project.check(less), 4, "G055")
    assert "400 by expect.figure, and 1000 was accepted" in project.headline()
    project.accept(tmp_path / "out/p/head.json")
    assert project.check(less).status == 0
    closed(project, project.check(WORK.replace("1000", "300")), 4, "G055")


@pytest.mark.parametrize(
    ("program", "note"),
    [
        (WORK, "ended with status 0, not with 3 as expected"),
        (SAYS_USAGE + "exit(3)", "expected output that matches"),
        (CRASHES, "it printed nothing"),
        (WORK + "exit(4)", "ended with status 4, not with 3 as expected"),
    ],
)
def test_the_expected_status_and_output(tmp_path, program, note):
    """Under real hyperfine: status 3 with its output is a trial, any other end fails it."""
    project = Project(tmp_path, "", "[expect]\nstatus = 3\nstdout = '^processed'\n")
    (tmp_path / "head/bench.py").write_text(WORK + "exit(3)", "utf-8")
    run = ("run", "p", "--head", "head", "--quiet")
    assert project.gate(*run).status == 0
    (tmp_path / "head/bench.py").write_text(program, "utf-8")
    answer = project.gate(*run)
    assert answer.status == 4, answer
    session = (tmp_path / "reports/sessions/p-002.json").read_text("utf-8")
    assert note in session
