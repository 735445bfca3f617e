"""The report for a terminal or a log: verdict first, worst findings first, verdict last.

The same sections in the same order as on the page; `words.ORDER` has their titles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Verdict
from gate.report.text.finding import block, name_of, passes
from gate.report.text.page import TextPage
from gate.report.text.sections import (
    differences,
    edits,
    gate_colour,
    host,
    text_opening,
    what_to_do,
)
from gate.report.wording import words
from gate.report.wording.finding_context import beside
from gate.text import guard_line, scrub

if TYPE_CHECKING:
    from gate.model import Report

_NARROWEST = 40


def render_text(report: Report, *, width: int = 80, colour: bool = False) -> str:
    """The report in lines of at most `width` columns; ANSI colours only when asked for."""
    as_it_is, report = report, scrub(report)
    page = TextPage(max(_NARROWEST, width), colour=colour)
    notable = words.notable(report)
    text_opening(page, report)
    edits(page, report)
    seen = {id(finding) for finding in notable}
    rest = [finding for finding in report.findings if id(finding) not in seen]
    others = [finding for finding in rest if finding.verdict is not Verdict.PASSED]
    blocks = [*notable, *others]
    lines = beside(report, blocks)
    if notable:
        page.section(words.worst(report))
    advised = ""
    for finding, known in zip(notable, lines, strict=False):
        block(page, finding, known, advised)
        advised = finding.advice
    what_to_do(page, as_it_is, name_of(notable[0]) if notable else "")
    differences(page, report)
    if rest:
        page.section(words.REST)
    for finding, known in zip(others, lines[len(notable) :], strict=True):
        block(page, finding, known, "")
    passes(page, [finding for finding in rest if finding.verdict is Verdict.PASSED])
    host(page, report)
    page.blank()
    verdict = f"{words.verdict_sentence(report)} (exit status {report.exit_status})"
    page.add(f"{words.gate_symbol(report)} {verdict}", "", "  ", gate_colour(report))
    return "\n".join(guard_line(line) for line in page.lines) + "\n"
