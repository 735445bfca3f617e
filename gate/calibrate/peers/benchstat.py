"""benchstat: Mann-Whitney's test on two files, and the same with a smallest change asked for.

Two-sided p of the U test, twice the smaller tail. The tail is exact up to 50 values a side, up
to 25 with ties; else normal, with tie and continuity correction. A difference is shown when
p <= 0.05, as the relative change of the median (golang/perf benchmath at 712aea8; the test is in
aclements/go-moremath, stats/utest.go). benchstat never fails itself: a script reads its
output. `benchstat-5` is the common script that also asks for a change of more than 5 %.

Degenerate input: an empty side, only equal values, equal medians or an old median of 0 show no
loss, so they pass. Below 4 values a side p <= 0.05 cannot happen.

The Mann-Whitney statistic and its exact distribution, as fast as a calibration needs them.

U is the number of pairs (one value of each sample) in which the first is larger, an equal pair
counting one half; 2U is whole. Sources: Mann and Whitney 1947; for ties Klotz 1966.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from functools import lru_cache, partial
from itertools import accumulate
from statistics import median
from typing import TYPE_CHECKING

from gate.calibrate.peers.peer import Comparison, Peer

if TYPE_CHECKING:
    from collections.abc import Sequence


def wins(first: Sequence[float], second: Sequence[float]) -> tuple[int, int]:
    """In how many pairs the first is larger, and in how many both are equal."""
    others = sorted(second)
    larger = equal = 0
    for value in first:
        below = bisect_left(others, value)
        larger += below
        equal += bisect_right(others, value) - below
    return larger, equal


@lru_cache(maxsize=1024)
def distribution(first: int, ties: tuple[int, ...]) -> tuple[float, ...]:
    """P(2U <= k) for k = 0 ... 2mn when every choice of the first sample is equally likely.

    `first` is m, the size of the first sample; `ties` are the sizes of the groups of equal
    values of both samples, in ascending order of value (all 1 without ties), m + n in all.

    The groups are gone through in ascending order. If the first sample has j of a group of t,
    with r values of the second below the group, 2U grows by 2jr + j(t - j), in C(t, j) ways. The
    counts by 2U are the digits of one large integer per number of values taken so far: adding
    to 2U is a shift, and no count outgrows its digit.
    """
    total = sum(ties)
    second = total - first
    ways = math.comb(total, first)
    width = (ways.bit_length() + 7) // 8
    counts = [1] + [0] * first
    seen = 0
    for size in ties:
        grown = [0] * (first + 1)
        for taken, digits in enumerate(counts):
            rest = seen - taken
            for more in range(min(size, first - taken) + 1):
                if digits and rest + size - more <= second:
                    gain = 2 * more * rest + more * (size - more)
                    grown[taken + more] += math.comb(size, more) * digits << 8 * width * gain
        counts = grown
        seen += size
    length = 2 * first * second + 1
    digits_of_all = counts[first].to_bytes(width * length, "little")
    each = (
        int.from_bytes(digits_of_all[at : at + width], "little")
        for at in range(0, width * length, width)
    )
    return tuple(count / ways for count in accumulate(each))


ALPHA = 0.05
_EXACT, _EXACT_WITH_TIES = 50, 25


def p_value(old: Sequence[float], new: Sequence[float]) -> float:
    """Two-sided p of the U test; 1 where benchstat cannot test."""
    groups = Counter([*old, *new])
    if not old or not new or len(groups) == 1:
        return 1.0
    pairs, total = len(old) * len(new), len(old) + len(new)
    larger, equal = wins(old, new)
    doubled = min(2 * larger + equal, 2 * pairs - 2 * larger - equal)
    tied = len(groups) < total
    if max(len(old), len(new)) <= (_EXACT_WITH_TIES if tied else _EXACT):
        sizes = tuple(groups[value] for value in sorted(groups)) if tied else (1,) * total
        return 1.0 if doubled == pairs else 2 * distribution(len(old), sizes)[doubled]
    correction = sum(size**3 - size for size in groups.values()) / (total * (total - 1))
    deviation = math.sqrt(pairs * (total + 1 - correction) / 12)
    gap = (doubled - pairs) / 2
    return math.erfc(abs(gap + 0.5 * (gap < 0)) / deviation / math.sqrt(2))


def _closes(least: float, case: Comparison) -> bool:
    if not case.head or not case.base:
        return False
    old, new = median(case.base), median(case.head)
    return old > 0 and new > old * (1 + least) and p_value(case.base, case.head) <= ALPHA


def _peer(name: str, least: float, asked: str) -> Peer:
    return Peer(
        name=name,
        closes=partial(_closes, least),
        source=f"Mann-Whitney p <= .05{asked} (golang/perf benchmath); 10 trials a side, as its "
        "documentation advises, base and head measured in one sitting",
    )


BENCHSTAT = (_peer("benchstat", 0.0, ""), _peer("benchstat-5", 0.05, " and median > 5 % worse"))
