"""What can be detected without a base side: planning figures for the screen and the strikes.

What the metric *can detect* is the tolerance at which the screen still clears an unchanged metric
(`noise.provable_with_strikes`, the judge's own figure); *finds* and the chance say what is proven.

A loss L is found when the screen flags it, the strikes win so many comparisons that luck would do
it with chance alpha at most, the estimated loss reaches its least F (`strikes.least_loss`),
and against the newest accepted session alone it is above tau. With sessions that scatter by sigma
about one level each is a bound on L that is linear in sigma,

    L >= tau + sigma a,    L >= F + sigma b,    L > tau + sigma c,    L > threshold + sigma d,

where a to d are functions of S + k + 1 standard normal numbers: an order statistic of the fresh
less accepted differences of the sessions ranked, their median, and two plain differences, the
last one to all S. They depend on each other, and few sessions have no closed form; so they are
drawn once for each S, k and number of wins, 3,000 times from a fixed seed. The same settings
always give the same figures, and the figures are monotone in the loss; a chance near 0.95 is
known to 0.01 (two standard errors).

The scale that the screen will know is taken for the true one, and the host for as steady as it
was. An unchanged metric is counted with all strikes, though an early look often spares some.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from gate.stats.costs import ratio
from gate.stats.numeric import np
from gate.stats.power import CERTAINTY, Power
from gate.stats.screen import threshold
from gate.stats.strikes import chance, least_loss, ranked, strikes_needed

if TYPE_CHECKING:
    from gate.stats.noise import Noise
    from gate.stats.planning import Expected

_DRAWS = 3000
_SEED = 20260110


def with_strikes(
    metric: Expected, asked: float, *, trials: int, alpha: float, beta: float
) -> Power:
    """The power of a screen of so many trials and of strikes, at the metric's own part of alpha."""
    noise, limits = metric.noise, metric.limits
    count = strikes_needed(noise.level, alpha)
    above = threshold(limits, noise, trials, beta)
    levels = limits.dead, least_loss(asked, limits), limits.dead, above
    bounds = _scaled_bounds(noise, trials, count, alpha)
    losses: np.ndarray = (np.array(levels)[:, None] + bounds).max(axis=0)
    further = trials * (count or 0)
    return Power(
        can_detect=metric.can_detect,
        judged_at=limits.tolerance,
        finds=_found(losses),
        chance=float(np.mean(losses <= math.log1p(asked))),
        unchanged=trials + further * metric.flagged(trials, beta),
        slower=trials + further * metric.flagged(trials, beta, math.log1p(asked)),
    )


def _found(losses: np.ndarray) -> float:
    """The relative loss that is enough for 95 % of the draws."""
    loss = float(np.quantile(losses, CERTAINTY, method="higher"))
    return max(ratio(loss), 0.0) if math.isfinite(loss) else math.inf


def _scaled_bounds(noise: Noise, trials: int, count: int | None, alpha: float) -> np.ndarray:
    """What a loss needs beyond each level; infinite where no number of strikes proves anything."""
    if count is None:
        return np.full((4, 1), math.inf)
    # A session cut to fewer trials than usual scatters more; the level hardly does.
    scatter = noise.error(trials) / math.sqrt(1 + math.pi / 2 / noise.level)
    wins = _wins_needed(ranked(noise.level), count, alpha)
    bounds: np.ndarray = _bounds(noise.level, count, wins)
    return scatter * bounds


@lru_cache(maxsize=256)
def _wins_needed(sessions: int, strikes: int, alpha: float) -> int:
    """Fewest wins that luck brings with chance alpha at most."""
    low, high = 0, sessions * strikes
    while low < high:
        middle = (low + high) // 2
        if chance(middle, sessions, strikes) <= alpha:
            high = middle
        else:
            low = middle + 1
    return low


@lru_cache(maxsize=64)
def _bounds(sessions: int, strikes: int, wins: int) -> np.ndarray:
    """Four rows of draws: what a loss needs beyond each level, in units of the scatter."""
    dice = np.random.default_rng([_SEED, sessions, strikes])
    accepted = dice.standard_normal((_DRAWS, sessions))
    fresh = dice.standard_normal((_DRAWS, strikes))
    screened = dice.standard_normal(_DRAWS)
    among = accepted[:, -ranked(sessions) :]
    gaps = (fresh[:, :, None] - among[:, None, :]).reshape(_DRAWS, -1)
    gaps.sort(axis=1)
    return np.array(
        [
            -gaps[:, gaps.shape[1] - wins],
            -np.median(gaps, axis=1),
            accepted[:, -1] - np.median(fresh, axis=1),
            np.median(accepted, axis=1) - screened,
        ]
    )
