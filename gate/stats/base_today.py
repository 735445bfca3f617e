"""Where the base stands today, from a few trials of it beside the head's, and the accepted level.

The accepted level L says where the base stands on any day, up to what sets sittings apart; trials
b_1 ... b_m of this sitting say where it stands now, up to their own noise. With

    P = between^2 - pi/2 within^2 / usual + pi/2 between^2 / S,    V = c(m) within^2,

the base stands today at L + P / (P + V) (median(b) - L), with variance P V / (P + V): never less
well known than by either alone. The error of a head of n trials beside it is pi/2 within^2 / n
more, and its freedom Satterthwaite's (1946) of both scales.

That holds where both tell of one thing. A base that stands farther from L than both noises explain
has another level today, or an odd trial: then nothing is cleared, and pairs decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from gate.model.plan import BASE_TRIALS
from gate.stats import robust
from gate.stats.special import student

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.stats.noise import Noise

_APART = 0.02
"""Two-sided level at which a base is not where the accepted level says."""
_AS_PLANNED = (0.0,) * BASE_TRIALS
_SMALL = {1: 1.0, 2: 0.5, 3: 0.449}
"""Variance of the median of so few normal trials, in variances of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseToday:
    """Where the base stands in this sitting, in logs; takes the place of a series' noise."""

    level: float
    """Where it stands: log cost."""
    prior: float
    """Variance of the level on any day."""
    within: float
    """Standard deviation of trials inside a session."""
    trials: int
    """Of the base."""
    sitting: float
    """Freedom of the prior's scale."""
    inside: float
    """Freedom of `within`."""
    away: float
    """The base's trials less the accepted level."""

    @property
    def holds(self) -> bool:
        """Whether the accepted level is where the base stands, as far as both can tell."""
        reach = student(1 - _APART / 2, self.sitting) * math.sqrt(self.prior + self._own)
        return abs(self.away) <= reach

    def error(self, trials: int, _sessions: int = 1) -> float:
        """Standard error of a head of so many trials beside it."""
        return math.sqrt(self._head(trials) + self.prior * self._own / (self.prior + self._own))

    def reach(self, probability: float, trials: int, _sessions: int = 1) -> float:
        """The head is this far off, one way, with chance 1 - `probability`."""
        both = self.prior + self._own
        by_sittings = (self._own / both) ** 2 * self.prior
        by_trials = self._head(trials) + (self.prior / both) ** 2 * self._own
        error = self.error(trials)
        freedom = error**4 / (by_sittings**2 / self.sitting + by_trials**2 / self.inside)
        return student(probability, freedom) * error

    def _head(self, trials: int) -> float:
        return _of_median(trials) * self.within**2

    @property
    def _own(self) -> float:
        return _of_median(self.trials) * self.within**2


def _of_median(trials: int) -> float:
    return _SMALL.get(trials, math.pi / 2 / trials)


def locate_base(noise: Noise, level: float = 0.0, base: Sequence[float] = _AS_PLANNED) -> BaseToday:
    """Where the base stands, by its trials of this sitting and the level that was accepted.

    All in log costs; by default what can be known of it before anything is measured.
    """
    within = max(noise.within if noise.usual > 1 else noise.between, robust.FLOOR)
    apart = max(noise.between**2 - noise.implied**2, 0.0)
    prior = apart + noise.between**2 * math.pi / 2 / noise.level
    own = _of_median(len(base)) * within**2
    off = median(base) - level
    return BaseToday(
        level=level + prior / (prior + own) * off,
        prior=prior,
        within=within,
        trials=len(base),
        sitting=noise.freedom,
        inside=max(noise.within_freedom, 1.0),
        away=off,
    )
