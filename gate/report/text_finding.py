"""One finding in a terminal, with everything that is known beside its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Role, Verdict
from gate.report import words
from gate.report.cells import fit, width_of, wrap
from gate.report.clean import shorten
from gate.report.text_opening import LONGEST_NAME
from gate.report.text_page import BOLD, CYAN, DIM, GREEN, RED, YELLOW
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Finding
    from gate.report.beside import Line
    from gate.report.text_page import Page

_COLOUR = {
    Verdict.PASSED: GREEN,
    Verdict.IMPROVED: CYAN,
    Verdict.WAIVED: CYAN,
    Verdict.REGRESSED: RED,
}


def block(page: Page, finding: Finding, beside: Sequence[Line], advised: str) -> None:
    """Everything about one finding that did not simply pass: numbers, why, who paid, advice.

    `advised` is the advice of the finding before it, which is not said twice.
    """
    page.blank()
    _title(page, finding)
    if finding.base_value is not None or finding.head_value is not None:
        page.add(numbers(finding), "  ", "  ", BOLD)
    page.add(finding.headline, "  ", "  ")
    for warning in finding.warnings:
        page.labelled("warning", warning, YELLOW)
    for line in beside:
        page.labelled(line.label, line.text)
    page.add(", ".join(_facts(finding)), "  ", "  ", DIM)
    if finding.advice not in ("", advised):
        page.labelled("advice", finding.advice)


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


def _title(page: Page, finding: Finding) -> None:
    """`✗ regressed  benchmark metric` with the code at the right edge."""
    mark = f"{words.SYMBOL[finding.verdict]} {words.verdict(finding)}"
    code = shorten(finding.code, 8)
    lines = wrap(plain_name(finding), page.width - width_of(code) - 2, f"{mark}  ", "    ")
    lines[0] = fit(lines[0], page.width - width_of(code)) + code
    colour = DIM if finding.role is Role.WATCH else _COLOUR.get(finding.verdict, YELLOW)
    painted = page.paint(mark, colour)
    lines[0] = painted + lines[0][len(mark) :]
    page.lines += lines


def _facts(finding: Finding) -> list[str]:
    facts = [f"n {words.trials(finding)} trials"]
    if words.sessions(finding):
        facts.append(words.sessions(finding))
    facts.append(words.method(finding))
    if words.confidence(finding):
        facts.append(f"{words.confidence(finding)} interval")
    if finding.minimum_detectable_loss is not None:
        smallest = percent(finding.minimum_detectable_loss, signed=False)
        facts.append(f"minimum detectable loss {smallest}")
    return facts
