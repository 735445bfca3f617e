"""The published comparisons as files: all of them together, in every rendering, to the digit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from builders import run_gate

from gate.formats.published.summary_file import read_summary
from gate.formats.session.session_file import read_report
from gate.judge.printed_means import judge_summaries
from gate.judge.verdict.suite import Policy
from gate.report.text.text import render_text

HERE = Path(__file__).resolve().parents[2] / "data" / "published"
FILES = sorted(HERE.glob("*.toml"))


def test_all_together():
    """One suite of all files: alpha is shared by the rows with a spread, 7 of P1 and 6 of P2."""
    arguments = [word for path in FILES for word in ("--summary", path)]
    answer = run_gate(["judge", *arguments, "--json"])
    assert answer.status == 10
    assert len(answer.json["findings"]) == 8 + 16 + 7 + 11 + 11
    assert answer.json["promise"]["metrics_judged"] == 13
    regressed = {f["metric"] for f in answer.json["findings"] if f["verdict"] == "regressed"}
    assert "loaded_ratio" in regressed
    assert answer.json["profiles"] == [path.stem for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_finding_is_marked(path):
    """Method, warning and source stand in the report, so that nobody takes it for measured."""
    answer = run_gate(["judge", "--summary", path, "--json"])
    for found in answer.json["findings"]:
        assert found["method"] == "summary"
        assert found["warnings"][0].startswith("not known from a summary")
    assert answer.json["notes"][0].startswith("judged from summaries")
    assert read_summary(path).source in answer.json["notes"][2]
    assert answer.json["host"] is None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_names_the_schema_and_its_source(path):
    """An editor finds the format, a reader the article."""
    text = path.read_text(encoding="utf-8")
    first = text.splitlines()[0].removeprefix("#:schema ")
    assert (path.parent / first).resolve().is_file()
    assert re.search(r'^source = ".{30,}"$', text, re.MULTILINE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_tolerance_is_stated(path):
    """No metric leaves to a default what may be lost, and the file says whose tolerance it is."""
    text = path.read_text(encoding="utf-8")
    assert text.count("\ntolerance = ") == text.count("[metric.")
    assert "is our tolerance" in text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("width", [60, 80])
def test_no_line_is_too_long(path, width):
    """Names of groups, curves in words and counts of trials fit a terminal."""
    report = judge_summaries(
        [read_summary(path)], Policy(), tolerance=None, created="2026-01-10T00:00:00Z", version="0"
    )
    assert max(map(len, render_text(report, width=width).splitlines())) <= width


def test_end_to_end(tmp_path):
    """Terminal, page and JSON: the report is written, read back and rendered again."""
    answer = run_gate(["judge", "--summary", HERE / "p1-athlon.toml", "--out", tmp_path / "out"])
    assert answer.status == 5
    text = " ".join(answer.out.split())
    assert "gate closed: 4 inconclusive, 3 improved, 1 passed (exit status 5)" in text
    assert "kernel 2.4.2, built for Athlon" in text
    assert "67.0 % better, at least 57.7 %, by the figures printed" in text
    report = read_report(tmp_path / "out" / "report.json")
    assert report.findings[0].method == "summary"
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Nothing is known about the host." in page
    again = run_gate(["report", tmp_path / "out" / "report.json"])
    assert (again.status, again.out) == (0, answer.out)


@pytest.mark.parametrize(
    ("head", "status", "gate"),
    [("12.0, sd = 0.1", 10, "closed"), ("10.0, sd = 0.1", 0, "open"), ("12.0", 5, "closed")],
)
def test_exit_status(tmp_path, head, status, gate):
    """10 for a proven loss, 0 where one is ruled out, 5 where nothing can be said."""
    (tmp_path / "t.toml").write_text(
        'source = "made up"\nmean = "arithmetic"\nside = { base = "a", head = "b" }\n'
        '[metric.time]\nunit = "ms"\nbetter = "lower"\n'
        '[[row]]\nbenchmark = "x"\nmetric = "time"\n'
        "base = { mean = 10.0, sd = 0.1, trials = 10 }\n"
        f"head = {{ mean = {head}, trials = 10 }}\n",
        encoding="utf-8",
    )
    answer = run_gate(["judge", "--summary", "t.toml", "--json"], cwd=tmp_path)
    assert (answer.status, answer.json["gate"]) == (status, gate)
    assert answer.json["findings"][0]["base_value"] == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("written", "low"), [("2.5", 0.05), ("2.50", 0.005), ("3", 0.5), ("2.5e0", 0.05)]
)
def test_the_digits_printed_are_read_from_the_file(tmp_path, written, low):
    """Zeros at the end count: 2.50 is known ten times as well as 2.5."""
    text = (HERE / "p1-athlon.toml").read_text(encoding="utf-8").replace("2.51", written)
    (tmp_path / "t.toml").write_text(text, encoding="utf-8")
    (row,) = (r for r in read_summary(tmp_path / "t.toml").rows if r.benchmark == "PNG, rotate 90")
    assert row.head.mean_slack == pytest.approx(low)
    assert (row.base.mean_slack, row.base.sd_slack) == pytest.approx((0.005, 0.005))
