"""Stage 1 of the verdict: what the screen clears, what it cannot look at, what it flags."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.epochs import fresh_acceptance
from gate.judge.series import Series, finding, limits_of
from gate.judge.suite import failures_in, trials_by_benchmark, values_in
from gate.model import Better, Metric, Role, State, Verdict
from gate.stats import loudness
from gate.stats.costs import LEAST_SESSIONS, ratio, usable
from gate.stats.martingale import PairRule, slope_for
from gate.stats.screen import CONFIDENCE, Limits, Screened, screen, slid
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.judge.suite import Case, Policy
    from gate.model import BaselineSeries, Finding


_MOST_RAISED = 3.0
"""A tolerance is raised to this multiple of what was asked at most; beyond, nobody is served."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagged:
    """A series that the screen could not clear; the second stage decides it."""

    series: Series
    limits: Limits
    screened: Screened | None
    """Absent with fewer accepted sessions than the screen needs."""
    sigma: float
    """Expected noise of a pair difference, in logs."""
    pairs: int
    """Most pairs to spend."""
    path: tuple[str, ...]
    warnings: tuple[str, ...]
    slide: str = ""
    """How far the metric has slid since the anchor, where it has; pairs cannot see that."""

    def rule(self, alpha: float, beta: float) -> PairRule:
        """The pair rule at this metric's share of alpha."""
        return PairRule(
            negligible=self.limits.dead,
            design=self.limits.design,
            slope=slope_for(self.limits.dead, self.limits.design, self.sigma),
            alpha=alpha,
            beta=beta,
            limit=self.pairs,
        )


def series_of(case: Case) -> Iterator[Series]:
    """Every series that the session or the baseline knows, the baseline's own names included."""
    accepted: dict[tuple[str, str], BaselineSeries] = (
        {(s.benchmark, s.metric): s for s in case.baseline.series} if case.baseline else {}
    )
    planned = {plan.benchmark: plan for plan in case.head.planned}
    trials = trials_by_benchmark(case.head)
    metrics = {metric.name: metric for metric in case.metrics}
    keys = {(benchmark, name) for benchmark in planned for name in metrics} | accepted.keys()
    for benchmark, name in sorted(keys):
        plan = planned.get(benchmark)
        known = accepted.get((benchmark, name))
        metric = metrics.get(name) or _retired(name, known)
        yield Series(
            case=case,
            benchmark=benchmark,
            metric=metric,
            control=plan.control if plan else False,
            planned=plan.trials if plan else 0,
            head=values_in(trials.get(benchmark, ()), name),
            failures=failures_in(trials.get(benchmark, ())),
            accepted=known,
        )


def _retired(name: str, known: BaselineSeries | None) -> Metric:
    """A metric that only the baseline knows any more: it still has to be accounted for."""
    return Metric(
        name=name,
        unit=known.unit if known else "1",
        better=known.better if known else Better.LOWER,
        role=Role.GATE,
    )


def screened(series: Series, policy: Policy) -> Finding | Flagged:
    """The screen's answer for one series of a comparable case."""
    unfit = _unfit(series)
    if unfit is not None:
        return unfit
    sides = series.case.head.sides
    if len(series.reference.sessions) < LEAST_SESSIONS:
        return _few_sessions(series, sides=sides)
    limits, warnings = _bearable(series, limits_of(series), sides=sides)
    answer = _look(series, limits, (*warnings, *fresh_acceptance(series)), policy)
    # A slide widens the scale between sessions: then it is the slide that must be told.
    if not isinstance(answer, Flagged) and answer.code == "G023":
        return answer
    return _too_loud(series, limits, warnings) or answer


def _look(
    series: Series, limits: Limits, warnings: tuple[str, ...], policy: Policy
) -> Finding | Flagged:
    """Compare with the accepted sessions and sort into flagged, improved, slid and passed."""
    known, level = series.reference
    result = screen(series.costs, known, limits, policy.beta, level=level)
    shown = percent(ratio(result.loss))
    step = (
        f"screen: {shown} against {level} accepted session{'s' if level != 1 else ''}"
        f"{'' if len(known) == level else ', noise of the epoch before'}; "
        f"flagged above {percent(ratio(result.threshold))}"
    )
    # The asked tolerance: a slide widens the scale that a raised one comes from.
    slide = slid(series.costs, series.session_costs, limits_of(series))
    slide_text = f"slid {percent(ratio(slide or 0.0))} since the first session of this epoch"
    if result.flagged:
        path = (f"flagged in the screen at {shown}", step)
        flag = _flag(series, limits, result, path, warnings)
        return flag if slide is None else replace(flag, slide=slide_text)
    numbers = {
        "loss": ratio(result.loss),
        "loss_low": ratio(result.low),
        "loss_high": ratio(result.high),
        "method": "screen",
        "confidence": CONFIDENCE,
        "minimum_detectable_loss": ratio(result.detectable),
        "limits": limits,
        "warnings": warnings,
        "path": (step,),
    }
    if slide is not None:
        return finding(series, "G023", Verdict.INCONCLUSIVE, slide_text, **numbers)
    if result.improved:
        text = f"{percent(-ratio(result.loss), signed=False)} better than what was accepted"
        return finding(series, "G003", Verdict.IMPROVED, text, **numbers)
    text = f"{shown}, within the tolerance of {percent(limits.tolerance, signed=False)}"
    return finding(series, "G001", Verdict.PASSED, text, **numbers)


def _flag(
    series: Series,
    limits: Limits,
    result: Screened | None,
    path: tuple[str, ...],
    warnings: tuple[str, ...],
) -> Flagged:
    sigma = loudness.pair_sigma(series.reference.sessions)
    return Flagged(
        series=series,
        limits=limits,
        screened=result,
        sigma=sigma,
        pairs=loudness.pair_limit(sigma, series.case.head.pairs),
        path=path,
        warnings=warnings,
    )


def _few_sessions(series: Series, *, sides: bool) -> Finding | Flagged:
    count = len(series.reference.sessions)
    text = f"only {count} accepted session{'s' if count != 1 else ''} of this profile text"
    if not sides:
        return finding(series, "G022", Verdict.INCONCLUSIVE, f"{text}; {LEAST_SESSIONS} are needed")
    limits, warnings = _bearable(series, limits_of(series), sides=True)
    flag = _flag(series, limits, None, (f"not screened: {text}",), warnings)
    return _too_loud(series, limits, warnings) or flag


def _bearable(series: Series, limits: Limits, *, sides: bool) -> tuple[Limits, tuple[str, ...]]:
    """The limits, with the tolerance raised to what the metric's noise can support."""
    if sides:
        sigma = loudness.pair_sigma(series.reference.sessions)
        pairs = loudness.pair_limit(sigma, series.case.head.pairs)
        provable = loudness.provable_with_pairs(limits, sigma, pairs)
    else:
        known, level = series.reference
        provable = loudness.provable_with_strikes(known, len(series.head), level)
    hidden = (
        (f"its floor hides losses below {percent(limits.negligible, signed=False)}",)
        if limits.negligible > series.metric.tolerance
        else ()
    )
    if provable <= limits.tolerance:
        return limits, hidden
    warning = (
        f"too loud for {percent(series.metric.tolerance, signed=False)}: "
        f"the smallest provable loss is {percent(provable, signed=False)}"
    )
    return Limits(tolerance=provable, negligible=limits.negligible), (warning, *hidden)


def _too_loud(series: Series, limits: Limits, warnings: tuple[str, ...]) -> Finding | None:
    """Refuse to judge at a raised tolerance, by policy or because it would be a fiction."""
    raised = limits.tolerance / max(limits_of(series).tolerance, 1e-9)
    if raised <= 1 or (series.case.head.loud == "raise" and raised <= _MOST_RAISED):
        return None
    return finding(
        series, "G024", Verdict.INCONCLUSIVE, warnings[0], limits=limits, warnings=warnings[1:]
    )


def _unfit(series: Series) -> Finding | None:
    """A verdict for a series that holds no comparable numbers; None when it does."""
    head = series.case.head
    if series.failures:
        first, *others = series.failures
        return finding(series, "G050", Verdict.BROKEN, first, warnings=tuple(others))
    if head.state is State.PARTIAL:
        return finding(series, "G053", Verdict.BROKEN, "the session is partial")
    if series.planned == 0 or (not series.head and _never_promised(series)):
        where = "benchmark" if series.planned == 0 else "metric"
        text = f"the {where} is in the baseline and was not measured"
        return finding(series, "G040", Verdict.MISSING, text)
    if len(series.head) < series.planned or not series.head:
        text = f"{len(series.head)} of {series.planned} planned trials are there"
        return finding(series, "G053", Verdict.BROKEN, text)
    if not usable(series.head):
        bad = next(v for v in series.head if not (math.isfinite(v) and v > 0))
        return finding(series, "G051", Verdict.BROKEN, f"a trial gave {bad:g}")
    measured = next((m for m in head.metrics if m.name == series.metric.name), series.metric)
    if (measured.unit, measured.better) != (series.metric.unit, series.metric.better):
        theirs = f"{series.metric.unit}, {series.metric.better.value} is better"
        ours = f"{measured.unit}, {measured.better.value} is better"
        text = f"profile: {theirs}; session: {ours}"
        return finding(series, "G033", Verdict.INCOMPARABLE, text)
    if series.accepted is None or not series.sessions:
        return finding(series, "G010", Verdict.NEW, "no accepted session holds it")
    if series.accepted.unit != series.metric.unit or series.accepted.better != series.metric.better:
        theirs = f"{series.accepted.unit}, {series.accepted.better.value} is better"
        ours = f"{series.metric.unit}, {series.metric.better.value} is better"
        text = f"baseline: {theirs}; session: {ours}"
        return finding(series, "G033", Verdict.INCOMPARABLE, text)
    return _canned(series)


def _never_promised(series: Series) -> bool:
    return series.metric.name not in {metric.name for metric in series.case.metrics}


def _canned(series: Series) -> Finding | None:
    """Broken when the accepted values cannot be used, or when nothing ever varies.

    A coarse clock repeats values now and then, also in the baseline; a canned number repeats
    always, and a stuck counter repeats where the baseline never did. One trial alone cannot
    repeat, but all accepted sessions can hold its very number.
    """
    for point in series.accepted.current if series.accepted else ():
        if not usable(point.values):
            text = f"accepted session {point.session} holds a value that is not above zero"
            return finding(series, "G051", Verdict.BROKEN, text)
    if len(set(series.head)) > 1:
        return None
    everything = [value for values in series.sessions for value in values]
    ties = any(len(set(values)) < len(values) for values in series.sessions)
    alone = len(series.head) == 1
    same_everywhere = set(everything) == set(series.head) and len(everything) > 1
    if (ties or alone) and not same_everywhere:
        return None
    count = len(series.head) + (len(everything) if same_everywhere else 0)
    text = f"all {count} trials gave exactly {median(series.head):g}"
    return finding(series, "G052", Verdict.BROKEN, text)
