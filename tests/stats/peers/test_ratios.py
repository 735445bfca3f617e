"""github-action-benchmark and pytest-benchmark, on both sides of their thresholds."""

from __future__ import annotations

import pytest

from gate.calibrate.peers.peer import Comparison
from gate.calibrate.peers.ratios import GITHUB_ACTION, PYTEST

G200, G110, G105 = (peer.closes for peer in GITHUB_ACTION)
MEAN, MIN = (peer.closes for peer in PYTEST)


def case(head, *history):
    return Comparison(head=head, history=history)


@pytest.mark.parametrize(
    ("closes", "at", "above"), [(G200, 40, 40.01), (G110, 22, 22.01), (G105, 21, 21.01)]
)
def test_github_action_threshold(closes, at, above):
    """A ratio at the threshold passes, one above it closes; the previous value is 20."""
    assert closes(case((at,), (20.0,))) is False
    assert closes(case((above,), (20.0,))) is True


def test_github_action_takes_means_and_the_newest_session():
    """One value is the mean of the trials, the previous one that of the newest session."""
    head = (20.0, 20.0, 26.0)
    assert G105(case(head, (5.0,), (20.0, 22.0))) is False
    assert G105(case(head, (20.0, 22.0), (20.0, 20.0))) is True


def test_github_action_degenerate():
    """What is absent is skipped; 0 after 0 is no change, anything after 0 closes."""
    assert G200(case((9.0,))) is False
    assert G200(case((), (1.0,))) is False
    assert G200(case((9.0,), (1.0,), ())) is False
    assert G200(case((0.0,), (0.0,))) is False
    assert G200(case((0.1,), (0.0,))) is True
    assert G105(case((3.0, 3.0), (3.0, 3.0))) is False


def test_pytest_benchmark_threshold():
    """5 % slower than the stored figure passes, more than 5 % closes."""
    for closes in (MEAN, MIN):
        assert closes(case((21.0,), (20.0,))) is False
        assert closes(case((21.01,), (20.0,))) is True


def test_pytest_benchmark_fields():
    """The mean sees a slow trial that the minimum does not, and the other way round."""
    slow_trial = case((20.0, 20.0, 30.0), (20.0, 20.0, 20.0))
    assert (MEAN(slow_trial), MIN(slow_trial)) == (True, False)
    lost_best = case((20.0, 20.0), (10.0, 30.0))
    assert (MEAN(lost_best), MIN(lost_best)) == (False, True)


def test_pytest_benchmark_compares_with_the_newest_file():
    """Older files do not count."""
    assert MEAN(case((20.0,), (1.0,), (20.0,))) is False
    assert MEAN(case((20.0,), (20.0,), (1.0,))) is True


def test_pytest_benchmark_degenerate():
    """No file is a usage error, an absent benchmark is ignored, a stored 0 closes always."""
    for closes in (MEAN, MIN):
        assert closes(case((1.0,))) is None
        assert closes(case(())) is False
        assert closes(case((), (1.0,))) is False
        assert closes(case((1.0,), ())) is False
        assert closes(case((0.0,), (0.0,))) is True
        assert closes(case((3.0, 3.0), (3.0,))) is False
