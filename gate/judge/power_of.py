"""One metric's question to the planning figures, and the answer with or without a base side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.judge.planning import expected_of
from gate.judge.series import limits_for
from gate.stats.power import with_pairs
from gate.stats.strike_power import with_strikes

if TYPE_CHECKING:
    from gate.model import Metric
    from gate.stats.noise import Noise
    from gate.stats.planning import Expected
    from gate.stats.power import Power
    from gate.stats.screen import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A metric, its accepted values and noise, and the settings to answer for."""

    metric: Metric
    values: tuple[tuple[float, ...], ...]
    """Of the current epoch, by session."""
    noise: Noise
    sides: bool
    trials: int
    pairs: int
    alpha: float
    """The suite's where pairs decide, the metric's own part where strikes do."""
    beta: float

    @property
    def expected(self) -> Expected:
        """The metric before anything is measured, as a check plans it."""
        return expected_of(self.metric, self.values, self.noise, self.pairs)

    def limits_at(self, tolerance: float) -> Limits:
        """The limits that another tolerance would have, its negligible loss in proportion."""
        tau = self.metric.tau * tolerance / self.metric.tolerance
        other = replace(self.metric, tolerance=tolerance, negligible=tau)
        return limits_for(other, self.values)


def answer(question: Question) -> Power:
    """What can be detected."""
    noise, asked = question.noise, question.metric.tolerance
    trials, alpha, beta = question.trials, question.alpha, question.beta
    at = question.limits_at
    if question.sides:
        return with_pairs(question.expected, at, asked, trials=trials, alpha=alpha, beta=beta)
    return with_strikes(noise, at, asked, trials=trials, alpha=alpha, beta=beta)
