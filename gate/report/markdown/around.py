"""The parts of a report in Markdown below its table: what to do, what differed, the host.

Of each finding in sight what the table has no room for: why, who paid, what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Role, Verdict
from gate.report.markdown.escaping import md, md_code, sentence
from gate.report.markdown.parts import section_heading
from gate.report.markdown.table import within
from gate.report.wording import around, diagnosis, words
from gate.report.wording.advice import next_steps, without_steps
from gate.report.wording.commands import commands_for
from gate.report.wording.finding_context import beside

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gate.model import Finding, Report, Touched
    from gate.report.wording.commands import ShellLine
    from gate.report.wording.links import Links


_ANSWER = "Whoever may write here accepts it by the comment `/driftgate accept REASON`."
_LONGEST_COMMAND = 1500
_MOST_STEPS = 9
_MOST_LINES = 20
"""Of an edited text; only lines that were added or taken away."""


def what_to_do(report: Report, links: Links, told: Collection[str], room: int) -> list[str]:
    """A step for each verdict that wants one, worst first, with commands not `told` already."""
    steps = [] if words.is_error_report(report) else next_steps(report)
    items = []
    for step in steps:
        lines = [line for line in step.commands if line not in told]
        commands = ", ".join(md_code(line, _LONGEST_COMMAND) for line in lines)
        items.append(f"- **{step.verdict.value}**: {md(step.text, 400)} {commands}".rstrip())
    made = [*section_heading(words.NEXT), *within(items, room, _MOST_STEPS)]
    if not items:
        made.append(md(without_steps(report), 400))
    if links.answerable and report.verdict == Verdict.REGRESSED.value:
        made += ["", _ANSWER]
    return made


def differences(report: Report, most: int) -> tuple[str, list[str]]:
    """How many things differed, as ` (3)`, and the items that tell them; both empty if unknown."""
    found = [around.difference(one, report.profiles) for one in report.differences]
    alike, aside = around.alike(report), around.aside_summary(report)
    items = _most([f"- {sentence(text, 400)}" for text in found], most)
    if alike:
        items += [] if found else [f"- {words.NOTHING_DIFFERED}"]
        items.append(f"- {sentence(alike, 400)}")
    for change in report.changes[:most]:
        edited = [line for line in change.lines if line[:1] in ("+", "-")]
        shown = [md_code(line, 200) for line in edited[:_MOST_LINES]]
        more = [f"and {len(edited) - _MOST_LINES} more"] if len(edited) > _MOST_LINES else []
        told = sentence(around.change(change), 300)
        items.append("\n  - ".join([f"- {told}", *shown, *more]))
    items += [item for told in report.touched for item in _functions(report, told, most)]
    if aside:
        trials = [sentence(around.set_aside(one), 400) for one in report.aside[:most]]
        more = [f"and {len(report.aside) - most} more"] if len(report.aside) > most else []
        items.append("\n  - ".join([f"- {sentence(aside, 300)}", *trials, *more]))
    return (f" ({len(found)})" if items else ""), items


def _functions(report: Report, told: Touched, most: int) -> list[str]:
    """The functions that differ in a profile's kernel, as one item; none where none does."""
    if not told.functions:
        return []
    shown = [sentence(diagnosis.function(one), 300) for one in told.functions[:most]]
    left = diagnosis.rest(told, len(shown))
    more = [f"and {left} more"] if left else []
    return ["\n  - ".join([f"- {sentence(diagnosis.title(report, told), 200)}", *shown, *more])]


def _most(items: list[str], most: int) -> list[str]:
    more = len(items) - most
    return [*items[:most], f"- and {more} more in the report"] if more > 0 else items


def host(report: Report) -> list[str]:
    """The machine, the tools, how it was while it measured, and notes, as the items of a list."""
    lines: list[str] = []
    if report.host is not None:
        lines += [f"Class: {md_code(report.host.host_class or 'unknown')}"]
        lines += [
            f"{name.capitalize()}: {sentence(told, 1200)}"
            for name, told in words.facts(report.host)
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


def _command(one: ShellLine) -> str:
    """`Measure it longer: what to know of it. The line`; either may be empty."""
    line = f" {md_code(one.line, _LONGEST_COMMAND)}" if one.line else ""
    why = f" {sentence(one.why, 300)}" if one.why else ""
    return f"{one.label[:1].upper()}{one.label[1:]}:{why}{line}"
