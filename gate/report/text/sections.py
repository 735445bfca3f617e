"""The sections of a text report around its findings: opening, what to do, what differed, host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Verdict
from gate.report.text.page import BOLD, DIM, GREEN, LONGEST_NAME, RED, YELLOW, fit, width_of
from gate.report.wording import around, calibration_record, diagnosis, words
from gate.report.wording.advice import next_steps, without_steps
from gate.report.wording.commands import commands_for
from gate.text import shorten

if TYPE_CHECKING:
    from gate.model import Report
    from gate.report.text.page import TextPage

_SUBJECTS_ABOVE = 4
"""With more sides than these they stand below, with the host."""
_MOST_DIFFERENCES = 40
_MOST_ASIDE = 10
_MOST_TOUCHED = 20
_MOST_LINES = 20
"""Of an edited text."""
_IN_HTML = "more; all of them in the HTML report"


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
        page.with_label("warning", calibration_record.unfit(report.calibration), YELLOW)
    if words.is_error_report(report):
        page.term("why", words.lead(report))
    if not words.promises(report):
        return
    host = "unknown" if report.host is None else report.host.host_class or "unknown"
    page.term("host", f"{host}; {words.count_judged(report)}")
    page.term("promise", words.promise(report))
    if report.host is not None:
        page.term("record", calibration_record.line(report.calibration))
    if calibration_record.details(report.calibration):
        page.term("", calibration_record.details(report.calibration), DIM)
    if len(report.subjects) <= _SUBJECTS_ABOVE:
        subjects(page, report)
    for line in diagnosis.lines(report):
        page.term("coverage", line)


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
        line = f"{words.effect(edit)}{profile}: {edit.headline} ({shorten(edit.code, 8)})"
        page.add(line, "  ", "    ")
        if edit.advice:
            page.add(edit.advice, "    advice: ", "            ", DIM)


def what_to_do(page: TextPage, report: Report, worst: str) -> None:
    """A step for each verdict, and the commands for the worst finding alone, whose name is given.

    `report` is not scrubbed, so that a name which had to be makes no command.
    """
    commands = [one for made in words.notable(report)[:1] for one in commands_for(made, report)]
    page.section(words.NEXT)
    steps = [] if words.is_error_report(report) else next_steps(report)
    below = {one.line for one in commands}
    if not steps:
        page.add(without_steps(report), "  ", "  ")
    for step in steps:
        page.with_label(step.verdict.value, step.text)
        for line in step.commands:
            if line not in below:
                page.command(line, "    ")
    if commands:
        page.blank()
        page.add(f"{worst}:", "  ", "  ", BOLD)
    for one in commands:
        page.with_label(one.label, one.why)
        if one.line:
            page.command(one.line, "    ")


def differences(page: TextPage, report: Report) -> None:
    """What beside the numbers was not alike on both sides, edited texts, trials set aside."""
    alike, aside = around.alike(report), around.aside_summary(report)
    if not (report.differences or alike or report.changes or aside or report.touched):
        return
    page.section(words.DIFFERED)
    for found in report.differences[:_MOST_DIFFERENCES]:
        page.add(around.difference(found, report.profiles), "  ", "    ")
    _more(page, len(report.differences) - _MOST_DIFFERENCES)
    if not report.differences and alike:
        page.add(words.NOTHING_DIFFERED, "  ", "  ")
    if alike:
        page.add(alike, "  ", "    ", DIM)
    for change in report.changes:
        page.add(around.change(change), "  ", "    ")
        for line in change.lines[:_MOST_LINES]:
            colour = {"+": GREEN, "-": RED}.get(line[:1], DIM)
            page.add(line, "    " if line[:1] != " " else "     ", "      ", colour)
        _more(page, len(change.lines) - _MOST_LINES)
    _touched(page, report)
    if aside:
        page.add(aside, "  ", "    ", YELLOW)
    for one in report.aside[:_MOST_ASIDE]:
        page.add(around.set_aside(one), "    ", "      ")
    _more(page, len(report.aside) - _MOST_ASIDE)


def _touched(page: TextPage, report: Report) -> None:
    for one in report.touched:
        if one.functions:
            page.add(f"{diagnosis.title(report, one)}:", "  ", "    ")
        for function in one.functions[:_MOST_TOUCHED]:
            page.add(diagnosis.function(function), "    ", "      ")
        _more(page, diagnosis.rest(one, _MOST_TOUCHED))


def _more(page: TextPage, count: int) -> None:
    if count > 0:
        page.add(f"… and {count} {_IN_HTML}", "    ", "    ")


def host(page: TextPage, report: Report) -> None:
    """The machine, the tools, how it was while it measured, and what a reader must know."""
    page.section(words.HOST)
    if report.host is not None:
        page.term("class", report.host.host_class or "unknown")
        for name, facts in words.facts(report.host):
            page.term(name, facts)
    if len(report.subjects) > _SUBJECTS_ABOVE:
        subjects(page, report)
    page.term("tools", words.tools(report) or "unknown")
    for condition in report.conditions:
        page.term("condition", condition)
    lead = words.lead(report)
    for note in report.notes:
        if note != lead:
            page.term("note", note)
    page.term("written", report.created)
