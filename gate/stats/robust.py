"""Robust centre and scale of a few values.

Sources: Rousseeuw and Croux 1993 for the scale Q_n, of all pairwise gaps the one at the first
quartile: it bears a quarter of wild values and loses less than a fifth of the precision of the
standard deviation, where the median absolute deviation loses two thirds; Hodges and Lehmann 1963
for the shift between two samples.
"""

from __future__ import annotations

import math
from itertools import combinations, pairwise
from statistics import median, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


NORMAL_MAD = 1.4826
"""Median absolute deviation of a normal sample times this is its standard deviation."""

_MOST_VALUES = 500
"""Of more values only the last ones enter: the pairs of all would not fit into memory."""

FLOOR = 1e-4
"""Smallest scale believed (0.01 %): zero variance is a coarse clock, never certainty."""

_QN = {
    2: (0.707, 1.0),
    3: (1.764, 0.93),
    4: (1.008, 1.95),
    5: (1.663, 1.98),
    6: (1.256, 3.16),
    7: (1.767, 3.20),
    8: (1.406, 4.47),
    9: (1.835, 4.56),
    10: (1.532, 5.85),
    11: (1.894, 5.96),
    12: (1.623, 7.25),
    13: (1.937, 7.40),
    14: (1.694, 8.60),
    15: (1.969, 8.81),
    16: (1.749, 10.06),
    17: (1.995, 10.27),
    18: (1.794, 11.55),
    19: (2.015, 11.74),
}
"""Count -> (factor, degrees of freedom), by simulation of 400,000 normal samples: the squared
scale then has the mean and variance, on the log scale, of a chi-square of that freedom."""


def scale(values: Sequence[float]) -> tuple[float, float]:
    """Q_n of at least two values and the degrees of freedom of its square.

    Zero among differing values falls back on the standard deviation.
    """
    count = len(values)
    gaps = sorted(abs(a - b) for a, b in combinations(values, 2))
    half = count // 2 + 1
    factor, freedom = _qn_constants(count)
    spread = factor * gaps[half * (half - 1) // 2 - 1]
    if spread == 0 and gaps[-1] > 0:
        return stdev(values), float(count - 1)
    return spread, freedom


def _qn_constants(count: int) -> tuple[float, float]:
    if count in _QN:
        return _QN[count]
    # Fitted to simulations up to 100 values, within 1 %.
    return 2.2219 * count / (count + (1.95 if count % 2 else 4.1)), 0.79 * (count - 1) - 2.1


def within_session(sessions: Sequence[Sequence[float]]) -> float:
    """Typical standard deviation of trials inside a session (log costs); 0 if unknown.

    The median absolute difference of all pairs of trials within sessions, scaled for a normal
    sample (a difference has twice the variance): a few wild trials among many do not count. Where
    a coarse clock makes that zero, the pooled standard deviation.
    """
    gaps = [abs(a - b) for session in sessions for a, b in combinations(session[-_MOST_VALUES:], 2)]
    if gaps and (typical := median(gaps)) > 0:
        return NORMAL_MAD * typical / math.sqrt(2)
    squares = 0.0
    freedom = 0
    for session in sessions:
        mean = sum(session) / len(session)
        squares += sum((value - mean) ** 2 for value in session)
        freedom += len(session) - 1
    return math.sqrt(squares / freedom) if freedom else 0.0


def step_scale(centres: Sequence[float]) -> float:
    """Scale of session medians from their successive steps: blind to a slow slide.

    Median absolute step, scaled to a standard deviation; a step has twice the variance.
    """
    steps = [abs(b - a) for a, b in pairwise(centres)]
    return max(NORMAL_MAD * median(steps) / math.sqrt(2), FLOOR) if steps else FLOOR


def shift(groups: Sequence[tuple[Sequence[float], Sequence[float]]]) -> float:
    """Median of all differences second minus first, taken inside each group.

    With one group, the Hodges-Lehmann estimate of the shift between two samples; groups keep
    apart what was measured at different times.
    """
    return median(
        [b - a for first, second in groups for a in first for b in second[-_MOST_VALUES:]]
    )


def mean_shift(groups: Sequence[tuple[Sequence[float], Sequence[float]]]) -> float:
    """Log of the mean of all second values over that of all first ones, from their logs."""
    first = [value for one, _ in groups for value in one]
    second = [value for _, other in groups for value in other]
    top = max(*first, *second)
    sums = [math.fsum(math.exp(value - top) for value in side) for side in (second, first)]
    return math.log(sums[0] / len(second)) - math.log(max(sums[1], 1e-300) / len(first))
