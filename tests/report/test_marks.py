"""The geometry of bars: what is drawn is what is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate.model import Better
from gate.report.plots.losses import interval_bar, limit_of
from tests.report.build import finding

ZERO, LIMIT = 40.0, 60.0
"""Places at which the page draws no loss and the tolerance."""


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


def test_a_limit_at_minus_everything_is_no_limit():
    """A tolerance by hand of -100 % or less has no value where it ends."""
    for tolerance in (-1.0, -2.0):
        made = replace(finding(base=100), better=Better.HIGHER, tolerance_used=tolerance)
        assert limit_of(made) is None
