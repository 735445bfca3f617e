"""However a check ends it leaves a report, a page and a handover; only a pass leaves an open one."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest
from builders import QUIET, start_gate, tree, write_replay_project
from pipeline.ends import CHECK, left

from gate.formats.session.session_file import read_report
from gate.report.html.html import render_html

SLOW = (1.3, 1.302, 1.298)


@pytest.fixture
def accepted(tmp_path):
    """A project with an accepted baseline of one steady benchmark."""
    project = write_replay_project(tmp_path / "p")
    project.accept()
    return project


def test_an_open_check_hands_over_the_session_it_judged(accepted):
    """The handover of a passed check is part 1 of 1, whole, without an error."""
    answer = accepted.gate(*CHECK)
    report, handover = left(accepted.root)
    assert (answer.status, report.gate, report.verdict) == (0, "open", "passed"), answer
    assert (handover.shard, handover.shards, handover.error) == (1, 1, "")
    assert [one.profile for one in handover.sessions] == ["p"]
    again = accepted.gate("judge", "--session", "out/p/head.json", "--json")
    assert (again.status, again.json["verdict"]) == (0, "passed")


def test_a_proven_regression_hands_over_both_sides(tmp_path):
    """A regressed check leaves the screen and both sessions of pairs in one file."""
    project = write_replay_project(tmp_path / "p", sides=True)
    project.accept()
    project.record({"b": SLOW * 40}, {"b": QUIET * 40})
    answer = project.gate(*CHECK)
    report, handover = left(project.root)
    assert (answer.status, report.verdict, report.exit_status) == (10, "regressed", 10), answer
    assert sorted((s.stage.value, s.side.value) for s in handover.sessions) == [
        ("confirm", "base"),
        ("confirm", "head"),
        ("screen", "base"),
        ("screen", "head"),
    ]


def test_a_benchmark_that_fails_is_handed_over_as_broken(accepted):
    """Failed trials are evidence: the handover holds them, and the report is closed with 4."""
    accepted.record({"b": ["fail", "fail", "fail"]})
    answer = accepted.gate(*CHECK)
    report, handover = left(accepted.root)
    assert (answer.status, report.verdict, handover.error) == (4, "broken", "")
    assert [t.status.value for t in handover.sessions[0].trials] == ["failed"] * 3


def test_without_a_baseline_the_session_is_handed_over(tmp_path):
    """A first check is closed as new, and what it measured can be accepted from the handover."""
    project = write_replay_project(tmp_path / "p")
    answer = project.gate(*CHECK)
    report, handover = left(project.root)
    assert (answer.status, report.verdict, len(handover.sessions)) == (5, "new", 1)


ERRORS = [
    ("profiles/p.toml", "harness = 'none'\n", 2, "G206"),
    ("profiles/p.toml", "harness = 'fio'\njob = 'none.fio'\n[metric.iops]\n", 2, None),
    ("profiles/p.json", "{", 2, None),
    ("baselines/lab/p.toml", "schema = 1\n", 2, "G206"),
    ("baselines/waivers.toml", "[[waiver]]\n", 2, "G206"),
    ("baselines/lab/calibration.toml", "x", 2, "G204"),
]


@pytest.mark.parametrize(("path", "text", "status", "code"), ERRORS)
def test_a_wrong_file_leaves_a_closed_report_with_the_error(accepted, path, text, status, code):
    """Whatever file is wrong: the report says what, and closes with the status of the error."""
    (accepted.root / path).write_text(text)
    answer = accepted.gate(*CHECK)
    report, handover = left(accepted.root)
    assert (answer.status, report.exit_status, report.gate) == (status, status, "closed"), answer
    assert (report.verdict, report.findings, report.host) == ("error", (), None)
    said = answer.err.splitlines()[0].removeprefix("error[").replace("]: ", ": ", 1)
    assert report.headline == f"gate closed: error: {said}"
    assert report.notes[0] == said == handover.error
    assert code is None or said.startswith(code)
    assert handover.sessions == ()


def test_an_unknown_profile_and_an_empty_directory_leave_reports(accepted):
    """Nothing to compare is closed with 3, an unknown name with 2; both leave the three files."""
    assert accepted.gate("check", "q", "--out", "a").status == 2
    assert left(accepted.root, "a")[0].exit_status == 2
    (accepted.root / "none").mkdir()
    assert accepted.gate("check", "--profiles", "none", "--out", "b").status == 3
    assert left(accepted.root, "b")[0].notes[0].startswith("G280: none: ")


def test_without_out_a_wrong_name_leaves_no_directory(accepted):
    """Who names no directory looks into none: a typing error does not litter reports/."""
    before = tree(accepted.root)
    assert accepted.gate("check", "q").status == 2
    assert tree(accepted.root) == before


def test_results_of_another_run_are_never_touched(accepted):
    """G222 leaves a finished check as it is, byte for byte."""
    assert accepted.gate(*CHECK).status == 0
    before = tree(accepted.root)
    answer = accepted.gate(*CHECK)
    assert (answer.status, "error[G222]" in answer.err) == (2, True)
    assert tree(accepted.root) == before


LEFT = ("report.json", "report.html", "session.json")
OPEN = (0, "open")


def contents(place, ending=""):
    return {name: (place / (name + ending)).read_bytes() for name in LEFT}


@pytest.mark.parametrize("name", ["profile", "changed", "merge base"])
def test_a_failing_resume_never_leaves_the_older_open_report(accepted, name):
    """After a finished check: the report is of the error, the older files have other names."""
    assert accepted.gate(*CHECK).status == 0
    out, good = accepted.root / "out", accepted.profile.read_text()
    before, sessions = contents(out), tree(out / "p")
    more = ("--merge-base", "nowhere") if name == "merge base" else ()
    if name == "profile":
        accepted.profile.write_text(good + "nonsense\n")
    if name == "changed":
        accepted.profile.write_text(good.replace('["b"]', '["b", "c"]'))
        assert accepted.profile.read_text() != good
    for _ in range(2):  # the second failure does not push the verdict out either
        answer = accepted.gate(*CHECK, *more, "--resume")
        report, handover = left(accepted.root)
        assert (report.gate, report.verdict) == ("closed", "error")
        assert answer.status == report.exit_status != 0
        assert handover.error
        assert contents(out, ".old") == before
        assert tree(out / "p") == sessions
        kept = "what was there before is kept in out as report.json.old, report.html.old"
        assert answer.err.startswith(f"note: {kept}, session.json.old\nerror[G2"), answer
        assert report.notes[-1].startswith(kept)
        assert accepted.gate("publish", "step", "out").status == report.exit_status
    accepted.profile.write_text(good)
    assert accepted.gate(*CHECK, "--resume").status == 0
    assert left(accepted.root)[0].gate == "open"


def test_a_killed_resume_leaves_no_open_report(accepted):
    """SIGKILL while a finished check is resumed: nothing there says open, and the step closes."""
    assert accepted.gate("check", "--out", "out", "--quiet").status == 0
    before = contents(accepted.root / "out")
    write_replay_project(accepted.root, name="q").record({"b": [1.0, "hang"]})
    gate = start_gate(["check", "--out", "out", "--quiet", "--resume"], cwd=accepted.root)
    _wait((accepted.root / "out/q/head.json").exists)
    os.kill(gate.pid, signal.SIGKILL)
    gate.communicate(timeout=60)
    assert not any((accepted.root / "out" / name).exists() for name in LEFT)
    assert contents(accepted.root / "out", ".old") == before
    answer = accepted.gate("publish", "step", "out")
    assert (answer.status, "the check left no report" in answer.out) == (4, True), answer


def judged(project, *more, session="out/p/head.json"):
    return project.gate("judge", "--session", session, "--out", "told", *more)


@pytest.mark.parametrize(
    ("more", "status", "code"),
    [
        ({"session": "bad.json"}, 2, "G205"),
        ({"session": "none.json"}, 2, "G201"),
        ({"more": ("--merge-base", "nowhere")}, None, "G2"),
        ({"more": ("--tolerance", "3%")}, 2, "G200"),
    ],
)
def test_a_judge_that_fails_leaves_a_closed_report(accepted, more, status, code):
    """An older open report is kept under another name, and the new one tells of the error."""
    accepted.gate(*CHECK)
    (accepted.root / "bad.json").write_text("{")
    assert judged(accepted).status == 0
    told = accepted.root / "told"
    before = (told / "report.json").read_bytes()
    arguments = {"session": "out/p/head.json"} | more
    answer = judged(accepted, *arguments.pop("more", ()), **arguments)
    report = read_report(told / "report.json")
    assert (report.gate, report.verdict, report.exit_status) == ("closed", "error", answer.status)
    assert answer.status == (status or answer.status) != 0
    assert report.notes[0].startswith(code), report.notes
    assert (told / "report.html").read_text() == render_html(report)
    assert (told / "report.json.old").read_bytes() == before
    assert "note: what was there before is kept in told as report.json.old" in answer.err
    assert accepted.gate("publish", "step", "told").status == answer.status
    assert judged(accepted).status == 0
    assert read_report(told / "report.json").gate == "open"


def test_an_internal_error_of_a_judge_is_told_too(accepted, monkeypatch):
    """In a directory that is not there yet, and beside an open report."""
    accepted.gate(*CHECK)
    for spoil in (False, True, True):

        def mistaken(*_, **__):
            raise ZeroDivisionError("x")

        if spoil:
            monkeypatch.setattr("gate.cli.judge.judge_sessions", mistaken)
        answer = judged(accepted)
        report = read_report(accepted.root / "told/report.json")
        assert (answer.status, report.gate) == ((1, "closed") if spoil else OPEN)
    assert report.notes[0] == "G299: internal error: ZeroDivisionError: x"
    old = read_report(accepted.root / "told/report.json.old")
    assert old.gate == "open"


def test_an_interrupted_judge_leaves_no_open_report(accepted, monkeypatch):
    """What lay there is away before anything is read, so that no interruption leaves it."""
    accepted.gate(*CHECK)
    assert judged(accepted).status == 0

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("gate.cli.judge.judge_sessions", interrupted)
    assert judged(accepted).status == 130
    names = {path.name for path in (accepted.root / "told").iterdir()}
    assert names == {"report.json.old", "report.html.old"}


def test_resuming_a_failed_check_replaces_its_report(accepted):
    """When the cause is mended, --resume comes to a verdict and the failed report is gone."""
    good = accepted.profile.read_text()
    accepted.profile.write_text(good + "nonsense\n")
    assert accepted.gate(*CHECK).status == 2
    assert left(accepted.root)[0].verdict == "error"
    accepted.profile.write_text(good)
    answer = accepted.gate(*CHECK, "--resume")
    report, handover = left(accepted.root)
    assert (answer.status, report.gate, handover.error) == (0, "open", ""), answer


def test_a_profile_that_breaks_in_the_middle_keeps_what_was_measured(accepted, monkeypatch):
    """An error while the second profile is measured: the first one's session is handed over."""
    write_replay_project(accepted.root, name="q")
    from gate.errors import MeasureError
    from gate.pipeline import stages

    whole = stages.measure_screen

    def breaking(sitting, *arguments, **options):
        if sitting.profile.name == "q":
            raise MeasureError("G258", "the disk went away.")
        return whole(sitting, *arguments, **options)

    monkeypatch.setattr(stages, "measure_screen", breaking)
    answer = accepted.gate("check", "--out", "out")
    report, handover = left(accepted.root)
    assert (answer.status, report.exit_status, report.profiles) == (4, 4, ("p", "q")), answer
    assert [(s.profile, s.state.value) for s in handover.sessions] == [("p", "complete")]
    assert handover.error == "G258: the disk went away."


def test_an_internal_error_is_told_and_raised(accepted, monkeypatch):
    """A mistake of ours ends with 1 and leaves a report that says so; the handover is whole."""

    def mistaken(*_, **__):
        raise ZeroDivisionError("::error::x\n##[error]y")

    monkeypatch.setattr("gate.judge.judge.judge", mistaken)
    answer = accepted.gate(*CHECK)
    report, handover = left(accepted.root)
    assert (answer.status, report.exit_status, report.verdict) == (1, 1, "error")
    assert report.notes[0] == "G299: internal error: ZeroDivisionError: ::error::x ##[error]y"
    assert (len(handover.sessions), handover.error) == (1, "")
    assert "##[" not in answer.err
    assert not any(line.lstrip().startswith("::") for line in answer.err.splitlines())


def test_a_full_disk_leaves_no_report_that_says_open(accepted, monkeypatch):
    """Where report.html cannot be written, the report.json beside it does not stay open."""
    from gate.formats import disk

    whole = disk.write_text

    def full(path, text, **how):
        if path.name == "report.html":
            raise disk._unwritable(path, OSError(28, "No space left on device"))
        whole(path, text, **how)

    monkeypatch.setattr(disk, "write_text", full)
    answer = accepted.gate(*CHECK)
    assert answer.status == 2
    assert answer.err.startswith("error[G208]: out/report.html: ")
    assert answer.err.count("\n") == 1
    assert sorted(path.name for path in (accepted.root / "out").iterdir()) == ["p", "session.json"]


def test_a_host_that_is_busy_is_told(accepted):
    """The measuring lock is somebody else's: 5, with a report."""
    import fcntl

    from builders import LOCK

    with LOCK.open("a+") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        answer = accepted.gate(*CHECK)
    assert answer.status == 5, answer
    assert left(accepted.root)[0].notes[0].startswith("G240: ")


@pytest.fixture
def hanging(accepted):
    """A project whose first two trials end, and whose third one hangs."""
    accepted.record({"b": [1.0, 1.001, "hang"]})
    return accepted


def _trials(root):
    try:
        return len(json.loads((root / "out/p/head.json").read_text())["trials"])
    except (OSError, ValueError):
        return -1


def _wait(ready):
    end = time.monotonic() + 60
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("trials", [0, 2])
def test_a_signal_hands_over_what_was_measured(hanging, number, trials):
    """Interrupted while it measures: the trials so far are handed over, and --resume goes on."""
    gate = start_gate(CHECK, cwd=hanging.root)
    _wait(lambda: _trials(hanging.root) >= trials)
    gate.send_signal(number)
    _, err = gate.communicate(timeout=60)
    report, handover = left(hanging.root)
    assert gate.returncode == report.exit_status == 128 + number, err
    assert handover.error.startswith("G290: interrupted; ")
    assert [s.state.value for s in handover.sessions] == ["partial"]
    assert len(handover.sessions[0].trials) >= trials
    hanging.record({"b": QUIET})
    assert hanging.gate(*CHECK, "--resume").status == 0
    assert left(hanging.root)[1].error == ""


def test_a_signal_at_any_time_leaves_valid_files_or_none(hanging):
    """SIGTERM at 6 moments from the start on, SIGKILL too: every file reads, none says open."""
    for step in range(6):
        for number in (signal.SIGTERM, signal.SIGKILL):
            out = f"out-{step}-{number}"
            command = ["check", "p", "--out", out, "--quiet"]
            gate = start_gate(command, cwd=hanging.root)
            time.sleep(0.08 * step)
            os.kill(gate.pid, number)
            gate.communicate(timeout=60)
            assert gate.returncode != 0
            place = hanging.root / out
            if (place / "report.html").exists():
                assert left(hanging.root, out)[0].verdict == "error"
            for path in place.rglob("*.json"):
                json.loads(path.read_text())
