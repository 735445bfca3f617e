"""The parts of a Markdown report around its table.

Above it: verdict, host, how sure, edited rules. Below it: why, what to do, what differed, the host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Role, Verdict
from gate.report.markdown.escaping import md, md_code, sentence
from gate.report.markdown.table import within
from gate.report.wording import around, calibration_record, diagnosis, words
from gate.report.wording.advice import next_steps, without_steps
from gate.report.wording.commands import commands_for
from gate.report.wording.finding_context import beside
from gate.report.wording.links import anchor, commit_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from gate.model import Finding, Report
    from gate.report.wording.commands import ShellLine
    from gate.report.wording.links import Links

_MOST_EDITS = 10
_MOST_SUBJECTS = 3
_ANSWER = "Whoever may write here accepts it by the comment `/driftgate accept REASON`."
_LONGEST_COMMAND = 1500
_MOST_STEPS = 9
_MOST_LINES = 20
"""Of an edited text; only lines that were added or removed."""


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
    measured = list(_sides_and_host(report, links))
    if measured:
        said = f"{'; '.join(measured)}."
        lines += [said[0].upper() + said[1:], ""]
    sure = _assurance(report)
    if sure:
        lines += [" ".join(sure), ""]
    for line in diagnosis.lines(report):
        lines += [f"**Patch coverage.** {sentence(line, 600)}", ""]
    return [*lines, _onwards(links)]


def _assurance(report: Report) -> list[str]:
    """Sentences on how many metrics were judged, what is promised, and how often it held."""
    if not words.promises(report):
        return []
    lines = [sentence(words.count_judged(report), 300)]
    lines += [f"Promise: {sentence(words.promise(report), 300)}"]
    if report.host is not None:
        lines += [f"Record: {sentence(calibration_record.line(report.calibration), 400)}"]
    if calibration_record.details(report.calibration):
        lines += [sentence(calibration_record.details(report.calibration), 400)]
    return lines


def _sides_and_host(report: Report, links: Links) -> Iterator[str]:
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
    return ["", f"**{words.EDITED}:**", "", *within(items, room, _MOST_EDITS)]


def folded_lines(summary: str, lines: Sequence[str]) -> list[str]:
    """Lines that open on a click; `summary` is our own."""
    if not lines:
        return []
    return ["", "<details>", f"<summary>{summary}</summary>", "", *lines, "", "</details>"]


def what_to_do(report: Report, links: Links, above: Collection[str], room: int) -> list[str]:
    """A step for each verdict that needs one, worst first, without commands that stand `above`."""
    steps = [] if words.is_error_report(report) else next_steps(report)
    items = []
    for step in steps:
        lines = [line for line in step.commands if line not in above]
        commands = ", ".join(md_code(line, _LONGEST_COMMAND) for line in lines)
        items.append(f"- **{step.verdict.value}**: {md(step.text, 400)} {commands}".rstrip())
    made = [*section_heading(words.NEXT), *within(items, room, _MOST_STEPS)]
    if not items:
        made.append(md(without_steps(report), 400))
    if links.answerable and report.verdict == Verdict.REGRESSED.value:
        made += ["", _ANSWER]
    return made


def differences(report: Report, most: int) -> tuple[str, list[str]]:
    """How many things differed, as ` (3)`, and the items that name them; both empty if unknown."""
    found = [around.difference(one, report.profiles) for one in report.differences]
    alike, aside = around.alike(report), around.aside_summary(report)
    items = _most([f"- {sentence(text, 400)}" for text in found], most)
    if alike:
        items += [] if found else [f"- {words.NOTHING_DIFFERED}"]
        items.append(f"- {sentence(alike, 400)}")
    for change in report.changes[:most]:
        edited = [md_code(line, 200) for line in change.lines if line[:1] in ("+", "-")]
        items.append(_nested(around.change(change), edited, _MOST_LINES))
    for one in report.touched:
        functions = [sentence(diagnosis.function(function), 300) for function in one.functions]
        if functions:
            title = diagnosis.title(report, one)
            items.append(_nested(title, functions, most, of=one.count))
    if aside:
        trials = [sentence(around.set_aside(one), 400) for one in report.aside]
        items.append(_nested(aside, trials, most))
    return (f" ({len(found)})" if items else ""), items


def _nested(title: str, items: Sequence[str], most: int, of: int = 0) -> str:
    """An item with a list in it: the first of its items, and how many more there are."""
    more = max(of, len(items)) - len(items[:most])
    counted = [f"and {more} more"] if more > 0 else []
    return "\n  - ".join([f"- {sentence(title, 300)}", *items[:most], *counted])


def _most(items: list[str], most: int) -> list[str]:
    more = len(items) - most
    return [*items[:most], f"- and {more} more in the report"] if more > 0 else items


def host(report: Report) -> list[str]:
    """The machine, the tools, how it was while it measured, and notes, as the items of a list."""
    lines: list[str] = []
    if report.host is not None:
        lines += [f"Class: {md_code(report.host.host_class or 'unknown')}"]
        lines += [
            f"{name.capitalize()}: {sentence(facts, 1200)}"
            for name, facts in words.facts(report.host)
        ]
    lines += [f"Tools: {sentence(words.tools(report) or 'unknown', 400)}"]
    lines += [f"Condition: {sentence(text, 400)}" for text in report.conditions]
    lead = words.lead(report)
    lines += [f"Note: {sentence(text, 400)}" for text in report.notes if text != lead]
    lines += [f"Written: {md(report.created)}."]
    return [f"- {line}" for line in lines]


_MOST_WARNINGS = 3


def reasons(report: Report, findings: Sequence[Finding]) -> list[str]:
    """For each finding an item with items in it, in the order of the other renderings."""
    items: list[str] = []
    advised = ""
    for finding, lines in zip(findings, beside(report, findings), strict=True):
        parts = [f"Warning: {sentence(text, 300)}" for text in finding.warnings[:_MOST_WARNINGS]]
        parts += [_with_label(line.label, line.text) for line in lines]
        if finding.advice not in ("", advised):
            parts.append(f"Advice: {sentence(finding.advice, 400)}")
        advised = finding.advice
        parts += [_command(one) for one in commands_for(finding, report)]
        items.append("\n  - ".join([_first(finding), *parts]))
    return items


def _first(finding: Finding) -> str:
    watch = " (watched)" if finding.role is Role.WATCH else ""
    name = f"{md_code(finding.benchmark)} {md_code(finding.metric)}{watch}"
    return f"- {name}, {md_code(finding.code, 8)}: {sentence(finding.headline, 300)}"


def _with_label(label: str, text: str) -> str:
    """`Who paid: ...`; without a label the text begins in upper case. Labels are our own."""
    if not label:
        return sentence(text[:1].upper() + text[1:], 500)
    return f"{label[:1].upper()}{label[1:]}: {sentence(text, 500)}"


def _command(one: ShellLine) -> str:
    """`Measure it longer: what to know of it. The line`; either may be empty."""
    line = f" {md_code(one.line, _LONGEST_COMMAND)}" if one.line else ""
    why = f" {sentence(one.why, 300)}" if one.why else ""
    return f"{one.label[:1].upper()}{one.label[1:]}:{why}{line}"
