"""benchstat's p against its published table, scipy and enumeration; its rule on both sides."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from gate.calibrate.peers.benchstat import BENCHSTAT, p_value
from gate.calibrate.peers.peer import Comparison

PLAIN, FIVE = (peer.closes for peer in BENCHSTAT)


def case(base, head):
    return Comparison(base=base, head=head)


def test_smallest_p_is_the_published_table():
    """The least p of n values a side, as benchstat prints how many are needed."""
    published = (1, 1 / 3, 0.1, 0.02857142857142857, 0.007936507936507936, 0.0021645021645021645)
    for count, least in enumerate(published, start=1):
        assert p_value(range(count), range(count, 2 * count)) == pytest.approx(least)


def test_p_with_ties_is_twice_the_smaller_tail():
    """With ties the tail is counted over all ways to choose the old sample."""
    old, new = (1, 2, 2, 3), (2, 3, 4, 4, 5)
    pooled = (*old, *new)

    def score(chosen):
        rest = [pooled[i] for i in range(len(pooled)) if i not in chosen]
        return sum(2 * (pooled[i] > b) + (pooled[i] == b) for i, b in product(chosen, rest))

    seen = score((0, 1, 2, 3))
    least = min(seen, 2 * len(old) * len(new) - seen)
    scores = [score(chosen) for chosen in combinations(range(len(pooled)), len(old))]
    tail = sum(one <= least for one in scores) / len(scores)
    assert p_value(old, new) == pytest.approx(2 * tail)


@pytest.mark.parametrize(("sizes", "decimals"), [((51, 40), 9), ((26, 20), 1), ((30, 60), 0)])
def test_large_samples_are_normal(sizes, decimals):
    """Above 50 values, or 25 with ties, p is scipy's asymptotic one with both corrections."""
    from scipy.stats import mannwhitneyu

    dice = np.random.default_rng(11)
    for shift in (0.0, 0.5):
        old = dice.normal(0, 1, sizes[0]).round(decimals)
        new = dice.normal(shift, 1, sizes[1]).round(decimals)
        expected = mannwhitneyu(old, new, method="asymptotic").pvalue
        assert p_value(old.tolist(), new.tolist()) == pytest.approx(expected)


def test_exact_up_to_fifty():
    """At 50 values a side without ties p is still scipy's exact one."""
    from scipy.stats import mannwhitneyu

    dice = np.random.default_rng(12)
    old, new = dice.normal(0, 1, 50), dice.normal(0.4, 1, 50)
    expected = mannwhitneyu(old, new, method="exact").pvalue
    assert p_value(old.tolist(), new.tolist()) == pytest.approx(expected)


def test_a_balanced_u_is_no_difference():
    """Where U is exactly in the middle p is 1."""
    assert p_value((1, 4), (2, 3)) == 1
    assert p_value((1, 4) * 30, (2, 3) * 30) == 1


def test_threshold_of_p():
    """p = 0.05 closes (1 against 39 values), 2/38 and 0.1 pass, four values a side suffice."""
    assert p_value((1.0,), range(2, 41)) == 0.05
    assert PLAIN(case((1.0,), tuple(range(2, 41)))) is True
    assert PLAIN(case((1.0,), tuple(range(2, 39)))) is False
    assert PLAIN(case((1, 2, 3), (4, 5, 6))) is False
    assert PLAIN(case((1, 2, 3, 4), (5, 6, 7, 8))) is True


def test_only_a_slower_median_closes():
    """Faster heads pass, and so do significant differences with equal medians."""
    assert PLAIN(case((5, 6, 7, 8), (1, 2, 3, 4))) is False
    old, new = (1, 1, 1, 1, 5, 5, 5, 5, 5), (5, 5, 5, 5, 5, 9, 9, 9, 9)
    assert p_value(old, new) < 0.05
    assert PLAIN(case(old, new)) is False


def test_smallest_change():
    """5 % slower closes the plain rule only; more than 5 % closes both."""
    exactly = case((100.0,) * 4, (105.0,) * 4)
    more = case((100.0,) * 4, (105.1,) * 4)
    assert (PLAIN(exactly), FIVE(exactly)) == (True, False)
    assert (PLAIN(more), FIVE(more)) == (True, True)


def test_degenerate():
    """Empty sides, single values, equal values and an old median of 0 pass."""
    for closes in (PLAIN, FIVE):
        assert closes(case((), (1.0,) * 9)) is False
        assert closes(case((1.0,) * 9, ())) is False
        assert closes(case((1.0,), (9.0,))) is False
        assert closes(case((1.0,) * 9, (1.0,) * 9)) is False
        assert closes(case((0.0,) * 9, (1.0,) * 9)) is False
    assert (
        p_value((), ())
        == p_value((), (1.0, 2.0))
        == p_value((1.0, 2.0), ())
        == p_value((2.0,), (2.0, 2.0))
        == 1
    )
