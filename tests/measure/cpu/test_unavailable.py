"""Metrics that the host cannot give: told plainly where watched, broken where they gate."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge import build

from gate.errors import InputError
from gate.judge.accept import Acceptance, accept
from gate.model import Better, Metric, Role

WHY = "perf offers no cycle counter on this machine"
CYCLES = Metric(name="cycles_per_io", unit="1", better=Better.LOWER, role=Role.WATCH)


def head(role=Role.WATCH, rows=None):
    """A session of the metric `wall` on a host without cycle counters."""
    metrics = (build.WALL, replace(CYCLES, role=role))
    return build.session(rows, metrics=metrics, unavailable={"cycles_per_io": WHY})


def judged(session):
    """The finding of the metric, and the report."""
    report = build.decide(session)
    return build.only(report, metric="cycles_per_io"), report


def test_a_watched_one_is_told_and_closes_nothing():
    """The reader sees why there is no figure, and the gate stays open."""
    found, report = judged(head())
    assert (found.code, found.headline) == ("G054", f"not available here: {WHY}")
    assert found.role is Role.WATCH
    assert (report.gate, report.exit_status) == ("open", 0)


def test_one_that_gates_is_broken():
    """A session that calls a gate metric unavailable does not slip through."""
    found, report = judged(head(Role.GATE))
    assert (found.code, found.verdict.value) == ("G054", "broken")
    assert (report.gate, report.exit_status) == ("closed", 4)


def test_values_speak_louder_than_the_excuse():
    """A metric that has values is judged by them, whatever the session says of it."""
    rows = {"b": {"wall": build.TRIALS, "cycles_per_io": build.TRIALS}}
    found, _ = judged(head(rows=rows))
    assert found.code == "G010"


def test_such_a_session_can_be_accepted():
    """The watched metric is left out of the baseline; the rest becomes one."""
    session = head()
    taken = accept(None, [session], acceptance())
    assert [one.metric for one in taken.baseline.series] == ["wall"]


def test_a_gate_metric_without_values_is_never_accepted():
    """Unavailable is no excuse for a metric that closes the gate."""
    session = head(Role.GATE)
    with pytest.raises(InputError, match="cycles_per_io has 0 of 3 trials"):
        accept(None, [session], acceptance())


def test_sessions_of_other_means_are_not_accepted_together():
    """One session with the counters and one without do not make one baseline."""
    able = build.session(
        {"b": {"wall": build.TRIALS, "cycles_per_io": build.TRIALS}},
        metrics=(build.WALL, CYCLES),
        id="s2",
    )
    with pytest.raises(InputError, match="metrics that the host can give"):
        accept(None, [head(), able], acceptance())


def acceptance():
    """Somebody's."""
    return Acceptance(by="me", reason="first", accepted="2026-11-20T00:00:00Z")
