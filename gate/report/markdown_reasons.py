"""Of each finding in sight what the table has no room for: why, who paid, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Role
from gate.report.beside import beside
from gate.report.commands import commands_for
from gate.report.markdown_text import md_code, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Finding, Report
    from gate.report.commands import Command

_MOST_WARNINGS = 3
_LONGEST_COMMAND = 1500


def reasons(report: Report, findings: Sequence[Finding]) -> list[str]:
    """For each finding an item with items in it, in the order of the other renderings."""
    told: list[str] = []
    advised = ""
    for finding, lines in zip(findings, beside(report, findings), strict=True):
        parts = [f"Warning: {sentence(text, 300)}" for text in finding.warnings[:_MOST_WARNINGS]]
        parts += [_labelled(line.label, line.text) for line in lines]
        if finding.advice not in ("", advised):
            parts.append(f"Advice: {sentence(finding.advice, 400)}")
        advised = finding.advice
        parts += [_command(one) for one in commands_for(finding, report)]
        told.append("\n  - ".join([_first(finding), *parts]))
    return told


def _first(finding: Finding) -> str:
    watch = " (watched)" if finding.role is Role.WATCH else ""
    name = f"{md_code(finding.benchmark)} {md_code(finding.metric)}{watch}"
    return f"- {name}, {md_code(finding.code, 8)}: {sentence(finding.headline, 300)}"


def _labelled(label: str, text: str) -> str:
    """`Who paid: ...`; without a label the text begins in upper case. Labels are our own."""
    if not label:
        return sentence(text[:1].upper() + text[1:], 500)
    return f"{label[:1].upper()}{label[1:]}: {sentence(text, 500)}"


def _command(one: Command) -> str:
    """`Measure it longer: what to know of it. The line`; either may be empty."""
    line = f" {md_code(one.line, _LONGEST_COMMAND)}" if one.line else ""
    why = f" {sentence(one.why, 300)}" if one.why else ""
    return f"{one.label[:1].upper()}{one.label[1:]}:{why}{line}"
