"""Disturbed trials: set aside with their reasons, taken again, within a limit."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from builders import write_replay_project

from gate.errors import InputError
from gate.formats.session.session_file import read_session
from gate.measure import trial_retry
from gate.measure.process.stop import Stop
from gate.measure.trial_retry import RetryBudget, with_reasons
from gate.model import UNSTEADY, Disturbance, Limits, Stage, State, Trial, TrialStatus
from gate.model.plan import block_of, pairs_in

HIT = "processes outside used 0.97 CPUs (foreign_cpu = 0.25 in [limits])"
REASON = Disturbance(kind="foreign_cpu", text=f"{HIT}: stress-ng 0.97")
ASLEEP = Disturbance(kind="asleep", text="the machine was suspended for 9.0 s")
"""Of a kind that a pair cannot bear."""
STEADY = [1.0, 1.002, 0.998, 1.001, 0.999] * 40


class Acted:
    """A watch that acts: it tells of a disturbance after these of the trials, counted from 1."""

    def __init__(self, *disturbed, always=False, limits=None, blind=(), reason=REASON):
        self.limits, self.blind, self.reason = limits or Limits(), blind, reason
        self.disturbed, self.always, self.looks = disturbed, always, 0

    def begin(self):
        self.looks += 1

    def end(self, used):
        assert used == 0.0
        return (self.reason,) if self.always or self.looks in self.disturbed else ()


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch):
    monkeypatch.setattr(trial_retry, "_PAUSES", (0.0,))


def run(project, watch, *options, ends=0):
    """The one session of `gate run` under this watch, and what was said."""
    answer = project.gate("run", "p", "--json", *options, watch=watch)
    assert answer.status == ends, answer
    (path,) = (project.root / "reports/sessions").glob("*.json")
    return read_session(path), answer


def values(session, benchmark="b", *, status=TrialStatus.OK):
    return [
        trial.values[0].value
        for trial in session.trials
        if trial.benchmark == benchmark and trial.status is status
    ]


def test_a_disturbed_trial_is_kept_and_taken_again(tmp_path):
    """Its values and its reason stay in the session, its repetition counts as the same trial: the
    command has succeeded, and one may accept the session."""
    project = write_replay_project(tmp_path)
    session, answer = run(project, Acted(2, 3))
    assert [trial.status.value for trial in session.trials] == ["ok", "aside", "aside", "ok", "ok"]
    assert values(session) == [1.0, 1.002, 0.998]
    assert values(session, status=TrialStatus.ASIDE) == [1.002, 1.002]
    assert [trial.aside for trial in session.trials] == [(), (REASON,), (REASON,), (), ()]
    assert [trial.sequence for trial in session.trials] == [0, 1, 2, 3, 4]
    assert (session.state, session.disturbances) == (State.COMPLETE, ())
    assert answer.err.count(f"set aside: {HIT}") == 2
    assert answer.json["failed_trials"] == 0
    place = project.root / "reports/sessions/p-001.json"
    done = project.gate("baseline", "accept", place, "--reason", "r", "--by", "me")
    assert done.status == 0, done
    (line,) = (one for one in project.baseline.read_text("utf-8").splitlines() if "0.998" in one)
    assert line.count("1.002") == 1


def test_a_session_that_is_disturbed_on_and_on_is_not_judged(tmp_path):
    """Above the limit nothing is taken again, and the rest is not measured; `gate run` ends with
    status 5 and a check is incomparable, both with who it was and the key of `[limits]` that was
    hit; accepting is refused."""
    project = write_replay_project(tmp_path, head={"b": STEADY, "c": STEADY}, trials=3)
    project.accept()
    for path in (project.root / "reports").rglob("*.json"):
        path.unlink()
    session, answer = run(project, Acted(always=True), ends=5)
    assert len(session.trials) == 4
    told = f"4 of 4 trials were disturbed: foreign_cpu: {HIT}: stress-ng"
    assert session.disturbances == (f"{told} 0.97",)
    assert f"error[G248]: reports/sessions/p-001.json: {told}" in answer.err
    place = project.root / "reports/sessions/p-001.json"
    refused = project.gate("baseline", "accept", place, "--reason", "r", "--by", "me")
    assert refused.status == 2
    assert told in refused.err
    project.record({"b": [9 * one for one in STEADY], "c": STEADY})
    check = project.gate("check", "p", "--out", "out", watch=Acted(always=True))
    assert check.status == 5
    report = json.loads((project.root / "out/report.json").read_text("utf-8"))
    assert {one["code"] for one in report["findings"]} == {"G036"}
    assert all(told in one["headline"] for one in report["findings"])


@pytest.mark.parametrize(
    ("share", "trials", "borne"),
    [(0.5, 10, 5), (0.5, 3, 3), (0.01, 10, 3), (0.0, 10, 0), (2.0, 4, 8)],
)
def test_the_limit(share, trials, borne):
    """So many trials per planned one may be set aside, three at least, and none at a limit of 0 %."""
    ok = _trial(TrialStatus.OK)
    bad = _trial(TrialStatus.ASIDE)
    watch = Acted(limits=Limits(set_aside=share))
    retaking = RetryBudget(watch, Stop(), trials)
    assert retaking.spent([bad] * borne + [ok]) == ""
    told = f"{borne + 1} of {borne + 2} trials were disturbed: foreign_cpu: {REASON.text}"
    assert retaking.spent([bad] * (borne + 1) + [ok]) == told


def test_more_trials_bear_more():
    """Where nobody knows how many trials there will be, those taken count as planned."""
    trials = [_trial(TrialStatus.OK)] * 100 + [_trial(TrialStatus.ASIDE)] * 50
    assert RetryBudget(None, Stop(), 10).spent(trials) == ""
    assert RetryBudget(None, Stop(), 10).spent([*trials, trials[-1]])


def test_storage_that_settles_disturbs_nobody():
    """Trials set aside because the storage was not steady yet count against no limit."""
    settling = replace(_trial(TrialStatus.ASIDE), aside=(Disturbance(kind=UNSTEADY, text="x"),))
    assert RetryBudget(None, Stop(), 3).spent([settling] * 25) == ""


def _trial(status):
    return Trial(
        benchmark="b",
        sequence=0,
        stage=Stage.SCREEN,
        status=status,
        started="2026-01-01T00:00:00Z",
        duration=1.0,
        aside=(REASON,) if status is TrialStatus.ASIDE else (),
    )


def test_a_failure_stays_a_failure():
    """A trial that failed while it was disturbed has failed, with both reasons in its note."""
    fault = Disturbance(kind="kernel_log", text="the kernel reported an I/O error: dev loop0")
    failed = replace(_trial(TrialStatus.FAILED), note="fio ended with status 1")
    told = with_reasons(failed, (fault,))
    assert (told.status, told.aside) == (TrialStatus.FAILED, ())
    assert told.note == (
        "fio ended with status 1; meanwhile the kernel reported an I/O error: dev loop0"
    )
    late = with_reasons(replace(failed, status=TrialStatus.TIMEOUT), (fault,))
    assert late.status is TrialStatus.TIMEOUT
    assert with_reasons(failed, ()) is failed


def test_a_failed_trial_is_not_taken_again(tmp_path):
    """Being disturbed saves no benchmark that fails: the session holds the failure, status 4."""
    project = write_replay_project(tmp_path, head={"b": [1.0, "fail", 0.998]})
    session, _ = run(project, Acted(2), ends=4)
    assert [trial.status.value for trial in session.trials] == ["ok", "failed", "ok"]
    assert session.trials[1].note == f"the recorded trial failed; meanwhile {REASON.text}"


def test_a_resumed_session_takes_what_is_missing(tmp_path):
    """After an interruption, trials that were set aside are due again and no other."""
    project = write_replay_project(tmp_path, head={"b": STEADY, "c": STEADY}, trials=4)
    session, _ = run(project, Acted(2, 5, 6))
    place = project.root / "reports/sessions/p-001.json"
    raw = json.loads(place.read_text("utf-8"))
    raw["state"], raw["trials"] = "partial", raw["trials"][:6]
    place.write_text(json.dumps(raw), "utf-8")
    answer = project.gate("run", "--resume", place, "--json", watch=Acted())
    assert answer.status == 0, answer
    resumed = read_session(place)
    assert [t.benchmark for t in resumed.trials if t.status is TrialStatus.OK] == [
        t.benchmark for t in session.trials if t.status is TrialStatus.OK
    ]
    assert values(resumed) == values(session) == STEADY[:4]
    assert values(resumed, "c") == STEADY[:4]


def test_progress_counts_what_is_planned(tmp_path):
    """A repetition shows the number of the trial that it repeats, of as many as were planned."""
    _, answer = run(write_replay_project(tmp_path), Acted(1))
    shown = [line.partition(" head")[0] for line in answer.err.splitlines() if "trial" in line]
    assert [one for one in shown if one.startswith("b ")] == [
        "b trial 1/3",
        "b trial 1/3",
        "b trial 2/3",
        "b trial 3/3",
    ]


def test_what_cannot_be_watched_is_noted(tmp_path):
    """What the machine does not let us see stands once in the notes of the session."""
    session, _ = run(write_replay_project(tmp_path), Acted(blind=("not watched: x",)))
    assert session.notes.count("not watched: x") == 1


def test_a_block_of_pairs_is_given_up_whole(tmp_path):
    """Of a block with a disturbed trial nothing more is run and nothing is judged: new blocks are
    taken, complete ones only, until it is decided; the verdict is that of undisturbed pairs."""
    project = write_replay_project(tmp_path, sides=True)
    project.accept()
    project.record({"b": [1.3 * one for one in STEADY]}, {"b": STEADY})
    check = project.gate("check", "p", "--out", "out", watch=Acted(4 + 4, 4 + 4 + 2, reason=ASLEEP))
    assert check.status == 10, check
    base, head = (
        read_session(project.root / f"out/p/pairs-{side}.json") for side in ("base", "head")
    )
    trials = sorted((*base.trials, *head.trials), key=lambda t: (t.started, t.sequence))
    asides = [trial for trial in trials if trial.status is TrialStatus.ASIDE]
    assert sorted(block_of(trial.pair) for trial in asides) == [0, 1]
    ran = {}
    for trial in trials:
        ran.setdefault(block_of(trial.pair), []).append(trial)
    assert (len(ran[0]), len(ran[1])) == (4, 2)
    for number, block in ran.items():
        if number > 1:
            assert sorted(t.pair for t in block) == sorted([*pairs_in(number)] * 2)
    report = json.loads((project.root / "out/report.json").read_text("utf-8"))
    (finding,) = report["findings"]
    complete = sum(len(pairs_in(number)) for number in ran if number > 1)
    assert finding["trials_head"] <= complete
    assert len(finding["evidence"]["pairs_head"]) == complete


def test_pairs_that_are_disturbed_on_and_on_are_not_judged(tmp_path):
    """A hog that stays ends the pairs at the limit; the gate is closed as incomparable, by what."""
    project = write_replay_project(tmp_path, sides=True)
    project.accept()
    project.record({"b": [1.3 * one for one in STEADY]}, {"b": STEADY})
    watch = Acted(*range(5, 100), reason=ASLEEP)
    check = project.gate("check", "p", "--out", "out", watch=watch)
    assert check.status == 5, check
    head = read_session(project.root / "out/p/pairs-head.json")
    base = read_session(project.root / "out/p/pairs-base.json")
    assert len(head.trials) + len(base.trials) == 6
    assert head.disturbances == base.disturbances
    report = json.loads((project.root / "out/report.json").read_text("utf-8"))
    assert {one["code"] for one in report["findings"]} == {"G036"}
    assert "6 of 6 trials were disturbed" in report["findings"][0]["headline"]


@pytest.mark.parametrize("baseline", [True, False], ids=["accepted", "no baseline"])
@pytest.mark.parametrize(("loss", "ends"), [(1.0, 0), (1.3, 10)], ids=["unchanged", "slower"])
def test_what_hits_both_sides_alike_is_borne(loss, ends, baseline, tmp_path):
    """A neighbour that stays all the time: every trial is marked and counts, none is taken again."""
    project = write_replay_project(tmp_path, sides=True)
    if baseline:
        project.accept()
    project.record({"b": [loss * one for one in STEADY]}, {"b": STEADY})
    check = project.gate("check", "p", "--out", "out", watch=Acted(always=True))
    assert check.status == ends, check
    for path in (project.root / "out/p").glob("*.json"):
        session = read_session(path)
        assert not session.disturbances
        assert {trial.status for trial in session.trials} == {TrialStatus.OK}
        assert {trial.marks for trial in session.trials} == {(REASON,)}
    report = json.loads((project.root / "out/report.json").read_text("utf-8"))
    assert any("trials were disturbed, and count: foreign_cpu" in c for c in report["conditions"])


def test_a_session_for_a_baseline_bears_nothing(tmp_path):
    """One side alone is measured, whatever sides the profile has: a neighbour would be in its level."""
    session, _ = run(write_replay_project(tmp_path, sides=True), Acted(always=True), ends=5)
    assert session.disturbances
    assert not any(trial.marks for trial in session.trials)


CURVE = """
[metric.scaling]
of = "wall"
over = "n"
take = "scaling"
tolerance = "10%"
"""


def test_a_point_is_taken_again_before_its_curve_is_made(tmp_path):
    """A group's trial is made of points that count, and none is made of one set aside."""
    project = write_replay_project(tmp_path, head={"p[n=1]": STEADY, "p[n=2]": STEADY})
    text = project.profile.read_text("utf-8").replace(
        'benchmarks = ["p[n=1]", "p[n=2]"]', "matrix = { n = [1, 2] }"
    )
    project.profile.write_text(text + CURVE, "utf-8")
    session, _ = run(project, Acted(1, 4))
    asides = {t.sequence for t in session.trials if t.status is TrialStatus.ASIDE}
    groups = [t for t in session.trials if t.benchmark not in {"p[n=1]", "p[n=2]"}]
    assert len(groups) == 3
    used = {
        int(one) - 1 for t in groups for one in t.note.removeprefix("made of trials ").split(", ")
    }
    assert len(used) == 6
    assert not used & asides


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"status": "ok"}, "a trial that was set aside has reasons, and no other has"),
        ({"aside": []}, "a trial that was set aside has reasons, and no other has"),
        ({"aside": [{"kind": "ghosts", "text": "x"}]}, "there is no such kind of disturbance"),
    ],
)
def test_a_session_that_contradicts_itself_is_refused(change, told, tmp_path):
    """Set aside without a reason, counted with one, or of an unknown kind: not read."""
    project = write_replay_project(tmp_path)
    run(project, Acted(2))
    place = project.root / "reports/sessions/p-001.json"
    raw = json.loads(place.read_text("utf-8"))
    raw["trials"][1] |= change
    place.write_text(json.dumps(raw), "utf-8")
    with pytest.raises(InputError, match=told):
        read_session(place)
