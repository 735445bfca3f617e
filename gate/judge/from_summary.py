"""Summaries to a report: printed means judged by what mean, spread and count can bear."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from gate.errors import InputError, NothingCompared
from gate.judge.judge import importance
from gate.judge.summary import headline
from gate.judge.summary_row import row_finding
from gate.judge.waive import waived
from gate.model import SCHEMA, Report, Role, SuitePromise, Verdict, join
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.suite import Policy
    from gate.model import Summary, SummaryRow


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
    name, times = Counter(summary.name for summary in summaries).most_common(1)[0]
    if times > 1:
        what = f"{times} summaries are called {name}, so their findings could not be told apart."
        raise InputError("G200", what, cure="Rename one of the files.")
    rows = [(summary, _at(row, tolerance)) for summary in summaries for row in summary.rows]
    gating = [row for _, row in rows if row.metric.role is Role.GATE]
    if not gating:
        cure = 'Give at least one metric of the summary the role "gate".'
        raise NothingCompared("G280", "no gate metric was judged.", cure=cure)
    judged = sum(row.has_spread for row in gating)
    alpha, share = policy.alpha / max(judged, 1), policy.alpha / len(gating)
    findings = [waived(row_finding(of, row, alpha, policy.beta, share), policy) for of, row in rows]
    findings.sort(key=importance)
    gates = [found for found in findings if found.role is Role.GATE]
    worst = join(found.verdict for found in gates) or Verdict.BROKEN
    return Report(
        schema=SCHEMA,
        gate="open" if worst.opens else "closed",
        verdict=worst.value,
        exit_status=worst.exit_status,
        headline=headline(gates, "from summaries", is_open=worst.opens),
        created=created,
        profiles=tuple(summary.name for summary in summaries),
        findings=tuple(findings),
        host=None,
        tools={"driftgate": version},
        notes=tuple(_notes(summaries, tolerance)),
        promise=SuitePromise(
            alpha=policy.alpha, beta=policy.beta, metrics_judged=judged, metrics_flagged=0
        ),
        subjects={
            f"{summary.name} {side}": text
            for summary in summaries
            for side, text in (("base", summary.base), ("head", summary.head))
        },
    )


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
