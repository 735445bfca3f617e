"""Series that hold no comparable numbers: each reason has its own verdict, and none passes.

A percentile needs samples beyond it: the 99th of 200 is their second or third largest, which tells
of one hiccup and not of the change. Ten of n, n (1 - q), must lie beyond it in every trial that
decides. A value of one sample, or of nobody knows how many, cannot be checked and decides nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.verdict.findings import make_finding
from gate.judge.verdict.suite import metric_values
from gate.model import State, TrialStatus, Verdict, is_untimed
from gate.stats.costs import usable

if TYPE_CHECKING:
    from gate.judge.verdict.series import Series
    from gate.model import BaselineSeries, Finding, Metric


_LEAST_BEYOND = 10
_NAME = re.compile(r"(?:.*_)?p(\d{2,6})")
"""`clat_p99`, `write_clat_p999`: the digits after the p are those after the point."""


def percentile_of(metric: str) -> str | None:
    """The digits of the percentile that a metric's name tells: 99 of clat_p99."""
    match = _NAME.fullmatch(metric)
    return match[1] if match else None


_BY_CHANCE = 2
"""So many trials give one number by chance now and then: an I/O more or less in a fifth of a second
is a third of a per cent."""

_Reasons = Iterator[tuple[str, Verdict, str]]
"""Code, verdict and headline of each."""


def unfit(series: Series) -> Finding | None:
    """A verdict for a series that holds no comparable numbers; None when it does."""
    first = next(_reasons(series), None)
    return None if first is None else make_finding(series, *first, warnings=series.failures[1:])


def _reasons(series: Series) -> _Reasons:
    head, values = series.case.head, series.head
    if series.failures:
        side = "the head side failed: " if series.case.by_pairs else ""
        yield "G050", Verdict.BROKEN, f"{side}{series.failures[0]}"
    if head.state is State.PARTIAL:
        yield "G053", Verdict.BROKEN, "the session is partial"
    if not values and (reason := _unavailable(series)):
        verdict = Verdict.BROKEN if series.gates else Verdict.MISSING
        yield "G054", verdict, f"not available here: {reason}"
    if gone := _gone(series):
        yield "G040", Verdict.MISSING, f"{gone} is in the baseline and was not measured"
    if series.benchmark in series.case.unplanned and not values:
        text = "not measured: the tree that was measured has no such benchmark"
        yield "G044", Verdict.MISSING, text
    if len(values) < series.planned or not values:
        for disturbed in head.disturbances:  # which is why they are not there
            yield "G036", Verdict.INCOMPARABLE, f"the sitting was disturbed: {disturbed}"
        text = f"{len(values)} of {series.planned} planned trials are there"
        yield "G053", Verdict.BROKEN, text
    if not usable(values):
        bad = next(v for v in values if not (math.isfinite(v) and v > 0))
        yield "G051", Verdict.BROKEN, f"a trial gave {bad:g}"
    yield from _other_kind(series)
    yield from _canned(series)
    if len(values) == 1:  # it shows no noise of its own, so nothing may rest on it
        yield "G026", Verdict.INCONCLUSIVE, f"one trial alone gave {values[0]:g}"
    yield from _too_few_beyond(series)


def _other_kind(series: Series) -> _Reasons:
    """New where nothing was accepted, incomparable where that was another quantity."""
    ours = _kind(series.metric)
    named = (m for m in series.case.head.metrics if m.name == series.metric.name)
    theirs = next(map(_kind, named), None)
    if theirs is None and series.case.reviewed is not None:
        text = "the session gives numbers, and does not say of what kind they are"
        yield "G033", Verdict.INCOMPARABLE, text
    if theirs not in {None, ours}:
        yield "G033", Verdict.INCOMPARABLE, f"profile: {ours}; session: {theirs}"
    if not series.case.by_pairs:
        yield from _not_accepted(series)


def accepted_gap(series: Series) -> str:
    """Why the baseline knows nothing of this quantity; empty where it does."""
    return next((text for _, _, text in _not_accepted(series)), "")


def _not_accepted(series: Series) -> _Reasons:
    ours = _kind(series.metric)
    if series.accepted is None or not series.sessions:
        yield "G010", Verdict.NEW, "no accepted session holds it"
    elif (accepted := _kind(series.accepted)) != ours:
        yield "G033", Verdict.INCOMPARABLE, f"baseline: {accepted}; session: {ours}"


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


def _gone(series: Series) -> str:
    """What only the baseline knows any more: benchmark, metric, or a point of the group."""
    if series.planned == 0:
        return "the benchmark"
    if not series.head and not series.applies:
        return "the metric"
    return f"its point {series.lost[0]}" if series.lost else ""


def _canned(series: Series) -> _Reasons:
    """Broken when the accepted values cannot be used, or when nothing ever varies.

    A coarse clock repeats values now and then, also in the baseline; a canned number repeats
    always, and a stuck counter repeats where the baseline never did. One trial alone cannot
    repeat, and two may agree by chance, but all accepted sessions can hold their very number.
    """
    for point in series.accepted.current if series.accepted else ():
        if not usable(point.values):
            text = f"accepted session {point.session} holds a value that is not above zero"
            yield "G051", Verdict.BROKEN, text
    if not _never_varies(series):
        return
    everything = [value for values in series.sessions for value in values]
    few = len(series.head) <= _BY_CHANCE
    same_everywhere = set(everything) == set(series.head) and len(everything) > 1
    if same_everywhere or not (few or _has_ties(series)):
        count = len(series.head) + (len(everything) if same_everywhere else 0)
        yield "G052", Verdict.BROKEN, f"all {count} trials gave exactly {median(series.head):g}"


def _too_few_beyond(series: Series) -> _Reasons:
    """Where a percentile has too few samples beyond it."""
    derived = series.metric.derived
    digits = percentile_of(derived.of if derived else series.metric.name)
    if digits is None or not series.gates:
        return
    trials = (
        trial
        for session in series.case.sessions
        for trial in session.trials
        if trial.benchmark == series.benchmark and trial.status is not TrialStatus.ASIDE
    )
    worst = min((one.samples for one in metric_values(trials, series.metric.name)), default=None)
    if worst is None:
        return
    beyond = worst * (10 ** len(digits) - int(digits)) // 10 ** len(digits)
    if worst <= 1:
        text = "a trial does not tell of how many samples its percentile is"
        yield "G027", Verdict.INCONCLUSIVE, text
    elif beyond < _LEAST_BEYOND:
        text = f"a trial has {worst} samples, {beyond} of them beyond the percentile"
        yield "G027", Verdict.INCONCLUSIVE, f"{text}; {_LEAST_BEYOND} are needed"


def two_trials_agree(series: Series) -> bool:
    """Whether both of two trials gave one number: chance or a stuck counter, which more can tell.

    Not where the baseline repeats values as well, nor where counts may repeat.
    """
    return len(series.head) == _BY_CHANCE and _never_varies(series) and not _has_ties(series)


def _never_varies(series: Series) -> bool:
    session = series.case.head
    return len(set(series.head)) == 1 and not is_untimed(session.harness, session.tools)


def _has_ties(series: Series) -> bool:
    return any(len(set(values)) < len(values) for values in series.sessions)
