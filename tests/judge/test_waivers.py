"""Waivers: the exact row, below the ceiling, until the last day."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge.build import at, decide, only, pairs, session

from gate.model import Verdict, Waiver

ROW = Waiver(
    profile="p", benchmark="b", metric="wall", ceiling=0.25, expires="2026-06-30",
    issue="#7", reason="known",
)  # fmt: skip
SLOW = [session({"b": at(1.2)}, sides=True), *pairs(0.2)]


def judged(*waivers, today="2026-06-30", sessions=SLOW):
    report = decide(sessions, waivers=waivers, today=today)
    return report, only(report)


def test_a_waiver_opens_the_gate():
    """A proven regression within its waiver is waived up to and including the last day."""
    report, found = judged(ROW)
    assert (found.code, found.verdict) == ("G004", Verdict.WAIVED)
    assert (report.gate, report.exit_status) == ("open", 0)
    assert "#7" in found.advice
    assert found.loss == pytest.approx(0.2, abs=0.01)


def test_expired():
    """The day after the last day it holds no more, and the finding says so."""
    report, found = judged(ROW, today="2026-07-01")
    assert (found.verdict, report.exit_status) == (Verdict.REGRESSED, 10)
    assert "ended" in found.warnings[-1]


def test_beyond_the_ceiling():
    """A larger loss than was waived is a regression."""
    report, found = judged(replace(ROW, ceiling=0.15))
    assert (found.verdict, report.exit_status) == (Verdict.REGRESSED, 10)
    assert "ceiling" in found.warnings[-1]


@pytest.mark.parametrize("key", ["profile", "benchmark", "metric"])
@pytest.mark.parametrize("value", ["*", "", "B", "b2", "wall "])
def test_only_the_exact_row(key, value):
    """There are no patterns: a waiver of another row waives nothing."""
    report, found = judged(replace(ROW, **{key: value}))
    assert (found.verdict, report.exit_status) == (Verdict.REGRESSED, 10)
    assert found.warnings == ()


def test_a_renewed_waiver_holds_beside_the_old_row():
    """Of several rows any that holds is enough, whatever their order."""
    old = replace(ROW, expires="2026-01-01")
    for rows in ((old, ROW), (ROW, old)):
        assert judged(*rows)[1].verdict is Verdict.WAIVED


@pytest.mark.parametrize(
    "sessions",
    [
        [session({"b": at(1.2)}, sides=True)],
        [session({"b": (1.0, None, 1.0)})],
        [session({"b": (0.0, 1.0, 1.1)})],
        [session(profile_digest="sha256:2")],
        [session({"c": at(1)})],
    ],
    ids=["unconfirmed", "failed", "zero", "incomparable", "missing"],
)
def test_nothing_but_a_regression_is_waived(sessions):
    """A waiver never opens a gate that was closed for want of a measurement."""
    report, _ = judged(ROW, sessions=sessions)
    assert report.gate == "closed"
    assert Verdict.WAIVED not in {f.verdict for f in report.findings}
