"""Resolution: what a measurement cannot tell apart is no verdict. Exact figures."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from formats.refusal import refusal
from judge.build import (
    LEVELS,
    TRIALS,
    WALL,
    at,
    baseline,
    decide,
    only,
    outcome,
    pair_sessions,
    pairs,
    series,
    session,
)

from gate.judge.verdict import confirming, interim_analysis
from gate.judge.verdict.interim_analysis import plan_second_stage, undecided_benchmarks
from gate.judge.verdict.series import at_blocks, at_resolution, relative, series_of
from gate.judge.verdict.suite import Policy, arrange
from gate.judge.verdict.tolerance import in_force_of
from gate.model import Better, Leeway, Metric
from gate.stats.costs import LossLimits
from gate.stats.martingale import decide as decide_pairs

PLAIN = LossLimits(tolerance=0.05, negligible=0.01)


def coarse(one, *steps):
    """A session whose trials have these resolutions, the last one repeated."""
    told = [*steps, *[steps[-1]] * len(one.trials)]
    return replace(
        one,
        trials=tuple(
            replace(trial, values=tuple(replace(v, resolution=step) for v in trial.values))
            for trial, step in zip(one.trials, told, strict=False)
        ),
    )


def limits(head, known=None):
    """The limits of the one series of a head session."""
    (case,) = arrange([head], [known or baseline()], {})
    (one,) = series_of(case)
    return in_force_of(one, None).limits


def test_figures():
    """f/v where lower is better, f/(v - f) where higher is; T stays clear of tau by 0.64."""
    assert relative(0.02, 0.5, Better.LOWER) == 0.04
    assert relative(0.02, 0.5, Better.HIGHER) == pytest.approx(0.02 / 0.48)
    assert relative(1.0, 0.5, Better.HIGHER) == 1e6
    assert at_resolution(PLAIN, 0.02, 1.0, Better.LOWER) == LossLimits(
        tolerance=0.05, negligible=0.02
    )
    assert at_resolution(PLAIN, 0.064, 1.0, Better.LOWER) == LossLimits(
        tolerance=0.1, negligible=0.064
    )
    assert at_resolution(PLAIN, 0.0, 1.0, Better.LOWER) == PLAIN
    assert at_resolution(PLAIN, 0.004, 1.0, Better.LOWER) == PLAIN


def test_the_median_of_the_head_trials_counts():
    """Of resolutions 2, 70 and 1 % the middle one is tau, relative to the accepted level."""
    head = coarse(session(), 0.02, 0.7, 0.01)
    centre = sorted(LEVELS)[2]
    assert limits(head).negligible == pytest.approx(0.02 / centre)
    assert limits(head).tolerance == 0.05


RATE = Metric(name="rate", unit="op/s", better=Better.HIGHER)
UP_TO_HALF = Leeway()
FACTORS = (1.0, 1.002, 0.9985, 1.001, 0.999)


def halved(*, loud=UP_TO_HALF):
    """An efficiency of 1000 accepted and 500 in head, with its pairs; resolutions are 0."""
    known = baseline(series(metric=RATE, trials=[1000 * one for one in TRIALS]))
    head = session({"b": at(500)}, metrics=(RATE,), sides=True, loud=loud)
    both = (
        {"b": [level * FACTORS[i * step % 5] for i in range(30)]}
        for level, step in ((1000, 1), (500, 2))
    )
    return known, head, *pair_sessions(*both, metrics=(RATE,))


def test_one_noisy_confirming_trial_lifts_nothing():
    """A lost half stays proven at 5 % where one of 60 trials has a resolution of 700 op/s."""
    known, head, base, other = halved()
    report = decide([head, base, coarse(other, 700.0, 0.0)], known)
    found = only(report, metric="rate")
    assert outcome(report, metric="rate") == ("G060", "regressed", 10)
    assert (found.negligible, found.tolerance_used) == (0.01, 0.05)


@pytest.mark.parametrize(
    ("step", "loud", "tolerance", "ends"),
    [
        (700.0, Leeway(ceiling=0.5), 3.6458, ("G024", "inconclusive", 5)),
        (50.0, Leeway(times=1.0), 0.0822, ("G060", "regressed", 10)),
    ],
    ids=["beyond the ceiling", "a loss beyond the resolution"],
)
def test_pairs_that_are_too_coarse_never_pass(step, loud, tolerance, ends):
    """What trials that all are too coarse hide stays undecided; a lost half beyond it is proven."""
    known, head, *both = halved(loud=loud)
    report = decide([head, *(coarse(one, step) for one in both)], known)
    found = only(report, metric="rate")
    assert outcome(report, metric="rate") == ends
    assert found.tolerance_used == pytest.approx(tolerance, rel=0.01)
    assert any("its resolution hides losses below" in one for one in found.warnings)


def test_a_look_stops_where_the_judge_decides():
    """Pairs that rule out a coarse loss only, at 700 op/s, stop as those at 0 with proof: G024."""
    known, head, *both = halved()
    (task,) = plan_second_stage(arrange([head], [known], {}), Policy())
    assert task.in_force.most == pytest.approx(0.075)
    first = [replace(one, trials=one.trials[:5]) for one in both]
    rough = [coarse(one, 700.0) for one in first]
    assert undecided_benchmarks([task], *first) == set()
    assert undecided_benchmarks([task], *rough) == set()
    assert outcome(decide([head, *rough], known), metric="rate")[0] == "G024"


def test_it_folds_with_the_floor():
    """Floor and resolution: the larger of the two is tau."""
    floored = (replace(WALL, floor=0.04),)
    assert limits(coarse(session(metrics=floored), 0.03)).negligible == pytest.approx(0.04)
    assert limits(coarse(session(metrics=floored), 0.05)).negligible == pytest.approx(0.05)


def test_a_loss_below_the_resolution_is_no_verdict():
    """4 % loss is proven by pairs when values are exact, and is none at a resolution of 4.5 %."""
    head = session({"b": at(1.08)}, sides=True)
    exact = decide([head, *pairs(0.04)])
    assert outcome(exact) == ("G060", "regressed", 10)
    rough = decide([coarse(head, 0.045), *(coarse(one, 0.045) for one in pairs(0.04))])
    found = only(rough)
    assert found.verdict.value == "passed"
    assert found.negligible == pytest.approx(0.045)
    assert found.tolerance_used == pytest.approx(0.045 / 0.64)
    assert "its resolution hides losses below 4.5 %" in found.warnings
    assert "1 of 1 judged coarser than asked: up to 7.0 % for 5.0 %" in rough.headline


def test_the_pairs_own_resolution_counts():
    """Trials of pairs that are coarser than the screen's raise tau to theirs, and say so once."""
    head = coarse(session({"b": at(1.08)}, sides=True), 0.02)
    found = only(decide([head, *(coarse(one, 0.045) for one in pairs(0.04))]))
    assert found.verdict.value == "passed"
    assert found.negligible == pytest.approx(0.045, rel=0.01)
    told = [warning for warning in found.warnings if "resolution" in warning]
    assert told == ["its resolution hides losses below 4.5 %"]


def test_a_loss_beyond_the_resolution_is_one():
    """20 % are proven at a resolution of 6 %, with the warning beside them."""
    head = coarse(session({"b": at(1.2)}, sides=True), 0.06)
    found = only(decide([head, *(coarse(one, 0.06) for one in pairs(0.2))]))
    assert (found.code, found.verdict.value) == ("G060", "regressed")
    assert found.loss_low > 0.06
    assert "(6.0 % would be negligible)" in found.headline


def test_a_fine_resolution_says_nothing():
    """A resolution below tau changes no limit and warns of nothing."""
    found = only(decide(coarse(session(), 0.002)))
    assert found.verdict.value == "passed"
    assert found.warnings == ()
    assert (found.negligible, found.tolerance_used) == (0.01, 0.05)


def test_a_resolution_too_coarse_is_not_judged():
    """Where tau would raise the tolerance beyond 1.5 times, or by policy at all: inconclusive."""
    found = only(decide(coarse(session(), 0.06)))
    assert (found.code, found.verdict.value) == ("G024", "inconclusive")
    assert "its resolution hides losses below" in found.headline
    strict = only(decide(coarse(session(loud=Leeway(times=1.0)), 0.04)))
    assert (strict.code, strict.verdict.value) == ("G024", "inconclusive")


def test_the_looks_between_blocks_see_the_same_rule(monkeypatch):
    """The measuring process stops by the limits that the judge will use."""
    rules = {}
    for module in (interim_analysis, confirming):

        def watched(costs, rule, *, place=module, **more):
            rules[place] = rule
            return decide_pairs(costs, rule, **more)

        monkeypatch.setattr(module, "decide", watched)
    head = coarse(session({"b": at(1.2)}, sides=True), 0.02)
    both = [coarse(one, 0.06) for one in pairs(0.2)]
    (task,) = plan_second_stage(arrange([head], [baseline()], {}), Policy())
    undecided_benchmarks([task], *both)
    decide([head, *both])
    assert rules[interim_analysis] == rules[confirming]
    assert rules[confirming].negligible == pytest.approx(math.log1p(0.06), rel=0.01)


def test_blocks_without_a_resolution_or_without_a_pair_leave_the_limits():
    """Pairs raise the limits to their own resolution at their own base values, and no further."""
    blocks = [((1.0, 1.0), (1.0, 1.0))]
    raised = at_resolution(PLAIN, 0.06, 1.0, Better.LOWER)
    assert at_blocks(PLAIN, 0.06, blocks, Better.LOWER) == raised != PLAIN
    assert at_blocks(PLAIN, 0.0, blocks, Better.LOWER) == PLAIN
    assert at_blocks(PLAIN, 0.06, [], Better.LOWER) == PLAIN


def test_a_negative_resolution_is_refused():
    """No session may widen its verdicts by nonsense."""
    complaints = refusal(coarse(session(), -0.1))
    assert [one.partition(": ")[2] for one in complaints] == ["must be at least 0, not -0.1"] * 3


def test_a_resolution_does_not_hide_a_slide():
    """7 % since the first sessions are a slide at 5 %, though a resolution lifts T to 8.8 %."""
    known = baseline(series(levels=(1.0, 1.001, 0.999, *[1.06, 1.061, 1.059] * 3)))
    head = session({"b": at(1.07)})
    for one, tolerance in ((head, 0.05), (coarse(head, 0.06), 0.0884)):
        assert limits(one, known).tolerance == pytest.approx(tolerance, rel=0.01)
        assert outcome(decide(one, known))[0] == "G023"
