"""Findings as rows of a Markdown table, as many as a budget of bytes allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Role, Verdict
from gate.report import words
from gate.report.markdown_text import md, md_code, sentence
from gate.report.rows import row

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
"""Verdicts whose reason tells more than their numbers."""


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
    shown = row(0, finding, plot=False)
    watch = " (watch)" if shown.watch else ""
    numbers = (
        md(finding.headline, _LONGEST_REASON) if _says_why(finding) else _together(shown.sides)
    )
    cells = (
        f"{words.SYMBOL[finding.verdict]} {shown.verdict}",
        md_code(finding.benchmark),
        f"{md_code(finding.metric)}{watch}",
        numbers,
        _loss(shown.loss, shown.interval, bold=not finding.verdict.opens),
        md(shown.tolerance),
    )
    return f"| {' | '.join(cells)} |"


def _says_why(finding: Finding) -> bool:
    absent = finding.base_value is None and finding.head_value is None
    return absent or finding.verdict in _WITHOUT_NUMBERS


def _together(numbers: str) -> str:
    """Numbers and their unit on one line of the cell."""
    return md(numbers).replace(" ", "\u00a0")


def _loss(loss: str, interval: str, *, bold: bool) -> str:
    if loss == "?":
        return "none"
    told = f"**{md(loss)}**" if bold else md(loss)
    return f"{told} ({_together(interval)})" if interval else told


def reasons(findings: Sequence[Finding]) -> list[str]:
    """For each finding what happened, what qualifies it and what to do, as a list."""
    lines: list[str] = []
    told = ""
    for finding in findings:
        parts = [sentence(finding.headline, 300)]
        if finding.paid:
            parts.append(f"Who paid: {md(words.payers(finding), 300)}.")
        parts += [f"Warning: {sentence(warning, 300)}" for warning in finding.warnings[:3]]
        if finding.advice not in ("", told):
            parts.append(f"Advice: {sentence(finding.advice, 400)}")
        told = finding.advice
        watch = " (watch)" if finding.role is Role.WATCH else ""
        name = f"{md_code(finding.benchmark)} {md_code(finding.metric)}{watch}"
        lines.append(f"- {name}, {md_code(finding.code, 8)}: {' '.join(parts)}")
    return lines
