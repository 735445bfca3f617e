"""asv's interval of a median: order statistics, and the posterior against quadrature."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from gate.calibrate.peers.asv import interval


def test_order_statistics():
    """Of 8 values the extremes, of 20 the fourth from each end (P(B <= 3) = 0.0013)."""
    assert interval([8, 1, 2, 3, 4, 5, 6, 7]) == (1, 8)
    assert interval([1, 1, 1, 1, 2, 2, 2, 2]) == (1, 2)
    assert interval(range(20)) == (3, 16)
    tail = [sum(math.comb(20, k) for k in range(rank + 1)) / 2**20 for rank in (3, 4)]
    assert tail[0] <= 0.005 < tail[1]


def test_two_values_by_hand():
    """S is 1 between 0 and 1: the mass is 1 + 1/2 + 1/2, and 1/(2S) is 0.5 % of it at S = 50."""
    assert interval([1, 0]) == pytest.approx((-24.5, 25.5))


@pytest.mark.parametrize(
    "values", [[1, 2, 4], [3, 3, 5, 9], [1, 1.1, 1.2, 1.3, 9], [0, 1, 2, 5, 7, 9], [2] * 6 + [3]]
)
def test_limits_have_half_a_percent_beyond_them(values):
    """The posterior mass beyond each limit is 0.5 %, or less where the limit is an extreme."""
    from scipy.integrate import quad

    def density(centre):
        return sum(abs(value - centre) for value in values) ** -len(values)

    def mass(low, high):
        inside = [low, *(v for v in sorted(set(values)) if low < v < high), high]
        return sum(quad(density, a, b)[0] for a, b in pairwise(inside))

    low, high = interval(values)
    total = mass(-math.inf, math.inf)
    for limit, extreme, beyond in (
        (low, min(values), mass(-math.inf, low)),
        (high, max(values), mass(high, math.inf)),
    ):
        if limit == extreme:
            assert beyond / total <= 0.005
        else:
            assert beyond / total == pytest.approx(0.005, rel=1e-6)


def test_equal_values_and_any_scale():
    """Equal values are their own interval, and the unit changes nothing else."""
    assert interval([0.1] * 3) == (0.1, 0.1)
    low, high = interval([1, 2, 4])
    assert interval([1e-60, 2e-60, 4e-60]) == pytest.approx((low * 1e-60, high * 1e-60), rel=1e-9)
    assert interval([1e60, 2e60, 4e60]) == pytest.approx((low * 1e60, high * 1e60), rel=1e-9)
