"""What a time budget left open: closed, with what would decide it; and nothing else is called so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge.build import at, baseline, pairs, session

from gate.judge.judge import judge
from gate.judge.verdict.suite import Policy, arrange
from gate.model import TimeBudget


def budget(*left_open):
    return TimeBudget(seconds=1200.0, spent=1180.0, left_open=left_open)


def judged(head, base, screen, known=None):
    cases = arrange([screen, base, head], [known or baseline()], {})
    report = judge(cases, Policy(), created="2026-01-01T00:00:00Z", version="0")
    (one,) = report.findings
    return one, report


def screened(loss=1.06):
    return session({"b": at(loss)}, sides=True)


def test_undecided_pairs_are_left_open_only_where_the_budget_says_so():
    """The same pairs are undecided without a budget, and left open with one."""
    base, head = pairs(0.028, count=9, noise=0.05)
    plain, report = judged(head, base, screened())
    assert plain.code in {"G020", "G024"}
    assert plain.more_time is None
    assert report.budget is None
    told, report = judged(replace(head, budget=budget("b")), base, screened())
    assert told.code == "G048"
    assert told.verdict == "inconclusive"
    assert told.more_time.pairs > 0
    assert (report.budget.left_open, report.gate, report.exit_status) == (1, "closed", 5)
    other, report = judged(replace(head, budget=budget("c")), base, screened())
    assert (other.code, other.more_time) == (plain.code, None)
    assert report.budget.left_open == 0


@pytest.mark.parametrize(("loss", "code"), [(0.2, "G060"), (0.0, "G002")])
def test_what_is_decided_stays_decided(loss, code):
    """A proof that was there when the time was up is not taken away."""
    base, head = pairs(loss, count=15)
    told, report = judged(replace(head, budget=budget("b")), base, screened())
    assert told.code == code
    assert told.more_time is None
    assert report.budget.left_open == 0


def test_what_never_got_a_pair_is_left_open():
    """Flagged, and the time was up before its first pair: closed, with the pairs that it needs."""
    cases = arrange([replace(screened(), budget=budget("b"))], [baseline()], {})
    report = judge(cases, Policy(), created="2026-01-01T00:00:00Z", version="0")
    (one,) = report.findings
    assert one.code == "G048"
    assert one.more_time.pairs >= 5
    assert "not confirmed" in one.headline
