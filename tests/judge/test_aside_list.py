"""The list of trials set aside: every one of every session, with each of its reasons."""

from __future__ import annotations

from dataclasses import replace

from judge.build import at, decide, pairs, session, strikes
from judge.test_set_aside import with_asides

from gate.model import Disturbance, SetAside, Side, Stage, TrialStatus


def test_every_reason_is_a_row_in_run_order():
    """Two trials, one with two reasons: three rows, earlier trial first, with side and stage."""
    made = with_asides(session(), (1.3, 1.2), "steal")
    reasons = (
        Disturbance(kind="steal", text="steal of 9 %"),
        Disturbance(kind="foreign_cpu", text="make used 2.1 processors"),
    )
    first, second = (t for t in made.trials if t.status is TrialStatus.ASIDE)
    trials = (replace(second, aside=reasons), *(t for t in made.trials if t is not second))
    row = {"profile": "p", "benchmark": "b", "side": Side.HEAD, "stage": Stage.SCREEN}
    assert decide(replace(made, trials=trials)).aside == (
        SetAside(**row, sequence=first.sequence, kind="steal", why="steal of 9 %"),
        SetAside(**row, sequence=second.sequence, kind="steal", why="steal of 9 %"),
        SetAside(
            **row, sequence=second.sequence, kind="foreign_cpu", why="make used 2.1 processors"
        ),
    )


def test_the_sessions_of_pairs_are_told_too():
    """The screen's first, then the base's and the head's of the pairs, whatever was decided."""
    before, after = pairs(0.2)
    report = decide(
        [
            with_asides(session({"b": at(1.2)}, sides=True), (1.4,)),
            with_asides(before, (1.0,), "throttling"),
            with_asides(after, (1.3,), "kernel_log"),
        ]
    )
    assert [(one.side.value, one.stage.value, one.kind) for one in report.aside] == [
        ("head", "screen", "memory_pressure"),
        ("base", "confirm", "throttling"),
        ("head", "confirm", "kernel_log"),
    ]


def test_every_further_session_is_told():
    """Two strikes that set aside the same trial for the same reason are two rows."""
    fresh = [with_asides(one, (1.0,)) for one in strikes([1.2] * 2)]
    report = decide([session({"b": at(1.2)}), *fresh])
    assert len(report.aside) == 2
    assert report.aside[0] == report.aside[1]


def test_a_reason_without_end_is_cut():
    """Three hundred characters are told."""
    made = with_asides(session(), (1.3,))
    long = replace(made.trials[-1], aside=(Disturbance(kind="steal", text="x" * 4000),))
    (row,) = decide(replace(made, trials=(*made.trials[:-1], long))).aside
    assert row.why == "x" * 300


def test_trials_that_count_are_not_listed():
    """Neither good trials nor failed ones were set aside."""
    assert decide(session({"b": [1.0, None, 1.0]})).aside == ()
