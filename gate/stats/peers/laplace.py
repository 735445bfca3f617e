"""asv's 99 % interval of a median, also of fewer values than order statistics can bound.

Of 8 values or more: the order statistics y[r] and y[n-1-r], r the largest with P(B <= r) at most
0.005, B binomial(n, 1/2). Of fewer: the 0.5 % and 99.5 % points of the posterior of the centre
under Laplace noise with a scale prior 1/sigma, whose density is proportional to S(b)^-n with
S(b) = sum_j |y_j - b|; a limit never lies inside the sample (asv_runner statistics.py).

S is linear between values, so the mass between two of them and outside of them has a closed
form, and outside of the sample so has the point with a given mass beyond it.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_TAIL = 0.005


@lru_cache(maxsize=256)
def _rank(count: int) -> int | None:
    """r: how many values lie outside of the interval on each side; None with too few values."""
    below, rank = 0, None
    for index in range(count):
        below += math.comb(count, index)
        if below > _TAIL * 2**count:
            break
        rank = index
    return rank


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Lower and upper limit of the median of at least two values, in their unit.

    Of equal values both limits are that value.
    """
    ordered = sorted(values)
    rank = _rank(len(ordered))
    if rank is not None:
        return ordered[rank], ordered[-1 - rank]
    if ordered[0] == ordered[-1]:
        return ordered[0], ordered[0]
    return _posterior(ordered)


def _posterior(ordered: Sequence[float]) -> tuple[float, float]:
    """The limits of few, not all equal, sorted values.

    In units of the smallest S. With k = n - 1, the mass between two neighbours is
    (S_i^-k - S_(i+1)^-k) / (k c), c = 2 i - n the slope after i values; where c is 0, S is at its
    smallest, 1, and the mass is the width. The mass outside an end is S^-k / (k n); the limit is
    where S, growing by n per unit, makes that 0.5 % of all.
    """
    count = len(ordered)
    power = count - 1
    sums = [math.fsum([abs(value - centre) for value in ordered]) for centre in ordered]
    unit = min(sums)
    heights = [(total / unit) ** -power for total in sums]
    mass = (heights[0] + heights[-1]) / (power * count)
    for right in range(1, count):
        slope = 2 * right - count
        if slope:
            mass += (heights[right - 1] - heights[right]) / (power * slope)
        else:
            mass += (ordered[right] - ordered[right - 1]) / unit
    needed = unit * (_TAIL * mass * power * count) ** (-1 / power)
    below, above = (max(needed - total, 0.0) / count for total in (sums[0], sums[-1]))
    return ordered[0] - below, ordered[-1] + above
