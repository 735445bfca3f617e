"""Robust centre and scale of a few sessions.

Sources: Rousseeuw and Croux 1993 for the MAD and its small-sample correction; the factor
1 + 1.2/S and the variance inflation 1 + 1.57/S of a median were fitted on recorded series.
"""

from __future__ import annotations

import math
from itertools import combinations, pairwise
from statistics import median, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

NORMAL_MAD = 1.4826
"""MAD of a normal sample times this is its standard deviation."""

_MOST_VALUES = 500
"""Of more values only the last ones enter: the pairs of all would not fit into memory."""

FLOOR = 1e-4
"""Smallest scale believed (0.01 %): zero variance is a coarse clock, never certainty."""


def between_sessions(sessions: Sequence[Sequence[float]]) -> float:
    """Scale of session medians (log costs), not below what the trials inside them imply.

    `sessions` is a list of sessions of log costs, each with at least one trial; at least two
    sessions. A MAD of zero among differing medians falls back on the standard deviation.
    """
    centres = [median(session) for session in sessions]
    centre = median(centres)
    spread = NORMAL_MAD * median([abs(value - centre) for value in centres])
    spread *= 1 + 1.2 / len(centres)
    if spread == 0 and len(set(centres)) > 1:
        spread = stdev(centres)
    trials = median([len(session) for session in sessions])
    implied = within_session(sessions) * math.sqrt(math.pi / 2 / trials) if trials > 1 else 0.0
    return max(spread, implied, FLOOR)


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


def hodges_lehmann(values: Sequence[float]) -> float:
    """Median of all pairwise means: the centre the signed-rank test estimates.

    Source: Hodges and Lehmann 1963.
    """
    values = values[-_MOST_VALUES:]
    means = [(values[i] + values[j]) / 2 for i in range(len(values)) for j in range(i, len(values))]
    return median(means)
