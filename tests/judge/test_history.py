"""The history of a series: earlier epochs, the current one, and the sessions that made them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge.build import (
    LEVELS,
    accepted,
    at,
    baseline,
    decide,
    only,
    pairs,
    series,
    session,
    strikes,
)
from judge.test_set_aside import with_asides

from gate.judge.verdict.epochs import accepted_sessions
from gate.model import UNSTEADY, Accepted, BaselinePoint, Level

MOVED = series(levels=[0.5, 0.7, *LEVELS], epochs=[1, 2, 3, 3, 3, 3, 3])
"""Two sessions of earlier epochs, then five of the current one."""


def with_points(made, *points):
    return replace(made, points=points)


def test_earlier_epochs_are_levels_oldest_first():
    """Each accepted session of an earlier epoch is told by the median of its trials."""
    found = only(decide(session(), baseline(MOVED))).evidence
    assert found.earlier == (
        Level(session="a00", epoch=1, value=0.5),
        Level(session="a01", epoch=2, value=0.7),
    )
    assert found.epoch == 3
    assert found.baseline_sessions == ("a02", "a03", "a04", "a05", "a06")
    assert found.baseline[0] == at(LEVELS[0])


def test_a_first_epoch_has_nothing_before_it():
    """The current epoch is counted, and its own sessions are no earlier ones."""
    found = only(decide(session())).evidence
    assert (found.earlier, found.epoch) == ((), 1)


def test_without_a_baseline_there_is_no_epoch():
    """Nothing was accepted: epoch 0, and no accepted session is told."""
    report = decide(session(), [])
    assert (only(report).evidence.earlier, only(report).evidence.epoch) == ((), 0)
    assert report.accepted == ()


def test_values_that_are_no_numbers_are_left_out():
    """An infinite value does not enter the median, and a session of nothing else is no level."""
    inf, nan = float("inf"), float("nan")
    points = (
        BaselinePoint(session="a00", epoch=1, values=(inf, nan)),
        BaselinePoint(session="a01", epoch=1, values=()),
        BaselinePoint(session="a02", epoch=2, values=(3.0, nan, 1.0)),
        BaselinePoint(session="a03", epoch=3, values=at(1.0)),
    )
    found = only(decide(session(), baseline(with_points(series(), *points)))).evidence
    assert found.earlier == (Level(session="a02", epoch=2, value=2.0),)


def test_the_level_is_in_the_unit_of_the_metric_and_not_in_logs():
    """A session of 1, 4 and 9 seconds is told as 4 s: the median of its trials as they are."""
    points = (
        BaselinePoint(session="a00", epoch=1, values=(9.0, 1.0, 4.0)),
        *(BaselinePoint(session=f"a0{i}", epoch=2, values=at(1.0)) for i in range(1, 6)),
    )
    found = only(decide(session(), baseline(with_points(series(), *points)))).evidence
    assert [level.value for level in found.earlier] == [4.0]


@pytest.mark.parametrize(
    "given",
    [
        [session({"b": at(1.2)}, sides=True), *pairs(0.2)],
        [session({"b": at(1.2)}), *strikes([1.2 + 0.001 * (i % 3) for i in range(10)])],
        [session({"b": [None, None, None]})],
        [session(tools={"replay": "9.0"})],
    ],
    ids=["pairs", "strikes", "broken", "incomparable"],
)
def test_every_finding_has_its_history(given):
    """However a finding was made, and whatever it says, its history stands beside it."""
    found = only(decide(given, baseline(MOVED)))
    assert [level.session for level in found.evidence.earlier] == ["a00", "a01"]
    assert found.evidence.epoch == 3


@pytest.mark.parametrize("kind", ["steal", "memory_pressure", UNSTEADY])
def test_values_set_aside_are_shown_whatever_the_reason(kind):
    """They stand in the evidence in run order, and not among the head's."""
    report = decide(with_asides(session(), (1.31, 1.29), kind))
    found = only(report)
    assert found.evidence.aside == (1.31, 1.29)
    assert found.evidence.head == at(1.0)
    assert found.trials_head == 3


def test_the_accepted_sessions_that_a_history_names_are_told():
    """When, by whom, why, of which commit; and what of the host had moved since the one before."""
    sessions = (
        accepted(0, epoch_facts={"kernel": "6.1"}, commit="c" * 40),
        accepted(1, epoch_facts={"kernel": "6.1"}),
        accepted(2, epoch_facts={"kernel": "6.2", "smt": "off"}, reason="new kernel", by="you"),
        *(accepted(i, epoch_facts={"kernel": "6.2", "smt": "off"}) for i in range(3, 7)),
    )
    head = session(host=replace(session().host, epoch={"kernel": "6.2", "smt": "off"}))
    report = decide(head, baseline(MOVED, sessions=sessions))
    assert [one.session for one in report.accepted] == [f"a0{i}" for i in range(7)]
    assert report.accepted[0] == Accepted(
        profile="p",
        session="a00",
        started="2026-01-01T00:00:00Z",
        commit="c" * 40,
        accepted="2026-01-09T00:00:00Z",
        by="me",
        reason="first",
    )
    assert (report.accepted[2].by, report.accepted[2].reason) == ("you", "new kernel")
    assert [one.moved for one in report.accepted[:4]] == [
        (),
        (),
        ("kernel 6.1 -> 6.2", "smt unknown -> off"),
        (),
    ]


def test_a_session_that_no_history_names_is_not_told():
    """A session accepted of benchmarks that are gone moves the host for the next, and is left out."""
    sessions = tuple(accepted(i, epoch_facts={"kernel": f"6.{i}"}) for i in range(7))
    known = baseline(series(levels=LEVELS), sessions=sessions)
    head = session(host=replace(session().host, epoch={"kernel": "6.6"}))
    told = decide(head, known).accepted
    assert [one.session for one in told] == ["a00", "a01", "a02", "a03", "a04"]
    assert told[4].moved == ("kernel 6.3 -> 6.4",)


def test_a_reason_without_end_is_cut():
    """A thousand characters of who and why are repeated, and no more."""
    known = baseline(
        sessions=tuple(accepted(i, reason="x" * 5000, by="y" * 5000) for i in range(5))
    )
    told = decide(session(), known).accepted[0]
    assert (len(told.reason), len(told.by)) == (1000, 1000)


def test_sessions_of_several_profiles_stand_by_profile():
    """Two profiles that accepted sessions of one name have a row each."""
    heads = [session(profile=name, id=f"head-{name}") for name in ("q", "p")]
    known = [baseline(profile=name) for name in ("q", "p")]
    told = decide(heads, known).accepted
    assert [(one.profile, one.session) for one in told] == [
        *(("p", f"a0{i}") for i in range(5)),
        *(("q", f"a0{i}") for i in range(5)),
    ]


def test_nothing_judged_names_no_session():
    """No case, no finding: nothing to tell."""
    assert accepted_sessions([], []) == ()
