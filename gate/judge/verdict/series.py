"""One series: head values, accepted sessions, and the limits that it is judged by.

What a measurement cannot tell apart is no difference: its floor and its resolution are folded into
the negligible loss. Light: the measuring process asks it between blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.context.sweeps import lost_points
from gate.judge.verdict.exclusions import aside_values, every_aside, own_asides, shown_values
from gate.judge.verdict.suite import failures_in, resolution_in, trials_by_benchmark, values_in
from gate.model import WORK_DONE, Better, Metric, Planned, Role, applies
from gate.stats.costs import LossLimits, log_costs, usable
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.verdict.suite import Case, Values
    from gate.model import BaselineSeries


@dataclass(frozen=True, kw_only=True)  # no slots: its costs are worked out once
class Series:
    """One metric of one benchmark of a case."""

    case: Case
    benchmark: str
    metric: Metric
    control: bool
    planned: int
    """Head trials that the session was to hold."""
    head: tuple[float, ...]
    """Screen trials of the head side, in run order."""
    failures: tuple[str, ...]
    """Why screen trials of the benchmark failed, in run order."""
    accepted: BaselineSeries | None
    applies: bool = True
    """Whether the benchmark, as it is planned now, has this metric at all."""
    lost: tuple[str, ...] = ()
    """Points of a group that were accepted and are not planned any more."""
    resolution: float = 0.0
    """The median of the head values', in the metric's unit."""
    base: tuple[float, ...] | None = None
    """Values of the base trials among those of the screen; None where none were planned."""
    aside: tuple[float, ...] = ()
    """Values of screen trials set aside for what the workload can cause itself."""
    every_aside: tuple[float, ...] = ()
    """Values of screen trials set aside for whatever reason: shown, never counted."""

    @cached_property
    def sessions(self) -> tuple[tuple[float, ...], ...]:
        """Accepted values of the current epoch, oldest session first."""
        return tuple(p.values for p in self.accepted.current) if self.accepted else ()

    @property
    def gates(self) -> bool:
        """Whether it may close the gate."""
        return self.metric.role is Role.GATE

    @property
    def costs(self) -> tuple[float, ...]:
        """Head values as log costs."""
        return log_costs(self.head, self.metric.better)

    @property
    def base_costs(self) -> tuple[float, ...]:
        """Base values of the same sitting as log costs; none where they cannot be used."""
        return log_costs(self.base, self.metric.better) if self.base and usable(self.base) else ()

    @property
    def costs_with_asides(self) -> tuple[float, ...]:
        """The same with the values set aside: they may flag, and never prove."""
        return log_costs((*self.head, *self.aside), self.metric.better)

    @cached_property
    def session_costs(self) -> tuple[tuple[float, ...], ...]:
        """Accepted values as log costs."""
        return tuple(log_costs(values, self.metric.better) for values in self.sessions)

    @property
    def label(self) -> str:
        """How messages name it."""
        return f"{self.benchmark} {self.metric.name}"


SeriesKey = tuple[str, str, str]
"""Profile, benchmark and metric."""


def key_of(series: Series) -> SeriesKey:
    """What tells it from every other series of a suite."""
    return series.case.profile, series.benchmark, series.metric.name


def series_of(case: Case) -> Iterator[Series]:
    """Every series that the session or the baseline knows, the baseline's own names included."""
    accepted: dict[tuple[str, str], BaselineSeries] = (
        {(s.benchmark, s.metric): s for s in case.baseline.series} if case.baseline else {}
    )
    accepted = {key: one for key, one in accepted.items() if key[1] != WORK_DONE}
    planned = {plan.benchmark: plan for plan in case.head.planned}
    trials, base = trials_by_benchmark(case.head), trials_by_benchmark(case.screen_base)
    beside = {plan.benchmark for plan in case.screen_base.planned} if case.screen_base else set()
    asides, every = own_asides(case.head), every_aside(case.head)
    metrics = {metric.name: metric for metric in case.metrics}
    own = {
        (plan.benchmark, metric.name)
        for plan in planned.values()
        for metric in case.metrics
        if applies(metric, plan)
    }
    known_names = {name for name, _ in accepted}
    for benchmark, name in sorted(own | accepted.keys()):
        plan = planned.get(benchmark) or Planned(benchmark=benchmark, trials=0)
        yield Series(
            case=case,
            benchmark=benchmark,
            metric=metrics.get(name) or _retired(accepted[benchmark, name]),
            control=plan.control,
            planned=plan.trials,
            head=values_in(trials.get(benchmark, ()), name),
            failures=failures_in(trials.get(benchmark, ())),
            accepted=accepted.get((benchmark, name)),
            applies=(benchmark, name) in own,
            lost=lost_points(plan, known_names),
            base=values_in(base.get(benchmark, ()), name) if benchmark in beside else None,
            resolution=resolution_in(trials.get(benchmark, ()), name),
            aside=aside_values(asides.get(benchmark, ()), name),
            every_aside=shown_values(every.get(benchmark, ()), name),
        )


def _retired(known: BaselineSeries) -> Metric:
    """A metric that only the baseline knows any more: it still has to be accounted for."""
    return Metric(name=known.metric, unit=known.unit, better=known.better, role=Role.GATE)


CLEAR = 0.64
"""Largest share of the tolerance that tau may be."""
_EVERYTHING = 1e6
"""The relative loss of a value that is no larger than what is taken off it."""


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


def at_blocks(
    limits: LossLimits, resolution: float, blocks: Sequence[Values], better: Better
) -> LossLimits:
    """The same for pairs: their own resolution at their own base values."""
    base = [value for before, _ in blocks for value in before]
    return at_resolution(limits, resolution, median(base), better) if usable(base) else limits


def centre_of(series: Series) -> float:
    """The accepted level, or where there is none the head's; 0 without any value."""
    centres = [median(values) for values in series.sessions] or series.head
    return median(centres) if centres else 0.0


def limits_for(metric: Metric, sessions: Sequence[Sequence[float]]) -> LossLimits:
    """Tolerance and negligible loss as asked for, with the floor folded into tau.

    `sessions` are the accepted values of the current epoch. T must stay clear of tau, so a tau
    near or above it raises the tolerance.
    """
    tau = metric.tau
    if metric.floor is not None and sessions:
        centre = median([median(values) for values in sessions])
        tau = max(tau, relative(metric.floor, centre, metric.better))
    return LossLimits(tolerance=max(metric.tolerance, tau / CLEAR), negligible=tau)


def floor_values(series: Series) -> tuple[tuple[float, ...], ...]:
    """What a floor is relative to: accepted sessions; where there are none what the head gives."""
    return series.sessions or ((series.head,) if usable(series.head) else ())


def asked_limits(series: Series) -> LossLimits:
    """The same of a series at any resolution."""
    return limits_for(series.metric, floor_values(series))


def too_coarse(series: Series, limits: LossLimits) -> str:
    """What the resolution hides, where that is more than tau and floor do; else nothing."""
    if limits.negligible <= asked_limits(series).negligible:
        return ""
    return f"its resolution hides losses below {percent(limits.negligible, signed=False)}"
