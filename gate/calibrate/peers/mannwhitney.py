"""The Mann-Whitney statistic and its exact distribution, as fast as a calibration needs them.

U is the number of pairs (one value of each sample) in which the first is larger, an equal pair
counting one half; 2U is whole. Sources: Mann and Whitney 1947; for ties Klotz 1966.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

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
