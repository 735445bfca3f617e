"""Findings as rows of a Markdown table, as many as a budget of bytes allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Role, Verdict
from gate.report.markdown.escaping import md, md_code
from gate.report.wording import words
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Finding

HEAD = (
    "| Verdict | Benchmark | Metric | Base → head, or why not | Loss (interval) | Tolerance |",
    "|---|---|---|---|--:|--:|",
)
_LONGEST_REASON = 160
_WITHOUT_NUMBERS = frozenset(
    {Verdict.BROKEN, Verdict.MISSING, Verdict.INCOMPARABLE, Verdict.NEW},
)
"""Verdicts whose reason says more than their numbers."""


def bytes_of(lines: Sequence[str]) -> int:
    """Bytes of the lines as UTF-8, line ends included."""
    return sum(len(line.encode()) + 1 for line in lines)


def within(lines: Sequence[str], room: int, most: int) -> list[str]:
    """As many items of a list as fit, at most `most`, and a last one that counts the others."""
    kept: list[str] = []
    for line in lines[:most]:
        room -= bytes_of([line])
        if room < 0:
            break
        kept.append(line)
    left = len(lines) - len(kept)
    return [*kept, f"- and {left} more in the report"] if left else kept


def table(findings: Sequence[Finding], room: int) -> tuple[list[str], int]:
    """The table in at most `room` bytes, and how many findings it holds; none where none fits."""
    lines = list(HEAD)
    room -= bytes_of(lines)
    held = 0
    for finding in findings:
        line = table_row(finding)
        room -= bytes_of([line])
        if room < 0:
            break
        lines.append(line)
        held += 1
    return (lines, held) if held else ([], 0)


def table_row(finding: Finding) -> str:
    """One finding; the same words and numbers as on the page."""
    says_why = _says_why(finding)
    cells = (
        f"{words.SYMBOL[finding.verdict]} {words.verdict(finding)}",
        md_code(finding.benchmark),
        md_code(finding.metric),
        md(finding.headline, _LONGEST_REASON) if says_why else _together(words.sides(finding)),
        _loss(finding),
        md(words.tolerance(finding)),
    )
    return f"| {' | '.join(cells)} |"


def _says_why(finding: Finding) -> bool:
    absent = finding.base_value is None and finding.head_value is None
    return absent or finding.verdict in _WITHOUT_NUMBERS


def _together(numbers: str) -> str:
    """Numbers and their unit on one line of the cell."""
    return md(numbers).replace(" ", "\u00a0")


def _loss(finding: Finding) -> str:
    """`**+11.1 %** (+9.8 % … +12.4 %)`; bold where it closes the gate."""
    loss, ends = percent(finding.loss), words.interval(finding)
    if loss == "?":
        return "none"
    closes = finding.role is Role.GATE and not finding.verdict.opens
    shown = f"**{md(loss)}**" if closes else md(loss)
    return f"{shown} ({_together(ends)})" if ends else shown
