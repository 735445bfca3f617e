"""asv continuous: a factor between medians, and Mann-Whitney's test or disjoint intervals.

Worse when median base < median head / 1.1 and both samples differ (asv statistics.py and
commands/compare.py at 7032df7): two-sided p < 0.002 if 1 / C(m + n, min(m, n)) < 0.002, else
disjoint 99 % intervals. Ties are broken towards no difference. p is exact up to 20 values a
side, beyond it normal without corrections. With 6 values a side the test is chosen although
its smallest p is 0.0022: then nothing closes.

Degenerate input: no head where there was a base counts as a new failure and closes; no base
passes. One value on either side is judged by the factor alone.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from gate.stats.peers.laplace import interval
from gate.stats.peers.mannwhitney import distribution, wins
from gate.stats.peers.peer import Comparison, Peer

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    sides=True,
    trials=10,
    history=0,
    closes=_closes,
    source="median > 1.1 x and Mann-Whitney p < .002, or disjoint 99 % intervals of few values "
    "(asv statistics.py, compare.py); 10 trials a side, asv's own samples share two processes",
)
