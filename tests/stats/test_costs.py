"""Quantiles and log costs: the plain arithmetic that everything else stands on."""

from __future__ import annotations

import math

import pytest

from gate.model import Better
from gate.stats.costs import log_costs, ratio, value_of
from gate.stats.special import normal, student


def test_quantiles():
    """The quantiles are those of the printed tables, also between whole degrees of freedom."""
    assert student(0.99, 9) == pytest.approx(2.821438, abs=1e-6)
    assert student(0.99, 4) == pytest.approx(3.746947, abs=1e-6)
    assert student(0.995, 9) == pytest.approx(3.249836, abs=1e-6)
    assert student(0.99, 4) > student(0.99, 4.5) > student(0.99, 5)
    assert normal(0.975) == pytest.approx(1.959964, abs=1e-6)


def test_costs():
    """Log costs point up for worse, and come back as the value they were made of."""
    assert log_costs([math.e], Better.LOWER) == (1.0,)
    assert log_costs([math.e], Better.HIGHER) == (-1.0,)
    for better in Better:
        assert value_of(log_costs([3.5], better)[0], better) == pytest.approx(3.5)
    assert ratio(math.log(1.05)) == pytest.approx(0.05)
    assert math.isfinite(ratio(1e6))
    assert math.isfinite(value_of(1e6, Better.LOWER))
