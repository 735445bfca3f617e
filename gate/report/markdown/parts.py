"""The parts of a report in Markdown above its table: verdict, host, how sure, edited rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.report.markdown.escaping import md, md_code, sentence
from gate.report.markdown.table import within
from gate.report.wording import calibration_record, diagnosis, words
from gate.report.wording.links import anchor, commit_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.model import Report
    from gate.report.wording.links import Links

MOST_EDITS = 10
_MOST_SUBJECTS = 3


def title(report: Report) -> str:
    """`### ✗ Gate closed: 2 regressed, 39 passed`."""
    sentence = words.verdict_sentence(report)
    return f"### {words.gate_symbol(report)} {sentence[:1].upper()}{md(sentence[1:])}"


def section_heading(text: str) -> list[str]:
    """The title of a section, our own, with an empty line before and after it."""
    return ["", f"#### {text}", ""]


def markdown_opening(report: Report, links: Links) -> list[str]:
    """What a reader needs first: why, where, how sure, on what, where to read on."""
    lines: list[str] = []
    if words.is_error_report(report):
        lines += [f"**Why.** {sentence(words.lead(report), 600)}", ""]
    if calibration_record.unfit(report.calibration):
        lines += [f"**Warning.** {md(calibration_record.unfit(report.calibration), 400)}.", ""]
    measured = list(_measured(report, links))
    if measured:
        said = f"{'; '.join(measured)}."
        lines += [said[0].upper() + said[1:], ""]
    sure = _assurance(report)
    if sure:
        lines += [" ".join(sure), ""]
    for told in diagnosis.lines(report):
        lines += [f"**Touched.** {sentence(told, 600)}", ""]
    return [*lines, _onwards(links)]


def _assurance(report: Report) -> list[str]:
    """Sentences on how many metrics were judged, what is promised, and how often it held."""
    if not words.promises(report):
        return []
    told = [sentence(words.count_judged(report), 300)]
    told += [f"Promise: {sentence(words.promise(report), 300)}"]
    if report.host is not None:
        told += [f"Record: {sentence(calibration_record.line(report.calibration), 400)}"]
    if calibration_record.details(report.calibration):
        told += [sentence(calibration_record.details(report.calibration), 400)]
    return told


def _measured(report: Report, links: Links) -> Iterator[str]:
    """The machine, the sides, the commit; `Host class x; base a; head b; commit c`."""
    if report.host is not None:
        yield f"host class {md_code(report.host.host_class or 'unknown')}"
    for side in ("base", "head"):
        named = {text: None for key, text in report.subjects.items() if key.endswith(f" {side}")}
        if named:
            shown = ", ".join(md_code(text) for text in list(named)[:_MOST_SUBJECTS])
            more = len(named) - _MOST_SUBJECTS
            yield f"{side} {shown}" + (f" and {more} more" if more > 0 else "")
    if commit_of(links):
        yield f"commit {commit_of(links)}"


def _onwards(links: Links) -> str:
    """The link to the page, or where to look for it."""
    page, run = anchor("Open the report", links.report), anchor("the run", links.run)
    if page:
        return f"**{page}**" + (f" ({run})" if run else "")
    return f"The whole report is an HTML page among the artifacts of {run or 'the run'}."


def edits(report: Report, room: int) -> list[str]:
    """What this change would change about judging, always in sight."""
    if not report.edits:
        return []
    items = [
        f"- {words.effect(edit)}{f', {md_code(edit.profile)}' if edit.profile else ''}: "
        f"{md(edit.headline, 300)} ({md_code(edit.code, 8)})"
        for edit in report.edits
    ]
    return ["", f"**{words.EDITED}:**", "", *within(items, room, MOST_EDITS)]


def folded_lines(summary: str, lines: Sequence[str]) -> list[str]:
    """Lines that open on a click; `summary` is our own."""
    if not lines:
        return []
    return ["", "<details>", f"<summary>{summary}</summary>", "", *lines, "", "</details>"]
