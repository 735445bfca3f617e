"""Printed means: the limits against scipy, their laws, and how often they are wrong."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind_from_stats

from gate.model import Better, Figures, MeanKind, Metric, SummaryRow
from gate.stats.robust import FLOOR
from gate.stats.special import student
from gate.stats.summary import compare_means as compare
from gate.stats.summary import known_spread
from gate.stats.summary import means_to_decide as trials_to_decide

ALPHA, BETA = 0.01, 0.025
PLAIN, GEOMETRIC = MeanKind.ARITHMETIC, MeanKind.GEOMETRIC
TIME = Metric(name="time", unit="s", better=Better.LOWER)
RATE = Metric(name="rate", unit="op/s", better=Better.HIGHER)


def row(base, head, metric=TIME):
    """A row of (mean, sd, trials) on each side."""
    sides = [Figures(mean=mean, sd=sd, trials=trials) for mean, sd, trials in (base, head)]
    return SummaryRow(benchmark="b", metric=metric, base=sides[0], head=sides[1])


SOME = row((10.0, 0.4, 8), (10.9, 0.9, 5))


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ((10.0, 0.4, 8), (10.9, 0.9, 5)),
        ((2.67, 0.785, 10), (0.88, 0.067, 10)),
        ((100.0, 30.0, 40), (300.0, 60.0, 3)),
        ((5.0, 0.001, 2), (5.1, 0.002, 2)),
    ],
)
def test_limits_are_where_scipys_statistic_meets_the_quantile(base, head):
    """At the limit Welch's statistic of head against the scaled base is exactly Student's t."""
    seen = compare(row(base, head), PLAIN, ALPHA, BETA)
    for limit, chance, sign in ((seen.low, ALPHA, 1), (seen.high, BETA, -1)):
        scale = math.exp(limit)
        statistic, p = ttest_ind_from_stats(
            *head, scale * base[0], scale * base[1], base[2], equal_var=False
        )
        assert sign * statistic == pytest.approx(student(1 - chance, seen.freedom), rel=1e-6)
        assert p / 2 <= chance * (1 + 1e-9), "never tighter than Welch and Satterthwaite"


def test_freedom_is_that_of_the_smaller_side():
    """min(n) - 1: what bounds the tail whatever the two spreads are."""
    assert compare(SOME, PLAIN, ALPHA, BETA).freedom == 4


def test_small_errors_give_the_delta_method():
    """With a spread of a thousandth the limits are log ratio -+ t hypot(c, c), as printed."""
    seen = compare(row((10.0, 0.01, 5), (10.1, 0.02, 5)), PLAIN, ALPHA, BETA)
    error = math.hypot(0.001, 0.02 / 10.1) / math.sqrt(5)
    assert seen.error == pytest.approx(error)
    assert seen.loss == pytest.approx(math.log(1.01))
    assert seen.low == pytest.approx(math.log(1.01) - student(0.99, 4) * error, rel=0.005)
    assert seen.high == pytest.approx(math.log(1.01) + student(0.975, 4) * error, rel=0.005)


def test_geometric_means_have_symmetric_limits_in_logs():
    """The log of a geometric mean is a mean of logs, so the delta method is its law."""
    seen = compare(SOME, GEOMETRIC, ALPHA, BETA)
    error = math.hypot(0.04 / math.sqrt(8), 0.9 / 10.9 / math.sqrt(5))
    assert seen.low == pytest.approx(math.log(1.09) - student(0.99, 4) * error)
    assert seen.high == pytest.approx(math.log(1.09) + student(0.975, 4) * error)


@pytest.mark.parametrize("mean", MeanKind)
def test_directions_mirror(mean):
    """The sides of a rate swapped are a time: same loss, same limits."""
    rate = SummaryRow(benchmark="b", metric=RATE, base=SOME.head, head=SOME.base)
    assert compare(rate, mean, ALPHA, BETA) == compare(SOME, mean, ALPHA, BETA)


def test_printed_digits_widen_the_limits():
    """A mean is taken at its worst within half its last digit, and a spread at its largest."""
    base = replace(SOME.base, mean_slack=0.05)
    plain = compare(SOME, GEOMETRIC, ALPHA, BETA)
    rounded = compare(replace(SOME, base=base), GEOMETRIC, ALPHA, BETA)
    assert rounded.slack == pytest.approx(-math.log(1 - 0.005))
    assert plain.low - rounded.low > rounded.slack
    assert rounded.high - plain.high > rounded.slack
    assert plain.low - rounded.low == pytest.approx(rounded.slack, rel=0.05)
    coarse = replace(SOME, base=replace(SOME.base, sd=0.3, sd_slack=0.1))
    assert compare(coarse, PLAIN, ALPHA, BETA) == compare(SOME, PLAIN, ALPHA, BETA)


def test_a_tiny_spread_is_not_believed():
    """Below the floor every spread is the floor: a coarse clock is never certainty."""
    tiny = row((10.0, 1e-12, 10), (10.1, 1e-12, 10))
    floor = row((10.0, FLOOR * 10.0, 10), (10.1, FLOOR * 10.1, 10))
    assert compare(tiny, PLAIN, ALPHA, BETA) == compare(floor, PLAIN, ALPHA, BETA)


def test_no_limit_where_a_mean_may_be_zero():
    """A side whose error reaches its mean bounds nothing; the other end may still be known."""
    wild = row((10.0, 0.1, 5), (10.0, 9.0, 5))
    seen = compare(wild, PLAIN, ALPHA, BETA)
    assert (seen.low, seen.detectable) == (None, None)
    assert seen.high == pytest.approx(math.log1p(0.9 / math.sqrt(5) * student(0.975, 4)), rel=0.02)
    assert compare(row((10.0, 1e300, 2), (10.0, 1.0, 2)), PLAIN, ALPHA, BETA).high is None


def test_a_limit_a_thousandfold_away_is_none():
    """Two geometric means of two wild trials: the log limits are finite and say nothing."""
    seen = compare(row((10.0, 5.0, 2), (10.0, 5.0, 2)), GEOMETRIC, ALPHA, BETA)
    assert seen.low is None
    assert seen.high == pytest.approx(student(0.975, 1) * 0.5)
    assert math.exp(student(0.99, 1) * 0.5) > 1000 > math.exp(seen.high)


def test_detectable():
    """tau and both quantiles: a true loss of it is proven with probability 1 - beta."""
    seen = compare(SOME, GEOMETRIC, ALPHA, BETA)
    quantiles = student(0.99, 4) + student(0.975, 4)
    assert seen.detectable == pytest.approx(math.log(1.01) + quantiles * seen.error)


@pytest.mark.parametrize(
    ("base", "head", "known"),
    [
        ((1.0, 0.1, 2), (1.0, 0.1, 2), True),
        ((1.0, None, 9), (1.0, 0.1, 2), False),
        ((1.0, 0.1, 2), (1.0, 0.0, 9), False),
        ((1.0, 0.1, 1), (1.0, 0.1, 2), False),
    ],
)
def test_known_spread(base, head, known):
    """Both sides need a spread above zero of two trials or more."""
    assert known_spread(row(base, head)) is known


spreads = st.floats(0.001, 5.0)
means = st.floats(1.0, 100.0)
counts = st.integers(2, 60)
sides = st.tuples(means, spreads, counts)


def ends(one, mean, alpha=ALPHA, beta=BETA):
    """The limits, infinite where there are none."""
    seen = compare(one, mean, alpha, beta)
    return (
        -math.inf if seen.low is None else seen.low,
        math.inf if seen.high is None else seen.high,
    )


@given(sides, sides, st.sampled_from(MeanKind), st.floats(1.0, 3.0), st.integers(0, 40))
def test_more_noise_or_fewer_trials_never_claim_more(base, head, mean, louder, fewer):
    """A larger spread, fewer trials or a smaller chance of error move no limit inwards."""
    low, high = ends(row(base, head), mean)
    assert low <= compare(row(base, head), mean, ALPHA, BETA).loss <= high
    less = max(2, head[2] - fewer)
    for wider in (
        ends(row(base, (head[0], head[1] * louder, head[2])), mean),
        ends(row(base, (head[0], head[1], less)), mean),
        ends(row(base, head), mean, ALPHA / louder, BETA / louder),
    ):
        assert wider[0] <= low + 1e-9
        assert wider[1] >= high - 1e-9


@given(sides, sides, st.sampled_from(MeanKind), st.floats(1.0, 3.0))
def test_a_slower_head_is_never_better(base, head, mean, slower):
    """A head slower by a factor, spread and all, has both limits moved by exactly that factor."""
    low, high = ends(row(base, head), mean)
    worse = ends(row(base, (head[0] * slower, head[1] * slower, head[2])), mean)
    assert worse == pytest.approx((low + math.log(slower), high + math.log(slower)))


@given(sides, sides, st.sampled_from(MeanKind), st.sampled_from([1e-9, 1e-3, 1e6]))
def test_the_unit_changes_nothing(base, head, mean, factor):
    """Seconds or nanoseconds: the same loss and the same limits."""
    scaled = [(m * factor, sd * factor, n) for m, sd, n in (base, head)]
    assert ends(row(*scaled), mean) == pytest.approx(ends(row(base, head), mean))


DRAWS = 20_000
SHAPES = [
    pytest.param((2, 2), (0.03, 0.03), id="two trials a side"),
    pytest.param((10, 10), (0.29, 0.076), id="spreads as of the copy in P1"),
    pytest.param((10, 2), (0.01, 0.03), id="two against ten"),
    pytest.param((3, 30), (0.3, 0.3), id="three against thirty, very loud"),
    pytest.param((30, 3), (0.05, 0.3), id="a loud side of few trials"),
]


def wrong(mean, counts, spreads, loss, chance):
    """How many draws of a true loss have their limits beyond it: below, above.

    Means above zero only, as a file holds no others.
    """
    dice = np.random.default_rng(20260110)
    samples = []
    for centre, count, spread in zip((1.0, math.exp(loss)), counts, spreads, strict=True):
        noise = dice.normal(0, spread, (DRAWS, count))
        samples.append(centre * (np.exp(noise) if mean is GEOMETRIC else 1 + noise))
    centres = [
        np.exp(np.log(one).mean(axis=1)) if mean is GEOMETRIC else one.mean(axis=1)
        for one in samples
    ]
    deviations = [one.std(axis=1, ddof=1) for one in samples]
    below = above = 0
    for m0, s0, m1, s1 in zip(centres[0], deviations[0], centres[1], deviations[1], strict=True):
        if m0 <= 0 or m1 <= 0:
            continue
        drawn = row((float(m0), float(s0), counts[0]), (float(m1), float(s1), counts[1]))
        low, high = ends(drawn, mean, chance, chance)
        below += low > loss
        above += high < loss
    return below, above


@pytest.mark.parametrize(("counts", "spreads"), SHAPES)
@pytest.mark.parametrize("mean", MeanKind)
def test_the_limits_are_wrong_no_more_often_than_said(mean, counts, spreads):
    """At a true loss of tau each limit lies beyond it in at most its share of the draws."""
    for chance in (0.01, 0.1):
        expected = chance * DRAWS
        for count in wrong(mean, counts, spreads, math.log(1.01), chance):
            assert count <= expected + 3 * math.sqrt(expected)


def test_the_bound_is_reached():
    """It is no mere caution: with one loud side the chance of error is the one asked for."""
    below, above = wrong(PLAIN, (10, 10), (0.001, 0.03), math.log(1.01), 0.01)
    assert below == pytest.approx(200, abs=45)
    assert above == pytest.approx(200, abs=45)


def test_why_not_welch_and_satterthwaite():
    """Their degrees of freedom fail at a suite's share of alpha: 2 trials against 10, at 0.1 %."""
    dice = np.random.default_rng(1)
    base, head = dice.normal(1, 0.01, (DRAWS, 10)), dice.normal(1, 0.03, (DRAWS, 2))
    statistic, p = ttest_ind_from_stats(
        head.mean(axis=1), head.std(axis=1, ddof=1), 2,
        base.mean(axis=1), base.std(axis=1, ddof=1), 10, equal_var=False,
    )  # fmt: skip
    assert ((statistic > 0) & (p / 2 < 0.001)).sum() > 10 * 0.001 * DRAWS


@pytest.mark.parametrize("mean", MeanKind)
@pytest.mark.parametrize("head", [9.0, 10.3, 11.5])
def test_trials_to_decide(mean, head):
    """With so many trials of the same figures a claim holds; with one less there is none."""
    seen = row((10.0, 0.7, 5), (head, 0.9, 4))
    needed = trials_to_decide(seen, mean, ALPHA, BETA)

    def decided(trials):
        sides = [replace(one, trials=trials) for one in (seen.base, seen.head)]
        low, high = ends(replace(seen, base=sides[0], head=sides[1]), mean)
        return low > math.log1p(TIME.tau) or high < math.log1p(TIME.tolerance)

    assert decided(needed)
    assert needed == 2 or not decided(needed - 1)


def test_no_number_of_trials_helps_coarse_digits():
    """Where rounding alone spans tau to T, or the spread is absurd, no number is made up."""
    coarse = Figures(mean=10.0, sd=0.1, trials=5, mean_slack=0.5)
    one = SummaryRow(benchmark="b", metric=TIME, base=coarse, head=coarse)
    assert trials_to_decide(one, PLAIN, ALPHA, BETA) is None
    assert trials_to_decide(row((10.0, 1e9, 5), (10.0, 1.0, 5)), PLAIN, ALPHA, BETA) is None
