"""The first lines in a terminal: verdict, host, how sure, what was under test, edited rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Verdict
from gate.report.text.page import DIM, GREEN, RED, YELLOW, fit, width_of
from gate.report.wording import calibration_record, diagnosis, words
from gate.text import shorten

if TYPE_CHECKING:
    from gate.model import Report
    from gate.report.text.page import TextPage

SUBJECTS_ABOVE = 4
"""With more sides than these they stand below, with the host."""
LONGEST_NAME = 300


def gate_colour(report: Report) -> str:
    """Green, red where a loss is proven, yellow where nothing could be judged."""
    if report.gate == "open":
        return GREEN
    return RED if report.verdict == Verdict.REGRESSED.value else YELLOW


def text_opening(page: TextPage, report: Report) -> None:
    """What a reader needs in ten seconds."""
    sentence = f"{words.gate_symbol(report)} {words.verdict_sentence(report)}"
    page.add(sentence, "", "  ", gate_colour(report))
    if calibration_record.unfit(report.calibration):
        page.labelled("warning", calibration_record.unfit(report.calibration), YELLOW)
    if words.is_error_report(report):
        page.named("why", words.lead(report))
    if not words.promises(report):
        return
    host = "unknown" if report.host is None else report.host.host_class or "unknown"
    page.named("host", f"{host}; {words.count_judged(report)}")
    page.named("promise", words.promise(report))
    if report.host is not None:
        page.named("record", calibration_record.line(report.calibration))
    if calibration_record.details(report.calibration):
        page.named("", calibration_record.details(report.calibration), DIM)
    if len(report.subjects) <= SUBJECTS_ABOVE:
        subjects(page, report)
    for line in diagnosis.lines(report):
        page.named("touched", line)


def subjects(page: TextPage, report: Report) -> None:
    """What was under test, a side in a line."""
    widest = max(8, *(min(width_of(side), 24) for side in report.subjects), 0)
    for side, subject in report.subjects.items():
        page.add(subject, f"  {fit(side, widest)} ", " " * (widest + 3))


def edits(page: TextPage, report: Report) -> None:
    """Every change to the rules, the loosening ones first; none is in force."""
    if not report.edits:
        return
    page.blank()
    page.add(f"{words.EDITED}:", "", "  ", YELLOW)
    for edit in report.edits:
        profile = f", {shorten(edit.profile, LONGEST_NAME)}" if edit.profile else ""
        told = f"{words.effect(edit)}{profile}: {edit.headline} ({shorten(edit.code, 8)})"
        page.add(told, "  ", "    ")
        if edit.advice:
            page.add(edit.advice, "    advice: ", "            ", DIM)
