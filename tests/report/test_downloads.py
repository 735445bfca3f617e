"""The files inside the page: exact, harmless in a spreadsheet, saved without network or script."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from gate.model import Evidence, Verdict
from gate.report.html import downloads as module
from gate.report.html.downloads import (
    MOST_PLAIN,
    Download,
    downloads,
    findings_csv,
    harmless,
    trials_csv,
)
from gate.report.html.html import render_html
from gate.report.json_text import render_json
from gate.text import clean
from tests.report.browser import Seen
from tests.report.build import finding
from tests.report.hostile import HOSTILE
from tests.report.sample import sample_report

FORMULAS = (
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "  =1",
    '"=1',
    "'=1",
    "a;=1",
    'a;"=1',
    "\uff1d1",
    "\uff0b1",
    "\uff0d1",
    "\uff201",
    '=HYPERLINK("http://example.com";"x")',
    "=cmd|' /C calc'!A0",
    "\u200b=1",
    "\x1b[31m=1",
)


def small_report():
    """A report whose files are all small enough to be embedded as they are."""
    bare = Evidence(head=(1.5, 2.5))
    made = replace(sample_report(), findings=(finding(evidence=bare),))
    made = replace(made, bills=(), latencies=(), sweeps=(), differences=(), alike=(), changes=())
    assert len(render_json(made).encode()) < MOST_PLAIN
    return made


def content_of(download: Download) -> bytes:
    """The bytes that the link saves."""
    return base64.b64decode(download.href.partition(";base64,")[2], validate=True)


def rows_of(text: str) -> list[dict[str, str]]:
    """A CSV file as a program reads it."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_report_json_inside_is_the_file_that_stands_beside():
    """The embedded report.json is, unpacked, the very bytes of render_json, hostile ones too."""
    for text in ("", "\u202e<script>", "N" * 5000):
        report = sample_report(notes=(text,))
        packed = downloads(report)[0]
        assert packed.name == "report.json.gz"
        assert gzip.decompress(content_of(packed)) == render_json(report).encode()


def test_small_files_are_embedded_as_they_are():
    """Below the limit nothing is compressed, so that saving needs no second step."""
    report = small_report()
    made = downloads(report)
    assert [one.name for one in made] == ["report.json", "findings.csv", "trials.csv"]
    texts = (render_json(report), findings_csv(report), trials_csv(report))
    assert [content_of(one) for one in made] == [text.encode() for text in texts]


def test_the_same_report_gives_the_same_files():
    """Nothing of clock or place is in a compressed file."""
    assert downloads(sample_report()) == downloads(sample_report())
    assert content_of(downloads(sample_report())[0])[4:8] == bytes(4)


def test_what_does_not_fit_is_told(monkeypatch):
    """Over the limit report.json is left out first, then findings.csv, and the page says so."""
    report = sample_report()
    whole = downloads(report)
    monkeypatch.setattr(module, "MOST_EMBEDDED", len(whole[1].href) + len(whole[2].href))
    some = downloads(report)
    assert some[1:] == whole[1:]
    assert (some[0].name, some[0].href) == ("report.json", "")
    html = render_html(report)
    assert "too large to embed in this file: it stands beside this page" in html
    assert html.count('href="data:') == 3  # the icon and two files
    monkeypatch.setattr(module, "MOST_EMBEDDED", 0)
    assert [one.href for one in downloads(report)] == ["", "", ""]


def test_findings_csv_holds_every_number_to_its_last_bit():
    """One row per finding in their order; absent numbers are empty cells, not words."""
    report = sample_report()
    rows = rows_of(findings_csv(report))
    assert len(rows) == len(report.findings)
    numbers = "base_value head_value loss loss_low loss_high confidence tolerance tolerance_used"
    counts = "trials_base trials_head sessions_base negligible can_detect"
    for row, made in zip(rows, report.findings, strict=True):
        assert (row["benchmark"], row["metric"]) == (made.benchmark, made.metric)
        assert (row["verdict"], row["role"]) == (made.verdict.value, made.role.value)
        assert (row["unit"], row["better"]) == (made.unit, made.better.value)
        for name in (*numbers.split(), *counts.split()):
            wanted = getattr(made, name)
            assert (float(row[name]) if row[name] else None) == wanted


def test_trials_csv_holds_every_single_value():
    """Each value of each group of the evidence is one row; those set aside say that."""
    shown = Evidence(
        baseline=((1.0, 2.0), (3.0,)),
        baseline_sessions=("one", "two"),
        head=(4.0, 5.0),
        strikes=((6.0,), (7.0,)),
        pairs_base=(8.0,),
        pairs_head=(9.0,),
        aside=(10.0,),
    )
    rows = rows_of(trials_csv(sample_report(findings=(finding(evidence=shown),))))
    told = [
        tuple(row[key] for key in ("side", "stage", "session", "number", "value", "counted"))
        for row in rows
    ]
    assert told == [
        ("base", "accepted", "one", "1", "1.0", "yes"),
        ("base", "accepted", "one", "2", "2.0", "yes"),
        ("base", "accepted", "two", "1", "3.0", "yes"),
        ("head", "screen", "", "1", "4.0", "yes"),
        ("head", "screen", "", "2", "5.0", "yes"),
        ("head", "strike", "1", "1", "6.0", "yes"),
        ("head", "strike", "2", "1", "7.0", "yes"),
        ("base", "pairs", "", "1", "8.0", "yes"),
        ("head", "pairs", "", "1", "9.0", "yes"),
        ("head", "aside", "", "1", "10.0", "no"),
    ]
    assert {(row["profile"], row["metric"], row["unit"]) for row in rows} == {
        ("iometer", "iops", "op/s")
    }
    whole = sample_report()
    count = sum(
        len(values)
        for made in whole.findings
        for seen in [made.evidence]
        for values in (*seen.baseline, *seen.strikes, seen.head, seen.aside)
    ) + sum(2 * len(made.evidence.pairs_base) for made in whole.findings)
    assert len(rows_of(trials_csv(whole))) == count


@pytest.mark.parametrize("text", FORMULAS)
def test_no_string_is_a_formula(text):
    """Whether commas or semicolons separate, no cell begins as a formula does; numbers stay so."""
    made = finding(text, text, profile=text, unit=text, headline=text, advice=text, loss=-0.25)
    seen = replace(made.evidence, baseline_sessions=(text,) * 10)
    report = sample_report(findings=(replace(made, evidence=seen, warnings=(text,)),))
    for written in (findings_csv(report), trials_csv(report)):
        for separator in ",;":
            lines = written.splitlines() if separator == ";" else [written]
            for line in lines:
                for row in csv.reader(io.StringIO(line, newline=""), delimiter=separator):
                    for cell in row:
                        begin = unicodedata.normalize("NFKC", cell).lstrip(" \"'\t\r\n")[:1]
                        number = cell.replace(".", "").replace("-", "").isdigit()
                        assert begin not in ("=", "+", "@", "-") or cell[0] == "'" or number
    assert rows_of(findings_csv(report))[0]["loss"] == "-0.25"


def test_plain_names_are_left_alone():
    """What begins no formula is written as it is."""
    for text in ("iometer[iodepth=32]", "a-b", "a @ b", "1 + 1", "a; b", "", "µs"):
        assert harmless(text) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_strings_keep_the_tables_in_shape(text):
    """Every row has every column, is one line, and holds the text as the page shows it."""
    report = sample_report(findings=(finding(text, text, profile=text, warnings=(text,)),))
    for written in (findings_csv(report), trials_csv(report)):
        rows = list(csv.reader(io.StringIO(written, newline="")))
        assert {len(row) for row in rows} == {len(rows[0])}
        assert written.count("\n") == len(rows)
        assert rows[1][1].lstrip("'") == clean(text).lstrip("'")
        inside = written.replace("\r\n", "")
        assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in inside)


def saved(browser, directory, report, *, javascript=True, before=""):
    """What following each link saves, by file name, and what the page said and asked for."""
    path = directory / "report.html"
    path.write_text(render_html(report), encoding="utf-8")
    context = browser.new_context(java_script_enabled=javascript, accept_downloads=True)
    if before:
        context.add_init_script(before)
    page = context.new_page()
    seen = Seen(page)
    page.goto(path.as_uri())
    files = {}
    for link in page.locator("#downloads a[download]").all():
        with page.expect_download() as waiting:
            link.click()
        files[waiting.value.suggested_filename] = Path(waiting.value.path()).read_bytes()
    context.close()
    return files, [url for url in seen.requests if url.startswith("http")], seen.messages


def wanted(report):
    """The three files as a program would write them."""
    return {
        "report.json": render_json(report).encode(),
        "findings.csv": findings_csv(report).encode(),
        "trials.csv": trials_csv(report).encode(),
    }


@pytest.mark.parametrize("javascript", [True, False])
def test_a_link_saves_a_small_file(browser, tmp_path, javascript):
    """The page's own policy lets `data:` addresses be saved, with JavaScript and without."""
    report = small_report()
    files, asked, said = saved(browser, tmp_path, report, javascript=javascript)
    assert (files, asked, said) == (wanted(report), [], [])


def test_a_packed_file_is_saved_unpacked(browser, tmp_path):
    """With JavaScript the embedded bytes become the plain file, byte by byte."""
    report = sample_report()
    files, asked, said = saved(browser, tmp_path, report)
    assert (files, asked, said) == (wanted(report), [], [])


@pytest.mark.parametrize(
    "how", [{"javascript": False}, {"before": "delete self.DecompressionStream"}]
)
def test_a_packed_file_is_saved_packed_without_help(browser, tmp_path, how):
    """Without JavaScript, or in a browser that cannot unpack, the .gz is saved."""
    report = sample_report()
    files, asked, said = saved(browser, tmp_path, report, **how)
    assert sorted(files) == ["findings.csv.gz", "report.json.gz", "trials.csv.gz"]
    plain = {name.removesuffix(".gz"): gzip.decompress(data) for name, data in files.items()}
    assert (plain, asked, said) == (wanted(report), [], [])


def test_unpacking_that_fails_falls_back_to_the_packed_file(browser, tmp_path):
    """A browser whose unpacking breaks still saves the file."""
    report = small_report()
    large = replace(report, notes=tuple(f"{number} {'x' * 60}" for number in range(400)))
    broken = "self.DecompressionStream = class { constructor() { throw new TypeError('x'); } }"
    files, _, said = saved(browser, tmp_path, large, before=broken)
    assert gzip.decompress(files["report.json.gz"]) == render_json(large).encode()
    assert said == []


@pytest.mark.parametrize("javascript", [True, False])
def test_a_file_of_many_megabytes_is_saved(browser, tmp_path, javascript):
    """Addresses of more than two megabytes, where some limits lie, are saved whole."""
    values = tuple((number * 2654435761 % 2**53) / 7 for number in range(260_000))
    heavy = finding(verdict=Verdict.REGRESSED, evidence=Evidence(head=values))
    report = sample_report(findings=(heavy,))
    large, small = downloads(report)[0], downloads(small_report())[0]
    assert len(large.href) > 2_200_000
    html = render_html(small_report()).replace(small.href, large.href)
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    page = browser.new_context(java_script_enabled=javascript).new_page()
    page.goto(path.as_uri())
    with page.expect_download() as waiting:
        page.locator("#downloads a").first.click()
    assert gzip.decompress(Path(waiting.value.path()).read_bytes()) == render_json(report).encode()
    page.context.close()
