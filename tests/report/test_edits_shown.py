"""Edits and failed checks in the terminal and on the page: in sight, told once, inert."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gate.report.html.html import render_html
from gate.report.junit import render_junit
from gate.report.markdown.markdown import render_comment, render_summary
from gate.report.text.text import render_text
from gate.report.wording.links import Links
from tests.report.hostile import HOSTILE
from tests.report.sample import open_report, sample_report
from tests.report.sample_edits import EDITS, edit, failed

TITLE = "This change edits what the gate judges by; not in force here"


def page_of(report):
    return " ".join(render_html(report).replace("\u00a0", " ").replace("&gt;", ">").split())


@pytest.mark.parametrize("report", [sample_report(), open_report(), failed()])
def test_edits_stand_in_every_rendering(report):
    """Each edit with its effect, code and advice, whether the gate is open, closed or failed."""
    report = replace(report, edits=EDITS)
    text = " ".join(render_text(report).split())
    assert f"{TITLE}: loosens, iometer: tolerance of iops 5 % -> 50 % (G070) advice: " in text
    assert "does not loosen, iometer: floor of cpu_per_io none -> 200 ns (G071)" in text
    page = page_of(report)
    assert TITLE in page
    assert "<b>loosens</b>, iometer: tolerance of iops 5 % -> 50 % (<code>G070</code>)" in page
    assert page.count("in force once it is merged") == 2


def test_without_edits_nothing_is_said_of_them():
    """A report that was not compared with its merge base has no such section."""
    assert TITLE not in render_text(sample_report())
    assert TITLE not in render_html(sample_report())


def test_edits_fit_the_terminal():
    """Long names of strangers wrap like everything else."""
    many = tuple(edit(headline=text, profile=text, advice=text, code=text) for text in HOSTILE)
    for line in render_text(sample_report(edits=many), width=60).splitlines():
        assert len(line) <= 60
        assert line.isprintable()


def test_a_failed_check_reads_as_one():
    """The terminal and the page say why and what to do, and promise nothing."""
    text = " ".join(render_text(failed()).split())
    assert text.startswith(
        "✗ gate closed: error why G231: profiles/db.toml:3: fio is not installed"
    )
    assert re.search(r"── What to do ─+ Read the log of the measurement", text)
    assert "promise" not in text
    assert text.endswith("✗ gate closed: error (exit status 4)")
    assert text.count("fio is not installed") == 1
    page = page_of(failed())
    assert "G231: profiles/db.toml:3: fio is not installed." in page
    assert "Read the log of the measurement" in page
    assert "Promise:" not in page
    assert "Every metric passed" not in page


def test_a_failed_part_is_told_beside_the_findings_of_another():
    """Joined with a part that was judged, both stand on the page."""
    joined = replace(failed(), findings=sample_report().findings, host=sample_report().host)
    page = page_of(joined)
    for said in ("G231: profiles/db.toml:3", "error, 7 regressed, 1 broken"):
        assert said in page


@pytest.mark.parametrize("findings", [(), sample_report().findings], ids=["none", "some"])
def test_a_failed_report_promises_nothing_anywhere(findings):
    """A bound of 0 % would be a promise that cannot be kept: it is said that there is none."""
    report = replace(failed(), findings=findings, host=sample_report().host if findings else None)
    links = Links()
    for told in (
        " ".join(render_text(report).split()),
        page_of(report),
        render_summary(report, links),
        render_comment(report, links),
        render_junit(report),
    ):
        assert "at most" not in told
        assert not re.search(r"(?<![\d.])0\s%[;.,]", told.replace("\u00a0", " "))
        assert ("none, as the check ended with an error" in told) == bool(findings)
