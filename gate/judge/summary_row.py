"""One row of a summary to a finding: what may be claimed, and why no more."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gate.codes import PAGES
from gate.model import Finding, Role, Verdict
from gate.stats.costs import ratio
from gate.stats.summary import Ratio, compare, known_spread, trials_to_decide
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Figures, Summary, SummaryRow
    from gate.stats.summary import Compared

UNKNOWN = (
    "not known from a summary: whether the trials were independent, in which order they ran, "
    "whether both sides ran on one machine at the same time, whether the noise is near normal"
)
_WIDE = 0.2
"""A spread above this part of the mean is seldom that of near-normal noise."""


def row_finding(summary: Summary, row: SummaryRow, alpha: float, beta: float) -> Finding:
    """Judge a row at its share of alpha; without a spread only the loss is printed."""
    if not known_spread(row):
        loss = ratio(Ratio.of(row, summary.mean).loss)
        text = f"{percent(loss)} as printed, but {_lacking(row)}: nothing can be claimed"
        told = ("G029", Verdict.INCONCLUSIVE, text)
        return _made(summary, row, told, loss=loss, path=("not compared: no noise is known",))
    seen = compare(row, summary.mean, alpha, beta)
    return _made(
        summary,
        row,
        _told(summary, row, seen, alpha, beta),
        loss=ratio(seen.loss),
        loss_low=_ratio(seen.low),
        loss_high=_ratio(seen.high),
        confidence=1 - alpha - beta,
        minimum_detectable_loss=_ratio(seen.detectable),
        path=tuple(_path(summary, row, seen, alpha, beta)),
        warnings=(UNKNOWN, *_warnings(row, seen)),
    )


def _told(
    summary: Summary, row: SummaryRow, seen: Compared, alpha: float, beta: float
) -> tuple[str, Verdict, str]:
    """Code, verdict and headline. A proven loss goes first, however small it may be."""
    shown = percent(ratio(seen.loss))
    tau, tolerance = row.metric.tau, row.metric.tolerance
    dead, limit = (percent(one, signed=False) for one in (tau, tolerance))
    if seen.low is not None and seen.low > math.log1p(tau):
        least = percent(ratio(seen.low))
        text = f"{shown} loss, at least {least}, by the figures printed ({dead} is negligible)"
        return "G068", Verdict.REGRESSED, text
    if seen.high is not None and seen.high < -math.log1p(tau):
        gain, least = (percent(-ratio(one), signed=False) for one in (seen.loss, seen.high))
        text = f"{gain} better, at least {least}, by the figures printed"
        return "G009", Verdict.IMPROVED, text
    if seen.high is not None and seen.high < math.log1p(tolerance):
        text = f"{shown} by the figures printed; a loss of {limit} is ruled out"
        return "G008", Verdict.PASSED, text
    needed = trials_to_decide(row, summary.mean, alpha, beta)
    cure = (
        f"about {needed} trials a side would decide, if means and spread stay"
        if needed
        else "no number of trials decides between figures like these"
    )
    text = f"{shown}; neither is a loss above {dead} proven nor one of {limit} ruled out; {cure}"
    return "G028", Verdict.INCONCLUSIVE, text


def _lacking(row: SummaryRow) -> str:
    """What is lacking to know the noise of both sides."""
    base, head = _lack(row.base), _lack(row.head)
    if base == head:
        return f"each side is {base}"
    sides = (("the base side", base), ("the head side", head))
    return " and ".join(f"{side} is {lack}" for side, lack in sides if lack)


def _lack(side: Figures) -> str:
    if side.trials == 1:
        return "of one trial"
    if side.sd is None:
        return "printed without a spread"
    return "" if side.sd else "printed with a spread of zero (a coarse clock, or rounding)"


def _path(
    summary: Summary, row: SummaryRow, seen: Compared, alpha: float, beta: float
) -> Iterator[str]:
    yield (
        f"{summary.mean.value} means of {row.base.trials} and {row.head.trials} trials; standard "
        f"error of the loss {percent(seen.error, signed=False)}, Student's t with "
        f"{seen.freedom} degrees of freedom, and up to {percent(seen.slack, signed=False)} more "
        "for the digits printed"
    )
    dead = percent(row.metric.tau, signed=False)
    limit = percent(row.metric.tolerance, signed=False)
    yield (
        f"lower limit {percent(_ratio(seen.low))} at its share of alpha, "
        f"{percent(alpha, signed=False)}; regressed needs more than {dead}"
    )
    yield (
        f"upper limit {percent(_ratio(seen.high))} at beta, {percent(beta, signed=False)}; "
        f"passed needs less than {limit}"
    )


def _warnings(row: SummaryRow, seen: Compared) -> Iterator[str]:
    if seen.slack > row.metric.tau:
        slack = percent(seen.slack, signed=False)
        yield f"the digits printed leave {slack} open, more than is negligible"
    widest = max((side.sd or 0.0) / side.mean for side in (row.base, row.head))
    if widest > _WIDE:
        shown = percent(widest, signed=False)
        yield f"the spread is {shown} of the mean: noise as large as this is seldom near normal"


def _ratio(log_loss: float | None) -> float | None:
    return None if log_loss is None else ratio(log_loss)


def _made(
    summary: Summary, row: SummaryRow, told: tuple[str, Verdict, str], **numbers: Any
) -> Finding:
    code, verdict, text = told
    metric = row.metric
    advice = (
        "Nothing has to be done: this metric is only watched and never closes the gate."
        if metric.role is Role.WATCH
        else PAGES[code].cure
    )
    numbers.setdefault("warnings", (UNKNOWN,))
    return Finding(
        code=code,
        profile=summary.name,
        benchmark=row.benchmark,
        metric=metric.name,
        verdict=verdict,
        role=metric.role,
        headline=text,
        advice=advice,
        unit=metric.unit,
        better=metric.better,
        base_value=row.base.mean,
        head_value=row.head.mean,
        trials_base=row.base.trials,
        trials_head=row.head.trials,
        method="summary",
        tolerance=metric.tolerance,
        tolerance_used=metric.tolerance,
        negligible=metric.tau,
        **numbers,
    )
