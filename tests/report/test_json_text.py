"""`report.json`: the contract with programs."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from gate.report.json_text import render_json
from tests.report.build import finding
from tests.report.sample import sample_report

CONTRACT = {
    "benchmark",
    "metric",
    "verdict",
    "loss",
    "loss_low",
    "loss_high",
    "unit",
    "trials_base",
    "trials_head",
    "method",
    "can_detect",
    "headline",
    "advice",
    "code",
}


def test_json_is_the_model_and_nothing_else():
    """Parsing gives back every field of the report with its value."""
    report = sample_report()
    parsed = json.loads(render_json(report))
    assert parsed == json.loads(json.dumps(asdict(report)))
    assert parsed["findings"][0].keys() >= CONTRACT
    assert {"schema", "gate", "verdict", "exit_status", "host", "tools", "notes"} <= parsed.keys()


def test_json_ends_in_a_newline_and_keeps_letters():
    """The file is text that people can read: indented, µ as µ, a newline at the end."""
    text = render_json(sample_report(notes=("4 µs",)))
    assert text.endswith("}\n")
    assert "4 µs" in text
    assert '\n  "schema": 1' in text


@pytest.mark.parametrize("text", ["\x9b2J", "\u202e", "\x7f", "\ud800", "\u2028", "\x1b[31m"])
def test_json_is_harmless_to_a_terminal_and_exact_to_a_parser(text):
    """Characters that steer a terminal are escaped, and survive parsing unchanged."""
    written = render_json(sample_report(notes=(text,)))
    assert text not in written
    assert json.loads(written.encode())["notes"] == [text]


def test_json_refuses_what_is_not_a_number():
    """A value that is not finite is an error of the gate, never a file that parsers choke on."""
    with pytest.raises(ValueError, match="JSON"):
        render_json(sample_report(findings=(finding(base_value=float("nan")),)))
