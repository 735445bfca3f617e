"""The geometry of bars and strips: what is drawn is what is said."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model import Better, Evidence, Verdict
from gate.report.marks import LIMIT, ZERO, interval_bar, limit_of
from gate.report.strip import strip
from tests.report.build import finding


def test_zero_and_tolerance_line_up_in_every_bar():
    """A loss of nothing lies on the thin line, a loss of the tolerance on the heavy one."""
    for tolerance in (0.01, 0.05, 0.4):
        at_zero = interval_bar(finding(loss=0.0, tolerance_used=tolerance))
        at_limit = interval_bar(finding(loss=tolerance, tolerance_used=tolerance))
        assert (at_zero.point, at_limit.point) == (ZERO, LIMIT)


def test_a_bar_that_goes_on_says_so():
    """Beyond the ends there is an arrow and no dot, and an open interval counts as beyond."""
    beyond = interval_bar(finding(loss=0.5, half=0.1))
    assert beyond.point is None
    assert beyond.cut_high
    assert not beyond.cut_low
    assert interval_bar(replace(finding(), loss_low=None)).cut_low
    assert interval_bar(replace(finding(), loss=None)) is None


@pytest.mark.parametrize(("better", "limit"), [(Better.LOWER, 105.0), (Better.HIGHER, 100 / 1.05)])
def test_the_limit_is_where_the_loss_equals_the_tolerance(better, limit):
    """The tolerance line lies on the worse side, by the same ratio as the loss is computed."""
    assert limit_of(replace(finding(base=100), better=better, base_value=100.0)) == pytest.approx(
        limit
    )


def test_every_trial_is_drawn_once():
    """The paths hold as many dots as the evidence holds values, and one link per pair."""
    made = finding(verdict=Verdict.REGRESSED, pairs=14, strikes=2)
    drawn = strip(made)
    assert drawn.base.count("M") == 30 + 14
    assert drawn.head.count("M") == 3 + 6 + 14
    assert drawn.links.count("M") == 14
    assert [band.title for band in drawn.bands] == ["baseline", "head", "strikes", "pairs"]


def test_nothing_to_plot_is_no_plot():
    """Without a finite value there is no strip, and no error either."""
    assert strip(finding(evidence=Evidence())) is None
    assert strip(finding(evidence=Evidence(head=(float("nan"),)))) is None


ENDS = (1.7e308, -1.7e308, 5e-324, 1e-310, 1.0, 1.0000000000000002)


@pytest.mark.parametrize("low", ENDS)
@pytest.mark.parametrize("high", ENDS)
@pytest.mark.parametrize("unit", ["s", "B/s", "1"])
def test_values_at_the_ends_of_a_float_are_no_error(low, high, unit):
    """What cannot be scaled is not plotted; the rest is, with nothing that is no number in it."""
    made = finding(evidence=Evidence(head=(low, high, low)), unit=unit)
    drawn = strip(replace(made, base_value=low, head_value=high))
    assert drawn is None or not re.search(r"nan|inf", str(drawn))
    if 1.7e308 in {abs(low), abs(high)}:
        assert drawn is None


def test_a_limit_at_minus_everything_is_no_limit():
    """A tolerance by hand of -100 % or less has no value where it ends."""
    for tolerance in (-1.0, -2.0):
        made = replace(finding(base=100), better=Better.HIGHER, tolerance_used=tolerance)
        assert limit_of(made) is None


@given(
    st.lists(st.floats(min_value=1e-12, max_value=1e15), min_size=1, max_size=9),
    st.lists(st.floats(min_value=1e-12, max_value=1e15), min_size=0, max_size=9),
)
def test_every_mark_lies_inside_the_plot(base, head):
    """Whatever the values, no coordinate leaves the plot and the axis has few numbers."""
    made = replace(
        finding(evidence=Evidence(baseline=(tuple(base),), head=tuple(head))),
        base_value=base[0],
        head_value=head[0] if head else None,
    )
    drawn = strip(made)
    heights = [float(y) for y in re.findall(r"M[\d.]+ ([-\d.]+)", drawn.base + drawn.head)]
    assert all(0 <= y <= 150 for y in heights)
    assert 1 <= len(drawn.ticks) <= 9
    assert len({tick.label for tick in drawn.ticks}) == len(drawn.ticks)
