"""What to do next, for each verdict: a sentence (of `advice.toml`) and the commands with it."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from gate.model import Role, Verdict
from gate.report.wording.commands import check_again, commands_for
from gate.report.wording.words import from_summaries, is_error_report, tally

if TYPE_CHECKING:
    from gate.model import Finding, Report

_CODE = re.compile(r"G\d{3}")


class AdviceStep(NamedTuple):
    """One thing to do, and how."""

    verdict: Verdict
    text: str
    commands: tuple[str, ...]


_MEASURE = "gate check --base ../base"
_COMMANDS: dict[Verdict, tuple[str, ...]] = {Verdict.WAIVED: ("gate baseline show",)}
_SUMMARY_COMMANDS = {
    **_COMMANDS,
    Verdict.REGRESSED: (_MEASURE,),
    Verdict.INCONCLUSIVE: ("gate import FILE...", _MEASURE),
    Verdict.IMPROVED: (_MEASURE,),
}


@cache
def _texts() -> dict[str, dict[str, str]]:
    file = resources.files("gate.report").joinpath("wording", "advice.toml")
    return tomllib.loads(file.read_text("utf-8"))


def without_steps(report: Report) -> str:
    """What to do where no finding asks for anything: all passed, nothing compared, or an error."""
    texts = _texts()["after-failure"]
    if is_error_report(report):
        found = _CODE.search(report.headline)
        more = f" `gate explain {found[0]}` explains it." if found else ""
        return texts.get(str(report.exit_status), texts["interrupted"]) + more
    return "Nothing. Every metric passed." if report.gate == "open" else texts["3"]


def next_steps(report: Report) -> list[AdviceStep]:
    """One step per verdict that needs something done, worst first.

    Its commands are those of the worst finding of that verdict, then those that are of no finding.
    """
    gated = [f for f in report.findings if f.role is Role.GATE]
    texts, commands = _texts()["steps"], _COMMANDS
    if from_summaries(report):
        texts, commands = _texts()["summary"], _SUMMARY_COMMANDS
    return [
        AdviceStep(
            verdict,
            texts[verdict.value],
            (*_commands(gated, verdict, report), *commands.get(verdict, ())),
        )
        for verdict, _ in tally(gated)
        if verdict.value in texts
    ]


def _commands(gated: list[Finding], verdict: Verdict, report: Report) -> list[str]:
    these = [one for one in gated if one.verdict is verdict]
    codes = {one.code for one in these if _CODE.fullmatch(one.code)}
    lines = [f"gate explain {code}" for code in sorted(codes)]
    lines += [one.line for one in commands_for(these[0], report) if one.line]
    if verdict is Verdict.NEW and (again := check_again(report, "--allow", "new")):
        lines.append(again)
    return lines
