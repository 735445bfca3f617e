"""The steady state, on figures computed by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.measure.steady import window_of
from gate.model import Steady

SNIA = Steady(metric="iops")


def test_spread_and_drift_are_relative_to_the_mean():
    # Mean 100; least squares over -2..2: (-2*-10 + -1*0 + 0 + 1*0 + 2*10) / 10 = 4 each step.
    window = window_of([90.0, 100.0, 100.0, 100.0, 110.0])
    assert window.range == pytest.approx(0.20)
    assert window.slope == pytest.approx(0.16)
    assert not window.within(SNIA)


def test_scatter_without_drift_is_steady_up_to_the_range():
    assert window_of([95.0, 105.0, 100.0, 105.0, 95.0]).within(SNIA)
    assert not window_of([85.0, 110.0, 100.0, 110.0, 85.0]).within(SNIA)


def test_a_slow_slide_within_the_range_is_not_steady():
    window = window_of([107.0, 103.5, 100.0, 96.5, 93.0])
    assert window.range < SNIA.range
    assert window.slope == pytest.approx(0.14)
    assert not window.within(SNIA)


@given(
    st.lists(st.floats(1.0, 1e6), min_size=3, max_size=20),
    st.floats(1e-6, 1e6),
)
def test_the_unit_does_not_matter_and_the_drift_never_exceeds_twice_the_spread(values, factor):
    window, scaled = window_of(values), window_of([one * factor for one in values])
    assert scaled.range == pytest.approx(window.range)
    assert scaled.slope == pytest.approx(window.slope, abs=1e-9)
    assert window.slope <= 2 * window.range + 1e-9
    assert window_of(values[::-1]).slope == pytest.approx(window.slope, abs=1e-9)
