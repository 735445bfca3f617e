"""A report on summaries in every rendering: nothing reads as if it had been measured."""

from __future__ import annotations

from judge.build_summary import BASE, PROVEN, decide, row, side

from gate.formats.published.summary_metrics import together
from gate.judge.printed_means import UNKNOWN
from gate.model import Better, Derived, Metric, SummaryRow, Take
from gate.report.html.html import render_html
from gate.report.json_text import render_json
from gate.report.text.text import render_text
from gate.report.wording.advice import next_steps


def test_every_rendering_tells_it():
    """Terminal, page and JSON name the method, the condition of the promise and the warning."""
    report = decide(PROVEN, row(BASE, side(12.0), "c"), row(BASE, side(9.0, 0.1), "d"))
    text = " ".join(render_text(report).split())
    page = " ".join(render_html(report).replace("\u00a0", " ").split())
    for shown in (text, page):
        assert "from a summary: printed means, no trials" in shown
        assert "2 metrics judged, 1 printed without a spread" in shown
        assert "provided that the printed figures are correct" in shown
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


def test_sittings_are_told_in_every_rendering():
    """How many sittings of the base, and what is assumed of the side that sat once."""
    report = decide(row(together([side(10.0), side(10.1), side(9.9)]), side(12.0)))
    text = " ".join(render_text(report).split())
    page = " ".join(render_html(report).replace("\u00a0", " ").split())
    for shown in (text, page):
        assert "30 + 10 trials" in shown
        assert "3 sittings of base" in shown
        assert "baseline sessions" not in shown
        assert "that it is as noisy as the sittings of the other side is assumed" in shown
    assert "base 3 sittings (10.00 s, 10.10 s, 9.900 s) and head a single figure" in page
    assert '"sessions_base": 3' in render_json(report)


def test_a_group_is_told_in_every_rendering():
    """Its name, what it takes of its points, and on the page each point."""
    derived = Derived(of="time", over="load", take=Take.SCALING)
    metric = Metric(name="loaded_ratio", unit="1", better=Better.LOWER, derived=derived)
    points = (
        row(BASE, BASE, "b[load=alone]"),
        row(side(20.0, 0.2), side(60.0, 0.2), "b[load=loaded]"),
    )
    group = SummaryRow(
        benchmark="b[load=*]", metric=metric, base=side(2.0), head=side(6.0),
        points=points, places=("alone", "loaded"),
    )  # fmt: skip
    report = decide(*points, group)
    text = render_text(report)
    assert "✗ regressed  b[load=*] loaded_ratio" in text
    page = render_html(report).replace("\u00a0", " ")
    for shown in (" ".join(text.split()), page):
        assert "time from load=alone to loaded is 2.000-fold at base, 6.000-fold at head: " in shown
    assert "alone: 10.00 -&gt; 10.00 s, loaded: 20.00 -&gt; 60.00 s" in page
    assert max(map(len, text.splitlines())) <= 80
