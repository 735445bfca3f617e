"""The report in Markdown: the comment of a pull request and the summary of a job.

Both say the same in the same order as the page, worst first, and differ in how much room they have.
What does not fit is counted, never dropped in silence. Every string goes through `md` or `md_code`,
which clean it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gate.report.markdown.sections import (
    bytes_of,
    differences,
    edits,
    folded_lines,
    host,
    markdown_opening,
    reasons,
    section_heading,
    table,
    title,
    what_to_do,
    within,
)
from gate.report.wording import words
from gate.report.wording.commands import commands_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Finding, Report
    from gate.report.wording.links import Links

_FOR_TAGS = 400
"""Bytes kept for the tags of the folds and the lines that count what is left out."""


_COMMENT = {"most": 59_000, "rows": 10, "items": 20}
"""GitHub takes 65,536 characters of a comment and 65,535 bytes of a check's summary."""
_SUMMARY = {"most": 890_000, "rows": 50, "items": 100}
"""GitHub takes 1 MiB from a step."""


def marker(name: str = "gate") -> str:
    """The hidden first line by which a comment is found again."""
    return f"<!-- driftgate:{re.sub(r'[^A-Za-z0-9._]+', '-', name)[:60] or 'gate'} -->"


def render_comment(report: Report, links: Links, *, name: str = "gate") -> str:
    """The comment, its marker first, in fewer than 60,000 bytes."""
    return f"{marker(name)}\n{_render(report, links, **_COMMENT)}"


def render_summary(report: Report, links: Links) -> str:
    """The job summary, in at most 900,000 bytes of UTF-8."""
    return _render(report, links, **_SUMMARY)


def _render(report: Report, links: Links, *, most: int, rows: int, items: int) -> str:
    """In at most so many bytes, with so many findings in sight, and so many explained."""
    notable = words.notable(report)
    above = [title(report), "", *markdown_opening(report, links)]
    room = most - bytes_of(above) - _FOR_TAGS
    above += edits(report, room // 10)
    shown, held = table(notable[:rows], room // 2)
    if shown:
        above += [*section_heading(words.worst(report)), *shown]
    explained = notable[:items]
    why = within(reasons(report, explained), room // 4, items)
    above += folded_lines("Why, who paid, and the commands to look closer", why)
    lines = {one.line for finding in explained[: len(why)] for one in commands_for(finding, report)}
    above += what_to_do(report, links, lines, room // 10)
    count, differed = differences(report, items)
    above += folded_lines(f"{words.DIFFERED}{count}", within(differed, room // 8, len(differed)))
    below = folded_lines(words.HOST, within(host(report), room // 8, items))
    room = most - bytes_of([*above, *below]) - _FOR_TAGS
    return "\n".join([*above, *_rest(report.findings, notable[:held], room), *below]) + "\n"


def _rest(findings: Sequence[Finding], shown: Sequence[Finding], room: int) -> list[str]:
    """All findings that are not in sight, worst first, until the room is used up."""
    rest = words.without(findings, shown)
    lines, held = table(rest, room)
    more = len(rest) - held
    counted = ["", f"and {more} more in the report"] if more else []
    return folded_lines(f"{words.REST} ({len(rest)})", [*lines, *counted]) if lines else counted
