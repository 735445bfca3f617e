"""Series that hold no comparable numbers: each reason has its own verdict, and none passes."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.percentiles import too_few_beyond
from gate.judge.series import finding
from gate.model import Role, State, Verdict, is_untimed
from gate.stats.costs import usable

if TYPE_CHECKING:
    from gate.judge.series import Series
    from gate.model import BaselineSeries, Finding, Metric

_BY_CHANCE = 2
"""So many trials give one number by chance now and then: an I/O more or less in a fifth of a second
is a third of a per cent."""


def unfit(series: Series) -> Finding | None:
    """A verdict for a series that holds no comparable numbers; None when it does."""
    head = series.case.head
    if series.failures:
        first, *others = series.failures
        return finding(series, "G050", Verdict.BROKEN, first, warnings=tuple(others))
    if head.state is State.PARTIAL:
        return finding(series, "G053", Verdict.BROKEN, "the session is partial")
    reason = _unavailable(series)
    if reason and not series.head:
        watched = series.metric.role is Role.WATCH
        verdict = Verdict.MISSING if watched else Verdict.BROKEN
        return finding(series, "G054", verdict, f"not available here: {reason}")
    gone = _gone(series)
    if gone:
        text = f"{gone} is in the baseline and was not measured"
        return finding(series, "G040", Verdict.MISSING, text)
    if series.benchmark in series.case.unplanned and not series.head:
        text = "not measured: the tree that was measured has no such benchmark"
        return finding(series, "G044", Verdict.MISSING, text)
    if len(series.head) < series.planned or not series.head:
        if head.disturbances:  # which is why they are not there
            text = f"the sitting was disturbed: {head.disturbances[0]}"
            return finding(series, "G036", Verdict.INCOMPARABLE, text)
        text = f"{len(series.head)} of {series.planned} planned trials are there"
        return finding(series, "G053", Verdict.BROKEN, text)
    if not usable(series.head):
        bad = next(v for v in series.head if not (math.isfinite(v) and v > 0))
        return finding(series, "G051", Verdict.BROKEN, f"a trial gave {bad:g}")
    return _other_kind(series) or _canned(series) or _alone(series) or too_few_beyond(series)


def _other_kind(series: Series) -> Finding | None:
    """New where nothing was accepted, incomparable where that was another quantity."""
    ours = series.metric
    measured = next((m for m in series.case.head.metrics if m.name == ours.name), None)
    if measured is None and series.case.reviewed is not None:
        text = "the session gives numbers, and does not say of what kind they are"
        return finding(series, "G033", Verdict.INCOMPARABLE, text)
    if measured is not None and _kind(measured) != _kind(ours):
        text = f"profile: {_kind(ours)}; session: {_kind(measured)}"
        return finding(series, "G033", Verdict.INCOMPARABLE, text)
    if series.accepted is None or not series.sessions:
        return finding(series, "G010", Verdict.NEW, "no accepted session holds it")
    if _kind(series.accepted) != _kind(ours):
        text = f"baseline: {_kind(series.accepted)}; session: {_kind(ours)}"
        return finding(series, "G033", Verdict.INCOMPARABLE, text)
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
    return finding(series, "G026", Verdict.INCONCLUSIVE, text)


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
            return finding(series, "G051", Verdict.BROKEN, text)
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
    return finding(series, "G052", Verdict.BROKEN, text)


def agreed(series: Series) -> bool:
    """Whether both of two trials gave one number: chance or a stuck counter, which more can tell.

    Not where the baseline repeats values as well, nor where counts may repeat.
    """
    session = series.case.head
    two = len(series.head) == _BY_CHANCE and len(set(series.head)) == 1
    return two and not _has_ties(series) and not is_untimed(session.harness, session.tools)


def _has_ties(series: Series) -> bool:
    return any(len(set(values)) < len(values) for values in series.sessions)
