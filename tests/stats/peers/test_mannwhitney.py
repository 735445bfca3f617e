"""The statistic that benchstat and asv share, against enumeration and scipy."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest

from gate.calibrate.peers.benchstat import distribution, wins


def doubled(first, second):
    """2U by its definition."""
    return sum(2 * (a > b) + (a == b) for a, b in product(first, second))


def test_wins_counts_pairs():
    """Each pair counts once, as larger or as equal."""
    assert wins((1, 2, 3), (2, 2, 5)) == (2, 2)
    assert wins((), (1,)) == wins((1,), ()) == (0, 0)


def test_distribution_by_hand():
    """Of two values each without ties, U is 0, 1, 2, 2, 3, 4 in the six arrangements."""
    sixths = [1, 1, 2, 2, 4, 4, 5, 5, 6]
    assert distribution(2, (1, 1, 1, 1)) == tuple(count / 6 for count in sixths)


@pytest.mark.parametrize("values", [(1, 2, 3, 4, 5, 6, 7), (1, 1, 2, 3, 3, 3, 4), (5, 5, 5, 5, 9)])
@pytest.mark.parametrize("first", [1, 2, 3])
def test_distribution_is_the_enumeration(values, first):
    """The counts are those of every way to choose the first sample, with and without ties."""
    everyone = range(len(values))
    scores = [
        doubled([values[i] for i in chosen], [values[i] for i in everyone if i not in chosen])
        for chosen in combinations(everyone, first)
    ]
    ties = tuple(values.count(value) for value in sorted(set(values)))
    ways = math.comb(len(values), first)
    expected = [
        sum(score <= most for score in scores) / ways
        for most in range(2 * first * (len(values) - first) + 1)
    ]
    assert distribution(first, ties) == tuple(expected)


def test_distribution_of_large_samples():
    """At the largest size that anybody asks for exactly, it is symmetric and ends at 1."""
    table = distribution(50, (1,) * 100)
    assert len(table) == 5001
    assert table[-1] == 1
    assert table[0] == 1 / math.comb(100, 50)
    assert table[2498] == pytest.approx(1 - table[2501], abs=1e-12)


def test_tail_is_that_of_scipy():
    """Twice the smaller tail of untied samples is scipy's exact two-sided p."""
    from scipy.stats import mannwhitneyu

    dice = np.random.default_rng(3)
    for sizes in ((4, 4), (5, 9), (10, 10), (20, 13)):
        for _ in range(20):
            first, second = dice.normal(0, 1, sizes[0]), dice.normal(0.4, 1, sizes[1])
            least = min(doubled(first, second), doubled(second, first))
            p = min(2 * distribution(sizes[0], (1,) * sum(sizes))[least], 1.0)
            assert p == pytest.approx(mannwhitneyu(first, second, method="exact").pvalue)
