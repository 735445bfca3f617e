"""The answer of `gate compare` in ten lines: what moved, how sure, and what could be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Role, Verdict
from gate.report.text.finding import numbers
from gate.report.text.page import BOLD, DIM, TextPage
from gate.report.wording import words
from gate.units import percent

if TYPE_CHECKING:
    from gate.model import Finding, Report

_DECIDED = frozenset({Verdict.PASSED, Verdict.IMPROVED, Verdict.REGRESSED})


def render_comparison(report: Report, *, width: int, colour: bool, save: str) -> str:
    """The verdict, two lines a metric, the promise, and the next command; `save` names a file."""
    page = TextPage(width, colour=colour)
    for finding in report.findings:
        _metric(page, finding)
    for text in report.conditions:
        if "were disturbed" in text:
            page.add(text, "  ", "  ", DIM)
    page.add(
        f"an unchanged pair is called regressed with probability at most "
        f"{percent(report.promise.alpha, signed=False)}",
        "  ",
        "  ",
        DIM,
    )
    if hint := _quieter(report):
        page.add(hint, "  ", "  ")
    if save:
        page.add(f"profile: {save}", "  ", "  ")
    return "\n".join(page.lines) + "\n"


def _quieter(report: Report) -> str:
    """The metric to judge by where the one that was asked for is too loud to decide."""
    loud = [one for one in report.findings if one.role is Role.GATE and not one.verdict.opens]
    clear = [
        one.metric for one in report.findings if one.role is Role.WATCH and one.verdict in _DECIDED
    ]
    if not clear or any(one.verdict is not Verdict.INCONCLUSIVE for one in loud) or not loud:
        return ""
    return f"next: --metric {clear[0]}, which is quieter here; or --pairs 400"


def _metric(page: TextPage, finding: Finding) -> None:
    sign = words.SYMBOL[finding.verdict]
    watched = "" if finding.role is Role.GATE else " (watched)"
    style = BOLD if finding.role is Role.GATE else DIM
    page.add(f"{sign} {finding.verdict.value}{watched}: {finding.metric}", "", "  ", style)
    if finding.loss is None:
        page.add(finding.headline, "  ", "  ")
        return
    page.add(numbers(finding), "  ", "  ")
    seen = percent(finding.can_detect, signed=False)
    if finding.role is Role.GATE:
        page.add(f"{finding.headline}; can detect {seen}", "  ", "  ")
