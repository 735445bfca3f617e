"""asv's p, its choice between test and intervals, and its factor, on both sides of each."""

from __future__ import annotations

import numpy as np
import pytest

from gate.calibrate.peers.asv import ASV, different, p_value
from gate.calibrate.peers.peer import Comparison


def closes(base, head):
    return ASV.closes(Comparison(base=base, head=head))


def test_p_without_ties_is_scipys():
    """Exact up to 20 values a side, then normal without continuity correction."""
    from scipy.stats import mannwhitneyu

    dice = np.random.default_rng(5)
    for sizes, options in (
        ((7, 9), {"method": "exact"}),
        ((20, 20), {"method": "exact"}),
        ((21, 5), {"method": "asymptotic", "use_continuity": False}),
    ):
        for shift in (0.0, 1.0, -1.0):
            first, second = dice.normal(0, 1, sizes[0]), dice.normal(shift, 1, sizes[1])
            expected = mannwhitneyu(first, second, **options).pvalue
            assert p_value(first, second) == pytest.approx(expected)


def test_ties_are_broken_towards_no_difference():
    """One tie of four pairs: U is 0 or 1, and 1 is taken, so p = 2 x 2/6."""
    assert p_value((1, 2), (2, 3)) == p_value((2, 3), (1, 2)) == 2 * 2 / 6
    assert p_value((1, 1, 1), (1, 1, 1)) == p_value((1, 1), (1, 1)) == 1


def test_factor():
    """A median at 1.1 times the base's passes, one above it closes."""
    assert closes((10.0,) * 10, (11.0,) * 10) is False
    assert closes((10.0,) * 10, (11.01,) * 10) is True
    assert closes((11.01,) * 10, (10.0,) * 10) is False


def test_threshold_of_p():
    """Ten values a side: 139 splits have U <= 10 (p = 0.0015, closes), 193 U <= 11 (0.0021)."""
    base = tuple(float(value) for value in range(100, 110))
    closing = (*[220.0] * 9, 99.0)
    passing = (*[220.0] * 8, 108.5, 99.0)
    assert p_value(base, closing) == pytest.approx(2 * 139 / 184756)
    assert p_value(base, passing) == pytest.approx(2 * 193 / 184756)
    assert closes(base, closing) is True
    assert closes(base, passing) is False


def test_six_values_a_side_can_never_close():
    """1/C(12, 6) = 0.0011 chooses the test, whose least p is 2/924 = 0.0022."""
    assert closes((1.0,) * 6, (9.0,) * 6) is False
    assert closes((1.0,) * 7, (9.0,) * 7) is True


def test_few_values_need_disjoint_intervals():
    """Two values one apart have limits 24.5 beyond them: 35.5 for the base 10, 11."""
    assert closes((10.0, 11.0), (59.9, 60.9)) is False
    assert closes((10.0, 11.0), (60.1, 61.1)) is True
    assert different((60.1, 61.1), (10.0, 11.0))


def test_intervals_that_touch_are_not_disjoint():
    """Limits that are equal do not make a difference."""
    assert different((3.0, 3.0), (3.0, 3.0)) is False
    assert different((3.0, 3.0), (3.1, 3.1)) is True


def test_one_value_is_judged_by_the_factor():
    """A single value on either side needs no difference beyond the factor."""
    assert closes((10.0,), (11.0,)) is False
    assert closes((10.0,), (11.1,)) is True
    assert closes((10.0,), (11.1,) * 10) is True
    assert closes((10.0,) * 10, (11.1,)) is True


def test_degenerate():
    """A head that gave nothing is a new failure; a base that gave nothing is none."""
    assert closes((1.0,), ()) is True
    assert closes((), (1.0,)) is False
    assert closes((), ()) is False
    assert closes((3.0,) * 10, (3.0,) * 10) is False
    assert closes((0.0,) * 10, (1.0,) * 10) is True
