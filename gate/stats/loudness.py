"""The smallest tolerance that a metric's own noise can support.

With sides, log(1 + T_min) = log(1 + tau) + 1.1 sigma_d sqrt(100 / n) for at most n pairs of noise
sigma_d. From the martingale's growth: with kappa the distance log((1+T)/(1+tau)) / sigma_d, its
log wealth after n pairs is near normal with mean n kappa^2 / 2 and variance n kappa^2, and it
must have passed log(2/alpha) in 97 % of the cases; for n = 100 that is kappa = 0.6; shares of
alpha, tails heavier than normal and noise that differs from sitting to sitting make it 1.1 on
recorded data. Without sides, the tolerance must leave room
for the screen to clear an unchanged metric: (t(0.99) + 1.3) standard errors.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gate.stats import robust
from gate.stats.costs import ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.stats.noise import Noise
    from gate.stats.screen import LossLimits

_UNKNOWN = 0.03
"""Pair noise assumed where the baseline says nothing of it."""
_LEAST_SIGMA = 1e-3
_KAPPA = 1.1
_PAIRS = 100
_ROOM = 1.3
"""Standard errors of room in which the screen clears an unchanged metric without sides."""


def pair_sigma(sessions: Sequence[Sequence[float]]) -> float:
    """Expected standard deviation of a pair difference, from the trials inside sessions (logs).

    Only the speed of the decision depends on it, never its validity. Sessions of a single
    trial say nothing of it; then the scale between sessions stands in.
    """
    inside = robust.within_session(sessions)
    if not any(len(session) > 1 for session in sessions):
        centres = [session[0] for session in sessions]
        inside = robust.scale(centres)[0] if len(centres) > 1 else _UNKNOWN / math.sqrt(2)
    return max(math.sqrt(2) * inside, _LEAST_SIGMA)


def known_sigma(noise: Noise) -> float:
    """The same, where the noise of enough sessions was worked out."""
    inside = noise.within if noise.usual > 1 else noise.between
    return max(math.sqrt(2) * inside, _LEAST_SIGMA)


def provable_with_pairs(limits: LossLimits, sigma: float, pairs: int) -> float:
    """Smallest relative tolerance that this many pairs can hold."""
    return ratio(limits.dead + _KAPPA * math.sqrt(_PAIRS / pairs) * sigma)


def provable_with_strikes(noise: Noise, trials: int) -> float:
    """Smallest relative tolerance that the screen can clear on an unchanged metric."""
    return ratio(noise.reach(0.99, trials) + _ROOM * noise.error(trials))
