"""`gate bisect-run`: a real `git bisect run` finds the commit, and nothing ends as good by accident."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from builders import QUIET, write_replay_project
from night import at_night
from report.build import finding
from shell import Shell, begin, commit_all, git

from gate.cli.bisect_run import command
from gate.model import Role, Verdict

SLOW = [1.1 * one for one in QUIET]


def recording(project, level):
    """The recording as a commit holds it; a base side that never changes."""
    rows = ["fail"] * 40 if level == "broken" else [one * level for one in QUIET] * 40
    project.record({"b": rows, "c": list(QUIET) * 40}, {"b": QUIET * 40, "c": QUIET * 40})


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """Eight commits: the sixth brings a loss of 10 %, the fourth cannot be measured."""
    place = tmp_path_factory.mktemp("history")
    project = write_replay_project(place / "p", sides=True, head={"b": QUIET, "c": QUIET})
    project.accept()
    begin(project.root)
    commits = []
    for number in range(1, 9):
        level = "broken" if number == 4 else 1.1 if number >= 6 else 1.0
        recording(project, level)
        (project.root / "number").write_text(f"{number}\n")
        commits.append(commit_all(project.root, f"commit {number}"))
    return project, commits, Shell(place, project.root)


def test_git_bisect_run_finds_the_commit(history):
    """Commit 6 of 8 is named, commit 4 skipped; the tree holds nothing that was not there."""
    project, commits, shell = history
    line = f"git bisect start {commits[-1]} {commits[0]} && git bisect run gate bisect-run p"
    status, told = shell(f"{line} --benchmark b")
    git(project.root, "bisect", "reset")
    assert status == 0, told
    assert f"{commits[5]} is the first bad commit" in told
    assert "gate check ended with 4: skipped (125 to git)" in told
    assert "gate check ended with 10: bad (1 to git)" in told
    assert "gate check ended with 0: good (0 to git)" in told
    assert git(project.root, "status", "--porcelain", "--ignored") in {"", "!! reports/"}
    assert {one.name for one in (project.root / "reports").iterdir()} == {"sessions"}


@pytest.mark.night
def test_each_step_keeps_its_report(history):
    """In the directory that was asked for, one for each step, with the verdict in it."""
    project, commits, shell = history
    steps = project.root.parent / "steps"
    for commit in (commits[0], commits[-1]):
        git(project.root, "checkout", "--detach", commit)
        shell(f"gate bisect-run --out {steps} p --benchmark b")
    found = {
        one.name[:24]: json.loads((one / "check/report.json").read_text())["gate"]
        for one in steps.iterdir()
    }
    assert found == {
        f"gate-bisect-{commits[0][:12]}": "open",
        f"gate-bisect-{commits[-1][:12]}": "closed",
    }


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("nothing", 130, "gate check ended with 2: stop (130 to git)"),
        ("p --benchmark nothing", 130, "gate check ended with 2: stop (130 to git)"),
        ("--profiles empty", 125, "gate check ended with 3: skipped (125 to git)"),
        ("p --baseline empty", 1, "gate check ended with 10: bad (1 to git)"),  # by both sides
        ("p --restart", 130, "git bisects within one start of the machine"),
        ("p --no-such-option", 130, "gate check ended with 2: stop (130 to git)"),
        ("p --out", 130, "requires an argument"),
        ("p --out /proc/nowhere", 130, "cannot be made"),
        ("-- --help", 130, "help is no check"),
        ("-- p -h", 130, "help is no check"),
        ("p -hh", 130, "help is no check"),
        ("--help p", 130, "help is no check"),
        ("--help", 0, ""),
        ("p", 1, "gate check ended with 10: bad (1 to git)"),
        ("-- p --benchmark c", 0, "gate check ended with 0: good (0 to git)"),
    ],
)
def test_what_each_ending_means_to_git(history, words, status, said):
    """Good and bad are told by a verdict alone; an error of ours or of the words ends it all."""
    project, commits, shell = history
    git(project.root, "checkout", "--detach", commits[-1])
    (project.root / "empty").mkdir(exist_ok=True)
    with_out = (
        ["--out", str(shell.bin.parent)] if {"--out", "--help"}.isdisjoint(words.split()) else []
    )
    answer = project.gate("bisect-run", *with_out, *words.split())
    assert (answer.status, said in answer.err) == (status, True), answer


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("gate bisect-run --out 2>/dev/full", 130),
        ("gate bisect-run p --benchmark c 2>/dev/full", 125),  # no room: this one is skipped
        *at_night(
            [
                ("gate bisect-run --out 2> >(exec true)", 130),
                ("gate bisect-run --out 2>&-", 130),
                ("gate bisect-run nothing 2>/dev/full", 130),
                ("gate bisect-run p --benchmark c --quiet >/dev/full", 125),
                ("gate bisect-run p --benchmark c 2> >(exec true)", 129),
            ]
        ),
    ],
)
def test_output_that_goes_nowhere_is_no_bad_commit(history, line, status):
    """A full disk or a reader that has left makes neither 1 nor the 120 of Python's own end."""
    shell = history[2]
    assert shell(f"{line}; exit $?")[0] == status
    assert shell(f"exec {line}")[0] == status


def test_the_answer_stands_where_its_last_line_cannot_be_written(history, monkeypatch):
    """Only the line that tells of it is lost."""
    monkeypatch.setattr("gate.cli.main.run", lambda _: 10)
    monkeypatch.setattr("sys.stderr", open("/dev/full", "w", buffering=1))  # noqa: PTH123, SIM115
    answer = command.main(["p", "--out", str(history[2].bin.parent)], standalone_mode=False)
    assert answer == 1


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        ({}, 0),
        ({"tolerance_used": 0.6, "loss_high": 0.4}, 125),
        ({"tolerance_used": 0.6, "loss_high": None}, 125),
        ({"tolerance_used": 0.6, "loss_high": 0.03}, 0),
        ({"tolerance_used": 0.6, "loss_high": 0.4, "role": Role.WATCH}, 0),
    ],
)
def test_a_pass_at_a_raised_tolerance_is_no_good_commit(history, monkeypatch, changes, answer):
    """A loss above what was asked for may hide in it: git skips the commit, and is told why."""
    one = finding(**{"tolerance": 0.05, "tolerance_used": 0.05, "loss_high": 0.07, **changes})
    report = SimpleNamespace(findings=[replace(one, verdict=Verdict.PASSED)])
    monkeypatch.setattr("gate.cli.main.run", lambda _: 0)
    monkeypatch.setattr("gate.formats.session.session_file.read_report", lambda _: report)
    out = str(history[2].bin.parent)
    assert command.main(["--out", out, "p"], standalone_mode=False) == answer


def test_an_internal_error_is_no_bad_commit(history, monkeypatch):
    """Status 1 of a gate that failed itself would be `bad` to git; it ends the bisection."""
    monkeypatch.setattr("gate.cli.bisect_run.vcs.commit_of", lambda *_: 1 / 0)
    answer = history[0].gate("bisect-run", "p")
    assert (answer.status, "internal error: ZeroDivisionError" in answer.err) == (130, True), answer
