"""Stage 1: compare a few head trials with the accepted sessions, so as not to miss.

A metric is flagged unless its loss is so small that a true loss of T_d would look like this with
probability below 1 %. The screen makes no claim about false alarms: a flag costs a confirmation.

    e = median(head trials) - median(session medians)
    s = robust scale between sessions (`robust.between_sessions`)
    r = t(0.99, S-1) s sqrt(1 + 1.57/S)
    flagged when e > max(log(1 + T_d) - r, min(log(1 + tau) / 2, log(1 + T) - r))

Half the negligible loss is let through even of a metric too loud for the 1 % at T_d, to save
confirmations, but never of one so loud that a loss of T itself would slip by. 1.57 is pi/2, the
variance of a median relative to a mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from gate.stats import robust
from gate.stats.costs import LEAST_SESSIONS
from gate.stats.quantiles import normal, student

if TYPE_CHECKING:
    from collections.abc import Sequence

MISS = 0.01
"""Largest chance that the screen clears a true loss of T_d."""
CONFIDENCE = 0.99
"""Level of the interval printed beside a screened loss."""
DESIGN = 0.8
"""T_d = 0.8 T: the rule is designed for less than the tolerance, so that T has room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """A metric's thresholds as relative losses."""

    tolerance: float
    """T, as asked for or raised."""
    negligible: float
    """tau, floor included."""

    @property
    def design(self) -> float:
        """log(1 + T_d)."""
        return math.log1p(DESIGN * self.tolerance)

    @property
    def dead(self) -> float:
        """log(1 + tau)."""
        return math.log1p(self.negligible)


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """What the screen saw, in log loss."""

    loss: float
    low: float
    high: float
    error: float
    """Standard error of the loss, between-session scale included."""
    threshold: float
    flagged: bool
    improved: bool
    detectable: float
    """Smallest true loss that would have been flagged with probability 1 - beta."""


def standard_error(
    sessions: Sequence[Sequence[float]], trials: int, level: int | None = None
) -> float:
    """Standard error of a fresh session of so many trials against the accepted centre (logs).

    `level` is how many sessions set the centre, where these here only tell the noise.

    The scale between sessions holds the noise of as many trials as those have; a fresh session
    of fewer is noisier by what the missing trials would have averaged out.
    """
    scale = robust.between_sessions(sessions)
    usual = median([len(session) for session in sessions])
    fewer = max(math.pi / 2 * (1 / trials - 1 / usual), 0.0)
    return math.hypot(
        scale * math.sqrt(1 + 1.57 / (level or len(sessions))),
        robust.within_session(sessions) * math.sqrt(fewer),
    )


def screen(
    head: Sequence[float],
    sessions: Sequence[Sequence[float]],
    limits: Limits,
    beta: float,
    *,
    trials: int | None = None,
    level: int | None = None,
) -> Screened:
    """Screen one series: `head` and `sessions` are log costs; at least two sessions.

    `trials` is how many trials the head stands for, where it is no plain list of trials; `level`
    how many sessions set the level, where these here were moved to it and tell the noise.
    """
    freedom = len(sessions) - 1
    error = standard_error(sessions, trials or len(head), level)
    loss = median(head) - median([median(session) for session in sessions])
    reach = student(0.5 + CONFIDENCE / 2, freedom) * error
    margin = student(1 - min(MISS, beta), freedom) * error
    saved = min(limits.dead / 2, math.log1p(limits.tolerance) - margin)
    threshold = max(limits.design - margin, saved)
    return Screened(
        loss=loss,
        low=loss - reach,
        high=loss + reach,
        error=error,
        threshold=threshold,
        flagged=loss > threshold,
        improved=loss + reach < -limits.dead,
        detectable=threshold + student(1 - beta, freedom) * error,
    )


def slid(
    head: Sequence[float], sessions: Sequence[Sequence[float]], limits: Limits
) -> float | None:
    """Log loss since the epoch's anchor (its first session) when it is beyond the tolerance.

    None where there is no such slide. The scale comes from successive steps, because a slide
    would inflate any scale about a common centre.
    """
    if len(sessions) < LEAST_SESSIONS:
        return None
    since = median(head) - median(sessions[0])
    return since if since > _far_from_anchor(sessions, limits) else None


def _far_from_anchor(sessions: Sequence[Sequence[float]], limits: Limits) -> float:
    """The distance from the anchor that is beyond both the tolerance and the noise."""
    error = robust.step_scale([median(session) for session in sessions]) * math.sqrt(2)
    return math.log1p(limits.tolerance) + student(1 - MISS, len(sessions) - 1) * error


def moved(fresh: Sequence[float], sessions: Sequence[Sequence[float]], limits: Limits) -> bool:
    """Whether a session about to be accepted stands on another level than the epoch so far.

    Either its distance from the accepted centre is beyond both the noise and the negligible
    loss, in whichever direction, or it has slid from the anchor as `slid` says. Of fewer than
    `LEAST_SESSIONS` only the trials inside them tell the noise: three standard errors of it.
    """
    centres = [median(session) for session in sessions]
    distance = abs(median(fresh) - median(centres))
    if len(sessions) < LEAST_SESSIONS:
        known = (*sessions, fresh)
        trials = median([len(session) for session in known])
        error = robust.within_session(known) * math.sqrt(math.pi / trials)
        return distance > math.log1p(limits.tolerance) + 3 * error
    error = standard_error(sessions, len(fresh))
    reach = student(0.5 + CONFIDENCE / 2, len(sessions) - 1) * error
    from_anchor = abs(median(fresh) - centres[0])
    return distance > max(reach, limits.dead) or from_anchor > _far_from_anchor(sessions, limits)


def pairs_detectable(limits: Limits, sigma: float, pairs: int, alpha: float, beta: float) -> float:
    """Smallest log loss that `pairs` pairs of noise `sigma` can prove (planning formula).

    tau + (z(1 - alpha) + z(1 - beta)) sigma / sqrt(n): the fixed-sample bound; the martingale
    needs somewhat more pairs for the same loss.
    """
    return limits.dead + (normal(1 - alpha) + normal(1 - beta)) * sigma / math.sqrt(max(pairs, 1))
