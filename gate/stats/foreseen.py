"""The noise of a metric as it would be, had its accepted sessions been more or longer.

With more sessions S' the level is known better and so is the scale: `level` becomes S', and the
freedom grows by what Q_n of S' values has more than Q_n of S. The scale itself stays.

With n trials in a session, accepted and fresh alike, a session's median loses the noise that the
further trials average out,

    between'^2 = between^2 - pi/2 within^2 (1/usual - 1/n),    at least pi/2 within^2 / n,

and what sessions differ by beyond their trials stays. Sessions of a single trial do not tell the
two apart: nothing is promised for them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from gate.stats import robust

if TYPE_CHECKING:
    from gate.stats.noise import Noise


def with_sessions(noise: Noise, sessions: int) -> Noise:
    """The noise of that many accepted sessions, at least as many as there are."""
    if sessions <= noise.level:
        return noise
    more = max(_freedom(sessions) - _freedom(noise.level), 0.0)
    return replace(noise, level=sessions, freedom=noise.freedom + more)


def with_trials(noise: Noise, trials: int) -> Noise:
    """The noise of accepted sessions of that many trials, at least as many as they have."""
    if trials <= noise.usual or noise.usual <= 1:
        return noise
    gone = math.pi / 2 * noise.within**2 * (1 / noise.usual - 1 / trials)
    left = math.sqrt(max(noise.between**2 - gone, 0.0))
    longer = replace(noise, between=left, usual=float(trials))
    return replace(longer, between=max(left, longer.implied, robust.FLOOR))


def _freedom(sessions: int) -> float:
    return robust.scale(range(max(sessions, 2)))[1]
