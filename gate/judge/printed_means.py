"""Summaries to a report: printed means judged by what their spread and number of trials allow."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gate.errors import InputError, NothingCompared
from gate.judge.printed_words import (
    itself,
    missing_evidence,
    printed_as,
    shape,
    what_would_decide,
    whence,
)
from gate.judge.summary import headline, importance
from gate.judge.verdict.findings import advice_of, consistent_figure
from gate.judge.verdict.waivers import apply_waiver
from gate.model import SCHEMA, Finding, Report, Role, SuitePromise, Verdict, join
from gate.stats.costs import ratio, relative_limit
from gate.stats.summary import Ratio
from gate.stats.summary_logs import compare, known_noise, trials_to_decide
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.verdict.suite import Policy
    from gate.model import Summary, SummaryRow
    from gate.stats.summary import MeanRatio


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
    if known_noise(row):
        code, verdict, text, numbers = _judge_known(summary, row, alpha, beta)
    else:
        loss = ratio(Ratio.of(row, summary.mean).loss)
        would = what_would_decide(summary, row, share, beta)
        shown = f"{percent(loss)} as printed{itself(row)}"
        text = f"{shown}, but {missing_evidence(row)}: nothing can be claimed; {would}"
        code, verdict = "G029", Verdict.INCONCLUSIVE
        path = (*printed_as(row), "not compared: no noise is known")
        numbers = {"loss": loss, "path": path, "warnings": (UNKNOWN,)}
    metric = row.metric
    return Finding(
        code=code,
        profile=summary.name,
        benchmark=row.benchmark,
        metric=metric.name,
        verdict=verdict,
        role=metric.role,
        headline=shape(row) + text,
        advice=advice_of(code, metric.role),
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


def _judge_known(
    summary: Summary, row: SummaryRow, alpha: float, beta: float
) -> tuple[str, Verdict, str, dict[str, Any]]:
    seen = compare(row, summary.mean, alpha, beta)
    code, verdict, text = _verdict(summary, row, seen, alpha, beta)
    loss, figure = ratio(seen.loss), relative_limit(seen.detectable)
    return (
        code,
        verdict,
        text,
        {
            "loss": loss,
            "loss_low": relative_limit(seen.low),
            "loss_high": relative_limit(seen.high),
            "confidence": 1 - alpha - beta,
            "can_detect": consistent_figure(figure, verdict, loss, row.metric.tolerance),
            "path": tuple(_path(summary, row, seen, alpha, beta)),
            "warnings": (UNKNOWN, *_warnings(row, seen)),
        },
    )


def _verdict(
    summary: Summary, row: SummaryRow, seen: MeanRatio, alpha: float, beta: float
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
    summary: Summary, row: SummaryRow, seen: MeanRatio, alpha: float, beta: float
) -> Iterator[str]:
    yield whence(summary, row, seen)
    yield from printed_as(row)
    dead = percent(row.metric.tau, signed=False)
    limit = percent(row.metric.tolerance, signed=False)
    yield (
        f"lower limit {percent(relative_limit(seen.low))} at its share of alpha, "
        f"{percent(alpha, signed=False)}; regressed needs more than {dead}"
    )
    yield (
        f"upper limit {percent(relative_limit(seen.high))} at beta, {percent(beta, signed=False)}; "
        f"passed needs less than {limit}"
    )


def _warnings(row: SummaryRow, seen: MeanRatio) -> Iterator[str]:
    if seen.slack > row.metric.tau:
        slack = percent(seen.slack, signed=False)
        yield f"the digits printed leave {slack} open, more than is negligible"
    if seen.spread is not None and not all(side.sittings for side in row.sides):
        alone = "head" if row.base.sittings else "base"
        yield (
            f"the {alone} side is one figure: that it is as noisy as the sittings of the other "
            "side is assumed, since nothing shows it"
        )
    sides = [side for point in row.points or (row,) for side in point.sides]
    widest = max(seen.spread or 0.0, *((side.sd or 0.0) / side.mean for side in sides))
    if widest > _WIDE:
        shown = percent(widest, signed=False)
        yield f"the spread is {shown} of the mean: noise as large as this is seldom near normal"


def judge_summaries(
    summaries: Sequence[Summary],
    policy: Policy,
    *,
    tolerance: float | None,
    created: str,
    version: str,
) -> Report:
    """Judge every row of every summary; `tolerance` goes before what the files ask for.

    Raises:
        NothingCompared: no row is of a gate metric.
        InputError: two summaries have one name.
    """
    _refuse_one_name(summaries)
    rows = [(summary, _at(row, tolerance)) for summary in summaries for row in summary.rows]
    findings, promise = _judge_rows(rows, policy)
    gating = [found for found in findings if found.role is Role.GATE]
    worst = join(found.verdict for found in gating) or Verdict.BROKEN
    return Report(
        schema=SCHEMA,
        gate="open" if worst.opens else "closed",
        verdict=worst.value,
        exit_status=worst.exit_status,
        headline=headline(gating, "from summaries", is_open=worst.opens),
        created=created,
        profiles=tuple(summary.name for summary in summaries),
        findings=findings,
        host=None,
        tools={"driftgate": version},
        notes=tuple(_notes(summaries, tolerance)),
        promise=promise,
        subjects={
            f"{summary.name} {side}": text
            for summary in summaries
            for side, text in (("base", summary.base), ("head", summary.head))
        },
    )


def _refuse_one_name(summaries: Sequence[Summary]) -> None:
    name, times = Counter(summary.name for summary in summaries).most_common(1)[0]
    if times > 1:
        what = f"{times} summaries are called {name}, so their findings could not be told apart."
        raise InputError("G200", what, cure="Rename one of the files.")


def _judge_rows(
    rows: Sequence[tuple[Summary, SummaryRow]], policy: Policy
) -> tuple[tuple[Finding, ...], SuitePromise]:
    gating = [row for _, row in rows if row.metric.role is Role.GATE]
    if not gating:
        cure = 'Give at least one metric of the summary the role "gate".'
        raise NothingCompared("G280", "no gate metric was judged.", cure=cure)
    judged, beta = sum(row.has_spread for row in gating), policy.beta
    alpha, share = policy.alpha / max(judged, 1), policy.alpha / len(gating)
    found = (apply_waiver(row_finding(of, row, alpha, beta, share), policy) for of, row in rows)
    promise = SuitePromise(alpha=policy.alpha, beta=beta, metrics_judged=judged, metrics_flagged=0)
    return tuple(sorted(found, key=importance)), promise


def _at(row: SummaryRow, tolerance: float | None) -> SummaryRow:
    """The row at the tolerance asked for on the command line, and a fifth of it as negligible."""
    if tolerance is None:
        return row
    return replace(row, metric=replace(row.metric, tolerance=tolerance, negligible=None))


def _notes(summaries: Sequence[Summary], tolerance: float | None) -> Iterator[str]:
    yield (
        "judged from summaries (mean, spread and number of trials as printed), not from trials: "
        "the promise holds only as far as their trials were independent, both sides ran alike and "
        "the noise is near normal"
    )
    if tolerance is None:
        yield "tolerances and roles are those of the files; --tolerance goes before them"
    else:
        shown = percent(tolerance, signed=False)
        yield f"every row was judged at the tolerance of {shown} asked for, whatever its file says"
    for summary in summaries:
        yield f"{summary.name}: {summary.mean.value} means. Source: {summary.source}"
