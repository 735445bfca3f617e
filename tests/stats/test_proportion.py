"""Exact limits of a share, with figures worked out by other means."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from gate.stats.special import exact_limits


def tail(count, total, share):
    """P(at most `count` of `total`), summed term by term."""
    return sum(
        math.comb(total, k) * share**k * (1 - share) ** (total - k) for k in range(count + 1)
    )


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        (0, 10, 0.0, 0.3084971),
        (10, 10, 0.6915029, 1.0),
        (1, 200, 0.000126581, 0.02754190),
        (58, 60, 0.8847190, 0.9959374),
        (5, 10, 0.1870860, 0.8129140),
    ],
)
def test_limits_are_those_of_the_printed_tables(count, total, low, high):
    """Clopper and Pearson's limits at 95 %."""
    assert exact_limits(count, total) == (
        pytest.approx(low, rel=1e-6),
        pytest.approx(high, rel=1e-6),
    )


@given(total=st.integers(1, 400), data=st.data(), confidence=st.sampled_from([0.9, 0.95, 0.99]))
def test_limits_agree_with_another_implementation(total, data, confidence):
    """scipy's own exact interval gives the same figures."""
    count = data.draw(st.integers(0, total))
    known = binomtest(count, total).proportion_ci(confidence, method="exact")
    assert exact_limits(count, total, confidence) == pytest.approx(known, abs=1e-9)


@pytest.mark.parametrize(("count", "total"), [(1, 9), (3, 20), (58, 60)])
def test_at_a_limit_the_count_is_just_as_rare_as_promised(count, total):
    """At the upper limit so few are seen with 2.5 %, at the lower one so many."""
    low, high = exact_limits(count, total)
    assert tail(count, total, high) == pytest.approx(0.025)
    assert 1 - tail(count - 1, total, low) == pytest.approx(0.025)


@pytest.mark.parametrize("share", [0.01, 0.05, 0.5, 0.975])
@pytest.mark.parametrize("total", [5, 40, 200])
def test_the_true_share_is_inside_at_least_as_often_as_promised(share, total):
    """Summed over every count that can come: coverage of 95 % at least, whatever the truth."""
    inside = sum(
        math.comb(total, k) * share**k * (1 - share) ** (total - k)
        for k in range(total + 1)
        if exact_limits(k, total)[0] <= share <= exact_limits(k, total)[1]
    )
    assert inside >= 0.95


@pytest.mark.parametrize(("count", "total"), [(1, 0), (0, 0), (-1, 5), (6, 5)])
def test_what_is_no_share_is_refused(count, total):
    """Nothing of nothing has no limits."""
    with pytest.raises(ValueError, match="is no share"):
        exact_limits(count, total)
