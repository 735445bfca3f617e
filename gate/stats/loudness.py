"""The smallest tolerance that a metric's own noise can support.

With sides, T_min = (1 + tau) exp(k sigma_d) - 1 with k = 1.0 for 30 pairs and 0.75 for 60, and
the metric is gated at 1.25 T_min: planned so that a loss of the tolerance is found in about 97 %
of the cases. Without sides, the tolerance must leave room for the screen to clear an unchanged
metric: (t(0.99) + 1.5) standard errors below it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gate.stats import robust
from gate.stats.costs import ratio
from gate.stats.quantiles import student
from gate.stats.screen import DESIGN, Limits, standard_error

if TYPE_CHECKING:
    from collections.abc import Sequence

LOUD = 0.03
"""Pair noise above which twice the pairs may be spent."""
LEAST_SIGMA = 1e-3


def pair_sigma(sessions: Sequence[Sequence[float]]) -> float:
    """Expected standard deviation of a pair difference, from the trials inside sessions (logs).

    Only the speed of the decision depends on it, never its validity. Sessions of a single
    trial say nothing of it; then the scale between sessions stands in.
    """
    inside = robust.within_session(sessions)
    if not any(len(session) > 1 for session in sessions):
        inside = robust.between_sessions(sessions) if len(sessions) > 1 else LOUD / math.sqrt(2)
    return max(math.sqrt(2) * inside, LEAST_SIGMA)


def pair_limit(sigma: float, asked: int) -> int:
    """Most pairs to spend: twice the profile's number for a loud metric."""
    return 2 * asked if sigma > LOUD else asked


def provable_with_pairs(limits: Limits, sigma: float, pairs: int) -> float:
    """Smallest relative tolerance that this many pairs can hold."""
    factor = 0.75 if pairs >= 60 else math.sqrt(30 / pairs)  # noqa: PLR2004
    return ratio(limits.dead + factor * sigma) / DESIGN


def provable_with_strikes(
    sessions: Sequence[Sequence[float]], trials: int, level: int | None = None
) -> float:
    """Smallest relative tolerance that the screen can clear on an unchanged metric."""
    error = standard_error(sessions, trials, level)
    room = (student(0.99, len(sessions) - 1) + 1.5) * error
    return ratio(room) / DESIGN
