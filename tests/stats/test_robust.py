"""Centre and scale: the factors against simulation, the rest against figures worked out by hand."""

from __future__ import annotations

import math
from itertools import combinations
from statistics import median, stdev

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import digamma, polygamma

from gate.stats import robust
from gate.stats.robust import scale, shift, step_scale, within_session


def simulated(count, draws):
    """The k-th smallest gap of each of many normal samples, k = C(count // 2 + 1, 2)."""
    samples = np.random.default_rng(count).normal(0, 1, (draws, count))
    one, other = zip(*combinations(range(count), 2), strict=True)
    gaps = np.abs(samples[:, one] - samples[:, other])
    place = math.comb(count // 2 + 1, 2) - 1
    return samples, np.partition(gaps, place, axis=1)[:, place]


@pytest.mark.parametrize("count", range(2, 20))
def test_factor_and_freedom(count):
    """The squared scale has the log mean and log variance of a chi-square of that freedom."""
    samples, gaps = simulated(count, 40_000)
    factor, freedom = robust._qn_constants(count)
    logs = 2 * np.log(factor * gaps)
    expected = digamma(freedom / 2) - math.log(freedom / 2)
    spread = polygamma(1, freedom / 2)
    assert logs.mean() == pytest.approx(expected, abs=4 * math.sqrt(spread / 40_000) + 1e-3)
    implied = 2 * brentq(lambda half: polygamma(1, half) - logs.var(), 0.1, 100)
    assert implied == pytest.approx(freedom, rel=0.04)
    for row, gap in zip(samples[:20], gaps, strict=False):
        assert scale([float(x) for x in row]) == (pytest.approx(factor * gap), freedom)


@pytest.mark.parametrize("count", [20, 25, 40, 61, 100])
def test_factor_and_freedom_of_many_values(count):
    """Beyond the table the fitted factor is right within 1 % and the freedom within 6 %."""
    _, gaps = simulated(count, 4000)
    factor, freedom = robust._qn_constants(count)
    logs = 2 * np.log(factor * gaps)
    expected = digamma(freedom / 2) - math.log(freedom / 2)
    assert logs.mean() == pytest.approx(expected, abs=0.02)
    implied = 2 * brentq(lambda half: polygamma(1, half) - logs.var(), 0.1, 200)
    assert implied == pytest.approx(freedom, rel=0.06)


def test_scale_of_two_values_is_their_deviation():
    """Of two values the scale is their standard deviation, one degree of freedom."""
    spread, freedom = scale([1.0, 1.4])
    assert freedom == 1
    assert spread == pytest.approx(stdev([1.0, 1.4]), rel=1e-3)


def test_scale_is_the_third_of_ten_gaps():
    """Of five values the third smallest of the ten gaps counts: by hand 0.02, times 1.663."""
    spread, freedom = scale([0.00, 0.01, 0.02, 0.04, 0.08])
    assert spread == pytest.approx(1.663 * 0.02)
    assert freedom == 1.98


def test_a_quarter_of_wild_values_is_borne():
    """Two of ten values a thousand times off leave the scale where eight of ten put it."""
    calm = [0.01 * i for i in range(8)]
    assert scale([*calm, 1e3, -1e3])[0] < 3 * scale([*calm, 0.08, 0.09])[0]


def test_ties_fall_back_on_the_deviation():
    """Where most gaps are zero the standard deviation speaks; where all are, the scale is zero."""
    values = [0.0, 0.0, 0.0, 0.0, 0.05]
    assert scale(values) == (pytest.approx(0.05 / math.sqrt(5)), 4.0)
    assert scale([1.0] * 5)[0] == 0


def test_scale_inside_sessions():
    """The median difference of trials of one session, as a standard deviation; 0 if unknown."""
    assert within_session([(1.0,), (2.0,)]) == 0
    assert within_session([(0.0, 0.01, 0.03)]) == pytest.approx(1.4826 * 0.02 / math.sqrt(2))
    ties = [(0.0, 0.0, 0.0, 0.0, 0.06)]
    assert within_session(ties) == pytest.approx(0.06 / math.sqrt(5))
    assert within_session([]) == 0


def test_of_many_trials_the_last_count():
    """Of a session of thousands only the last 500 trials enter."""
    late = [0.0, 0.02] * 250
    assert within_session([[9.0 * i for i in range(3000)] + late]) == within_session([late])


def test_step_scale():
    """1.4826 times the median absolute step, over root two; never below the floor."""
    assert step_scale([0, 0.01, 0.03, 0.02]) == pytest.approx(1.4826 * 0.01 / math.sqrt(2))
    assert step_scale([0, 0, 0]) == step_scale([0]) == robust.FLOOR == 1e-4


def test_hodges_lehmann_shift():
    """With one group, the median of all differences second minus first."""
    first, second = [1.0, 2.0, 10.0], [3.0, 4.0]
    assert shift([(first, second)]) == median([2, 1, -7, 3, 2, -6]) == 1.5


def test_shift_inside_groups():
    """Groups measured at different times are never compared with each other."""
    near, far = ([0.0, 1.0], [2.0, 3.0]), ([100.0], [102.0])
    assert shift([near, far]) == median([2, 3, 1, 2, 2])
