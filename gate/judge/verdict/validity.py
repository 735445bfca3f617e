"""Series that hold no comparable numbers: each reason has its own verdict, and none passes.

A percentile is judged only where enough samples lie beyond it.

The 99th percentile of 200 samples is its second or third largest: an extreme value, which tells of
one hiccup and not of the change. At least ten samples must lie beyond the percentile, n (1 - q) of
n, in every trial of every session that decides. A value of one sample, or of nobody knows how
many, cannot be checked, so nothing may rest on it either. Watched metrics are only shown.
"""

from __future__ import annotations

import math
import re
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.verdict.findings import make_finding
from gate.model import Role, State, TrialStatus, Verdict, is_untimed
from gate.stats.costs import usable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.judge.verdict.series import Series
    from gate.model import BaselineSeries, Finding, Metric, Value


_LEAST_BEYOND = 10
_NAME = re.compile(r"(?:.*_)?p(\d{2,6})")
"""`clat_p99`, `write_clat_p999`: the digits after the p are those after the point."""


def percentile_of(metric: str) -> str | None:
    """The digits of the percentile that a metric's name tells: 99 of clat_p99."""
    match = _NAME.fullmatch(metric)
    return match[1] if match else None


def too_few_beyond(series: Series) -> Finding | None:
    """Inconclusive where a percentile has too few samples beyond it; None where all is well."""
    derived = series.metric.derived
    digits = percentile_of(derived.of if derived else series.metric.name)
    if digits is None or series.metric.role is Role.WATCH:
        return None
    samples = [value.samples for value in _values(series)]
    if not samples:
        return None
    worst = min(samples)
    beyond = worst * (10 ** len(digits) - int(digits)) // 10 ** len(digits)
    if worst > 1 and beyond >= _LEAST_BEYOND:
        return None
    if worst <= 1:
        text = "a trial does not tell of how many samples its percentile is"
    else:
        text = (
            f"a trial has {worst} samples, {beyond} of them beyond the percentile; "
            f"{_LEAST_BEYOND} are needed"
        )
    return make_finding(series, "G027", Verdict.INCONCLUSIVE, text)


def _values(series: Series) -> Iterator[Value]:
    """Every value of the metric that the verdict would rest on."""
    for session in series.case.sessions:
        for trial in session.trials:
            if trial.benchmark == series.benchmark and trial.status is not TrialStatus.ASIDE:
                yield from (v for v in trial.values if v.metric == series.metric.name)


_BY_CHANCE = 2
"""So many trials give one number by chance now and then: an I/O more or less in a fifth of a second
is a third of a per cent."""


def unfit(series: Series) -> Finding | None:
    """A verdict for a series that holds no comparable numbers; None when it does."""
    head = series.case.head
    if series.failures:
        first, *others = series.failures
        return make_finding(series, "G050", Verdict.BROKEN, first, warnings=tuple(others))
    if head.state is State.PARTIAL:
        return make_finding(series, "G053", Verdict.BROKEN, "the session is partial")
    reason = _unavailable(series)
    if reason and not series.head:
        watched = series.metric.role is Role.WATCH
        verdict = Verdict.MISSING if watched else Verdict.BROKEN
        return make_finding(series, "G054", verdict, f"not available here: {reason}")
    gone = _gone(series)
    if gone:
        text = f"{gone} is in the baseline and was not measured"
        return make_finding(series, "G040", Verdict.MISSING, text)
    if series.benchmark in series.case.unplanned and not series.head:
        text = "not measured: the tree that was measured has no such benchmark"
        return make_finding(series, "G044", Verdict.MISSING, text)
    if len(series.head) < series.planned or not series.head:
        if head.disturbances:  # which is why they are not there
            text = f"the sitting was disturbed: {head.disturbances[0]}"
            return make_finding(series, "G036", Verdict.INCOMPARABLE, text)
        text = f"{len(series.head)} of {series.planned} planned trials are there"
        return make_finding(series, "G053", Verdict.BROKEN, text)
    if not usable(series.head):
        bad = next(v for v in series.head if not (math.isfinite(v) and v > 0))
        return make_finding(series, "G051", Verdict.BROKEN, f"a trial gave {bad:g}")
    return _other_kind(series) or _canned(series) or _alone(series) or too_few_beyond(series)


def _other_kind(series: Series) -> Finding | None:
    """New where nothing was accepted, incomparable where that was another quantity."""
    ours = series.metric
    measured = next((m for m in series.case.head.metrics if m.name == ours.name), None)
    if measured is None and series.case.reviewed is not None:
        text = "the session gives numbers, and does not say of what kind they are"
        return make_finding(series, "G033", Verdict.INCOMPARABLE, text)
    if measured is not None and _kind(measured) != _kind(ours):
        text = f"profile: {_kind(ours)}; session: {_kind(measured)}"
        return make_finding(series, "G033", Verdict.INCOMPARABLE, text)
    if series.accepted is None or not series.sessions:
        return make_finding(series, "G010", Verdict.NEW, "no accepted session holds it")
    if _kind(series.accepted) != _kind(ours):
        text = f"baseline: {_kind(series.accepted)}; session: {_kind(ours)}"
        return make_finding(series, "G033", Verdict.INCOMPARABLE, text)
    return None


def _kind(one: Metric | BaselineSeries) -> str:
    """`op/s, higher is better, geomean of iops over iodepth`."""
    made = f", {one.made}" if one.made else ""
    return f"{one.unit}, {one.better.value} is better{made}"


def _unavailable(series: Series) -> str:
    """Why the host cannot give the metric, or the one that it is made of; empty where it can."""
    metric = series.metric
    source = metric.derived.of if metric.derived else metric.name
    known = series.case.head.unavailable
    return known.get(metric.name) or known.get(source, "")


def _alone(series: Series) -> Finding | None:
    """A single value shows no noise of its own, so nothing may rest on it."""
    if len(series.head) > 1:
        return None
    text = f"one trial alone gave {series.head[0]:g}"
    return make_finding(series, "G026", Verdict.INCONCLUSIVE, text)


def _gone(series: Series) -> str:
    """What only the baseline knows any more: benchmark, metric, or a point of the group."""
    if series.planned == 0:
        return "the benchmark"
    if not series.head and not series.applies:
        return "the metric"
    return f"its point {series.lost[0]}" if series.lost else ""


def _canned(series: Series) -> Finding | None:
    """Broken when the accepted values cannot be used, or when nothing ever varies.

    A coarse clock repeats values now and then, also in the baseline; a canned number repeats
    always, and a stuck counter repeats where the baseline never did. One trial alone cannot
    repeat, and two may agree by chance (`agreed`), but all accepted sessions can hold their very
    number.
    """
    for point in series.accepted.current if series.accepted else ():
        if not usable(point.values):
            text = f"accepted session {point.session} holds a value that is not above zero"
            return make_finding(series, "G051", Verdict.BROKEN, text)
    session = series.case.head
    if len(set(series.head)) > 1 or is_untimed(session.harness, session.tools):
        return None
    everything = [value for values in series.sessions for value in values]
    few = len(series.head) <= _BY_CHANCE
    same_everywhere = set(everything) == set(series.head) and len(everything) > 1
    if (few or _has_ties(series)) and not same_everywhere:
        return None
    count = len(series.head) + (len(everything) if same_everywhere else 0)
    text = f"all {count} trials gave exactly {median(series.head):g}"
    return make_finding(series, "G052", Verdict.BROKEN, text)


def two_trials_agree(series: Series) -> bool:
    """Whether both of two trials gave one number: chance or a stuck counter, which more can tell.

    Not where the baseline repeats values as well, nor where counts may repeat.
    """
    session = series.case.head
    two = len(series.head) == _BY_CHANCE and len(set(series.head)) == 1
    return two and not _has_ties(series) and not is_untimed(session.harness, session.tools)


def _has_ties(series: Series) -> bool:
    return any(len(set(values)) < len(values) for values in series.sessions)
