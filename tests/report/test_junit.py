"""JUnit XML: what other CI systems read; a closed gate is never green in it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from gate.model import Role, Verdict
from gate.report.junit import render_junit
from tests.report.build import finding
from tests.report.hostile import HOSTILE
from tests.report.sample import open_report, sample_report
from tests.report.sample_edits import EDITS, failed
from tests.report.test_markdown import hostile_report

GOLDEN = Path(__file__).parent / "golden"
REPORTS = {
    "closed": replace(sample_report(), edits=EDITS),
    "failed": failed(edits=EDITS),
}


def parsed(report):
    """The document, checked for the shape that Jenkins and GitLab expect."""
    root = ET.fromstring(render_junit(report).encode())
    assert root.tag == "testsuites"
    assert {suite.tag for suite in root} == {"testsuite"}
    for holder in (root, *root):
        assert int(holder.get("tests")) == len(list(holder.iter("testcase"))) > 0
        assert int(holder.get("failures")) == len(list(holder.iter("failure")))
        assert int(holder.get("errors")) == len(list(holder.iter("error")))
    for suite in root:
        assert suite.get("name") is not None
        assert {child.tag for child in suite} == {"properties", "testcase"}
        for case in suite.iter("testcase"):
            assert case.get("classname") is not None
            assert case.get("name")
            assert {child.tag for child in case} <= {"properties", "failure", "error", "system-out"}
            assert len(case.findall("failure")) + len(case.findall("error")) <= 1
    return root


@pytest.mark.parametrize("name", REPORTS)
def test_junit_is_as_agreed(name):
    """The whole document equals the golden file; UPDATE_GOLDEN=1 writes it anew."""
    path = GOLDEN / f"junit-{name}.xml"
    text = render_junit(REPORTS[name])
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    parsed(REPORTS[name])


def test_a_proven_loss_fails_and_what_cannot_be_judged_is_an_error():
    """Seven regressed fail, five others that close are errors, the rest pass."""
    root = parsed(sample_report())
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("35", "7", "5")
    kinds = {error.get("type") for error in root.iter("error")}
    assert kinds == {"broken", "missing", "incomparable", "inconclusive", "new"}
    assert {failure.get("type") for failure in root.iter("failure")} == {"regressed"}


def test_what_does_not_close_passes_and_still_says_what_it_is():
    """Waived, improved and watched metrics are passes with their verdict beside them."""
    root = parsed(open_report())
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    told = [case.findtext("system-out") for case in root.iter("testcase")]
    assert sum(text is not None for text in told) == 7
    watched = finding(verdict=Verdict.REGRESSED, role=Role.WATCH)
    root = parsed(replace(open_report(), findings=(finding(), watched)))
    assert root.get("failures") == "0"
    assert root[0][-1].findtext("system-out").startswith("regressed (watched) G001: ")


def test_what_fails_tells_how_it_was_decided():
    """Beside the failure stand curve, costs, decision, history and commands; what is shared once."""
    cases = {case.get("name"): case for case in parsed(sample_report()).iter("testcase")}
    lines = cases["iometer-database[iodepth=32] iops"].findtext("system-out").splitlines()
    assert [line.partition(":")[0] for line in lines[:2]] == ["curve", "who paid"]
    assert "decided: flagged in the screen at +10.9 %; 14 pairs; " in "\n".join(lines)
    assert any(line.startswith("reproduce this alone: gate check iometer ") for line in lines)
    again = cases["iometer-database[iodepth=64] iops"].findtext("system-out")
    assert again.splitlines()[:2] == [
        "curve: iops no longer grows beyond iodepth 32",
        "decided: flagged in the screen at +50.6 %; 9 pairs; loss above 1 % proven at pair 9",
    ]


def test_new_metrics_that_were_let_through_are_no_error():
    """An open gate is green for every reader of the file."""
    let = sample_report(gate="open", verdict="new", findings=(finding(verdict=Verdict.NEW),))
    assert parsed(let).get("errors") == "0"
    closed = sample_report(findings=(finding(verdict=Verdict.NEW),))
    assert parsed(closed).get("errors") == "1"


@pytest.mark.parametrize(
    "report",
    [
        failed(),
        sample_report(findings=()),
        replace(open_report(), findings=()),
        replace(open_report(), gate="closed"),
        replace(failed(), findings=(finding(),)),
    ],
    ids=["failed", "empty", "empty open", "closed without a finding", "failed part"],
)
def test_a_report_that_does_not_open_is_never_green(report):
    """Without a finding to blame the gate itself is a case in error."""
    root = parsed(report)
    assert root.get("errors") == "1"
    assert [c.get("name") for c in root.iter("testcase") if c.find("error") is not None] == ["gate"]


def test_edits_are_properties_of_the_suite():
    """What the change would do to the rules stands beside the results."""
    held = {p.get("name"): p.get("value") for p in parsed(REPORTS["closed"])[0].find("properties")}
    assert held["edit, loosens, not in force"] == "tolerance of iops 5 % -> 50 % (G070)"
    assert held["gate"] == "closed"
    assert held["host class"] == "bm-epyc-9454p"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_strings_make_no_markup(text):
    """Any name gives a document that parses, with as many cases as findings."""
    report = hostile_report(text)
    root = parsed(report)
    assert root.get("tests") == str(len(report.findings))
    assert len(root) == 1


def test_only_the_worst_hundred_tell_their_commands():
    """A file of thousands of losses stays one that a reader can load."""
    many = tuple(finding(f"b{n}", verdict=Verdict.REGRESSED) for n in range(103))
    cases = list(parsed(sample_report(findings=many)).iter("testcase"))
    told = ["reproduce this alone" in case.findtext("system-out") for case in cases]
    assert told == [True] * 100 + [False] * 3
