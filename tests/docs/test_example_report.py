"""The example report tells one story: what it can detect fits what it proved and what it left open."""

from __future__ import annotations

import json

from workflows.acting import ROOT

FINDINGS = json.loads((ROOT / "reports/example/report.json").read_text("utf-8"))["findings"]


def figures(verdict):
    """Loss and what can be detected, of the findings with this verdict that have both."""
    return [
        (one["loss"], one["can_detect"])
        for one in FINDINGS
        if one["verdict"] == verdict and None not in {one["loss"], one["can_detect"]}
    ]


def test_what_can_be_detected_is_not_left_inconclusive():
    """No loss stands as undecided beside a smaller figure for what can be detected."""
    rows = figures("inconclusive")
    assert rows
    assert [one for one in rows if one[0] > one[1]] == []


def test_what_was_proven_can_be_detected():
    """No loss was proven below the figure for what can be detected."""
    rows = figures("regressed")
    assert rows
    assert [one for one in rows if one[0] < one[1]] == []
