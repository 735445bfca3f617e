r"""What can be detected by pairs of base and head: planning figures, before anything is measured.

What the metric *can detect* is the judge's own figure (`detectable.can_detect`).

*Found*: the chance that a true loss L is flagged by the screen and then proven. The first factor
is `planning.Expected.flagged`; the second comes from the martingale's growth. In units of the
pair noise sigma let k = (log L - log(1+tau)) / sigma and d = log((1+T)/(1+tau)) / sigma, at most
2, since a bet has a steepest slope. After n pairs the log wealth against "at most tau" is near a
Brownian motion of drift d k - d^2/2 and variance d^2 for each pair, and three things end it:

- *time*: it must pass b = log(1/alpha) + 1 within n - 3 pairs. The chance of a first passage is
  Phi((mu n - b)/r) + exp(2 mu b / v) Phi((-b - mu n)/r), r = sqrt(v n).
- *the other answer*: a loss below the middle of tau and T rather ends as `passed`. With
  theta = 2 (L - middle)/sigma^2 and the two bounds at x = theta b sigma^2 / D and
  y = theta (log(1/beta) + 2) sigma^2 / log(1+T), Wald's chance to meet the upper one first is
  (e^y - 1)/(e^y - e^-x).
- *the first block* can prove on its own, when all five head trials are dearer than all base ones
  by more than tau, which quiet metrics meet early. A share of alpha below 1/252 rules that out.

The chance is the last, or the smaller of the first two if that is more. The constants 1, 3, 2
stand for what random order costs against known noise; they were fitted to 270 points of 1,500
simulated draws each (9 to 160 pairs, normal noise): the formula is above the simulation by 0.04
at most, below it by 0.12 at most. Heavier tails need more pairs.

*Finds* is the smallest loss found with probability 0.95 as things are set. It may grow with more
trials, unlike what the metric can detect: a screen that sees little flags everything and leaves it
to the pairs, a sharp one clears what lost less than half the tolerance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from gate.model.plan import FIRST_BLOCK
from gate.stats.detectable import least
from gate.stats.screen import SHARE
from gate.stats.special import normal_below

if TYPE_CHECKING:
    from gate.stats.planning import Expected

CERTAINTY = 0.95
"""What is found with this probability counts as found."""
_STEEPEST = 2.0
_LOSS_COST, _NONE_COST, _IDLE = 1.0, 2.0, 3
_MOST_SHARE = 0.9
"""Of alpha, what a metric gets that stands out in the screen (`shares`)."""
_STEP = 0.04
_GRID = tuple(_STEP * number for number in range(-200, 201))


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """What one metric can show with given settings; losses are relative."""

    can_detect: float
    """Smallest tolerance that can be held; infinite where none can."""
    judged_at: float
    """Tolerance that the judge uses for the one asked for: at most the largest allowed."""
    finds: float
    """Smallest loss proven with probability 0.95 as things are set; infinite where none is."""
    chance: float
    """That a loss of the tolerance asked for is proven."""
    unchanged: float
    """Trials, of both sides, that an unchanged metric takes on average."""
    slower: float
    """Trials that a loss of the tolerance takes."""


def with_pairs(metric: Expected, asked: float, *, trials: int, alpha: float, beta: float) -> Power:
    """The power of a screen of so many trials and the metric's pairs after it.

    `metric` holds the limits in force and what it can detect.
    """

    def found(loss: float) -> float:
        return metric.flagged(trials, beta, loss) * chance_proven(metric, loss, alpha, beta)

    loss = math.log1p(asked)
    return Power(
        can_detect=metric.can_detect,
        judged_at=metric.limits.tolerance,
        finds=least(lambda tolerance: found(math.log1p(tolerance)) >= CERTAINTY),
        chance=found(loss),
        unchanged=trials + 2 * metric.flagged(trials, beta) * metric.pairs_to_pass,
        slower=trials + 2 * metric.flagged(trials, beta, loss) * metric.pairs_to_prove,
    )


def chance_proven(metric: Expected, loss: float, alpha: float, beta: float) -> float:
    """Chance that pairs prove a true log loss, of a metric with nearly all of alpha."""
    sigma, own = metric.sigma, _MOST_SHARE * alpha
    distance = metric.limits.most - metric.limits.dead
    beyond = (loss - metric.limits.dead) / sigma
    bound = -math.log(own) + _LOSS_COST
    slope = min(distance / sigma, _STEEPEST)
    in_time = _passage(bound, slope * beyond - slope**2 / 2, slope**2, metric.pairs - _IDLE)
    middle = (metric.limits.most + metric.limits.dead) / 2
    aim = 2 * (loss - middle)
    other = -math.log((1 - SHARE) * beta) + _NONE_COST
    first = _upper_first(aim * bound / distance, aim * other / metric.limits.most)
    return max(_parted(beyond, own), min(in_time, first))


def _passage(bound: float, drift: float, variance: float, pairs: int) -> float:
    """Chance that a Brownian motion passes the bound within so many pairs."""
    root = math.sqrt(variance * pairs)
    straight = normal_below((drift * pairs - bound) / root)
    back = (-bound - drift * pairs) / root
    mirrored = math.exp(min(2 * drift * bound / variance, 600.0)) * normal_below(back)
    return min(straight + mirrored, 1.0)


def _upper_first(upper: float, lower: float) -> float:
    """Wald's chance; both arguments have the sign of the drift."""
    if abs(upper) < 1e-6:
        return lower / (upper + lower) if upper + lower else 0.5
    if upper > 0:
        return -math.expm1(-lower) / -math.expm1(-lower - upper)
    return math.exp(upper) * math.expm1(lower) / math.expm1(lower + upper)


def _parted(beyond: float, alpha: float) -> float:
    """Chance that all head trials of the first block exceed all base ones by more than tau."""
    if alpha * math.comb(2 * FIRST_BLOCK, FIRST_BLOCK) < 1:
        return 0.0
    apart = beyond * math.sqrt(2)
    every = (most * normal_below(apart - place) ** FIRST_BLOCK for place, most in _highest())
    return min(math.fsum(every), 1.0)


@cache
def _highest() -> tuple[tuple[float, float], ...]:
    """Places, and the chance that the highest of the base trials of a block lies there."""
    weight = FIRST_BLOCK * _STEP / math.sqrt(2 * math.pi)
    return tuple(
        (one, weight * math.exp(-(one**2) / 2) * normal_below(one) ** (FIRST_BLOCK - 1))
        for one in _GRID
    )
