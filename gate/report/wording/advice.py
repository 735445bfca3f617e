"""What to do next, for each verdict: a sentence and the commands that go with it."""

from __future__ import annotations

import re
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


_STEPS = {
    Verdict.REGRESSED: "Find the cause and fix it. If the loss is intended, accept the head "
    "session with a reason, in a change of its own that someone reviews.",
    Verdict.BROKEN: "Run the benchmark by hand: a number that is not a measurement cannot be "
    "judged.",
    Verdict.MISSING: "Bring the benchmark back, or, if it was removed on purpose, accept a session "
    "without it.",
    Verdict.INCOMPARABLE: "Measure again on the host class of the baseline, or accept a baseline "
    "for what is measured now.",
    Verdict.INCONCLUSIVE: "Measure on a quieter host, with more pairs, or with a tolerance above "
    "the noise. Repeating the check until it is green proves nothing.",
    Verdict.NEW: "Take sessions of the unchanged tree on several days and accept them as the "
    "baseline; or allow new benchmarks once.",
    Verdict.WAIVED: "Nothing now. Remove the waiver when its issue is closed.",
    Verdict.IMPROVED: "Check that the workload still does its work, then keep the gain: accept the "
    "head session, or it can be lost again unnoticed.",
}
_SHOW_WAIVERS: dict[Verdict, tuple[str, ...]] = {Verdict.WAIVED: ("gate baseline show",)}
_SUMMARY_STEPS = {
    Verdict.REGRESSED: "Measure both sides on one machine: a summary cannot separate the change "
    "from another day or machine. Then find the cause.",
    Verdict.INCONCLUSIVE: "Ask for spread and number of trials, or better for the trials "
    "themselves; or measure both sides.",
    Verdict.WAIVED: _STEPS[Verdict.WAIVED],
    Verdict.IMPROVED: "Measure it before you count on the gain. A summary cannot be accepted as a "
    "baseline.",
}
"""Where there are no trials, nothing can be accepted and nothing was screened."""
_MEASURE = "gate check --base ../base"
_SUMMARY_COMMANDS = {
    **_SHOW_WAIVERS,
    Verdict.REGRESSED: (_MEASURE,),
    Verdict.INCONCLUSIVE: ("gate import FILE...", _MEASURE),
    Verdict.IMPROVED: (_MEASURE,),
}

_AFTER_FAILURE = {
    1: (
        "The gate itself failed, which says nothing about the change. Run the check again; if it "
        "fails again, report it."
    ),
    2: "Correct what the message names, then check again. Nothing was judged.",
    3: "Check the names and the filter: nothing was compared.",
    4: "Read the log of the measurement, fix what the message names, then check again.",
    5: "What was measured cannot be compared. Fix what the message names, then check again.",
    6: "The verdict could not be published. Fix what the message names, then repeat.",
}
_INTERRUPTED = "The check was interrupted before it had a verdict. Start it again."


def without_steps(report: Report) -> str:
    """What to do where no finding asks for anything: all passed, nothing compared, or an error."""
    if is_error_report(report):
        found = _CODE.search(report.headline)
        more = f" `gate explain {found[0]}` explains it." if found else ""
        return _AFTER_FAILURE.get(report.exit_status, _INTERRUPTED) + more
    if report.gate == "open":
        return "Nothing. Every metric passed."
    return _AFTER_FAILURE[3]


def next_steps(report: Report) -> list[AdviceStep]:
    """One step per verdict that needs something done, worst first.

    Its commands are those of the worst finding of that verdict, then those that are of no finding.
    """
    gated = [f for f in report.findings if f.role is Role.GATE]
    steps, commands = _STEPS, _SHOW_WAIVERS
    if from_summaries(report):
        steps, commands = _SUMMARY_STEPS, _SUMMARY_COMMANDS
    return [
        AdviceStep(
            verdict,
            steps[verdict],
            (*_commands(gated, verdict, report), *commands.get(verdict, ())),
        )
        for verdict, _ in tally(gated)
        if verdict in steps
    ]


def _commands(gated: list[Finding], verdict: Verdict, report: Report) -> list[str]:
    worst = next(one for one in gated if one.verdict is verdict)
    lines = [one.line for one in commands_for(worst, report) if one.line]
    if verdict is Verdict.NEW and (again := check_again(report, "--allow", "new")):
        lines.append(again)
    return [*_explain(gated, verdict), *lines]


def _explain(findings: list[Finding], verdict: Verdict) -> list[str]:
    codes = {f.code for f in findings if f.verdict is verdict and _CODE.fullmatch(f.code)}
    return [f"gate explain {code}" for code in sorted(codes)]
