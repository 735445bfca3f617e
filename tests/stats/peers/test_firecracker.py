"""Firecracker's permutation test against scipy, its thresholds and its rounds."""

from __future__ import annotations

import numpy as np
import pytest

from gate.calibrate.peers.firecracker import FIRECRACKER, RESAMPLES, p_value
from gate.calibrate.peers.peer import Comparison


def closes(base, head, *, last=True):
    return FIRECRACKER.closes(Comparison(base=base, head=head, last=last))


def scipys(base, head, resamples):
    from scipy.stats import permutation_test

    def change(x, y, axis):
        return np.mean(y, axis=axis) - np.mean(x, axis=axis)

    return permutation_test((base, head), change, n_resamples=resamples, rng=1).pvalue


def test_p_of_few_values_is_exact():
    """Where there are at most 9999 splits p is exactly scipy's, ties included."""
    dice = np.random.default_rng(2)
    for sizes in ((2, 2), (5, 5), (3, 8), (7, 7)):
        for decimals in (0, 6):
            base = (20 + dice.normal(0, 1, sizes[0])).round(decimals)
            head = (21 + dice.normal(0, 1, sizes[1])).round(decimals)
            assert p_value(base, head) == pytest.approx(scipys(base, head, RESAMPLES), abs=1e-12)


def test_p_of_more_values_is_sampled():
    """Of more splits, p is scipy's up to the error of 9999 draws (four standard errors)."""
    dice = np.random.default_rng(4)
    for shift in (0.0, 0.5, 1.0):
        base, head = 20 + dice.normal(0, 1, 8), 20 + dice.normal(shift, 1, 8)
        exact = scipys(base, head, np.inf)
        assert abs(p_value(base, head) - exact) < 8 * (exact / 2 / RESAMPLES) ** 0.5 + 2e-4


def test_least_p_of_sampled_splits():
    """Where no drawn split is as extreme, p is 2 x (0 + 1) / (9999 + 1)."""
    assert p_value(range(10), range(100, 110)) == 0.0002


def test_same_data_same_answer():
    """The splits come from a fixed seed, also when they are drawn anew."""
    from gate.calibrate.peers.firecracker import _splits

    dice = np.random.default_rng(6)
    base, head = dice.normal(0, 1, 12), dice.normal(0.8, 1, 12)
    first = p_value(base, head)
    _splits.cache_clear()
    assert p_value(base, head) == first


def test_change_of_five_percent():
    """5 % slower passes, more closes; p of five against five is 2/252."""
    assert p_value((20.0,) * 5, (21.05,) * 5) == 2 / 252
    assert closes((20.0,) * 5, (21.0,) * 5) is False
    assert closes((20.0,) * 5, (21.05,) * 5) is True
    assert closes((21.1,) * 5, (20.0,) * 5) is False


def test_significance():
    """p = 2/190 (2 against 18) passes, 2/220 (3 against 9) closes; a noisy change passes."""
    assert closes((20.0,) * 2, (99.0,) * 18) is False
    assert closes((20.0,) * 3, (99.0,) * 9) is True
    assert p_value((1.0, 1.0), (1.0, 1.0)) == 1
    assert closes((20.0,) * 4, (99.0,) * 4) is False
    assert closes((10.0, 30.0) * 5, (11.0, 33.0) * 5) is False


def test_rounds():
    """A failure asks for another round while there is one; a pass ends at once."""
    failing, passing = ((20.0,) * 5, (30.0,) * 5), ((20.0,) * 5, (20.0,) * 5)
    assert closes(*failing, last=False) is None
    assert closes(*failing, last=True) is True
    assert closes(*passing, last=False) is False
    assert FIRECRACKER.rounds == 4


def test_degenerate():
    """Fewer than two values a side end in an error, not in a verdict; no change passes."""
    for base, head in (((), ()), ((1.0,), (1.0, 2.0)), ((1.0, 2.0), (9.0,))):
        assert closes(base, head) is None
    assert closes((1.0, 2.0), (9.0, 9.0)) is False
    assert closes((3.0,) * 10, (3.0,) * 10) is False
    assert closes((0.0,) * 10, (0.0,) * 10) is False
    assert closes((0.0,) * 10, (1.0,) * 10) is True
