"""Laws that hold for every input, found out by hypothesis."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model import Better, Verdict, join
from gate.stats.costs import LossLimits, log_costs, usable
from gate.stats.martingale import PairRule, confidence_limits, decide
from gate.stats.noise import noise_of
from gate.stats.screen import centre, screen
from gate.stats.strikes import chance, estimated_loss, recent_loss, wins
from gate.stats.tails import Tails

verdicts = st.sampled_from(Verdict)
costs = st.floats(-0.5, 0.5)
sessions = st.lists(st.lists(costs, min_size=3, max_size=3).map(tuple), min_size=5, max_size=9).map(
    tuple
)
LIMITS = LossLimits(tolerance=0.05, negligible=0.01)
PROOFS = {"regressed", "sometimes_slow", "passed", "improved"}


@st.composite
def rules(draw):
    tolerance = draw(st.floats(0.005, 0.5))
    limits = LossLimits(tolerance=tolerance, negligible=tolerance * draw(st.floats(0, 0.64)))
    return PairRule(
        negligible=limits.dead,
        tolerance=limits.most,
        sigma=draw(st.floats(0.001, 0.3)),
        alpha=draw(st.floats(1e-4, 0.1)),
        beta=draw(st.floats(1e-3, 0.1)),
        limit=draw(st.integers(9, 80)),
        tails=draw(
            st.builds(
                Tails,
                screened=st.lists(costs, max_size=3).map(tuple),
                usual=st.floats(0, 0.3),
                stake=st.floats(0.01, 0.6),
                least=st.integers(0, 20),
            )
        ),
    )


def block(size):
    side = st.lists(costs, min_size=size, max_size=size).map(tuple)
    return st.tuples(side, side)


blocks = st.tuples(st.lists(block(5), max_size=1), st.lists(block(2), min_size=1, max_size=6)).map(
    lambda parts: [*parts[0], *parts[1]]
)
shifted = st.builds(
    lambda some, shift: [(base, tuple(x + shift for x in head)) for base, head in some],
    blocks,
    st.floats(-1, 1),
)


def slower(some, extra):
    return [(base, tuple(x + extra for x in head)) for base, head in some]


def hair(some, rule):
    """What bisection leaves open: its last step over the whole range it starts from."""
    losses = [abs(x - y) for base, head in some for x in base for y in head]
    return (2 * max(losses) + 40 + rule.tolerance) * 2**-23


@given(verdicts, verdicts, verdicts)
def test_join_is_a_semilattice(a, b, c):
    """The join of verdicts is associative, commutative and idempotent."""
    assert join([join([a, b]), c]) is join([a, join([b, c])])
    assert join([a, b]) is join([b, a])
    assert join([a, a]) is a


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


@given(rules(), shifted)
def test_limits_are_the_decision_inverted(rule, seen):
    """`regressed` iff low > log(1+tau); `passed` only with high < log(1+T), `improved` -log(1+tau)."""
    answer = decide(seen, rule)
    low, high = confidence_limits(seen[: answer.blocks], rule)
    assert (answer.low, answer.high) == (low, high)
    least = hair(seen, rule)
    if answer.verdict == "regressed":
        assert low is not None
        assert low >= rule.negligible - least
    else:
        assert low is None or low <= rule.negligible
    if answer.verdict in {"passed", "improved"}:
        most = rule.tolerance if answer.verdict == "passed" else -rule.negligible
        assert high is not None
        assert high <= most + least
    elif answer.verdict == "spent":
        assert high is None or high >= rule.tolerance


@given(rules(), shifted)
def test_limits_narrow_down(rule, seen):
    """A further block never moves a limit outwards: what is ruled out stays so."""
    for count in range(1, len(seen)):
        before, after = (confidence_limits(seen[:n], rule) for n in (count, count + 1))
        least = hair(seen, rule)
        assert before[0] is None or after[0] >= before[0] - least
        assert before[1] is None or after[1] <= before[1] + least


@given(rules(), shifted, blocks)
def test_a_verdict_stands_once_proven(rule, seen, more):
    """Further blocks never change what an earlier one proved: no peeking, no rerun to green."""
    answer = decide(seen, rule)
    if answer.verdict in PROOFS:
        assert decide([*seen, *more], rule) == answer


@given(rules(), shifted, blocks)
def test_looking_earlier_changes_nothing(rule, seen, more):
    """What a look at fewer blocks left undecided is decided as if there had been no look."""
    every = [*seen, *more]
    looks = [decide(every[:n], rule, limits=False) for n in range(1, len(every) + 1)]
    proven = [one for one in looks if one.verdict in PROOFS]
    assert (proven[0] if proven else looks[-1]) == decide(every, rule, limits=False)


@given(rules(), shifted, st.floats(0, 0.3))
def test_a_larger_loss_is_never_better(rule, seen, extra):
    """Heads that are all slower never pass where the faster ones were proven slow, nor later."""
    answer = decide(seen, rule)
    worse = decide(slower(seen, extra), rule)
    if answer.verdict in {"regressed", "sometimes_slow"}:
        assert worse.verdict in {"regressed", "sometimes_slow"}
        assert worse.blocks <= answer.blocks
    if worse.verdict in {"passed", "improved"}:
        assert answer.verdict in {"passed", "improved"}
        assert answer.blocks <= worse.blocks


@given(rules(), shifted)
def test_mirrored_sides_mirror_the_limits(rule, seen):
    """Base and head swapped: what was the least loss is now the most, where tau and T mirror."""
    even = replace(rule, negligible=0.0, alpha=rule.beta / (1 - rule.tails.stake))
    low, _ = confidence_limits(seen, even)
    _, high = confidence_limits([(head, base) for base, head in seen], even)
    if low is None or high is None:
        assert low is high
    else:
        assert high == pytest.approx(-low, abs=2 * hair(seen, even))


@given(st.lists(costs, min_size=2, max_size=5), sessions, st.floats(0, 1))
def test_the_screen_is_monotone(head, known, extra):
    """A slower head is flagged whenever the faster one was."""
    noise, level = noise_of(known), centre(known)
    if screen(head, level, noise, LIMITS, 0.025).flagged:
        assert screen([x + extra for x in head], level, noise, LIMITS, 0.025).flagged


@given(sessions, sessions, st.floats(0, 1))
def test_strikes_are_monotone(fresh, known, extra):
    """Slower strikes win no fewer comparisons, by no likelier luck, and estimate no less loss."""
    worse = [tuple(x + extra for x in one) for one in fresh]
    before, after = (wins(some, known, LIMITS.dead) for some in (fresh, worse))
    assert after >= before
    size = len(known), len(fresh)
    assert chance(after, *size) <= chance(before, *size)
    for estimate in (estimated_loss, recent_loss):
        assert estimate(worse, known) >= estimate(fresh, known)
