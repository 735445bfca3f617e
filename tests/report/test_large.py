"""Reports of thousands of findings: small enough to open, nothing left out, and it says what is where."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from gate.report.html.html import MOST_PLOTTED, render_html
from gate.report.json_text import render_json
from tests.report.browser import Seen
from tests.report.large import HISTORY, MANY, usual, worst
from tests.report.sample import sample_report

LARGEST = 20_000_000
"""Bytes of a page of 10,000 findings."""
LARGEST_OF_FORTY = 400_000
MEMORY = 1 << 30
"""Bytes that rendering may take, the report and Python itself included."""
ROOT = Path(__file__).parents[2]
CHILD = """
import pathlib, re, sys
from gate.report.html.html import render_html
from tests.report import large
report = getattr(large, sys.argv[1])()
pathlib.Path(sys.argv[2]).write_text(render_html(report), encoding="utf-8")
status = pathlib.Path("/proc/self/status").read_text()
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) * 1024)
"""
"""getrusage would count what the process that started this one held, too."""


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    """Pages of 10,000 findings with the memory that a process of its own took to make them."""
    made = {}
    for name in ("usual", "worst"):
        path = tmp_path_factory.mktemp("large") / f"{name}.html"
        done = subprocess.run(
            [sys.executable, "-c", CHILD, name, str(path)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        made[name] = path, int(done.stdout)
    return made


@pytest.mark.parametrize("name", ["usual", "worst"])
def test_ten_thousand_findings_stay_within_size_and_memory(rendered, name):
    """20 trials each: below 20 MB and 1 GiB; in the worst case all regressed, with long names."""
    path, memory = rendered[name]
    assert path.stat().st_size < LARGEST
    assert memory < MEMORY


@pytest.mark.parametrize(
    "report", [usual(40), worst(40), sample_report()], ids=["usual", "worst", "sample"]
)
def test_forty_findings_stay_small(report):
    """Forty findings take less than 400 kB, files inside included, also where all regressed."""
    assert len(render_html(report).encode()) < LARGEST_OF_FORTY


def test_the_worst_report_is_what_it_is_called():
    """All regressed, 20 trials and 20 earlier sessions each, names of 120 characters."""
    for made in worst(10).findings:
        assert len(made.benchmark) == 120
        assert len(made.evidence.earlier) == len(HISTORY) == 20
        assert sum(map(len, made.evidence.baseline)) + len(made.evidence.head) == 20
        assert made.verdict == "regressed"


@pytest.fixture(scope="module")
def usual_page(rendered):
    """The text of the usual page."""
    return rendered["usual"][0].read_text(encoding="utf-8")


def test_every_finding_has_its_row(usual_page):
    """10,000 rows; those that regressed are told in full, up to the limit, the others are not."""
    report = usual()
    assert usual_page.count("<tr class=v-") == MANY
    told = set(re.findall(r'<details class="finding [^>]*id=(f\d+)', usual_page))
    bad = sum(made.verdict == "regressed" for made in report.findings)
    assert told == {f"f{number}" for number in range(1, bad + 1)}
    assert set(re.findall(r"<a href=#(f\d+)>", usual_page)) == told
    assert f"{MANY} findings, worst first" in usual_page
    assert "the single values in trials.csv" in usual_page


def test_of_the_worst_report_the_first_are_told_in_full(rendered):
    """Of 10,000 regressions the worst are drawn, and the page tells how many are not."""
    html = rendered["worst"][0].read_text(encoding="utf-8")
    assert html.count('<details class="finding ') == MOST_PLOTTED
    assert html.count("<tr class=v-") == MANY
    assert str(MANY - MOST_PLOTTED) in html


def test_every_single_value_lies_inside(usual_page):
    """200,000 values in trials.csv, and report.json to its last byte."""
    found = re.findall(r'<a download="([a-z.]+)" href="data:[a-z/]+;base64,([^"]+)"', usual_page)
    files = {name: gzip.decompress(base64.b64decode(data)) for name, data in found}
    assert sorted(files) == ["findings.csv.gz", "report.json.gz", "trials.csv.gz"]
    assert files["report.json.gz"] == render_json(usual()).encode()
    rows = csv.reader(io.StringIO(files["trials.csv.gz"].decode(), newline=""))
    assert sum(1 for _ in rows) == 1 + 20 * MANY


def test_ten_thousand_rows_are_searched_and_sorted(browser, rendered):
    """In a real browser: silent, offline, every row there, found and in order."""
    with browser.new_page(viewport={"width": 1280, "height": 900}) as page:
        seen = Seen(page)
        page.goto(rendered["usual"][0].as_uri())
        shown = page.locator(".findings tbody:not([hidden]) tr")
        assert shown.count() == MANY
        page.get_by_role("searchbox").fill("benchmark-0012[")
        assert shown.count() == 3
        page.get_by_role("searchbox").fill("")
        expect(shown).to_have_count(MANY)
        page.get_by_role("button", name="Loss").first.click()
        expect(shown).to_have_count(MANY)
        losses = page.evaluate(
            "[...document.querySelectorAll('#passed tbody tr')].map((r) => +r.cells[3].dataset.v)"
        )
        assert losses == sorted(losses, reverse=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        assert seen.messages == []
        assert len(seen.requests) == 1
