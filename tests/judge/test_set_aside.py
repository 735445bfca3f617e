"""Trials that the head may have disturbed itself: they can flag, and never prove."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge.build import (
    TRIALS,
    at,
    baseline,
    decide,
    only,
    outcome,
    pairs,
    series,
    session,
    strikes,
)

from gate.errors import InputError
from gate.judge.accept import Acceptance, accept
from gate.judge.verdict.interim_analysis import plan_second_stage
from gate.judge.verdict.suite import Policy, arrange
from gate.model import UNSTEADY, Disturbance, TrialStatus

BALLOONS = (1.3, 1.31, 1.29)


def with_asides(made, values, kind="memory_pressure", name="b"):
    """The session with further trials of these values, set aside for this kind."""
    reason = Disturbance(kind=kind, text=f"{kind} of 9 %")
    like = next(trial for trial in made.trials if trial.benchmark == name)
    further = tuple(
        replace(
            like,
            sequence=len(made.trials) + i,
            status=TrialStatus.ASIDE,
            values=(replace(like.values[0], value=value),),
            pair=None if like.pair is None else 1000 + i,
            aside=(reason,),
        )
        for i, value in enumerate(values)
    )
    return replace(made, trials=(*made.trials, *further))


def aside_pairs(base, head, *, loss=0.0, kind="memory_pressure", count=40):
    """A flagged screen and its pairs, with so many trials of each side set aside."""
    before, after = pairs(loss, count)
    return [
        session({"b": at(1.2)}, sides=True),
        with_asides(before, (1.0,) * base, kind),
        with_asides(after, (1.3,) * head, kind),
    ]


@pytest.mark.parametrize("kind", ["memory_pressure", "kernel_log", "throttling", "foreign_cpu"])
def test_slow_trials_set_aside_flag_the_screen(kind):
    """Three fast trials kept and three slow ones set aside do not pass: the median of six counts."""
    report = decide(with_asides(session(), BALLOONS, kind))
    assert outcome(report) == ("G021", "inconclusive", 5)
    # (1.002 + 1.29) / 2 in logs, against 1
    assert only(report).loss == pytest.approx((1.002 * 1.29) ** 0.5 - 1, abs=0.002)
    assert only(report).path[0] == (
        "flagged in the screen at +13.7 % with 3 set aside (flagged above +2.5 %, 5 accepted sessions)"
    )
    assert report.promise.metrics_flagged == 1


@pytest.mark.parametrize("kind", ["steal", "asleep", UNSTEADY])
def test_what_nobody_inside_does_flags_nothing(kind):
    """Time that the hypervisor took, a suspension and storage that settles are not the head's."""
    assert outcome(decide(with_asides(session(), BALLOONS, kind))) == ("G001", "passed", 0)


def test_trials_set_aside_at_the_level_pass():
    """Values like the others' flag nothing, and one slow trial of four does not move the median."""
    assert outcome(decide(with_asides(session(), TRIALS))) == ("G001", "passed", 0)
    assert outcome(decide(with_asides(session(), (1.3,)))) == ("G001", "passed", 0)


def test_trials_set_aside_make_nothing_better():
    """A head that is better only without its slow trials is not improved; a slow one stays so."""
    fast = session({"b": at(0.9)})
    assert outcome(decide(fast))[0] == "G003"
    assert outcome(decide(with_asides(fast, (1.1, 1.1, 1.1))))[0] == "G001"
    slow = session({"b": at(1.2)})
    assert outcome(decide(with_asides(slow, (0.5, 0.5, 0.5))))[0] == "G021"


def test_the_second_stage_plans_them():
    """A benchmark that only its set-aside trials flag is confirmed by pairs, which clear it."""
    head = with_asides(session(sides=True), BALLOONS)
    (task,) = plan_second_stage(arrange([head], [baseline()], {}), Policy())
    assert (task.benchmark, task.gates) == ("b", True)
    assert plan_second_stage(arrange([session(sides=True)], [baseline()], {}), Policy()) == ()
    assert outcome(decide([head, *pairs(0.0)])) == ("G002", "passed", 0)


def test_strikes_do_not_clear_what_is_set_aside_again():
    """Fresh sessions clear the flag with few slow trials, not with as many as are kept."""
    head = with_asides(session(), BALLOONS)
    fresh = strikes([1.0] * 10)
    assert outcome(decide([head, *fresh]))[0] == "G001"
    again = decide([head, *(with_asides(one, BALLOONS) for one in fresh)])
    assert outcome(again) == ("G025", "inconclusive", 5)
    assert "with what was set aside it looks +13.7 %" in only(again).headline


@pytest.mark.parametrize(
    ("base", "head", "code"),
    [(0, 2, "G002"), (0, 3, "G042"), (1, 8, "G002"), (1, 10, "G002"), (1, 11, "G042")],
)
def test_g028_the_head_disturbs_itself(base, head, code):
    """Pairs clear nothing with three trials of the head alone, or uneven at 1 %: 11 of 12."""
    assert outcome(decide(aside_pairs(base, head)))[0] == code


@pytest.mark.parametrize(("base", "head"), [(3, 3), (9, 0), (5, 8)])
def test_pairs_disturbed_on_both_sides_clear(base, head):
    """Trials set aside alike on both sides, or mostly the base's, leave the pairs their word."""
    assert outcome(decide(aside_pairs(base, head))) == ("G002", "passed", 0)


def test_g028_closes_with_its_reason():
    """It is inconclusive and says how many of each side; a hypervisor's steal is nobody's."""
    report = decide(aside_pairs(0, 3))
    assert outcome(report) == ("G042", "inconclusive", 5)
    assert only(report).headline.endswith(
        "but 3 trials of the head and 0 of the base were set aside"
    )
    assert outcome(decide(aside_pairs(0, 3, kind="steal"))) == ("G002", "passed", 0)


def test_a_proven_loss_stays():
    """A loss of 20 % in the pairs is regressed, whatever was set aside."""
    assert outcome(decide(aside_pairs(0, 5, loss=0.2)))[1] == "regressed"


def test_values_set_aside_prove_nothing():
    """Slow trials set aside in screen, strikes and pairs never make a verdict regressed."""
    slow = (9.0, 9.1, 9.2)
    head = with_asides(session(), slow)
    assert outcome(decide([head, *(with_asides(one, slow) for one in strikes([1.0] * 10))]))[1] == (
        "inconclusive"
    )
    before, after = pairs(0.0)
    sides = with_asides(session(sides=True), slow)
    assert outcome(decide([sides, before, with_asides(after, slow)]))[1] == "inconclusive"


@pytest.mark.parametrize(("share", "borne"), [(0.5, 3), (2.0, 6), (0.0, 0)])
def test_g036_more_set_aside_than_the_limit(share, borne):
    """Of three planned trials three may be set aside, or as host.toml says: then none is judged."""
    known = replace(baseline(), set_aside=share)
    calm = decide(with_asides(session(), (1.0,) * borne, "steal"), known)
    assert outcome(calm) == ("G001", "passed", 0)
    report = decide(with_asides(session(), (1.0,) * (borne + 1), "steal"), known)
    assert outcome(report) == ("G036", "incomparable", 5)
    assert only(report).headline == (
        f"the sitting was disturbed: {borne + 1} of {borne + 4} trials were set aside, "
        "more than may be"
    )


def test_g036_in_strikes_and_pairs():
    """Each further session has its own limit; both sides of the pairs share one: half of 80."""
    head = session({"b": at(1.2)})
    first, *others = strikes([1.0] * 10)
    spoilt = with_asides(first, (1.0,) * 4, "steal")
    assert outcome(decide([head, spoilt, *others]))[0] == "G036"
    assert outcome(decide(aside_pairs(20, 20, kind="steal")))[0] == "G002"
    assert outcome(decide(aside_pairs(20, 21, kind="steal")))[0] == "G036"


def test_storage_that_settles_counts_against_no_limit():
    """Trials set aside until the storage is steady may be any number."""
    assert outcome(decide(with_asides(session(), (1.0,) * 25, UNSTEADY)))[0] == "G001"


def test_other_benchmarks_are_not_flagged():
    """Only the benchmark whose trials were set aside is looked at with them."""
    head = with_asides(session({"b": at(1), "c": at(1)}), BALLOONS)
    report = decide(head, baseline(series("b"), series("c")))
    assert [outcome(report, name)[0] for name in "bc"] == ["G021", "G001"]


def test_a_session_with_more_set_aside_than_the_limit_is_not_accepted():
    """Three of three are borne; a fourth makes the session no baseline, whatever it says itself."""
    who = Acceptance(by="me", reason="first", accepted="2026-01-01T00:00:00Z")
    accept(None, [with_asides(session(), (1.0,) * 3, "steal")], who)
    with pytest.raises(InputError, match="4 of 7 trials were set aside, more than may be"):
        accept(None, [with_asides(session(), (1.0,) * 4, "steal")], who)


def marked_pairs(base, head):
    """A flagged screen and twelve pairs that pass, with so many marked trials on each side."""
    mark = Disturbance(kind="foreign_cpu", text="stress-ng 0.97")
    return [
        session({"b": at(1.2)}, sides=True),
        *(
            replace(
                one,
                trials=tuple(
                    replace(trial, marks=(mark,) if number < count else ())
                    for number, trial in enumerate(one.trials)
                ),
            )
            for one, count in zip(pairs(0.0, 12), (base, head), strict=True)
        ),
    ]


@pytest.mark.parametrize(
    ("base", "head", "code"),
    [(12, 12, "G002"), (6, 12, "G002"), (7, 0, "G002"), (8, 0, "G042"), (0, 8, "G042")],
)
def test_what_hits_one_side_alone_clears_nothing(base, head, code):
    """A neighbour on both sides is borne; one that is there with one side alone is not, either way."""
    found = only(decide(marked_pairs(base, head)))
    assert found.code == code
    if code == "G042":
        assert f"but {head} trials of the head and {base} of the base were disturbed" in (
            found.headline
        )


@pytest.mark.parametrize("marked", [3, 4])
def test_a_level_takes_nothing_that_others_disturbed(marked):
    """What a comparison bears is no level: beyond the trials that may be set aside it is refused."""
    mark = Disturbance(kind="foreign_cpu", text="stress-ng 0.97")
    made = session({"b": TRIALS * 2}, id="fresh")
    trials = tuple(replace(t, marks=(mark,) * (i < marked)) for i, t in enumerate(made.trials))
    why = Acceptance(by="me", reason="first", accepted="2026-02-02T00:00:00Z")
    if marked == 3:
        assert accept(baseline(), [replace(made, trials=trials)], why).changes
        return
    with pytest.raises(InputError, match="4 of 6 trials were disturbed by others"):
        accept(baseline(), [replace(made, trials=trials)], why)
