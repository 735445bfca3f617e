"""The report in a terminal: golden files, width, hostile strings, nothing dropped."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

import pytest

from gate.model import Role, Verdict
from gate.report.text.finding import PASSES_SHOWN
from gate.report.text.text import render_text
from gate.report.wording.commands import commands_for
from tests.report.build import finding
from tests.report.hostile import around, evidence_of
from tests.report.sample import open_report, sample_report

GOLDEN = Path(__file__).parent / "golden"
HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;http://evil.example\x07link\x1b]8;;\x07",
    "\x9b2Jclear",
    "abc\u202egpj.exe",
    "line\nbreak\r\tand tab",
    "zero\u200bwidth\ufeff\u2066isolate\u2069",
    "nul\x00 bell\x07 backspace\x08",
)


def columns(line: str) -> int:
    """Columns of a line, counted independently of the renderer."""
    width = 0
    for char in line:
        if unicodedata.category(char) in ("Mn", "Me", "Cf"):
            continue
        width += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return width


@pytest.mark.parametrize(
    ("name", "report", "width"),
    [
        ("closed-80", sample_report(), 80),
        ("closed-60", sample_report(), 60),
        ("open-80", open_report(), 80),
    ],
)
def test_text_is_as_agreed(name, report, width):
    """The whole text equals the golden file; UPDATE_GOLDEN=1 writes it anew."""
    path = GOLDEN / f"{name}.txt"
    text = render_text(report, width=width)
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("name", ["x" * 300, "計測" * 150, "a b " * 75, "e\u0301" * 300])
@pytest.mark.parametrize("verdict", list(Verdict))
def test_no_line_exceeds_the_width(name, width, verdict):
    """Long and wide names wrap or are shortened, whatever the verdict."""
    made = finding(
        name,
        name,
        verdict,
        headline=name,
        advice=name,
        warnings=(name,),
        code=name,
        profile=name,
        path=(name,),
        evidence=evidence_of(name),
    )
    report = sample_report(
        findings=(made, finding()),
        notes=(name,),
        conditions=(name,),
        subjects={name: name},
        headline=name,
        **around(name),
    )
    lines = render_text(report, width=width).splitlines()
    assert max(columns(line) for line in lines) <= width


@pytest.mark.parametrize("hostile", HOSTILE)
def test_nothing_from_a_session_steers_the_terminal(hostile):
    """No control, escape or direction character of any string reaches the output."""
    made = finding(
        hostile,
        hostile,
        Verdict.BROKEN,
        headline=hostile,
        advice=hostile,
        warnings=(hostile,),
        code=hostile,
        unit=hostile,
        path=(hostile,),
        profile=hostile,
        method=hostile,
        evidence=evidence_of(hostile),
    )
    passed = finding(hostile, warnings=(hostile,))
    report = sample_report(
        findings=(made, passed),
        notes=(hostile,),
        conditions=(hostile,),
        subjects={hostile: hostile},
        headline=hostile,
        created=hostile,
        tools={hostile: hostile},
        **around(hostile),
    )
    text = render_text(report).replace("\n", "")
    bad = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs")}
    assert not bad


def test_first_and_last_line_are_the_verdict():
    """The first line and the last say whether the gate is open; the last adds the exit status."""
    lines = render_text(sample_report(findings=(finding(verdict=Verdict.REGRESSED),))).splitlines()
    assert lines[0] == "✗ gate closed: 1 regressed"
    assert lines[-1] == "✗ gate closed: 1 regressed (exit status 10)"


def test_colour_only_when_asked_and_never_alone():
    """Without colour there is no escape; with it, the same words stand in the same places."""
    plain, coloured = render_text(sample_report()), render_text(sample_report(), colour=True)
    assert "\x1b" not in plain
    assert "\x1b[" in coloured
    codes = ("\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[32m", "\x1b[33m", "\x1b[36m")
    for code in codes:
        coloured = coloured.replace(code, "")
    assert coloured == plain


def test_every_verdict_word_and_warning_is_shown():
    """Each verdict has its word, and no warning is dropped, not even of a pass that is counted."""
    passes = [finding(f"b{n}", warnings=(f"warning number {n}",)) for n in range(PASSES_SHOWN + 9)]
    doubted = finding("fast", verdict=Verdict.SUSPICIOUS, code="G046", loss=-0.82)
    report = sample_report(findings=(doubted, *sample_report().findings, *passes))
    text = " ".join(render_text(report).split())
    for verdict in Verdict:
        assert verdict.value in text
    for made in report.findings:
        for warning in made.warnings:
            assert warning in text


def test_passes_are_counted_when_they_are_many():
    """Twenty passes are listed, the others counted, and the count says where they are."""
    report = sample_report(findings=tuple(finding(f"b{n}") for n in range(37)))
    text = render_text(report)
    assert "… and 17 more passed; all of them in the HTML report" in text
    assert [f"b{n} iops" in text for n in range(37)] == [True] * PASSES_SHOWN + [False] * 17


def test_watched_metrics_are_named_as_such():
    """A watched metric is marked, and does not count in the verdict."""
    text = render_text(
        sample_report(findings=(finding(), finding(verdict=Verdict.REGRESSED, role=Role.WATCH)))
    )
    assert text.splitlines()[0] == "✗ gate closed: 1 passed"
    assert "(watched)" in text


def test_an_empty_report_says_so():
    """A report without findings names what happened instead of a count of nothing."""
    text = render_text(
        sample_report(findings=(), verdict="nothing compared", headline="", host=None, notes=())
    )
    assert text.startswith("✗ gate closed: nothing compared\n")


@pytest.mark.parametrize("width", [60, 80, 200])
def test_commands_can_be_copied(width):
    """Joined at its continuations, each command of the worst finding reads as it was made."""
    report = sample_report()
    joined = re.sub(r" \\\n +", " ", render_text(report, width=width))
    lines = [line.strip() for line in joined.splitlines()]
    made = [one.line for one in commands_for(report.findings[0], report) if one.line]
    assert len(made) == 3
    assert [line for line in made if line not in lines] == []


def test_a_name_that_no_command_can_say_makes_none():
    """What has to be cleaned before it is shown is never handed to a shell."""
    made = finding("b\u202e[x=1]", verdict=Verdict.REGRESSED)
    text = render_text(sample_report(findings=(made,)))
    assert "--benchmark" not in text
    assert "too long for a command, or holds characters that no terminal shows" in " ".join(
        text.split()
    )
