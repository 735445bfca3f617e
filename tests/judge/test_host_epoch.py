"""The host moved since the baseline: refused or new by policy, a new epoch once it is accepted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge.build import (
    HOST,
    LEVELS,
    TRIALS,
    accepted,
    at,
    baseline,
    decide,
    only,
    outcome,
    pair_sessions,
    pairs,
    series,
    session,
    strikes,
)

from gate.errors import InputError
from gate.formats.baseline.baseline_text import baseline_text
from gate.judge.accept import Acceptance, accept
from gate.judge.verdict.interim_analysis import plan_second_stage
from gate.judge.verdict.suite import Policy, arrange
from gate.model import EpochPolicy, Host, KnownHost, LevelState, Verdict

MOVED = replace(HOST, epoch={"kernel": "6.8", "microcode": "0x2"})
"""The host of the builders with another kernel, and a microcode that was not known before."""
WHAT = "kernel 6.1 -> 6.8; microcode unknown -> 0x2"
WHY = Acceptance(by="me", reason="a new kernel", accepted="2026-02-02T00:00:00Z")
UNKNOWN_LEVEL = (
    "git was not asked, or does not know, whether the base has the code of that level: it counts "
    "all the same"
)
NEW = {"policy": EpochPolicy.NEW_BASELINE}


def fresh(level: float = 1.0, name: str = "n1", **more):
    return session({"b": at(level)}, id=name, **{"started": "2026-02-01T00:00:00Z"} | more)


def test_g041_a_moved_host_is_refused():
    """Neither a loss nor its absence is claimed of a host that moved, and every fact is named."""
    for level in (1.0, 1.3, 0.7):
        report = decide(session({"b": at(level)}, host=MOVED))
        assert outcome(report) == ("G041", "incomparable", 5)
        assert only(report).headline == f"the host moved: {WHAT} since the baseline of 2026-01-05"
        assert f"p: epoch: {WHAT} since the baseline of 2026-01-05" in report.notes


def test_g041_a_fact_that_is_lacking_moved():
    """A session that does not tell a fact that the baseline tells is not compared."""
    silent = replace(HOST, epoch={})
    report = decide(session(host=silent))
    assert outcome(report) == ("G041", "incomparable", 5)
    assert "kernel 6.1 -> unknown" in only(report).headline


def test_without_facts_on_both_sides_they_agree():
    """Imported and recorded values know no host, neither in the baseline nor in the session."""
    bare = baseline(sessions=tuple(accepted(i, epoch_facts={}) for i in range(5)))
    assert outcome(decide(session(host=replace(HOST, epoch={})), bare)) == ("G001", "passed", 0)


@pytest.mark.parametrize("policy", EpochPolicy)
def test_nothing_is_spent_on_a_moved_host_without_a_base_side(policy):
    """However slow the head looks, the second stage has no task."""
    heads = [session({"b": at(1.3)}, host=MOVED)]
    assert plan_second_stage(arrange(heads, [baseline(policy=policy)], {}), Policy()) == ()


@pytest.mark.parametrize("policy", EpochPolicy)
@pytest.mark.parametrize("level", [1.0, 1.3])
def test_a_moved_host_is_no_reason_not_to_judge_both_sides(policy, level):
    """However fast or slow the head looks against what was accepted, pairs decide."""
    cases = arrange(
        [session({"b": at(level)}, host=MOVED, sides=True)], [baseline(policy=policy)], {}
    )
    (task,) = plan_second_stage(cases, Policy())
    assert task.benchmark == "b"


def test_g011_new_by_policy():
    """With `new-baseline` each series is new with the reason: closed, and open by --allow new."""
    known = baseline(series("b"), series("c"), **NEW)
    head = session({"b": at(1.3), "c": at(1)}, host=MOVED)
    report = decide(head, known)
    assert {(f.code, f.verdict.value) for f in report.findings} == {("G011", "new")}
    assert (report.gate, report.exit_status) == ("closed", 5)
    assert only(report).headline == (
        f"no session was accepted of the host as it is now: {WHAT} since the baseline of 2026-01-05"
    )
    assert report.promise.metrics_judged == 0
    through = decide(head, known, allow_new=True)
    assert (through.gate, through.exit_status) == ("open", 0)
    assert "new benchmarks were let through by --allow new: nothing was compared for them" in (
        through.notes
    )


def test_g011_hides_nothing_worse():
    """What is broken, missing or of another unit stays so although the host moved."""
    known = baseline(series("b"), series("c"), series("gone"), **NEW)
    report = decide(
        session({"b": (1.0, None, 1.0), "c": TRIALS}, host=MOVED), known, allow_new=True
    )
    assert {f.benchmark: f.code for f in report.findings} == {
        "b": "G050",
        "c": "G011",
        "gone": "G040",
    }
    assert report.exit_status == 4


def test_g011_is_no_excuse_for_another_machine():
    """Stable facts, profile text and tools are asked first, whatever the policy for epochs."""
    other = replace(MOVED, stable={"cpu": "y"})
    assert outcome(decide(session(host=other), baseline(**NEW)))[0] == "G031"
    assert outcome(decide(session(host=MOVED, tools={"replay": "2"}), baseline(**NEW)))[0] == "G034"


@pytest.mark.parametrize("policy", EpochPolicy)
@pytest.mark.parametrize(
    ("loss", "code", "status"), [(0.0, "G002", 0), (0.2, "G060", 10)], ids=["unchanged", "slower"]
)
def test_pairs_decide_where_an_epoch_fact_moved(policy, loss, code, status):
    """Both sides of a pair had the host as it is now; the level beside it moved with the host."""
    moved = [replace(one, host=MOVED) for one in pairs(loss)]
    head = session({"b": at(1.3)}, sides=True, host=MOVED)
    report = decide([head, *moved], baseline(policy=policy))
    assert (only(report).code, report.exit_status) == (code, status)
    assert only(report).level.state is LevelState.MOVED
    assert "kernel 6.1 -> 6.8" in only(report).level.text


def test_strikes_prove_nothing_on_a_moved_host():
    """Strikes are ranked against accepted sessions, which say nothing any more."""
    heads = [session({"b": at(1.3)}, host=MOVED), *strikes([1.3] * 10, host=MOVED)]
    assert outcome(decide(heads, baseline(**NEW))) == ("G011", "new", 5)
    assert outcome(decide(heads)) == ("G041", "incomparable", 5)


def test_g031_names_every_fact_up_to_three():
    """Key, theirs and ours of the first three stable facts, and how many more differ."""
    stable = {"cpu": "y", "disk_firmware": "B2", "memory": "64 GiB", "numa_nodes": "2"}
    report = decide(session(host=replace(HOST, stable=stable)))
    assert outcome(report) == ("G031", "incomparable", 5)
    assert only(report).headline == (
        "cpu: baseline x, this host y; disk_firmware: baseline unknown, this host B2; "
        "memory: baseline unknown, this host 64 GiB; and 1 more"
    )


def test_g037_the_host_moved_inside_one_check():
    """Both sides of the pairs must find the same host, and strikes that of the screen."""
    head = session({"b": at(1.2)}, sides=True)
    base, confirming = pairs(0.2)
    report = decide([head, base, replace(confirming, host=MOVED)])
    assert outcome(report) == ("G037", "incomparable", 5)
    assert only(report).headline == (
        f"the host moved between sessions pairs-base and pairs-head: {WHAT}"
    )
    late = [session({"b": at(1.2)}), *strikes([1.2] * 10)]
    late[-1] = replace(late[-1], host=MOVED)
    assert outcome(decide(late))[0] == "G037"


def test_accepting_on_a_moved_host_opens_an_epoch():
    """Every series gets an epoch, whatever its level, and change and comment name the facts."""
    known = baseline(series("b"), series("c"))
    result = accept(known, [session({"b": at(1), "c": at(1.2)}, id="n1", host=MOVED)], WHY)
    assert result.changes == (f"new epoch: b wall ({WHAT})", f"new epoch: c wall ({WHAT})")
    assert {p.epoch for s in result.baseline.series for p in s.points[5:]} == {2}
    comments = [row for row in baseline_text(result.baseline).splitlines() if "# epoch 2" in row]
    assert len(comments) == 2
    assert all(f"on the host {WHAT}, because: a new kernel" in row for row in comments)
    head = session({"b": at(1), "c": at(1.2)}, host=MOVED)
    assert outcome(decide(head, result.baseline), "c") == ("G001", "passed", 0)


def test_a_new_benchmark_of_a_moved_host_is_only_new():
    """What had no epoch before cannot open one: its change line names no fact."""
    result = accept(baseline(), [session({"b": at(1), "d": at(1)}, id="n1", host=MOVED)], WHY)
    assert result.changes == (f"new epoch: b wall ({WHAT})", "new: d wall")


def test_sessions_accepted_together_have_one_host():
    """A kernel update between two sessions makes two acceptances of them."""
    with pytest.raises(InputError, match=r"host moved between n1 and it: kernel 6\.1 -> 6\.8"):
        accept(None, [fresh(), fresh(name="n2", host=MOVED)], WHY)


def test_a_session_of_the_host_before_is_not_accepted_late():
    """Accepted after the host moved, it would make a level that no head is comparable with."""
    grown = accept(baseline(), [fresh(host=MOVED)], WHY).baseline
    old = fresh(name="n2", started="2026-01-20T00:00:00Z")
    with pytest.raises(InputError, match="measured before the newest accepted session, and the"):
        accept(grown, [old], WHY)
    late = fresh(name="n3", started="2026-01-20T00:00:00Z", host=MOVED)
    assert accept(grown, [late], WHY).changes == ("appended: b wall",)


def test_two_merged_branches_with_two_hosts_are_refused():
    """Where the newest session and a series' newest epoch disagree, no host agrees with both."""
    newer = accepted(6, epoch_facts=MOVED.epoch)
    mixed = baseline(
        series("b", levels=[*LEVELS, 1.0, 1.0], epochs=[1] * 5 + [2, 1]),
        sessions=(*(accepted(i) for i in range(6)), newer),
    )
    for host in (HOST, MOVED):
        assert outcome(decide(session(host=host), mixed)) == ("G041", "incomparable", 5)


def test_policy_comes_with_the_class():
    """A first acceptance takes stable facts and policy of the enrolled class."""
    host = KnownHost(host_class="lab", stable={"cpu": "x"}, policy=EpochPolicy.NEW_BASELINE)
    assert accept(None, [fresh()], WHY, host=host).baseline.policy is EpochPolicy.NEW_BASELINE
    other = replace(host, stable={"cpu": "y"})
    with pytest.raises(InputError, match="cpu y, the session's host x"):
        accept(None, [fresh()], WHY, host=other)


def opened(by: Host):
    """Five sessions at level 1, then one at 1.3 accepted on a host."""
    return baseline(
        series(levels=[*LEVELS, 1.3], epochs=[1] * 5 + [2]),
        sessions=(*(accepted(i) for i in range(5)), accepted(5, epoch_facts=by.epoch)),
    )


def test_what_the_host_lost_excuses_no_pull_request():
    """A base near the level before a kernel update is no old base: its loss is not taken off.

    The same baseline whose epoch somebody accepted for the subject passes the very same pairs.
    """
    for host, code, status in ((HOST, "G002", 0), (MOVED, "G060", 10)):
        head = session({"b": at(1.36)}, sides=True, host=host)
        rows = [replace(one, host=host) for one in pairs(0.3, level=1.0)]
        report = decide([head, *rows], opened(by=host))
        assert outcome(report)[::2] == (code, status)
    (task,) = plan_second_stage(
        arrange([session({"b": at(1.43)}, sides=True, host=MOVED)], [opened(by=MOVED)], {}),
        Policy(),
    )
    assert task.accepted is None


def test_a_young_epoch_of_the_host_says_so():
    """The level after the update is judged by, and the finding tells that the host brought it."""
    report = decide(session({"b": at(1.3)}, host=MOVED), opened(by=MOVED))
    assert outcome(report) == ("G001", "passed", 0)
    assert only(report).warnings == (
        f"+30.0 % was accepted with the host ({WHAT}) on 2026-01-09 by me: first",
        UNKNOWN_LEVEL,
    )
    assert only(decide(session({"b": at(1.43)}, host=MOVED), opened(by=MOVED))).verdict is (
        Verdict.INCONCLUSIVE
    )


def test_half_the_sessions_cannot_hide_a_moved_host():
    """The pairs' base side counts as much as their head."""
    base, head = pair_sessions({"b": [1.0] * 30}, {"b": [1.0] * 30})
    report = decide([session({"b": at(1.2)}, sides=True), replace(base, host=MOVED), head])
    assert outcome(report)[0] == "G037"


def test_a_control_profile_of_a_moved_host_condemns_nobody():
    """Its own baseline is of the host before: that it moved says nothing of the profile beside it."""
    calm = baseline(series("calm"), profile="calm", **NEW)
    control = session(
        {"calm": at(1.3)}, id="calm-1", profile="calm", host=MOVED, controls=("calm",)
    )
    grown = accept(baseline(), [fresh(host=MOVED)], WHY).baseline
    report = decide([session(host=MOVED), control], [grown, calm])
    assert {f.benchmark: f.code for f in report.findings} == {"b": "G001", "calm": "G011"}
    assert any("says nothing of the host, which moved" in note for note in report.notes)
