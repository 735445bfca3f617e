"""Annotations: ten lines at most, worst first, that nothing from a session can leave."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gate.model import Role, Verdict
from gate.report.annotations import MOST, render_annotations
from tests.report.build import finding
from tests.report.hostile import HOSTILE
from tests.report.sample import open_report, sample_report
from tests.report.sample_edits import EDITS, failed
from tests.report.test_markdown import hostile_report

GOLDEN = Path(__file__).parent / "golden" / "annotations.txt"
LINE = re.compile(
    r"::(?:error|warning) (?:file=profiles/[A-Za-z0-9._-]+\.toml,)?title=[^:,\r\n]*::.*"
)


def test_annotations_are_as_agreed():
    """All lines equal the golden file; UPDATE_GOLDEN=1 writes it anew."""
    reports = (
        replace(sample_report(), edits=EDITS),
        replace(open_report(), edits=EDITS),
        failed(edits=EDITS),
    )
    text = "\n\n".join("\n".join(render_annotations(report)) for report in reports) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_an_open_gate_with_nothing_to_say_says_nothing():
    """Passes, gains, watched losses and edits that do not loosen are no annotation."""
    report = open_report()
    kept = [f for f in report.findings if f.verdict is not Verdict.WAIVED]
    watched = finding(verdict=Verdict.REGRESSED, role=Role.WATCH)
    quiet = replace(report, findings=(*kept, watched), edits=EDITS[1:])
    assert render_annotations(quiet) == ()


def test_ten_at_most_and_the_last_says_how_many_are_left_out():
    """Of 41 losses nine are named; of exactly ten, all."""
    many = tuple(finding(f"b{n}", verdict=Verdict.REGRESSED) for n in range(41))
    lines = render_annotations(sample_report(findings=many))
    assert len(lines) == MOST == 10
    assert lines[-1] == (
        "::error title=driftgate::32 more are left out here; the report has them all"
    )
    assert "b9 iops" in render_annotations(sample_report(findings=many[:10]))[-1]


def test_a_closed_gate_is_never_without_an_error():
    """Also where no finding is to blame."""
    empty = sample_report(findings=(), verdict="nothing compared", headline="")
    assert render_annotations(empty) == ("::error title=driftgate::gate closed: nothing compared",)
    (line,) = render_annotations(failed())
    assert line.startswith("::error title=gate closed%3A error::G231: profiles/db.toml:3: fio is")


def test_only_a_plain_name_of_a_profile_becomes_a_file():
    """Nothing that a session says is taken for a path."""
    for name in ("../../etc/passwd", "a/b", "a,line=1", "", ".x"):
        made = finding(verdict=Verdict.REGRESSED, profile=name)
        (line,) = render_annotations(sample_report(findings=(made,), profiles=(name,)))
        assert line.startswith("::error title=")
    made = finding(verdict=Verdict.REGRESSED, profile="other")
    (line,) = render_annotations(sample_report(findings=(made,), profiles=("iometer",)))
    assert "file=" not in line


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_strings_neither_end_nor_begin_a_command(text):
    """Each annotation is one line with one title, and no control character."""
    for line in render_annotations(hostile_report(text)):
        assert LINE.fullmatch(line), line
        assert line.isprintable()
        assert len(line) < 2000
