"""rustc-perf's threshold from history, on both sides."""

from __future__ import annotations

import random

import pytest

from gate.calibrate.peers.peer import Comparison
from gate.calibrate.peers.stored_spread import LEAST_CHANGE, RUSTC_PERF, threshold


def closes(head, *history):
    return RUSTC_PERF.closes(Comparison(head=head, history=history))


def results(changes):
    """Results, oldest first, with these relative changes, each relative to the newer result."""
    newest_first = [100.0]
    for change in changes:
        newest_first.append(newest_first[-1] * (1 - change))
    return newest_first[::-1]


def known():
    """30 results whose changes are 0.1 %, 0.2 % ... 2.9 % in some order."""
    changes = [number / 1000 for number in range(1, 30)]
    random.Random(1).shuffle(changes)
    return results(changes)


def test_threshold_by_hand():
    """Q1 = (7 + 8)/2, Q3 = (22 + 23)/2 per mille: the threshold is 22.5 + 3 x 15 per mille."""
    assert threshold(known()) == pytest.approx(0.0675)
    assert threshold([7.0, *known()]) == pytest.approx(0.0675)


def test_too_little_history():
    """Fewer than 30 results before the parent give 0.2 %, and 0.2 % itself closes."""
    assert threshold(known()[1:]) == LEAST_CHANGE == 0.002
    assert closes((1001.9,), (1000.0,)) is False
    assert closes((1002.0,), (1000.0,)) is True
    assert closes((900.0,), (1000.0,)) is False


def test_the_parent_is_not_part_of_its_threshold():
    """The 30 results before the parent decide; the parent itself may be anywhere."""
    history = [(value,) for value in known()]
    for parent in (100.0, 150.0):
        assert closes((parent * 1.067,), *history, (parent,)) is False
        assert closes((parent * 1.068,), *history, (parent,)) is True


def test_the_smallest_trial_counts():
    """Of several iterations only the best is compared, on either side."""
    assert closes((1000.0, 5000.0), (1000.0, 1500.0)) is False
    assert closes((1000.0, 5000.0), (990.0, 1500.0)) is True


def test_an_empty_session_is_too_little():
    """A commit without a result leaves fewer than 30, whatever is older."""
    history = [(100.0,), *((value,) for value in known())]
    history[5] = ()
    assert closes((100.3,), *history, (100.0,)) is True


def test_degenerate():
    """Nothing to compare passes; a history that never changed closes at any increase."""
    assert closes((9.0,)) is False
    assert closes((), (1.0,)) is False
    assert closes((9.0,), (1.0,), ()) is False
    assert closes((1.0,), *[(1.0,)] * 31) is False
    assert closes((1.0001,), *[(1.0,)] * 31) is True
    assert closes((1.0,), (0.0,)) is True
    assert closes((0.0,), *[(0.0,)] * 31) is False
    assert closes((1.0,), *[(0.0,)] * 31) is False
