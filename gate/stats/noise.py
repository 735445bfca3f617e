"""How much a metric's accepted sessions scatter, alone and with the help of the whole suite.

A scale from few sessions is itself uncertain, and t quantiles of few degrees of freedom pay for
it with wide margins. The metrics of one suite on one host are noisy in a similar way, so their
scales inform each other (Smyth 2004): the squared scales s_g^2 of freedom d_g are taken as draws
around true variances with a scaled inverse chi-square prior of freedom d_0 and scale s_0^2,
both fitted by moments of log s^2 over the suite; each metric then uses

    (d_0 s_0^2 + d_g s_g^2) / (d_0 + d_g),    with freedom d_0 + d_g.

On recorded suites d_0 is about 1: it halves the flags at 5 sessions and matters little at 20.
Fails where one metric is of another kind than the rest (a constant among noisy ones): it is then
thought noisier than it is, which costs confirmations and never hides a loss, or, a lone noisy one
among quiet ones, quieter by at most d_0 / (d_0 + d_g) of its variance.

The noise also says which tolerance can be held at all (`detectable`). Without sides it must leave
room for the screen to clear an unchanged metric: (t(0.99) + 1.3) standard errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import fmean, median, variance
from typing import TYPE_CHECKING, TypeVar

from gate.stats import robust
from gate.stats.costs import ratio
from gate.stats.special import digamma, student, tetragamma, trigamma

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

K = TypeVar("K")
_LEAST_SERIES = 5
"""Fewer metrics than this say nothing about a suite."""
_MOST_FREEDOM = 30.0
"""d_0 is not believed beyond this, however alike the metrics look."""
_CLOSE = 1e-9
"""Of the answer, where Newton's steps double the digits with each."""
_UNKNOWN = 0.03
"""Pair noise assumed where the baseline says nothing of it."""
_LEAST_SIGMA = 1e-3
_MEDIAN_GAP = 0.4
"""Precision of the median gap of two trials, as a share of that of the standard deviation."""
_ROOM = 1.3
"""Standard errors of room in which the screen clears an unchanged metric without sides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """What the suite says about the between-session variance of any of its metrics."""

    freedom: float
    """d_0."""
    variance: float
    """s_0^2, in squared logs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """The noise of one series, in logs."""

    between: float
    """Scale of session medians; holds the noise of as many trials as those sessions have."""
    freedom: float
    """Degrees of freedom of `between`."""
    within: float
    """Standard deviation of trials inside a session."""
    usual: float
    """Trials of a typical accepted session."""
    level: int
    """Sessions that set the accepted level."""
    within_freedom: float = 30.0
    """Degrees of freedom of `within`."""

    @property
    def implied(self) -> float:
        """What the trials alone imply for the scale of session medians."""
        return self.within * math.sqrt(math.pi / 2 / self.usual) if self.usual > 1 else 0.0

    def error(self, trials: int, sessions: int = 1) -> float:
        """Standard error of a fresh session of so many trials against the accepted level.

        pi/2 is the variance of a median relative to a mean. A fresh session of fewer trials is
        noisier by what the missing ones would have averaged out. With more fresh `sessions`, of
        the median of theirs.
        """
        fewer = max(math.pi / 2 * (1 / trials - 1 / self.usual), 0.0)
        one = self.between**2 + self.within**2 * fewer
        fresh = one if sessions == 1 else one * math.pi / 2 / sessions
        return math.sqrt(fresh + self.between**2 * math.pi / 2 / self.level)

    def reach(self, probability: float, trials: int, sessions: int = 1) -> float:
        """What is fresh is this far off, one way, with chance 1 - `probability`."""
        return student(probability, self.freedom) * self.error(trials, sessions)


def noise_of(sessions: Sequence[Sequence[float]], *, level: int | None = None) -> Noise:
    """The noise of at least two sessions of log costs.

    `level` is how many sessions set the level, where these here only tell the noise.
    """
    spread, freedom = robust.scale([median(session) for session in sessions])
    noise = Noise(
        between=spread,
        freedom=freedom,
        within=robust.within_session(sessions),
        usual=float(median([len(session) for session in sessions])),
        level=level or len(sessions),
        within_freedom=_MEDIAN_GAP * sum(len(session) - 1 for session in sessions),
    )
    return replace(noise, between=max(spread, noise.implied, robust.FLOOR))


def prior_of(noises: Sequence[Noise]) -> Prior | None:
    """The suite's prior, by moments of the log variances; None from too few metrics."""
    if len(noises) < _LEAST_SERIES:
        return None
    halves = [noise.freedom / 2 for noise in noises]
    logs = [
        2 * math.log(noise.between) - digamma(half) + math.log(half)
        for noise, half in zip(noises, halves, strict=True)
    ]
    excess = variance(logs) - fmean(trigamma(half) for half in halves)
    half = _half_freedom(excess)
    return Prior(freedom=2 * half, variance=math.exp(fmean(logs) + digamma(half) - math.log(half)))


def suite_noises(alone: Mapping[K, Noise]) -> dict[K, Noise]:
    """The noise of each series of a suite, with the help of the others."""
    prior = prior_of(tuple(alone.values()))
    return {key: moderate_noise(noise, prior) for key, noise in alone.items()}


def _half_freedom(excess: float) -> float:
    """d_0 / 2 whose trigamma is the variance of the true log variances.

    Newton's method on 1 / trigamma, which is nearly a line, from below (Smyth 2004, appendix).
    Importing a solver would take longer than all judging.

    Raises:
        ValueError: it is no finite number.
    """
    most = _MOST_FREEDOM / 2
    if excess <= trigamma(most):
        return most
    if not math.isfinite(excess):
        message = "the noise of the suite is no number"
        raise ValueError(message)
    half, step = 0.5 + 1 / excess, math.inf
    while abs(step) > _CLOSE * half:
        slope = trigamma(half)
        step = slope * (1 - slope / excess) / tetragamma(half)
        half += step
    return half


def moderate_noise(noise: Noise, prior: Prior | None) -> Noise:
    """The noise with the suite's help."""
    if prior is None:
        return noise
    freedom = noise.freedom + prior.freedom
    mean = (prior.freedom * prior.variance + noise.freedom * noise.between**2) / freedom
    return replace(
        noise, between=max(math.sqrt(mean), noise.implied, robust.FLOOR), freedom=freedom
    )


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


def provable_with_strikes(noise: Noise, trials: int) -> float:
    """Smallest relative tolerance that the screen can clear on an unchanged metric."""
    return ratio(noise.reach(0.99, trials) + _ROOM * noise.error(trials))
