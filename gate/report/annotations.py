"""Annotations: workflow commands that GitHub shows beside a change, ten at most."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gate.model import Role, Verdict
from gate.report.wording import calibration_record, words
from gate.text import command_line, scrub, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Finding, Report

MOST = 10
"""GitHub keeps ten errors and ten warnings of a step."""
_LONGEST_NAME = 200
_LONGEST_TITLE = 250
_LONGEST_MESSAGE = 600
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class _Note(NamedTuple):
    """One annotation before it is escaped."""

    level: str
    title: str
    message: str
    profile: str = ""


def render_annotations(report: Report) -> tuple[str, ...]:
    """The lines, worst first; none where the gate is open and there is nothing to say."""
    report = scrub(report)
    notes = [*_closing(report), *_warnings(report)]
    if len(notes) > MOST:
        left = len(notes) - (MOST - 1)
        level = notes[MOST - 1].level
        text = f"{left} more are left out here; the report has them all"
        notes = [*notes[: MOST - 1], _Note(level, "driftgate", text)]
    return tuple(_line(note, report) for note in notes)


def _closing(report: Report) -> Iterator[_Note]:
    if report.gate == "open":
        return
    found = words.closing_findings(report)
    sentence = words.verdict_sentence(report)
    if words.is_error_report(report):
        yield _Note("error", sentence, words.lead(report))
    elif not found:
        yield _Note("error", "driftgate", sentence)
    for finding in found:
        yield _of(finding, "error")


def _warnings(report: Report) -> Iterator[_Note]:
    """What should be looked at though it closes nothing."""
    if unfit := calibration_record.unfit(report.calibration):
        yield _Note("warning", "driftgate", unfit)
    for edit in report.edits:
        if edit.loosens:
            title = f"{words.effect(edit)} {edit.profile or 'the gate'}"
            text = f"{edit.headline} (not in force here). {edit.advice}"
            yield _Note("warning", title, text, edit.profile)
    if report.gate == "open":
        for finding in report.findings:
            if finding.role is Role.GATE and finding.verdict in (Verdict.WAIVED, Verdict.NEW):
                yield _of(finding, "warning")


def _of(finding: Finding, level: str) -> _Note:
    name = f"{finding.benchmark} {finding.metric}"
    title = f"{finding.verdict.value}: {shorten(name, _LONGEST_NAME)}"
    text = f"{finding.headline.rstrip('.')}. {finding.advice} ({shorten(finding.code, 8)})"
    return _Note(level, title, text, finding.profile)


def _line(note: _Note, report: Report) -> str:
    known = note.profile in report.profiles and _PLAIN_NAME.fullmatch(note.profile)
    file = {"file": f"profiles/{note.profile}.toml"} if known else {}
    message = " ".join(shorten(note.message, _LONGEST_MESSAGE).split())
    return command_line(note.level, message, **file, title=shorten(note.title, _LONGEST_TITLE))
