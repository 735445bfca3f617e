"""The parts of a Markdown report.

Its table, as many findings as a budget of bytes allows. Above it: verdict, host, how sure, edited
rules. Below it: why, what to do, what differed, the host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Role, Verdict
from gate.report.markdown.escaping import md, md_code, sentence
from gate.report.wording import around, calibration_record, diagnosis, words
from gate.report.wording.advice import next_steps, without_steps
from gate.report.wording.commands import commands_for
from gate.report.wording.finding_context import beside
from gate.report.wording.links import anchor, commit_of
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from gate.model import Finding, Report
    from gate.report.wording.commands import ShellLine
    from gate.report.wording.links import Links

_HEAD = (
    "| Verdict | Benchmark | Metric | Base → head, or why not | Loss (interval) | Tolerance |",
    "|---|---|---|---|--:|--:|",
)
_LONGEST_REASON = 160
_WITHOUT_NUMBERS = frozenset(
    {Verdict.BROKEN, Verdict.MISSING, Verdict.INCOMPARABLE, Verdict.NEW},
)
"""Verdicts whose reason says more than their numbers."""
_MOST_EDITS = 10
_ANSWER = "Whoever may write here accepts it by the comment `/driftgate accept {}REASON`."
_LONGEST_COMMAND = 1500
_MOST_STEPS = 9
_MOST_LINES = 20
"""Of an edited text; only lines that were added or removed."""
_MOST_WARNINGS = 3


def bytes_of(lines: Sequence[str]) -> int:
    """Bytes of the lines as UTF-8, line ends included."""
    return sum(len(line.encode()) + 1 for line in lines)


def _fitting(lines: Iterable[str], room: int) -> list[str]:
    found: list[str] = []
    for line in lines:
        room -= bytes_of([line])
        if room < 0:
            break
        found.append(line)
    return found


def within(lines: Sequence[str], room: int, most: int) -> list[str]:
    """As many items of a list as fit, at most `most`, and a last one that counts the others."""
    first = _fitting(lines[:most], room)
    left = len(lines) - len(first)
    return [*first, f"- and {left} more in the report"] if left else first


def table(findings: Sequence[Finding], room: int) -> tuple[list[str], int]:
    """The table in at most `room` bytes, and how many findings it holds; none where none fits."""
    rows = _fitting(map(_row, findings), room - bytes_of(_HEAD))
    return ([*_HEAD, *rows], len(rows)) if rows else ([], 0)


def _row(finding: Finding) -> str:
    absent = finding.base_value is None and finding.head_value is None
    says_why = absent or finding.verdict in _WITHOUT_NUMBERS
    cells = (
        f"{words.SYMBOL[finding.verdict]} {words.verdict(finding)}",
        md_code(finding.benchmark),
        md_code(finding.metric),
        md(finding.headline, _LONGEST_REASON) if says_why else _together(words.sides(finding)),
        _loss(finding),
        md(words.tolerance(finding)),
    )
    return f"| {' | '.join(cells)} |"


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
    if unfit := calibration_record.unfit(report.calibration):
        lines += [f"**Warning.** {md(unfit, 400)}.", ""]
    if measured := "; ".join(_sides_and_host(report, links)):
        lines += [f"{_upper(measured)}.", ""]
    if sure := " ".join(_assurance(report)):
        lines += [sure, ""]
    for line in diagnosis.lines(report):
        lines += [f"**Patch coverage.** {sentence(line, 600)}", ""]
    return [*lines, _onwards(links)]


def _assurance(report: Report) -> list[str]:
    if not words.promises(report):
        return []
    details = calibration_record.details(report.calibration)
    record = calibration_record.line(report.calibration)
    return [
        sentence(words.count_judged(report), 300),
        f"Promise: {sentence(words.promise(report), 300)}",
        *([f"Record: {sentence(record, 400)}"] if report.host else []),
        *([sentence(details, 400)] if details else []),
    ]


def _sides_and_host(report: Report, links: Links) -> Iterator[str]:
    if report.host is not None:
        yield f"host class {md_code(words.host_class(report))}"
    for side, texts, more in words.subjects(report):
        shown = ", ".join(md_code(text) for text in texts)
        yield f"{side} {shown}" + (f" and {more} more" if more else "")
    if commit_of(links):
        yield f"commit {commit_of(links)}"


def _onwards(links: Links) -> str:
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
        made += ["", _ANSWER.format(f"{links.commit[:12]} " if commit_of(links) else "")]
    return made


def differences(report: Report, most: int) -> tuple[str, list[str]]:
    """How many things differed, as ` (3)`, and the items that name them; both empty if unknown."""
    found = [around.difference(one, report.profiles) for one in report.differences]
    items = [f"- {sentence(text, 400)}" for text in found[:most]]
    if len(found) > most:
        items.append(f"- and {len(found) - most} more in the report")
    if alike := around.alike(report):
        items += [] if found else [f"- {words.NOTHING_DIFFERED}"]
        items.append(f"- {sentence(alike, 400)}")
    for change in report.changes[:most]:
        edited = [md_code(line, 200) for line in change.lines if line[:1] in ("+", "-")]
        items.append(_nested(around.change(change), edited, _MOST_LINES))
    for one in report.touched:
        functions = [sentence(diagnosis.function(function), 300) for function in one.functions]
        if functions:
            items.append(_nested(diagnosis.title(report, one), functions, most, of=one.count))
    if report.aside:
        trials = [sentence(around.set_aside(one), 400) for one in report.aside]
        items.append(_nested(around.aside_summary(report), trials, most))
    return (f" ({len(found)})" if items else ""), items


def _nested(title: str, items: Sequence[str], most: int, of: int = 0) -> str:
    more = max(of, len(items)) - len(items[:most])
    counted = [f"and {more} more"] if more > 0 else []
    return "\n  - ".join([f"- {sentence(title, 300)}", *items[:most], *counted])


def host(report: Report) -> list[str]:
    """The machine, the tools, how it was while it measured, and notes, as the items of a list."""
    lines = [
        f"{name.capitalize()}: {md_code(text) if name == 'class' else sentence(text, 1200)}"
        for name, text in words.machine(report)
    ]
    lines += [
        f"{name.capitalize()}: {sentence(text, 400)}" for name, text in words.circumstances(report)
    ]
    return [f"- {line}" for line in lines]


def reasons(report: Report, findings: Sequence[Finding]) -> list[str]:
    """For each finding an item with items in it, in the order of the other renderings."""
    items: list[str] = []
    advised = ""
    for finding, lines in zip(findings, beside(report, findings), strict=True):
        parts = [f"Warning: {sentence(text, 300)}" for text in finding.warnings[:_MOST_WARNINGS]]
        parts += [
            f"{_upper(line.label)}: {sentence(line.text, 500)}"
            if line.label
            else sentence(_upper(line.text), 500)
            for line in lines
        ]
        if finding.advice not in ("", advised):
            parts.append(f"Advice: {sentence(finding.advice, 400)}")
        advised = finding.advice
        parts += [_command(one) for one in commands_for(finding, report)]
        watch = " (watched)" if finding.role is Role.WATCH else ""
        name = f"{md_code(finding.benchmark)} {md_code(finding.metric)}{watch}"
        headline = sentence(finding.headline, 300)
        items.append("\n  - ".join([f"- {name}, {md_code(finding.code, 8)}: {headline}", *parts]))
    return items


def _command(one: ShellLine) -> str:
    line = f" {md_code(one.line, _LONGEST_COMMAND)}" if one.line else ""
    why = f" {sentence(one.why, 300)}" if one.why else ""
    return f"{_upper(one.label)}:{why}{line}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
