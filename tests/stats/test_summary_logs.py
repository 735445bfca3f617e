"""Groups and sittings of printed means: formulas by hand, and laws."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as reference
from stats.printed import ALPHA, BETA, PLAIN, RATE, TIME, group, one, row, side

from gate.model import MeanKind, Take
from gate.stats.robust import FLOOR
from gate.stats.summary_logs import assumed_to_decide, compare, known_noise, trials_to_decide


def test_a_prediction_interval_by_hand():
    """Sittings of 9, 10 and 11 s against one of 15 s: mean and deviation of three logs, t of 2."""
    logs = np.log([9.0, 10.0, 11.0])
    seen = compare(row(side(9.0, 10.0, 11.0), side(15.0)), PLAIN, ALPHA, BETA)
    error = logs.std(ddof=1) * math.sqrt(1 + 1 / 3)
    assert seen.loss == pytest.approx(math.log(15.0) - logs.mean())
    assert (seen.freedom, seen.error) == (2, pytest.approx(error))
    assert seen.spread == pytest.approx(logs.std(ddof=1))
    assert seen.low == pytest.approx(seen.loss - reference.t.ppf(1 - ALPHA, 2) * error)
    assert seen.high == pytest.approx(seen.loss + reference.t.ppf(1 - BETA, 2) * error)


def test_sittings_of_the_head_serve_as_well():
    """One figure of the base, three of the head: the same distances, mirrored."""
    there = compare(row(side(9.0, 10.0, 11.0), side(10.0)), PLAIN, ALPHA, ALPHA)
    back = compare(row(side(10.0), side(9.0, 10.0, 11.0)), PLAIN, ALPHA, ALPHA)
    assert (back.loss, back.error) == (pytest.approx(-there.loss), pytest.approx(there.error))
    assert (back.low, back.high) == (pytest.approx(-there.high), pytest.approx(-there.low))


def test_sittings_of_both_sides():
    """Each side has its own spread, and the fewest degrees of freedom count."""
    base, head = np.log([9.0, 10.0, 11.0]), np.log([12.0, 13.0, 14.0, 12.5])
    seen = compare(row(side(*np.exp(base)), side(*np.exp(head))), PLAIN, ALPHA, BETA)
    error = math.hypot(base.std(ddof=1) / math.sqrt(3), head.std(ddof=1) / 2)
    assert (seen.freedom, seen.error) == (2, pytest.approx(error))


def test_a_head_of_fewer_trials_is_taken_to_be_noisier():
    """A single trial against sittings of three: up to three times the variance; more never helps."""
    base = side(9.0, 10.0, 11.0)
    few, same, many = (
        compare(row(base, side(15.0, trials=n)), PLAIN, ALPHA, BETA) for n in (1, 3, 30)
    )
    assert few.error / same.error == pytest.approx(math.sqrt((3 + 1 / 3) / (1 + 1 / 3)))
    assert many == same


def test_equal_sittings_are_no_noise():
    """Figures that agree in every digit tell of a coarse clock, never of certainty."""
    assert not known_noise(row(side(10.0, 10.0, 10.0), side(15.0)))
    assert not known_noise(row(side(10.0, 10.1), side(15.0, 15.0)))
    assert known_noise(row(side(10.0, 10.1), side(15.0)))


def test_a_tiny_spread_of_sittings_is_not_believed():
    """Below the floor it is the floor."""
    seen = compare(row(side(10.0, 10.0 + 1e-9), side(10.0)), PLAIN, ALPHA, BETA)
    assert seen.spread == pytest.approx(FLOOR)


def test_printed_digits_of_sittings():
    """Half a digit moves the loss once for each side, and the spread by its norm."""
    slack = 0.05
    base = side(9.0, 10.0, 11.0, slack=slack)
    seen = compare(row(base, side(15.0, slack=slack)), PLAIN, ALPHA, BETA)
    moved = [-math.log(1 - slack / mean) for mean in (9.0, 10.0, 11.0)]
    assert seen.slack == pytest.approx(sum(moved) / 3 - math.log(1 - slack / 15.0))
    spread = np.log([9.0, 10.0, 11.0]).std(ddof=1)
    assert seen.spread == pytest.approx(spread + math.sqrt(sum(m * m for m in moved) / 2))


@given(st.lists(st.floats(-0.05, 0.05), min_size=3, max_size=3), st.randoms(use_true_random=False))
def test_no_rounding_escapes(off, dice):
    """Wherever in their last digit the true figures lie, the printed ones give wider limits."""
    true = [10.0 + 3 * dice.random() for _ in range(3)]
    assume(len({round(value, 1) for value in true}) > 1)
    head = 12.0 + off[0]
    exact = compare(row(side(*true), side(head)), PLAIN, ALPHA, BETA)
    shown = [side(*(round(v, 1) for v in true), slack=0.05), side(12.0, slack=0.05)]
    printed = compare(row(*shown), PLAIN, ALPHA, BETA)
    assert printed.low is None or exact.low is None or printed.low <= exact.low + 1e-12
    assert printed.high is None or exact.high is None or printed.high >= exact.high - 1e-12


def test_the_geometric_mean_of_a_group_by_hand():
    """Four points of 1 % each, five trials: a quarter of the root of the sum of squares."""
    base = [one(mean, 0.01 * mean, 5) for mean in (1.0, 2.0, 3.0, 4.0)]
    head = [one(1.1 * p.mean, 0.011 * p.mean, 5) for p in base]
    seen = compare(group(Take.GEOMEAN, base, head), PLAIN, ALPHA, BETA)
    error = math.hypot(*([0.01 / 4 / math.sqrt(5)] * 8))
    assert (seen.error, seen.freedom) == (pytest.approx(error), 4)
    assert seen.loss == pytest.approx(math.log(1.1))
    assert seen.low == pytest.approx(seen.loss - reference.t.ppf(1 - ALPHA, 4) * error)


def test_the_scaling_of_a_group_by_hand():
    """Only the ends count, with weight one each; what lies between adds no noise."""
    base = [one(1.0, 0.02, 5), one(9.0, 5.0, 5), one(2.0, 0.02, 5)]
    head = [one(1.0, 0.02, 5), one(9.0, 5.0, 5), one(3.0, 0.09, 5)]
    seen = compare(group(Take.SCALING, base, head), PLAIN, ALPHA, BETA)
    error = math.hypot(0.02, 0.01, 0.02, 0.03) / math.sqrt(5)
    assert (seen.loss, seen.error) == (pytest.approx(math.log(1.5)), pytest.approx(error))


def test_the_knee_of_a_group_against_its_derivative():
    """Small errors: the derivative of the formula, place^(part) between two points."""
    values = (10.0, 60.0, 100.0)
    points = [one(v, v * 1e-3, 5) for v in values]
    seen = compare(group(Take.KNEE, points, points, RATE), PLAIN, ALPHA, BETA)
    wide = math.log(64 / 32)
    part = (90 - 60) / 40
    low = -wide * (1 - part) / 40 * 60  # d log knee / d log of the point below
    high = wide * (0.9 / 40 - part / 40) * 100  # of the largest, which moves what is wanted too
    error = math.hypot(low, high) * 1e-3 / math.sqrt(5) * math.sqrt(2)
    assert seen.error == pytest.approx(error, rel=0.01)


def test_the_fewest_trials_of_any_point_count():
    """Two trials at one point of ten: one degree of freedom for the group."""
    points = [one(1.0, 0.01, 10), one(2.0, 0.02, 2), one(3.0, 0.03, 10)]
    assert compare(group(Take.GEOMEAN, points, points), PLAIN, ALPHA, BETA).freedom == 1


def test_a_group_with_a_point_of_unknown_noise():
    """One point without a spread, and the group has none."""
    points = [one(1.0, 0.01, 10), one(2.0)]
    assert not known_noise(group(Take.SCALING, points, points))


def test_a_group_of_sittings_takes_each_sitting_apart():
    """Noise common to all points of a sitting cancels in their ratio, and is not counted."""
    common = (0.8, 1.0, 1.25)
    first = side(*(10.0 * c for c in common))
    last = side(*(20.0 * c * e for c, e in zip(common, (0.99, 1.0, 1.01), strict=True)))
    seen = compare(group(Take.SCALING, [first, last], [side(10.0), side(30.0)]), PLAIN, ALPHA, BETA)
    assert seen.spread == pytest.approx(np.log([0.99, 1.0, 1.01]).std(ddof=1))
    assert seen.loss == pytest.approx(math.log(1.5), abs=1e-4)


def test_absurd_spreads_give_no_limits():
    """A deviation far beyond any number is taken in proportion, and no limit comes out."""
    points = [one(1.0, 1e300, 5), one(2.0, 0.1, 5), one(3.0, 0.1, 5)]
    for take, of in ((Take.GEOMEAN, TIME), (Take.SCALING, TIME), (Take.KNEE, RATE)):
        seen = compare(group(take, points, points, of), PLAIN, ALPHA, BETA)
        assert (seen.low, seen.high, seen.detectable) == (None, None, None)


positive = st.floats(0.5, 100.0)


@given(st.lists(st.tuples(positive, positive), min_size=3, max_size=5), st.sampled_from(Take),
       st.floats(1.0, 3.0), st.floats(0.001, 0.2))  # fmt: skip
def test_laws_of_groups(pairs, take, louder, spread):
    """More noise moves no limit inwards; the unit changes nothing; swapped sides mirror."""
    of = RATE if take is Take.KNEE else TIME

    def seen(by=1.0, unit=1.0, swap=False):
        sides = [
            [one(v * unit, v * unit * spread * by, 5) for v in vs]
            for vs in zip(*pairs, strict=True)
        ]
        return compare(group(take, *(sides[::-1] if swap else sides), of), PLAIN, ALPHA, ALPHA)

    plain, loud, scaled, swapped = seen(), seen(by=louder), seen(unit=1000.0), seen(swap=True)
    assert scaled.loss == pytest.approx(plain.loss, abs=1e-9)
    assert scaled.error == pytest.approx(plain.error, rel=1e-6, abs=1e-9)
    assert swapped.loss == pytest.approx(-plain.loss, abs=1e-9)
    assert swapped.error == pytest.approx(plain.error, abs=1e-12)
    assert loud.error >= plain.error * (1 - 1e-9) - 1e-12  # of equal sittings both are rounding
    if plain.low is not None and plain.high is not None:
        assert plain.low <= plain.loss <= plain.high


@pytest.mark.parametrize("head", [9.0, 10.05, 10.3, 12.0])
def test_sittings_to_decide(head):
    """With so many sittings a side of the same spread a claim holds, with one less there is none."""
    seen = row(side(9.9, 10.0, 10.15), side(head))
    needed = trials_to_decide(seen, PLAIN, ALPHA, BETA)
    spread = compare(seen, PLAIN, ALPHA, BETA).spread
    loss = compare(seen, PLAIN, ALPHA, BETA).loss

    def decided(n):
        error = spread * math.sqrt(2 / n)
        low = loss - reference.t.ppf(1 - ALPHA, n - 1) * error
        high = loss + reference.t.ppf(1 - BETA, n - 1) * error
        return low > math.log1p(TIME.tau) or high < math.log1p(TIME.tolerance)

    assert decided(needed)
    assert needed == 2 or not decided(needed - 1)


@pytest.mark.parametrize(("spread", "trials"), [(0.02, 4), (0.05, 6), (0.10, 12)])
def test_trials_that_an_assumed_spread_would_need(spread, trials):
    """The build of P1, 284 against 340 s: the same count as of rows that print such a spread."""
    bare = row(one(284.0, trials=1), one(340.0, trials=1))
    needed = assumed_to_decide(bare, PLAIN, spread, ALPHA / 8, BETA)
    assert needed == trials
    printed = row(one(284.0, 284 * spread, 9), one(340.0, 340 * spread, 9))
    assert trials_to_decide(printed, MeanKind.GEOMETRIC, ALPHA / 8, BETA) == needed


def test_an_assumed_spread_of_a_group():
    """Of a geometric mean of four points a quarter of the trials would do, but for the quantile."""
    base = [one(v, trials=1) for v in (1.0, 2.0, 3.0, 4.0)]
    head = [one(1.03 * v, trials=1) for v in (1.0, 2.0, 3.0, 4.0)]
    alone = assumed_to_decide(row(base[0], head[0]), PLAIN, 0.05, ALPHA, BETA)
    together_ = assumed_to_decide(group(Take.GEOMEAN, base, head), PLAIN, 0.05, ALPHA, BETA)
    assert alone / 4 <= together_ <= alone / 4 + 3


def test_no_number_helps_coarse_digits():
    """Where rounding spans tau to T no number is made up, whatever spread is assumed."""
    coarse = one(10.0, trials=1, mean_slack=0.5)
    assert assumed_to_decide(row(coarse, coarse), PLAIN, 0.02, ALPHA, BETA) is None
    sat = row(side(10.0, 10.1, slack=0.5), replace(coarse, trials=3))
    assert trials_to_decide(sat, PLAIN, ALPHA, BETA) is None
