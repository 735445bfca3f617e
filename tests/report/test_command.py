"""`gate report` writes what it is asked for, and judges nothing."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from builders import run_gate

from gate.report.json_text import render_json
from tests.report.sample import sample_report
from tests.report.sample_edits import failed

EXAMPLE = Path(__file__).resolve().parents[2] / "reports" / "example" / "report.json"


@pytest.mark.parametrize("report", [sample_report(), failed()], ids=["closed", "failed"])
def test_every_rendering_goes_to_its_file(report, tmp_path):
    """One call writes all four, and the text still goes to the terminal."""
    source = tmp_path / "report.json"
    source.write_text(render_json(report), encoding="utf-8")
    files = {kind: tmp_path / kind for kind in ("html", "markdown", "comment", "junit")}
    options = [word for kind, path in files.items() for word in (f"--{kind}", path)]
    answer = run_gate(["report", source, *options])
    assert answer.status == 0, answer.err
    assert answer.out.startswith("✗ gate closed: ")
    told = {kind: path.read_text(encoding="utf-8") for kind, path in files.items()}
    assert told["html"].startswith("<!doctype html>")
    assert told["markdown"].startswith("### ✗ Gate closed: ")
    assert told["comment"].startswith("<!-- driftgate:gate -->\n### ✗ Gate closed: ")
    assert ET.fromstring(told["junit"].encode()).tag == "testsuites"
    for path in files.values():
        assert str(path) in answer.err


@pytest.mark.parametrize("value", [1.7e308, -1.7e308, 5e-324])
def test_values_that_nothing_can_scale_are_no_internal_error(value, tmp_path):
    """A report by hand with values at the end of a float is rendered, without its plot."""
    told = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    for one in told["findings"]:
        one["base_value"], one["head_value"] = value, 1.0
        one["evidence"]["head"] = [value, 1.0, 1.7e308]
    source, page = tmp_path / "report.json", tmp_path / "page.html"
    source.write_text(json.dumps(told), encoding="utf-8")
    answer = run_gate(["report", source, "--html", page, "--markdown", tmp_path / "m"])
    assert answer.status == 0, answer.err
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("kind", ["html", "markdown", "comment", "junit"])
def test_a_dash_is_stdout_and_nothing_else_is_there(kind):
    """What a pipe gets is one document."""
    answer = run_gate(["report", EXAMPLE, f"--{kind}", "-"])
    assert answer.status == 0, answer.err
    assert answer.out[0] in "<#"
    assert "exit status 10)" not in answer.out
    assert answer.err == ""


def test_two_renderings_cannot_share_stdout():
    """It is refused before anything is read or written."""
    for pair in (["--junit", "-", "--comment", "-"], ["--markdown", "-", "--json"]):
        answer = run_gate(["report", "absent.json", *pair])
        assert answer.status == 2
        assert "only one rendering can go to the terminal" in answer.err


def test_addresses_and_commit_stand_in_the_markdown():
    """They are given, never read from the report."""
    answer = run_gate(
        ["report", EXAMPLE, "--comment", "-", "--report-url", "https://example.com/r",
         "--run-url", "https://example.com/17", "--commit", "4d7c2e9a" * 5]
    )  # fmt: skip
    assert (
        "**[Open the report](https://example.com/r)** ([the run](https://example.com/17))"
        in answer.out
    )
    assert f"commit `{'4d7c2e9a' * 5}`" in answer.out
