"""What to do, what else differed, and the host, in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.report.text.opening import SUBJECTS_ABOVE, subjects
from gate.report.text.page import BOLD, DIM, GREEN, RED, YELLOW
from gate.report.wording import around, diagnosis, words
from gate.report.wording.advice import next_steps, without_steps
from gate.report.wording.commands import commands_for

if TYPE_CHECKING:
    from gate.model import Report
    from gate.report.text.page import TextPage

MOST_DIFFERENCES = 40
MOST_ASIDE = 10
MOST_TOUCHED = 20
MOST_LINES = 20
"""Of an edited text."""
_IN_HTML = "more; all of them in the HTML report"


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
        page.labelled(step.verdict.value, step.text)
        for line in step.commands:
            if line not in below:
                page.command(line, "    ")
    if commands:
        page.blank()
        page.add(f"{worst}:", "  ", "  ", BOLD)
    for one in commands:
        page.labelled(one.label, one.why)
        if one.line:
            page.command(one.line, "    ")


def differences(page: TextPage, report: Report) -> None:
    """What beside the numbers was not alike on both sides, edited texts, trials set aside."""
    alike, aside = around.alike(report), around.aside_summary(report)
    if not (report.differences or alike or report.changes or aside or report.touched):
        return
    page.section(words.DIFFERED)
    for found in report.differences[:MOST_DIFFERENCES]:
        page.add(around.difference(found, report.profiles), "  ", "    ")
    _more(page, len(report.differences) - MOST_DIFFERENCES)
    if not report.differences and alike:
        page.add(words.NOTHING_DIFFERED, "  ", "  ")
    if alike:
        page.add(alike, "  ", "    ", DIM)
    for change in report.changes:
        page.add(around.change(change), "  ", "    ")
        for line in change.lines[:MOST_LINES]:
            colour = {"+": GREEN, "-": RED}.get(line[:1], DIM)
            page.add(line, "    " if line[:1] != " " else "     ", "      ", colour)
        _more(page, len(change.lines) - MOST_LINES)
    _touched(page, report)
    if aside:
        page.add(aside, "  ", "    ", YELLOW)
    for one in report.aside[:MOST_ASIDE]:
        page.add(around.set_aside(one), "    ", "      ")
    _more(page, len(report.aside) - MOST_ASIDE)


def _touched(page: TextPage, report: Report) -> None:
    for told in report.touched:
        if told.functions:
            page.add(f"{diagnosis.title(report, told)}:", "  ", "    ")
        for function in told.functions[:MOST_TOUCHED]:
            page.add(diagnosis.function(function), "    ", "      ")
        _more(page, diagnosis.rest(told, MOST_TOUCHED))


def _more(page: TextPage, count: int) -> None:
    if count > 0:
        page.add(f"… and {count} {_IN_HTML}", "    ", "    ")


def host(page: TextPage, report: Report) -> None:
    """The machine, the tools, how it was while it measured, and what a reader must know."""
    page.section(words.HOST)
    if report.host is not None:
        page.named("class", report.host.host_class or "unknown")
        for name, facts in words.facts(report.host):
            page.named(name, facts)
    if len(report.subjects) > SUBJECTS_ABOVE:
        subjects(page, report)
    page.named("tools", words.tools(report) or "unknown")
    for condition in report.conditions:
        page.named("condition", condition)
    lead = words.lead(report)
    for note in report.notes:
        if note != lead:
            page.named("note", note)
    page.named("written", report.created)
