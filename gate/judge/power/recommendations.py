"""What more pairs, sessions or trials would buy, and the least of each that holds a tolerance.

One metric's question to the planning figures, and the answer with or without a base side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.judge.power.planning import expected_of
from gate.judge.verdict.series import limits_for
from gate.stats.planning import with_sessions, with_trials
from gate.stats.power import with_pairs
from gate.stats.strike_power import with_strikes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.model import Metric
    from gate.stats.costs import LossLimits
    from gate.stats.noise import Noise
    from gate.stats.planning import Expected
    from gate.stats.power import Power


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

    def limits_at(self, tolerance: float) -> LossLimits:
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


_PAIRS = (30, 80, 160, 320)
_SESSIONS = (10, 20, 40)
_TRIALS = (3, 5, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class More:
    """One setting changed, all others as they are."""

    what: str
    """`pairs`, `sessions` or `trials`."""
    count: int
    power: Power


def more_of(question: Question) -> tuple[More, ...]:
    """The figures with more of each setting that matters to this metric."""
    return tuple(_more(question))


def _more(question: Question) -> Iterator[More]:
    if question.sides:
        for count in _PAIRS:
            if count != question.pairs:
                other = replace(question, pairs=count)
                yield More(what="pairs", count=count, power=answer(other))
    for count in _SESSIONS:
        if count > question.noise.level:
            noise = with_sessions(question.noise, count)
            yield More(what="sessions", count=count, power=answer(replace(question, noise=noise)))
    for count in sorted({*_TRIALS, 2 * question.trials}):
        if count > question.trials:
            noise = with_trials(question.noise, count)
            other = replace(question, noise=noise, trials=count)
            yield More(what="trials", count=count, power=answer(other))


def cure(tolerance: float, more: Sequence[More], detectable: float) -> str:
    """The smallest settings of these that hold the tolerance, and the tolerance that would do."""
    ways = []
    for what in ("pairs", "sessions", "trials"):
        enough = [one.count for one in more if one.what == what and _holds(one.power, tolerance)]
        if enough:
            ways.append(_WAYS[what].format(min(enough)))
    if math.isfinite(detectable):
        ways.append(f'tolerance = "{rounded_up(detectable)}"')
    return " or ".join(ways)


_WAYS = {
    "pairs": "confirm_pairs = {}",
    "sessions": "{} accepted sessions",
    "trials": "screen = {} with sessions of as many trials",
}


def _holds(power: Power, tolerance: float) -> bool:
    return power.detectable <= tolerance


def rounded_up(tolerance: float) -> str:
    """The next plain percentage: halves below 10 %, whole ones from there on."""
    hundredths = tolerance * 100
    step = 0.5 if hundredths < 10 else 1.0
    return f"{math.ceil(hundredths / step - 1e-9) * step:g}%"
