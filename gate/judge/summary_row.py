"""One row of a summary to a finding: what may be claimed, and why no more."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gate.codes import PAGES
from gate.judge.summary_lacking import lacking, what_would_decide
from gate.judge.summary_shape import itself, printed_as, shape, whence
from gate.model import Finding, Role, Verdict
from gate.stats.costs import ratio
from gate.stats.printed import compare, known_noise, trials_to_decide
from gate.stats.summary import Ratio
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Summary, SummaryRow
    from gate.stats.summary import Compared

UNKNOWN = (
    "not known from a summary: whether the trials were independent, in which order they ran, "
    "whether both sides ran on one machine at the same time, whether the noise is near normal"
)
_WIDE = 0.2
"""A spread above this part of the mean is seldom that of near-normal noise."""


def row_finding(
    summary: Summary, row: SummaryRow, alpha: float, beta: float, share: float
) -> Finding:
    """Judge a row at its share of alpha; without a known noise only the loss is printed.

    `share` is what the row's share of alpha would be if the noise of every row were known.
    """
    if not known_noise(row):
        loss = ratio(Ratio.of(row, summary.mean).loss)
        would = what_would_decide(summary, row, share, beta)
        shown = f"{percent(loss)} as printed{itself(row)}"
        text = f"{shown}, but {lacking(row)}: nothing can be claimed; {would}"
        path = (*printed_as(row), "not compared: no noise is known")
        return _made(
            summary, row, ("G029", Verdict.INCONCLUSIVE, shape(row) + text), loss=loss, path=path
        )
    seen = compare(row, summary.mean, alpha, beta)
    code, verdict, text = _told(summary, row, seen, alpha, beta)
    return _made(
        summary,
        row,
        (code, verdict, shape(row) + text),
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
    unit = "trials" if seen.spread is None else "sittings"
    cure = (
        f"about {needed} {unit} a side would decide, if means and spread stay"
        if needed
        else f"no number of {unit} decides between figures like these"
    )
    text = f"{shown}; neither is a loss above {dead} proven nor one of {limit} ruled out; {cure}"
    return "G028", Verdict.INCONCLUSIVE, text


def _path(
    summary: Summary, row: SummaryRow, seen: Compared, alpha: float, beta: float
) -> Iterator[str]:
    yield whence(summary, row, seen)
    yield from printed_as(row)
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
    alone = [
        name for name, side in zip(("base", "head"), row.sides, strict=True) if not side.sittings
    ]
    if seen.spread is not None and alone:
        yield (
            f"the {alone[0]} side is one figure: that it is as noisy as the sittings of the other "
            "side is assumed, since nothing shows it"
        )
    sides = [side for point in row.points or (row,) for side in point.sides]
    widest = max(seen.spread or 0.0, *((side.sd or 0.0) / side.mean for side in sides))
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
        sessions_base=len(row.base.sittings),
        method="summary",
        tolerance=metric.tolerance,
        tolerance_used=metric.tolerance,
        negligible=metric.tau,
        **numbers,
    )
