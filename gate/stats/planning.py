"""How many trials are worth taking, from the noise that the baseline shows.

Every figure here plans; none decides. Pairs are counted as the martingale was seen to need them
for normal noise: the first block, or about 10 / kappa^2 + 2 pairs, kappa being the distance to be
told apart in standard deviations of a pair.

The noise of a metric as it would be, had its accepted sessions been more or longer.

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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.model.plan import FIRST_BLOCK
from gate.stats import robust
from gate.stats.base_today import locate_base
from gate.stats.detectable import pairs_to_pass, pairs_to_prove
from gate.stats.noise import provable_with_strikes
from gate.stats.screen import threshold
from gate.stats.special import normal_below

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.stats.costs import LossLimits
    from gate.stats.noise import Noise


_MOST_TRIALS = 10
"""The screen takes no more than this on its own account."""
_WORTH = 0.3
"""Trials that a longer screen must save, at the least."""
_FINER = 0.9
"""Of the tolerance that a metric can be cleared at, what a longer screen must bring it down to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """One metric before anything is measured."""

    noise: Noise
    limits: LossLimits
    sigma: float
    """Standard deviation of a pair difference, in logs."""
    pairs: int
    """Most pairs to spend; none where only the head can run."""
    can_detect: float
    """The smallest tolerance that is held; the limits are those in force."""

    def flagged(self, trials: int, beta: float, loss: float = 0.0) -> float:
        """Chance that a true log loss is flagged by so many trials."""
        known = locate_base(self.noise) if self.pairs else self.noise
        above = threshold(self.limits, known, trials, beta)
        return normal_below((loss - above) / known.error(trials))

    @property
    def pairs_to_pass(self) -> float:
        """Pairs that an unchanged metric needs to be cleared."""
        needed = pairs_to_pass(self.limits.most, self.sigma)
        return min(max(float(FIRST_BLOCK), needed), float(self.pairs))

    @property
    def pairs_to_prove(self) -> float:
        """Pairs that a true loss of the tolerance needs to be proven."""
        needed = pairs_to_prove(self.limits.most, self.limits.dead, self.sigma)
        return min(max(float(FIRST_BLOCK), needed), float(self.pairs))


def screen_trials(metrics: Sequence[Expected], asked: int, beta: float) -> int:
    """Trials of the screen, at least `asked`, that make an unchanged benchmark cheapest.

    More trials help where they are noisy and sessions are not. The pairs that may follow serve
    all metrics of the benchmark at once, so the one that is likely to need most counts.
    """
    if not any(metric.pairs for metric in metrics):
        return max((_trials_to_clear(metric, asked) for metric in metrics), default=asked)
    best, least = asked, _cost(metrics, asked, beta)
    for trials in range(asked + 1, _MOST_TRIALS + 1):
        cost = _cost(metrics, trials, beta)
        if cost < least - _WORTH:
            best, least = trials, cost
    return best


def _cost(metrics: Sequence[Expected], trials: int, beta: float) -> float:
    pairs = [metric.pairs_to_pass * metric.flagged(trials, beta) for metric in metrics]
    return trials + 2 * max(pairs, default=0.0)


def _trials_to_clear(metric: Expected, asked: int) -> int:
    """As many as it takes to clear the metric unchanged, where no pairs can follow.

    Where no number does that, the most, if they bring what can be cleared down by a tenth; else as
    many as were asked for.
    """
    now, best = (provable_with_strikes(metric.noise, n) for n in (asked, max(asked, _MOST_TRIALS)))
    wanted = metric.limits.tolerance
    if now <= wanted or best > _FINER * now:
        return asked
    counts = range(asked, _MOST_TRIALS)
    return next(
        (n for n in counts if provable_with_strikes(metric.noise, n) <= wanted), _MOST_TRIALS
    )


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
