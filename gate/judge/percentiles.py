"""A percentile is judged only where enough samples lie beyond it.

The 99th percentile of 200 samples is its second or third largest: an extreme value, which tells of
one hiccup and not of the change. At least ten samples must lie beyond the percentile, n (1 - q) of
n, in every trial of every session that decides. A value of one sample, or of nobody knows how
many, cannot be checked, so nothing may rest on it either. Watched metrics are only shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gate.judge.series import finding
from gate.model import Role, TrialStatus, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.judge.series import Series
    from gate.model import Finding, Session, Value

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
    return finding(series, "G027", Verdict.INCONCLUSIVE, text)


def _values(series: Series) -> Iterator[Value]:
    """Every value of the metric that the verdict would rest on."""
    case = series.case
    sessions: tuple[Session | None, ...] = (
        case.head,
        case.pair_base,
        case.pair_head,
        *case.strikes,
    )
    for session in sessions:
        for trial in session.trials if session else ():
            if trial.benchmark == series.benchmark and trial.status is not TrialStatus.ASIDE:
                yield from (v for v in trial.values if v.metric == series.metric.name)
