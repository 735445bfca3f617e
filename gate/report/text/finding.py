"""Findings in a terminal: a block for each that did not pass, and a line for each that did.

A comparison has no other page: its answer stands here in ten lines.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gate.model import Role, Verdict
from gate.report.text.page import (
    BOLD,
    CYAN,
    DIM,
    GREEN,
    LONGEST_NAME,
    RED,
    YELLOW,
    TextPage,
    fit,
    width_of,
    wrap,
)
from gate.report.wording import words
from gate.text import shorten
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Finding, Report
    from gate.report.wording.finding_context import ContextLine


_COLOUR = {
    Verdict.PASSED: GREEN,
    Verdict.IMPROVED: CYAN,
    Verdict.WAIVED: CYAN,
    Verdict.REGRESSED: RED,
}


def block(page: TextPage, finding: Finding, beside: Sequence[ContextLine], advised: str) -> None:
    """Everything about one finding that did not simply pass: numbers, why, who paid, advice.

    `advised` is the advice of the finding before it, which is not repeated.
    """
    page.blank()
    _title(page, finding)
    if finding.base_value is not None or finding.head_value is not None:
        page.add(numbers(finding), "  ", "  ", BOLD)
    page.add(finding.headline, "  ", "  ")
    for warning in finding.warnings:
        page.with_label("warning", warning, YELLOW)
    for line in beside:
        page.with_label(line.label, line.text)
    page.add(", ".join(_facts(finding)), "  ", "  ", DIM)
    if finding.advice not in ("", advised):
        page.with_label("advice", finding.advice)


def numbers(finding: Finding) -> str:
    """`713.2 -> 638.1 k op/s, loss +11.1 % [+9.8 % … +12.4 %], tolerance 5.0 %`."""
    parts = [words.sides(finding)]
    if finding.loss is not None:
        ends = words.interval(finding)
        parts.append(f"loss {percent(finding.loss)}" + (f" [{ends}]" if ends else ""))
    return ", ".join([*parts, f"tolerance {words.tolerance(finding)}"])


def name_of(finding: Finding) -> str:
    """Benchmark and metric, and whether it is only watched."""
    return plain_name(finding) + (" (watched)" if finding.role is Role.WATCH else "")


def plain_name(finding: Finding) -> str:
    """Benchmark and metric."""
    benchmark = shorten(finding.benchmark, LONGEST_NAME)
    return f"{benchmark} {shorten(finding.metric, LONGEST_NAME)}"


def _title(page: TextPage, finding: Finding) -> None:
    """`✗ regressed  benchmark metric` with the code at the right edge."""
    mark = f"{words.SYMBOL[finding.verdict]} {words.verdict(finding)}"
    code = shorten(finding.code, 8)
    lines = wrap(plain_name(finding), page.width - width_of(code) - 2, f"{mark}  ", "    ")
    first = fit(lines[0], page.width - width_of(code)) + code
    colour = DIM if finding.role is Role.WATCH else _COLOUR.get(finding.verdict, YELLOW)
    page.lines += [page.paint(mark, colour) + first[len(mark) :], *lines[1:]]


def _facts(finding: Finding) -> list[str]:
    facts = [f"n {words.trials(finding)} trials", words.sessions(finding), words.method(finding)]
    if words.confidence(finding):
        facts.append(f"{words.confidence(finding)} interval")
    if finding.can_detect is not None:
        facts.append(f"can detect {percent(finding.can_detect, signed=False)}")
    return [one for one in facts if one]


PASSES_SHOWN = 20
_LEAST_NAME = 16


def passes(page: TextPage, passed: Sequence[Finding]) -> None:
    """Each pass with its numbers while there is room; no warning is dropped."""
    if not passed:
        return
    page.blank()
    tolerances = {words.plain_percent(finding.tolerance_used) for finding in passed}
    common = f", each judged at a tolerance of {min(tolerances)}" if len(tolerances) == 1 else ""
    title = f"{words.SYMBOL[Verdict.PASSED]} {Verdict.PASSED.value}"
    lines = wrap(f"{len(passed)}{common}", page.width, f"{title}  ", "  ")
    page.lines += [page.paint(title, GREEN) + lines[0][len(title) :], *lines[1:]]
    counts = Counter(warning for finding in passed for warning in finding.warnings)
    marks = {warning: index for index, warning in enumerate(counts, 1)}
    shown = passed[:PASSES_SHOWN]
    _columns(page, [_cells(finding, marks, same=bool(common)) for finding in shown])
    if len(passed) > len(shown):
        more = f"… and {len(passed) - len(shown)} more passed; all of them in the HTML report"
        page.add(more, "  ", "  ")
    for warning, index in marks.items():
        count = f" ({counts[warning]} findings)" if counts[warning] > 1 else ""
        page.add(f"{warning}{count}", f"  warning [{index}]: ", "    ", YELLOW)


def _columns(page: TextPage, rows: list[tuple[str, ...]]) -> None:
    widths = [max(width_of(cell) for cell in column) for column in zip(*rows, strict=True)]
    room = min(widths[0], page.width - sum(widths[1:]) - 8)
    for name, both, loss, count in rows:
        if room >= _LEAST_NAME:
            numbers = f"{_right(both, widths[1])}  {_right(loss, widths[2])}  {count}"
            page.lines.append(f"  {fit(name, room)}  {numbers}")
        else:
            page.add(f"{name}: {both}, {loss}, {count}", "  ", "    ")


def _right(text: str, width: int) -> str:
    return " " * (width - width_of(text)) + text


def _cells(finding: Finding, marks: dict[str, int], *, same: bool) -> tuple[str, ...]:
    mark = "".join(f" [{marks[warning]}]" for warning in finding.warnings)
    limit = "" if same else f" of {words.plain_percent(finding.tolerance_used)}"
    trials = words.trials(finding).replace(" ", "")
    loss = f"{percent(finding.loss)}{limit}"
    return name_of(finding), words.sides(finding), loss, f"n {trials}{mark}"


_DECIDED = frozenset({Verdict.PASSED, Verdict.IMPROVED, Verdict.REGRESSED})


def render_comparison(report: Report, *, width: int, colour: bool, save: str) -> str:
    """The verdict, two lines a metric, the promise, and the next command; `save` names a file."""
    page = TextPage(width, colour=colour)
    for finding in report.findings:
        _compared(page, finding)
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


def _compared(page: TextPage, finding: Finding) -> None:
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
