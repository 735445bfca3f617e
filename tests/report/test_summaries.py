"""A report on summaries in every rendering: nothing reads as if it had been measured."""

from __future__ import annotations

from judge.build_summary import BASE, PROVEN, decide, row, side

from gate.judge.summary_row import UNKNOWN
from gate.report.advice import next_steps
from gate.report.html import render_html
from gate.report.json_text import render_json
from gate.report.text import render_text


def test_every_rendering_tells_it():
    """Terminal, page and JSON name the method, the condition of the promise and the warning."""
    report = decide(PROVEN, row(BASE, side(12.0), "c"), row(BASE, side(9.0, 0.1), "d"))
    text = " ".join(render_text(report).split())
    page = " ".join(render_html(report).replace("\u00a0", " ").split())
    for shown in (text, page):
        assert "from a summary: printed means, no trials" in shown
        assert "2 metrics judged, 1 printed without a spread" in shown
        assert "as far as the printed figures are what they seem" in shown
        assert UNKNOWN in shown
        assert "flagged by the screen" not in shown
    assert "Printed means: there are no trials to show." in page
    assert "no interval; tolerance 5.0 %" in page
    assert '"method": "summary"' in render_json(report)


def test_the_next_steps_never_ask_to_accept_a_summary():
    """There is no session, so nothing that can be accepted."""
    report = decide(PROVEN, row(BASE, side(12.0), "c"), row(BASE, side(9.0, 0.1), "d"))
    steps = next_steps(report)
    assert [step.verdict.value for step in steps] == ["regressed", "inconclusive", "improved"]
    assert not any("gate baseline accept" in line for step in steps for line in step.commands)
    assert steps[1].commands == (
        "gate explain G029",
        "gate import FILE...",
        "gate check --base ../base",
    )
