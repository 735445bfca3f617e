"""Stage 1: compare a few head trials with the accepted sessions, so as not to miss.

    e = median(head trials) - median(session medians)
    r = t(1 - miss) standard errors of e (`noise.Noise.error`)
    flagged when e > min(log(1 + T) - r, max(log(1 + T/2), log(1 + tau)))

A metric is cleared only when a true loss of T would look like this with probability below
`miss`, the screen's share of beta. A metric quiet enough for that is still flagged when it lost
more than half the tolerance, which is then more than its noise explains: that costs an unchanged
metric next to nothing and finds losses well below T. The screen makes no claim about false alarms:
a flag costs a confirmation.

On recorded sessions, S = 10: T instead of 0.8 T in the first term, the scale Q_n instead of the
median absolute deviation, and the suite's help bring the unchanged metrics that are flagged from
42 to 24 % (dedicated runner) and from 42 to 31 % (cloud machine), the true losses of T that are
cleared staying at 0.8 to 0.9 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING

from gate.stats import robust
from gate.stats.costs import LEAST_SESSIONS
from gate.stats.noise import Noise, noise_of
from gate.stats.special import student

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.stats.base_today import BaseToday
    from gate.stats.costs import LossLimits

SHARE = 0.52
"""Of beta, what the screen may spend; the second stage has the rest."""
CONFIDENCE = 0.99
"""Level of the interval printed beside a screened loss."""
ANCHORS = 3
"""First sessions of an epoch that make its anchor."""
_CHANCE = 0.025
"""That sessions of one level rise like this: a slide that closes is no two odd sittings."""
_TAIL = 0.01
"""One-sided level at which a session has left its epoch."""


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


def centre(sessions: Sequence[Sequence[float]]) -> float:
    """The accepted level: the median of session medians."""
    return median([median(session) for session in sessions])


def threshold(
    limits: LossLimits, noise: Noise | BaseToday, trials: int, beta: float, sessions: int = 1
) -> float:
    """The log loss above which so many head trials are flagged."""
    margin = noise.reach(1 - SHARE * beta, trials, sessions)
    return min(limits.most - margin, max(math.log1p(limits.tolerance / 2), limits.dead))


def screen(
    head: Sequence[float],
    level: float,
    noise: Noise | BaseToday,
    limits: LossLimits,
    beta: float,
    *,
    trials: int | None = None,
    sessions: int = 1,
) -> Screened:
    """Screen one series: `head` are log costs, `level` the accepted one or the base's of today.

    Where the head is no list of trials but of session medians, `sessions` is their number and
    `trials` what each stands for.
    """
    count = trials or len(head)
    loss = median(head) - level
    reach = noise.reach(0.5 + CONFIDENCE / 2, count, sessions)
    above = threshold(limits, noise, count, beta, sessions)
    return Screened(
        loss=loss,
        low=loss - reach,
        high=loss + reach,
        error=noise.error(count, sessions),
        threshold=above,
        flagged=loss > above,
        improved=loss + reach < -limits.dead,
    )


def slide_since_anchor(
    head: Sequence[float], sessions: Sequence[Sequence[float]], limits: LossLimits
) -> float | None:
    """Log loss since the epoch's anchor when it is beyond the tolerance.

    The anchor is the level of the epoch's first sessions: of three, because a single sitting may
    be an odd one. None where there is no such slide. The scale comes from successive steps,
    because a slide would inflate any scale about a common centre.
    """
    if len(sessions) < LEAST_SESSIONS:
        return None
    since = median(head) - _anchor(sessions)
    return since if since > _far_from_anchor(sessions, limits) else None


def rises(values: Sequence[float]) -> bool:
    """Whether values in order of time rise more than chance explains: Kendall 1938, exact.

    Of n values in random order so many pairs or fewer fall with a chance that is the number of
    permutations with at most that many inversions over n!. Half of the ties count as falling.
    """
    pairs = list(combinations(values, 2))
    falling = sum(2 * (late < early) + (late == early) for early, late in pairs) // 2
    ways = [1]  # permutations of the values so far, by their inversions
    for more in range(1, len(values)):
        places = [ways[max(k - more, 0) : k + 1] for k in range(len(ways) + more)]
        ways = [sum(some) for some in places]
    return sum(ways[: falling + 1]) <= _CHANCE * sum(ways)


def _anchor(sessions: Sequence[Sequence[float]]) -> float:
    return centre(sessions[:ANCHORS])


def _far_from_anchor(sessions: Sequence[Sequence[float]], limits: LossLimits) -> float:
    """The distance from the anchor that is beyond both the tolerance and the noise."""
    one = robust.step_scale([median(session) for session in sessions])
    error = one * math.sqrt(1 + math.pi / 2 / ANCHORS)
    return limits.most + student(1 - _TAIL, len(sessions) - 1) * error


def level_moved(
    fresh: Sequence[float], sessions: Sequence[Sequence[float]], limits: LossLimits
) -> bool:
    """Whether a session about to be accepted stands on another level than the epoch so far.

    Either its distance from the accepted centre is beyond both the noise and the negligible
    loss, in whichever direction, or it has slid as `slide_since_anchor` says. Of fewer than
    `LEAST_SESSIONS` only the trials inside them tell the noise: three standard errors of it.
    """
    distance = abs(median(fresh) - centre(sessions))
    if len(sessions) < LEAST_SESSIONS:
        known = (*sessions, fresh)
        trials = median([len(session) for session in known])
        error = robust.within_session(known) * math.sqrt(math.pi / trials)
        return distance > limits.most + 3 * error
    reach = noise_of(sessions).reach(0.5 + CONFIDENCE / 2, len(fresh))
    from_anchor = abs(median(fresh) - _anchor(sessions))
    return distance > max(reach, limits.dead) or from_anchor > _far_from_anchor(sessions, limits)
