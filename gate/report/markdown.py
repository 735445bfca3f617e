"""The report in Markdown: the comment of a pull request and the summary of a job.

Both say the same in the same order, worst first, and differ in how much room they have. What does
not fit is counted, never dropped in silence. Every string goes through `md` or `md_code`, which
clean it, so only what is shown has to be cleaned.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.model import Verdict
from gate.report import words
from gate.report.markdown_parts import assurance, edits, folded, opening, title
from gate.report.markdown_table import bytes_of, reasons, table, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Finding, Report
    from gate.report.links import Links

_FOR_TAGS = 400
"""Bytes kept for the tags of the folds and the lines that count what is left out."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """How much room a rendering has."""

    most: int
    """Bytes of the whole."""
    rows: int
    """Findings in sight; the others are folded."""
    items: int
    """Findings that are told in sentences; also most notes."""


_COMMENT = _Shape(most=59_000, rows=10, items=20)
"""GitHub takes 65,536 characters of a comment and 65,535 bytes of a check's summary."""
_SUMMARY = _Shape(most=890_000, rows=50, items=100)
"""GitHub takes 1 MiB from a step."""


def marker(name: str = "gate") -> str:
    """The hidden first line by which a comment is found again."""
    return f"<!-- driftgate:{re.sub(r'[^A-Za-z0-9._]+', '-', name)[:60] or 'gate'} -->"


def render_comment(report: Report, links: Links, *, name: str = "gate") -> str:
    """The comment, its marker first, in fewer than 60,000 bytes."""
    return f"{marker(name)}\n{_render(report, links, _COMMENT)}"


def render_summary(report: Report, links: Links) -> str:
    """The job summary, in at most 900,000 bytes of UTF-8."""
    return _render(report, links, _SUMMARY)


def _render(report: Report, links: Links, shape: _Shape) -> str:
    notable = _notable(report)
    above = [title(report), "", *opening(report, links)]
    room = shape.most - bytes_of(above) - _FOR_TAGS
    above += edits(report, room // 10)
    shown, held = table(notable[: shape.rows], room // 2)
    if shown:
        above += ["", *shown]
    sure = "How sure this is, the host, notes" if words.promises(report) else "Notes"
    below = folded(sure, within(assurance(report), room // 8, shape.items))
    why = within(reasons(notable[: shape.items]), room // 6, shape.items)
    told = folded("Why, and what to do about each", why)
    room = shape.most - bytes_of([*above, *told, *below]) - _FOR_TAGS
    others = _others(report.findings, notable[:held], room)
    return "\n".join([*above, *told, *others, *below]) + "\n"


def _notable(report: Report) -> list[Finding]:
    """What closed the gate; where it is open, what did not simply pass."""
    if report.gate != "open":
        return words.closing(report)
    return [finding for finding in report.findings if finding.verdict is not Verdict.PASSED]


def _others(findings: Sequence[Finding], shown: Sequence[Finding], room: int) -> list[str]:
    """All findings that are not in sight, worst first, until the room is used up."""
    seen = {id(finding) for finding in shown}
    rest = [finding for finding in findings if id(finding) not in seen]
    lines, held = table(rest, room)
    more = len(rest) - held
    counted = [f"and {more} more in the report"] if more else []
    if not lines:
        return ["", *counted] if counted else []
    kind = "All findings" if not shown else "All other findings"
    return folded(f"{kind} ({len(rest)})", [*lines, *(["", *counted] if counted else [])])
