"""Laws that hold for every input, found out by hypothesis."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from judge.build import WALL, at, baseline, decide, only, series, session

from gate.model import Better, Verdict, join
from gate.stats.costs import log_costs, usable
from gate.stats.martingale import PairRule, slope_for
from gate.stats.martingale import decide as decide_pairs
from gate.stats.martingale import limits as pair_limits
from gate.stats.screen import Limits, screen

levels = st.lists(st.floats(0.8, 1.25), min_size=5, max_size=12)
heads = st.lists(st.floats(0.5, 2.0), min_size=2, max_size=5)
verdicts = st.sampled_from(Verdict)
differences = st.lists(st.floats(-0.5, 0.5), min_size=1, max_size=40)


@st.composite
def rules(draw):
    tolerance = draw(st.floats(0.005, 0.5))
    limits = Limits(tolerance=tolerance, negligible=tolerance * draw(st.floats(0.01, 0.5)))
    sigma = draw(st.floats(0.001, 0.2))
    return PairRule(
        negligible=limits.dead,
        design=limits.design,
        slope=slope_for(limits.dead, limits.design, sigma),
        alpha=draw(st.floats(1e-4, 0.1)),
        beta=draw(st.floats(1e-3, 0.1)),
        limit=draw(st.integers(8, 60)),
    )


def judged(head, known, metric=WALL):
    report = decide(
        session({"b": tuple(head)}, metrics=(metric,)),
        baseline(series(levels=known, metric=metric)),
    )
    return only(report)


@given(levels, heads, st.floats(1e-9, 1e9))
def test_scaling_changes_nothing(known, head, factor):
    """A series times a constant has the same loss and the same verdict."""
    assume(len(set(head)) > 1)
    plain = judged(head, known)
    scaled = judged([factor * one for one in head], [factor * one for one in known])
    assert plain.verdict is scaled.verdict or near_a_threshold(plain)
    if plain.loss is not None and scaled.loss is not None:
        assert scaled.loss == pytest.approx(plain.loss, rel=1e-6, abs=1e-9)


def near_a_threshold(found):
    """Whether rounding alone can move a finding across its threshold (hypothesis aims there)."""
    return found.loss is None or abs(found.loss) < 1e-9


@given(levels, heads)
def test_directions_mirror(known, head):
    """Reciprocal values with the other better direction are the same case."""
    assume(len(set(head)) > 1)
    rate = replace(WALL, unit="op/s", better=Better.HIGHER)
    trials = (1.0, 1.002, 0.9985)
    lower = decide(session({"b": tuple(head)}), baseline(series(levels=known, trials=trials)))
    higher = decide(
        session({"b": tuple(1 / one for one in head)}, metrics=(rate,)),
        baseline(
            series(
                levels=[1 / one for one in known], metric=rate, trials=[1 / one for one in trials]
            )
        ),
    )
    one, two = only(lower), only(higher)
    assert one.code == two.code or near_a_threshold(one)
    if one.loss is not None and two.loss is not None:
        assert two.loss == pytest.approx(one.loss, rel=1e-6, abs=1e-9)


@given(verdicts, verdicts, verdicts)
def test_join_is_a_semilattice(a, b, c):
    """The join of verdicts is associative, commutative and idempotent."""
    assert a.worse(b).worse(c) is a.worse(b.worse(c))
    assert a.worse(b) is b.worse(a)
    assert a.worse(a) is a


@given(st.lists(verdicts, min_size=1), st.randoms(use_true_random=False))
def test_join_of_many(found, dice):
    """Any order of findings has one worst verdict, and one bad finding is never outvoted."""
    shuffled = list(found)
    dice.shuffle(shuffled)
    assert join(found) is join(shuffled) is max(found, key=lambda verdict: verdict.rank)
    assert join([]) is None


@given(
    st.lists(st.floats(1e-300, 1e300), max_size=5),
    st.sampled_from([0.0, -0.0, -1.0, math.nan, math.inf, -math.inf]),
    st.integers(0, 5),
    st.sampled_from(Better),
)
def test_log_costs_refuse_what_has_no_logarithm(good, bad, place, better):
    """Non-finite, zero and negative values, and no value at all, are refused."""
    values = [*good[:place], bad, *good[place:]]
    assert not usable(values)
    with pytest.raises(ValueError, match="above zero"):
        log_costs(values, better)
    with pytest.raises(ValueError, match="above zero"):
        log_costs([], better)
    assert all(map(math.isfinite, log_costs(good, better))) if good else True


@given(rules(), differences)
def test_limits_are_the_decision_inverted(rule, seen):
    """`regressed` iff low > log(1+tau); `passed` iff high < log(1+T_d), unless both at once."""
    answer = decide_pairs(seen, rule)
    low, high = pair_limits(seen[: answer.pairs], rule)
    assert (answer.low, answer.high) == (low, high)
    # Bisection is exact to its last step: a tie there may fall on either side.
    hair = 1e-9 * (1 + 1 / rule.slope)
    proven = low is not None and low > rule.negligible + hair
    cleared = high is not None and high < rule.design - hair
    if answer.verdict == "regressed":
        assert low is not None
        assert low >= rule.negligible - hair
    else:
        assert not proven
    if answer.verdict == "passed":
        assert high is not None
        assert high <= rule.design + hair
    else:
        assert not cleared or answer.verdict == "regressed"


@given(rules(), differences, st.integers(0, 40))
def test_a_verdict_stands_once_proven(rule, seen, more):
    """Further pairs never change what an earlier pair proved: no peeking, no rerun to green."""
    answer = decide_pairs(seen, rule)
    if answer.verdict in {"regressed", "passed"}:
        again = decide_pairs([*seen, *([-1.0] * more)], rule)
        assert again == answer


@given(rules(), differences, st.floats(0, 0.3))
def test_a_larger_loss_is_never_better(rule, seen, extra):
    """Pairs that are all slower never pass where the faster ones were proven slow."""
    if decide_pairs(seen, rule).verdict == "regressed":
        assert decide_pairs([d + extra for d in seen], rule).verdict == "regressed"


@given(heads, levels, st.floats(0, 1))
def test_the_screen_is_monotone(head, known, extra):
    """A slower head is flagged whenever the faster one was."""
    sessions = [log_costs(at(level), Better.LOWER) for level in known]
    limits = Limits(tolerance=0.05, negligible=0.01)
    costs = log_costs(head, Better.LOWER)
    if screen(costs, sessions, limits, 0.025).flagged:
        assert screen([c + extra for c in costs], sessions, limits, 0.025).flagged
