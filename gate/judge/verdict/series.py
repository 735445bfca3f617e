"""One series on its way to a verdict: head values, accepted sessions, limits, and the wording."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from gate.codes import PAGES
from gate.judge.verdict.case_numbers import CLEAR, at_resolution, relative
from gate.judge.verdict.epochs import ReferenceSessions, earlier, epoch_of, reference
from gate.model import Evidence, Finding, Role, Verdict
from gate.stats.costs import log_costs
from gate.stats.screen import LossLimits
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.verdict.suite import Case
    from gate.model import BaselineSeries, Metric

MOST_RAISED = 10.0
"""A tolerance is raised to this multiple of what was asked at most; beyond, nobody is served."""


@dataclass(frozen=True, slots=True, kw_only=True)
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
    aside: tuple[float, ...] = ()
    """Values of screen trials set aside for what the workload can cause itself."""
    every_aside: tuple[float, ...] = ()
    """Values of screen trials set aside for whatever reason: shown, never counted."""

    @property
    def sessions(self) -> tuple[tuple[float, ...], ...]:
        """Accepted values of the current epoch, oldest session first."""
        return tuple(p.values for p in self.accepted.current) if self.accepted else ()

    @property
    def costs(self) -> tuple[float, ...]:
        """Head values as log costs."""
        return log_costs(self.head, self.metric.better)

    @property
    def costs_with_asides(self) -> tuple[float, ...]:
        """The same with the values set aside: they may flag, and never prove."""
        return log_costs((*self.head, *self.aside), self.metric.better)

    @property
    def session_costs(self) -> tuple[tuple[float, ...], ...]:
        """Accepted values as log costs."""
        return tuple(log_costs(values, self.metric.better) for values in self.sessions)

    @property
    def reference(self) -> ReferenceSessions:
        """The accepted sessions for a screen, those of earlier epochs moved to today's level."""
        return reference(self)

    @property
    def label(self) -> str:
        """How messages name it."""
        return f"{self.benchmark} {self.metric.name}"


def limits_of(series: Series) -> LossLimits:
    """Tolerance and negligible loss as asked for, floor and resolution folded into tau.

    A floor f at a base value v is the relative loss f/v where lower is better and f/(v - f) where
    higher is; so is a resolution, for what cannot be told apart is no difference. T must stay
    clear of tau, so a tau near or above it raises the tolerance.
    """
    centres = [median(values) for values in series.sessions] or series.head
    return at_resolution(
        limits_for(series.metric, series.sessions),
        series.resolution,
        median(centres) if centres else 0.0,
        series.metric.better,
    )


def limits_for(metric: Metric, sessions: Sequence[Sequence[float]]) -> LossLimits:
    """The same for a metric and the accepted values of its current epoch, at any resolution."""
    tau = metric.tau
    if metric.floor is not None and sessions:
        centre = median([median(values) for values in sessions])
        tau = max(tau, relative(metric.floor, centre, metric.better))
    return LossLimits(tolerance=max(metric.tolerance, tau / CLEAR), negligible=tau)


def bearable(series: Series) -> float:
    """The largest tolerance that this series may be judged at, raised from what was asked."""
    asked = limits_for(series.metric, series.sessions).tolerance
    return asked * (MOST_RAISED if series.case.head.loud == "raise" else 1.0)


def too_coarse(series: Series, limits: LossLimits) -> str:
    """What the resolution hides, where that is more than tau and floor do; else nothing."""
    if limits.negligible <= limits_for(series.metric, series.sessions).negligible:
        return ""
    return f"its resolution hides losses below {percent(limits.negligible, signed=False)}"


def _advice(series: Series, code: str) -> str:
    """The cure of the code; a watched metric asks for nothing."""
    if series.metric.role is Role.WATCH:
        return "Nothing has to be done: this metric is only watched and never closes the gate."
    return PAGES[code].cure


def make_finding(  # one place builds every finding, so that none lacks its advice
    series: Series, code: str, verdict: Verdict, headline: str, **numbers: Any
) -> Finding:
    """A finding of this series; `numbers` are further fields of `Finding`."""
    limits: LossLimits | None = numbers.pop("limits", None)
    evidence = numbers.pop("evidence", Evidence())
    accepted = series.accepted.current if series.accepted else ()
    shown = replace(
        evidence,
        baseline=series.sessions,
        baseline_sessions=tuple(point.session for point in accepted),
        head=series.head,
        earlier=earlier(series),
        epoch=epoch_of(series),
        aside=series.every_aside,
    )
    centres = [median(values) for values in series.sessions if values]
    numbers.setdefault("base_value", median(centres) if centres else None)
    numbers.setdefault("head_value", median(series.head) if series.head else None)
    numbers.setdefault("trials_base", sum(len(values) for values in series.sessions))
    numbers.setdefault("trials_head", len(series.head))
    return Finding(
        code=code,
        profile=series.case.profile,
        benchmark=series.benchmark,
        metric=series.metric.name,
        verdict=verdict,
        role=series.metric.role,
        headline=headline,
        advice=numbers.pop("advice", _advice(series, code)),
        unit=series.metric.unit,
        better=series.metric.better,
        sessions_base=len(series.sessions),
        tolerance=series.metric.tolerance,
        tolerance_used=limits.tolerance if limits else series.metric.tolerance,
        negligible=limits.negligible if limits else series.metric.tau,
        evidence=shown,
        **numbers,
    )
