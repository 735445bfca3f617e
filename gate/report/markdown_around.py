"""The parts of a report in Markdown below its table: what to do, what differed, the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Verdict
from gate.report import words, words_around, words_touch
from gate.report.advice import next_steps, without_steps
from gate.report.markdown_parts import heading
from gate.report.markdown_table import within
from gate.report.markdown_text import md, md_code, sentence

if TYPE_CHECKING:
    from collections.abc import Collection

    from gate.model import Report, Touched
    from gate.report.links import Links

_ANSWER = "Whoever may write here accepts it by the comment `/driftgate accept REASON`."
_LONGEST_COMMAND = 1500
_MOST_STEPS = 9
_MOST_LINES = 20
"""Of an edited text; only lines that were added or taken away."""


def what_to_do(report: Report, links: Links, told: Collection[str], room: int) -> list[str]:
    """A step for each verdict that wants one, worst first, with commands not `told` already."""
    steps = [] if words.failed(report) else next_steps(report)
    items = []
    for step in steps:
        lines = [line for line in step.commands if line not in told]
        commands = ", ".join(md_code(line, _LONGEST_COMMAND) for line in lines)
        items.append(f"- **{step.verdict.value}**: {md(step.text, 400)} {commands}".rstrip())
    made = [*heading(words.NEXT), *within(items, room, _MOST_STEPS)]
    if not items:
        made.append(md(without_steps(report), 400))
    if links.answerable and report.verdict == Verdict.REGRESSED.value:
        made += ["", _ANSWER]
    return made


def differences(report: Report, most: int) -> tuple[str, list[str]]:
    """How many things differed, as ` (3)`, and the items that tell them; both empty if unknown."""
    found = [words_around.difference(one, report.profiles) for one in report.differences]
    alike, aside = words_around.alike(report), words_around.aside_summary(report)
    items = _most([f"- {sentence(text, 400)}" for text in found], most)
    if alike:
        items += [] if found else [f"- {words.NOTHING_DIFFERED}"]
        items.append(f"- {sentence(alike, 400)}")
    for change in report.changes[:most]:
        edited = [line for line in change.lines if line[:1] in ("+", "-")]
        shown = [md_code(line, 200) for line in edited[:_MOST_LINES]]
        more = [f"and {len(edited) - _MOST_LINES} more"] if len(edited) > _MOST_LINES else []
        told = sentence(words_around.change(change), 300)
        items.append("\n  - ".join([f"- {told}", *shown, *more]))
    items += [item for told in report.touched for item in _functions(report, told, most)]
    if aside:
        trials = [sentence(words_around.set_aside(one), 400) for one in report.aside[:most]]
        more = [f"and {len(report.aside) - most} more"] if len(report.aside) > most else []
        items.append("\n  - ".join([f"- {sentence(aside, 300)}", *trials, *more]))
    return (f" ({len(found)})" if items else ""), items


def _functions(report: Report, told: Touched, most: int) -> list[str]:
    """The functions that differ in a profile's kernel, as one item; none where none does."""
    if not told.functions:
        return []
    shown = [sentence(words_touch.function(one), 300) for one in told.functions[:most]]
    left = words_touch.rest(told, len(shown))
    more = [f"and {left} more"] if left else []
    return ["\n  - ".join([f"- {sentence(words_touch.title(report, told), 200)}", *shown, *more])]


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
