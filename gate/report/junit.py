"""JUnit XML, which every CI system shows: one suite per profile, one case per metric.

What closes the gate is a `failure` where a loss is proven and an `error` where nothing could be
judged. A closed gate always has one of them, so that no reader of the file takes it for green.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from gate.model import Role, Verdict
from gate.report.wording import calibration_record, words
from gate.report.wording.advice import without_steps
from gate.report.wording.commands import commands_for
from gate.report.wording.finding_context import ContextLine, beside
from gate.text import scrub, shorten
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Finding, Report

_LONGEST_NAME = 300
_MOST_COMMANDS = 100
"""Findings, worst first, that name their commands; nobody copies those of a thousand."""
_GATE = "gate"


def render_junit(report: Report) -> str:
    """The report as one XML 1.0 document; no times, because a verdict takes none."""
    worst = words.closing_findings(report)[:_MOST_COMMANDS]
    commands = [commands_for(finding, report) for finding in worst]
    report = scrub(report)
    findings = words.closing_findings(report)
    known = beside(report, findings)
    closing = {
        id(finding): (
            *lines,
            *(ContextLine(one.label, f"{one.why} {one.line}".strip()) for one in do),
        )
        for finding, lines, do in zip_longest(findings, known, commands, fillvalue=())
    }
    root = Element("testsuites", {"name": "driftgate"})
    suites: dict[str, Element] = {}
    for finding in report.findings:
        profile = finding.profile
        if profile not in suites:
            suites[profile] = _suite(root, report, profile, profile)
        _case(suites[profile], finding, closing.get(id(finding)))
    green = bool(report.findings) and report.gate == "open"
    if words.is_error_report(report) or not (closing or green):
        _without_findings(root, report)
    _count(root)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _suite(root: Element, report: Report, name: str, profile: str) -> Element:
    """With what is true of the whole, and the edits that concern this profile or none."""
    named = {finding.profile for finding in report.findings} if report.edits else set()
    suite = SubElement(root, "testsuite", {"name": name})
    pairs = [
        (_GATE, report.gate),
        ("verdict", report.verdict),
        ("exit status", str(report.exit_status)),
        ("host class", words.host_class(report)),
        *([("promise", words.promise(report))] if words.promises(report) else []),
        *([("record", calibration_record.line(report.calibration))] if report.host else []),
        *(("condition", text) for text in report.conditions),
        *(("note", text) for text in report.notes),
        *(
            (f"edit, {words.effect(edit)}, not in force", f"{edit.headline} ({edit.code})")
            for edit in report.edits
            if edit.profile == profile or edit.profile not in named
        ),
    ]
    _add_properties(suite, pairs)
    return suite


def _add_properties(parent: Element, pairs: Sequence[tuple[str, str]]) -> None:
    holder = SubElement(parent, "properties")
    for name, value in pairs:
        SubElement(holder, "property", {"name": name, "value": value})


def _case(suite: Element, finding: Finding, known: Sequence[ContextLine] | None) -> None:
    """One finding; `known` is what stands beside it where it closes the gate."""
    name = shorten(f"{finding.benchmark} {finding.metric}", _LONGEST_NAME)
    case = SubElement(suite, "testcase", {"classname": finding.profile, "name": name})
    _add_properties(case, [("verdict", finding.verdict.value), ("role", finding.role.value)])
    summary = _summary(finding)
    if known is None:
        if finding.verdict is not Verdict.PASSED or finding.role is Role.WATCH or finding.warnings:
            SubElement(case, "system-out").text = summary
        return
    kind = "failure" if finding.verdict is Verdict.REGRESSED else "error"
    attributes = {"type": finding.verdict.value, "message": finding.headline}
    SubElement(case, kind, attributes).text = summary
    lines = [f"{line.label}: {line.text}" if line.label else line.text for line in known]
    if lines:
        SubElement(case, "system-out").text = "\n".join(lines)


def _summary(finding: Finding) -> str:
    lines = [f"{words.verdict(finding)} {finding.code}: {finding.headline}"]
    if finding.base_value is not None or finding.head_value is not None:
        ends = words.interval(finding)
        loss = f"loss {percent(finding.loss)}" + (f" [{ends}]" if ends else "")
        lines.append(f"{words.sides(finding)}, {loss}, tolerance {words.tolerance(finding)}")
    lines += [f"warning: {warning}" for warning in finding.warnings]
    if finding.advice:
        lines.append(f"advice: {finding.advice}")
    return "\n".join(lines)


def _without_findings(root: Element, report: Report) -> None:
    """The gate itself as a case that is in error: there is no finding to blame."""
    suite = _suite(root, report, "driftgate", "")
    case = SubElement(suite, "testcase", {"classname": "driftgate", "name": _GATE})
    message = words.lead(report) or words.verdict_sentence(report)
    attributes = {"type": report.verdict, "message": message}
    advice = without_steps(report) if report.gate != "open" else "nothing was compared"
    SubElement(case, "error", attributes).text = f"{message}\nadvice: {advice}"


def _count(root: Element) -> None:
    for holder in [root, *root]:
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            holder.set(name, str(len(list(holder.iter(tag)))))
        if holder is not root:
            holder.set("skipped", "0")
