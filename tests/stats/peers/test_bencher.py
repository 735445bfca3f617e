"""Bencher's prediction limit, against its own published figure and by hand."""

from __future__ import annotations

import math

import pytest

from gate.calibrate.peers.peer import Comparison
from gate.calibrate.peers.stored_spread import BENCHER, prediction_limit


def closes(head, *history):
    return BENCHER.closes(Comparison(head=head, history=history))


def test_limit_is_that_of_benchers_own_test():
    """Bencher's test suite gives 1.3031... for these five values at 0.85."""
    assert prediction_limit((-1, -1, 0, 1, 1), 0.85) == pytest.approx(1.3031051974876533, rel=1e-12)


def test_threshold_by_hand():
    """Means 9, 10, 11: m = 10, s = 1, t(.99, 2) = 6.964557, prediction_limit = 10 + 6.964557 sqrt(4/3)."""
    history = ((8.0, 10.0), (10.0,), (11.0, 11.0))
    bound = 10 + 6.964557 * math.sqrt(4 / 3)
    assert closes((bound - 1e-5,), *history) is False
    assert closes((bound + 1e-5,), *history) is True
    assert closes((bound - 1, bound + 1.1), *history) is True


def test_two_stored_values_suffice():
    """Of 9 and 11: m = 10, s = sqrt 2, t(.99, 1) = 31.820516."""
    assert prediction_limit((9.0, 11.0), 0.99) == pytest.approx(
        10 + 31.820516 * math.sqrt(3), abs=1e-5
    )


def test_a_value_at_the_limit_passes():
    """Only above the limit is an alert."""
    bound = prediction_limit((9.0, 10.0, 11.0), 0.99)
    assert closes((bound,), (9.0,), (10.0,), (11.0,)) is False


def test_only_the_newest_64_count():
    """A wild value leaves the sample when 64 newer ones are there."""
    quiet = [(10.0 + number % 2,) for number in range(64)]
    assert closes((20.0,), (1000.0,), *quiet) is True
    assert closes((20.0,), (1000.0,), *quiet[1:]) is False


def test_degenerate():
    """Without a head, a spread, or two stored values there is no limit, and it passes."""
    assert closes((9.0,)) is False
    assert closes((9.0,), (1.0,)) is False
    assert closes((9.0,), (1.0,), ()) is False
    assert closes((), (1.0,), (2.0,)) is False
    assert closes((9.0,), *[(0.1, 0.1, 0.1)] * 7) is False
