"""fsperf's 1.96 deviations, on both sides."""

from __future__ import annotations

from gate.calibrate.peers.peer import Comparison
from gate.calibrate.peers.stored_spread import FSPERF


def closes(head, *history):
    return FSPERF.closes(Comparison(head=head, history=history))


def test_threshold_over_single_runs():
    """Stored runs 9, 10, 11 of whatever sessions: mean 10, s = 1, the limit is 11.96."""
    for history in (((9.0, 10.0, 11.0),), ((9.0,), (10.0, 11.0))):
        assert closes((11.96,), *history) is False
        assert closes((11.97,), *history) is True
        assert closes((1.0,), *history) is False


def test_the_head_is_its_mean():
    """Several new runs count by their mean."""
    assert closes((10.0, 13.9), (9.0, 10.0, 11.0)) is False
    assert closes((10.0, 14.0), (9.0, 10.0, 11.0)) is True


def test_only_a_week_counts():
    """The eighth newest session is forgotten."""
    week = [(9.0, 10.0, 11.0)] * 7
    assert closes((20.0,), (1000.0,), *week) is True
    assert closes((20.0,), (1000.0,), *week[1:]) is False


def test_degenerate():
    """Nothing to compare passes; one stored run, or equal ones, have no spread; two have."""
    assert closes((9.0,)) is False
    assert closes((9.0,), ()) is False
    assert closes((), (1.0,)) is False
    assert closes((1.0,), (1.0,)) is False
    assert closes((1.0001,), (1.0,)) is True
    assert closes((12.7,), (9.0,), (11.0,)) is False
    assert closes((0.1, 0.1, 0.1), *[(0.1,) * 10] * 7) is False
    assert closes((0.1001,), *[(0.1,) * 10] * 7) is True
