"""Ranks of fresh sessions: the count of arrangements against scipy and against all written out."""

from __future__ import annotations

import math
from itertools import combinations
from statistics import median

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from gate.stats.strikes import chance, estimated_loss, strikes_needed, wins


def flat(*levels):
    """Sessions of one trial each."""
    return [(level,) for level in levels]


@pytest.mark.parametrize("sessions", range(1, 7))
@pytest.mark.parametrize("strikes", range(1, 6))
def test_chance_is_a_count_of_arrangements(sessions, strikes):
    """For every number of wins: of all ways to mark the fresh ones, those with as many or more."""
    every = []
    for fresh in combinations(range(sessions + strikes), strikes):
        accepted = [j for j in range(sessions + strikes) if j not in fresh]
        every.append(sum(one > other for one in fresh for other in accepted))
    for least in range(sessions * strikes + 1):
        expected = sum(count >= least for count in every) / len(every)
        assert chance(least, sessions, strikes) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("sessions", "strikes"), [(5, 10), (10, 10), (20, 10), (20, 14), (60, 10)])
def test_chance_is_scipys_exact_mann_whitney(sessions, strikes):
    """The same chance as scipy's exact one-sided test, over the whole range of wins."""
    dice = np.random.default_rng(sessions)
    for shift in (-1.0, 0.0, 0.5, 1.0, 2.0, 5.0):
        accepted, fresh = dice.normal(0, 1, sessions), dice.normal(shift, 1, strikes)
        count = int(sum(one > other for one in fresh for other in accepted))
        expected = mannwhitneyu(fresh, accepted, alternative="greater", method="exact").pvalue
        assert chance(count, sessions, strikes) == pytest.approx(expected, rel=1e-9)


def test_chance_of_all_and_of_none():
    """Complete separation has chance 1 / C(S + k, k); no wins at all or more have chance 1."""
    for sessions in (1, 5, 20):
        for strikes in (1, 3, 10):
            total = sessions * strikes
            least = 1 / math.comb(sessions + strikes, strikes)
            assert chance(total, sessions, strikes) == pytest.approx(least)
            assert chance(0, sessions, strikes) == 1


def test_strikes_needed():
    """Ten, where complete separation of ten can prove; up to fourteen; else none would do."""
    assert strikes_needed(20, 0.01) == 10
    assert strikes_needed(5, 0.01) == strikes_needed(5, 1 / 3003) == 10
    assert math.comb(15, 5) == 3003
    assert strikes_needed(5, 1 / 3004) == strikes_needed(5, 1 / math.comb(16, 5)) == 11
    assert strikes_needed(5, 1 / math.comb(19, 5)) == 14
    assert strikes_needed(5, 1 / math.comb(19, 5) - 1e-9) is None
    assert strikes_needed(1, 0.01) is None


def test_wins():
    """A comparison is won beyond an accepted session by more than tau; a tie is lost."""
    accepted = flat(0.0, 0.01, 0.02)
    assert wins(flat(0.03), accepted, 0.01) == 2
    assert wins(flat(0.030001), accepted, 0.01) == 3
    assert wins(flat(0.010001, 0.02), accepted, 0.01) == 2
    assert wins(flat(-1.0), accepted, 0.01) == 0


def test_wins_compare_like_with_like():
    """Sessions of more trials are cut to as many as the shortest has."""
    assert wins([(0.05, 0, 0)], flat(0.0), 0.01) == 1
    assert wins([(0.05, 0.0, 0.0)], [(0.0, 0.0, 0.0)], 0.01) == 0
    assert wins([(0.05,)], [(0.0, 0.0, 0.0), (0.06, 0.0, 0.0)], 0.01) == 1


def test_estimated_loss():
    """The median of all differences between fresh and accepted sessions."""
    fresh, accepted = flat(0.05, 0.07), flat(0.0, 0.01, 0.03)
    assert estimated_loss(fresh, accepted) == pytest.approx(
        median([0.05, 0.04, 0.02, 0.07, 0.06, 0.04])
    )
    assert estimated_loss([(0.05, 0.0, 0.0)], accepted) == pytest.approx(0.04)
