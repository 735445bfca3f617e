"""The report for a terminal or a log: verdict first, worst findings first, verdict last.

The same sections in the same order as on the page; `words.ORDER` has their titles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Verdict
from gate.report.text.finding import block, name_of, passes
from gate.report.text.page import (
    BOLD,
    DIM,
    GREEN,
    LONGEST_NAME,
    RED,
    YELLOW,
    TextPage,
    fit,
    width_of,
)
from gate.report.wording import around, calibration_record, diagnosis, words
from gate.report.wording.advice import next_steps, without_steps
from gate.report.wording.commands import commands_for
from gate.report.wording.finding_context import beside
from gate.text import guard_line, scrub, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Report

_NARROWEST = 40
_SUBJECTS_ABOVE = 4
"""With more sides than these they stand below, with the host."""
_MOST_DIFFERENCES = 40
_MOST_ASIDE = 10
_MOST_TOUCHED = 20
_MOST_LINES = 20


def render_text(report: Report, *, width: int = 80, colour: bool = False) -> str:
    """The report in lines of at most `width` columns; ANSI colours only when asked for."""
    as_it_is, report = report, scrub(report)
    page = TextPage(max(_NARROWEST, width), colour=colour)
    notable = words.notable(report)
    _opening(page, report)
    _edits(page, report)
    rest = words.without(report.findings, notable)
    others = [finding for finding in rest if finding.verdict is not Verdict.PASSED]
    lines = beside(report, [*notable, *others])
    if notable:
        page.section(words.worst(report))
    advised = ""
    for finding, known in zip(notable, lines, strict=False):
        block(page, finding, known, advised)
        advised = finding.advice
    _what_to_do(page, as_it_is, name_of(notable[0]) if notable else "")
    _differences(page, report)
    if rest:
        page.section(words.REST)
    for finding, known in zip(others, lines[len(notable) :], strict=True):
        block(page, finding, known, "")
    passes(page, [finding for finding in rest if finding.verdict is Verdict.PASSED])
    _host(page, report)
    page.blank()
    verdict = f"{words.verdict_sentence(report)} (exit status {report.exit_status})"
    page.add(f"{words.gate_symbol(report)} {verdict}", "", "  ", _gate_colour(report))
    return "\n".join(guard_line(line) for line in page.lines) + "\n"


def _gate_colour(report: Report) -> str:
    """Green, red where a loss is proven, yellow where nothing could be judged."""
    if report.gate == "open":
        return GREEN
    return RED if report.verdict == Verdict.REGRESSED.value else YELLOW


def _opening(page: TextPage, report: Report) -> None:
    sentence = f"{words.gate_symbol(report)} {words.verdict_sentence(report)}"
    page.add(sentence, "", "  ", _gate_colour(report))
    if unfit := calibration_record.unfit(report.calibration):
        page.with_label("warning", unfit, YELLOW)
    if words.is_error_report(report):
        page.term("why", words.lead(report))
    if not words.promises(report):
        return
    page.term("host", f"{words.host_class(report)}; {words.count_judged(report)}")
    page.term("promise", words.promise(report))
    if slow := words.slow_runs_seen(report):
        page.term("", slow, DIM)
    if report.host is not None:
        page.term("record", calibration_record.line(report.calibration))
    if details := calibration_record.details(report.calibration):
        page.term("", details, DIM)
    if len(report.subjects) <= _SUBJECTS_ABOVE:
        _subjects(page, report)
    for line in diagnosis.lines(report):
        page.term("coverage", line)


def _subjects(page: TextPage, report: Report) -> None:
    widest = max(8, *(min(width_of(side), 24) for side in report.subjects), 0)
    for side, subject in report.subjects.items():
        page.add(subject, f"  {fit(side, widest)} ", " " * (widest + 3))


def _edits(page: TextPage, report: Report) -> None:
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


def _what_to_do(page: TextPage, report: Report, worst: str) -> None:
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


def _differences(page: TextPage, report: Report) -> None:
    alike, aside = around.alike(report), around.aside_summary(report)
    if not (report.differences or alike or report.changes or aside or report.touched):
        return
    page.section(words.DIFFERED)
    differed = [around.difference(one, report.profiles) for one in report.differences]
    _first(page, differed, _MOST_DIFFERENCES, "  ")
    if not differed and alike:
        page.add(words.NOTHING_DIFFERED, "  ", "  ")
    if alike:
        page.add(alike, "  ", "    ", DIM)
    for change in report.changes:
        page.add(around.change(change), "  ", "    ")
        for line in change.lines[:_MOST_LINES]:
            colour = {"+": GREEN, "-": RED}.get(line[:1], DIM)
            page.add(line, "    " if line[:1] != " " else "     ", "      ", colour)
        _more(page, len(change.lines) - _MOST_LINES)
    for one in report.touched:
        if one.functions:
            page.add(f"{diagnosis.title(report, one)}:", "  ", "    ")
        _first(page, [*map(diagnosis.function, one.functions)], _MOST_TOUCHED, of=one.count)
    if aside:
        page.add(aside, "  ", "    ", YELLOW)
    _first(page, [*map(around.set_aside, report.aside)], _MOST_ASIDE)


def _first(
    page: TextPage, lines: Sequence[str], most: int, indent: str = "    ", of: int = 0
) -> None:
    for line in lines[:most]:
        page.add(line, indent, f"{indent}  ")
    _more(page, max(of, len(lines)) - most)


def _more(page: TextPage, count: int) -> None:
    if count > 0:
        page.add(f"… and {count} more; all of them in the HTML report", "    ", "    ")


def _host(page: TextPage, report: Report) -> None:
    page.section(words.HOST)
    for name, text in words.machine(report):
        page.term(name, text)
    if len(report.subjects) > _SUBJECTS_ABOVE:
        _subjects(page, report)
    for name, text in words.circumstances(report):
        page.term(name, text)
