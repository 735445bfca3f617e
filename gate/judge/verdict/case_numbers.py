"""The pairs of a confirmation, block by block, as the two sessions hold them.

The noise of every series of a suite, each with the help of the others.

What a measurement cannot tell apart is no difference: its resolution, folded into the limits.

Light: the measuring process asks between blocks, so nothing here needs scipy.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.verdict.suite import resolution_in
from gate.model import Better, TrialStatus
from gate.model.plan import block_of, pairs_in
from gate.stats.costs import LEAST_SESSIONS, usable
from gate.stats.noise import moderate_noise, noise_of, prior_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gate.judge.verdict.series import Series
    from gate.model import Session, Trial
    from gate.stats.martingale import PairRule
    from gate.stats.noise import Noise
    from gate.stats.screen import LossLimits


Values = tuple[tuple[float, ...], tuple[float, ...]]
"""A block's values of the base and of the head side, in the order of their pairs."""


class Pairing:
    """The confirming trials of one benchmark."""

    def __init__(self, base: Session | None, head: Session | None, benchmark: str) -> None:
        self._base = _by_pair(base, benchmark)
        self._head = _by_pair(head, benchmark)

    @property
    def blocks(self) -> tuple[int, ...]:
        """Numbers of the complete blocks; one that was cut short does not count."""
        both = self._base.keys() & self._head.keys()
        numbers = sorted({block_of(pair) for pair in both})
        return tuple(number for number in numbers if both.issuperset(pairs_in(number)))

    def values(self, metric: str) -> tuple[Values, ...]:
        """A metric's values in the complete blocks that hold it in every trial."""
        before, after = _of(self._base, metric), _of(self._head, metric)
        return tuple(
            (tuple(before[p] for p in pairs_in(b)), tuple(after[p] for p in pairs_in(b)))
            for b in self.blocks
            if all(p in before and p in after for p in pairs_in(b))
        )

    def resolution(self, metric: str) -> float:
        """The median resolution of a metric in these trials, in its base unit."""
        return resolution_in((*self._base.values(), *self._head.values()), metric)


def _by_pair(session: Session | None, benchmark: str) -> dict[int, Trial]:
    return {
        trial.pair: trial
        for trial in (session.trials if session else ())
        if trial.benchmark == benchmark
        and trial.pair is not None
        and trial.status is TrialStatus.OK
    }


def _of(trials: Mapping[int, Trial], metric: str) -> dict[int, float]:
    return {
        pair: value.value
        for pair, trial in trials.items()
        for value in trial.values
        if value.metric == metric
    }


Key = tuple[str, str, str]


def key_of(series: Series) -> Key:
    """Profile, benchmark and metric."""
    return series.case.profile, series.benchmark, series.metric.name


def suite_noises(suite: Iterable[Series]) -> dict[Key, Noise]:
    """The noise of each series that has enough accepted sessions to tell."""
    alone: dict[Key, Noise] = {}
    for series in suite:
        if not series.sessions or not all(usable(values) for values in series.sessions):
            continue
        known, level = series.reference
        if len(known) >= LEAST_SESSIONS:
            alone[key_of(series)] = noise_of(known, level=level)
    prior = prior_of(tuple(alone.values()))
    return {key: moderate_noise(noise, prior) for key, noise in alone.items()}


CLEAR = 0.64
"""Largest share of the tolerance that tau may be."""
_EVERYTHING = 1e6
"""The relative loss of a value that is no larger than what is taken off it."""
_ROUNDING = 1e-9


def beyond(tolerance: float, most: float) -> bool:
    """Whether a tolerance is above what may be judged at; rounding is not."""
    return tolerance > most * (1 + _ROUNDING)


def relative(step: float, centre: float, better: Better) -> float:
    """The relative loss that a step f is at a value v: f/v, or f/(v - f) where more is better."""
    if better is Better.LOWER:
        return step / centre if step < _EVERYTHING * centre else _EVERYTHING
    return step / (centre - step) if step < centre else _EVERYTHING


def at_resolution(
    limits: LossLimits, resolution: float, centre: float, better: Better
) -> LossLimits:
    """The limits with tau no smaller than the resolution at this value, and T clear of it."""
    if resolution <= 0 or centre <= 0:
        return limits
    tau = max(limits.negligible, relative(resolution, centre, better))
    return replace(limits, negligible=tau, tolerance=max(limits.tolerance, tau / CLEAR))


def of_blocks(
    limits: LossLimits, resolution: float, blocks: Sequence[Values], better: Better
) -> LossLimits:
    """The same for pairs: their own resolution at their own base values."""
    base = [value for before, _ in blocks for value in before]
    usable = all(math.isfinite(value) and value > 0 for value in base)
    return at_resolution(limits, resolution, median(base), better) if base and usable else limits


def rule_of_blocks(
    rule: PairRule, resolution: float, blocks: Sequence[Values], better: Better
) -> PairRule:
    """The rule of a confirmation under those limits."""
    base = [value for before, _ in blocks for value in before]
    if resolution <= 0 or not base:
        return rule
    tau = max(math.expm1(rule.negligible), relative(resolution, median(base), better))
    return replace(
        rule,
        negligible=math.log1p(tau),
        tolerance=max(rule.tolerance, math.log1p(tau / CLEAR)),
    )
