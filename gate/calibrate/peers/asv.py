"""asv continuous: a factor between medians, and Mann-Whitney's test or disjoint intervals.

Worse when median base < median head / 1.1 and both samples differ (asv statistics.py and
commands/compare.py at 7032df7): two-sided p < 0.002 if 1 / C(m + n, min(m, n)) < 0.002, else
disjoint 99 % intervals. Ties are broken towards no difference. p is exact up to 20 values a
side, beyond it normal without corrections. With 6 values a side the test is chosen although
its smallest p is 0.0022: then nothing closes.

Degenerate input: no head where there was a base counts as a new failure and closes; no base
passes. One value on either side is judged by the factor alone.

asv's 99 % interval of a median, also of fewer values than order statistics can bound.

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
from statistics import median
from typing import TYPE_CHECKING

from gate.calibrate.peers.benchstat import distribution, wins
from gate.calibrate.peers.peer import Comparison, Peer

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


FACTOR = 1.1
THRESHOLD = 0.002
_EXACT = 20


def p_value(first: Sequence[float], second: Sequence[float]) -> float:
    """Two-sided p of the U test, each tie broken so that p is largest; no side is empty."""
    pairs, total = len(first) * len(second), len(first) + len(second)
    larger, equal = wins(first, second)
    least = min(larger + equal, pairs - larger, pairs // 2)
    if max(len(first), len(second)) <= _EXACT:
        return min(2 * distribution(len(first), (1,) * total)[2 * least], 1.0)
    deviation = math.sqrt(pairs * (total + 1) / 12)
    return math.erfc((pairs / 2 - least) / deviation / math.sqrt(2))


def different(base: Sequence[float], head: Sequence[float]) -> bool:
    """Whether two samples of at least two values each differ, in whichever direction."""
    smaller = min(len(base), len(head))
    if 1 / math.comb(len(base) + len(head), smaller) < THRESHOLD:
        return p_value(base, head) < THRESHOLD
    (low, high), (head_low, head_high) = interval(base), interval(head)
    return high < head_low or head_high < low


def _closes(case: Comparison) -> bool:
    if not case.head or not case.base:
        return bool(case.base)
    if not median(case.base) < median(case.head) / FACTOR:
        return False
    return 1 in (len(case.base), len(case.head)) or different(case.base, case.head)


ASV = Peer(
    name="asv-continuous",
    closes=_closes,
    source="median > 1.1 x and Mann-Whitney p < .002, or disjoint 99 % intervals of few values "
    "(asv statistics.py, compare.py); 10 trials a side, asv's own samples share two processes",
)
