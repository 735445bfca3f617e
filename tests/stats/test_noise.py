"""The noise of a series, alone and with the suite's help, against hand-made and drawn examples."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from scipy.special import digamma, polygamma

from gate.stats import robust
from gate.stats.noise import Noise, Prior, _half_freedom, moderate_noise, noise_of, prior_of
from gate.stats.special import student

CALM = Noise(between=0.01, freedom=4.0, within=0.0, usual=1.0, level=10)


def flat(*levels):
    """Sessions of one trial each."""
    return [(level,) for level in levels]


def test_noise_of_sessions():
    """Q_n of the session medians, the trials' own scatter, the usual trials, the level's sessions."""
    sessions = [(0.00, 0.002), (0.01, 0.012), (0.02, 0.022), (0.04, 0.042), (0.08, 0.082, 0.084)]
    found = noise_of(sessions)
    medians = [0.001, 0.011, 0.021, 0.041, 0.082]
    assert (found.between, found.freedom) == robust.scale(medians)
    assert found.within == robust.within_session(sessions)
    assert (found.usual, found.level) == (2.0, 5)
    assert noise_of(sessions, level=1) == replace(found, level=1)


def test_never_below_what_the_trials_imply():
    """Sessions that agree by luck are as uncertain as the median of their trials."""
    sessions = [(-0.03, 0.0, 0.03), (-0.03, 0.0001, 0.03), (-0.03, 0.0, 0.03)] * 2
    found = noise_of(sessions)
    assert found.implied == pytest.approx(found.within * math.sqrt(math.pi / 6))
    assert found.between == found.implied > robust.scale([0.0, 0.0001, 0.0] * 2)[0]


def test_single_trials_imply_nothing():
    """Sessions of one trial each say nothing of the scatter inside them."""
    found = noise_of(flat(0.00, 0.01, 0.02, 0.04, 0.08))
    assert (found.within, found.implied) == (0.0, 0.0)


def test_equal_sessions_are_the_floor():
    """Zero variance is never certainty."""
    assert noise_of(flat(0, 0, 0, 0, 0)).between == robust.FLOOR


def test_standard_error():
    """s sqrt(1 + (pi/2) / S) for as many trials as the accepted sessions have, or more."""
    noise = replace(CALM, within=0.03, usual=3.0)
    expected = 0.01 * math.sqrt(1 + math.pi / 2 / 10)
    assert noise.error(3) == pytest.approx(expected)
    assert noise.error(9) == pytest.approx(expected)


def test_standard_error_of_fewer_trials():
    """A head of fewer trials is noisier by what the others averaged out."""
    noise = replace(CALM, within=0.03, usual=4.0)
    missing = noise.error(1) ** 2 - noise.error(4) ** 2
    assert missing == pytest.approx(0.03**2 * math.pi / 2 * (1 - 1 / 4))


def test_standard_error_of_several_sessions():
    """The median of k fresh sessions has pi / (2 k) of one session's variance; the level's stays."""
    noise = replace(CALM, within=0.03, usual=4.0)
    level = 0.01**2 * math.pi / 2 / 10
    one = noise.error(2) ** 2 - level
    assert noise.error(2, 11) ** 2 == pytest.approx(one * math.pi / 2 / 11 + level)


def test_reach():
    """Student's t at the noise's freedom times the standard error."""
    expected = student(0.99, 4.0) * CALM.error(1)
    assert CALM.reach(0.99, 1) == pytest.approx(expected) == pytest.approx(3.746947 * CALM.error(1))


def test_prior_worked_out_by_hand():
    """Log variances that differ just as much as a prior of freedom 2 makes them give that back.

    Of freedom 4 each: log s^2 has mean log(true) + psi(2) - log 2 and variance psi'(2); a prior of
    freedom 2 adds psi'(1), so six values at plus and minus a with 6 a^2 / 5 = psi'(1) + psi'(2),
    psi' = pi^2/6 and pi^2/6 - 1.
    """
    apart = math.sqrt(5 / 6 * (math.pi**2 / 3 - 1))
    middle = 2 * math.log(0.01)
    noises = [
        replace(CALM, between=math.exp((middle + sign * apart) / 2))
        for sign in (1, -1, 1, -1, 1, -1)
    ]
    found = prior_of(noises)
    assert found.freedom == pytest.approx(2.0, rel=1e-9)
    # exp(mean + psi(1) - log 1), psi(1) = -0.57722; psi(2) - log 2 = -0.27036 comes off the mean.
    assert found.variance == pytest.approx(1e-4 * math.exp(0.27036 - 0.57722), rel=1e-4)


def test_prior_of_drawn_suites():
    """Of 4,000 metrics with true variances from a known prior both its numbers are found again."""
    dice = np.random.default_rng(8)
    for freedom, scale in ((1.0, 0.01), (4.0, 0.002), (12.0, 0.05)):
        true = freedom * scale**2 / dice.chisquare(freedom, 4000)
        own = dice.choice([1.98, 5.85, 11.74], 4000)
        seen = true * dice.chisquare(own) / own
        noises = [
            replace(CALM, between=float(math.sqrt(s)), freedom=float(d))
            for s, d in zip(seen, own, strict=True)
        ]
        found = prior_of(noises)
        assert found.freedom == pytest.approx(freedom, rel=0.12)
        assert found.variance == pytest.approx(scale**2, rel=0.12)


def test_prior_of_metrics_that_are_all_alike():
    """Metrics that differ by less than chance alone are believed 30 degrees of freedom, no more."""
    found = prior_of([CALM] * 5)
    assert found.freedom == 30.0
    logs = 2 * math.log(0.01) - float(digamma(2)) + math.log(2)
    assert found.variance == pytest.approx(math.exp(logs + float(digamma(15)) - math.log(15)))


def test_prior_of_metrics_that_have_nothing_in_common():
    """Metrics that differ by orders of magnitude tell each other next to nothing."""
    noises = [replace(CALM, between=10.0**-place) for place in range(9)]
    found = prior_of(noises)
    assert found.freedom < 0.4
    halves = polygamma(1, found.freedom / 2)
    excess = np.var([2 * math.log(10) * place for place in range(9)], ddof=1) - polygamma(1, 2)
    assert halves == pytest.approx(excess, rel=1e-6)


def test_no_prior_from_four_metrics():
    """Fewer than five metrics say nothing of a suite."""
    assert prior_of([CALM] * 4) is None
    assert moderate_noise(CALM, None) is CALM


def test_moderated():
    """(d0 s0^2 + d s^2) / (d0 + d), with freedom d0 + d."""
    found = moderate_noise(CALM, Prior(freedom=2.0, variance=4e-4))
    assert found.freedom == 6.0
    assert found.between == pytest.approx(math.sqrt((2 * 4e-4 + 4 * 1e-4) / 6))
    assert replace(found, freedom=4.0, between=0.01) == CALM


def test_moderated_never_below_what_the_trials_imply():
    """A quiet suite does not talk a metric's own trials away, nor the floor."""
    quiet = Prior(freedom=30.0, variance=1e-12)
    loud = replace(CALM, within=0.05, usual=3.0, between=0.04)
    assert moderate_noise(loud, quiet).between == loud.implied
    assert moderate_noise(replace(CALM, between=2e-4), quiet).between == robust.FLOOR


def test_help_of_the_suite_is_worth_it():
    """Of 5 sessions the moderated scale misses the true one by less than the metric's own does."""
    dice = np.random.default_rng(3)
    true = 0.01 * np.sqrt(4 / dice.chisquare(4, 60))
    alone = [noise_of(flat(*(float(x) for x in dice.normal(0, scale, 5)))) for scale in true]
    prior = prior_of(alone)
    own, helped = (
        fmean(
            (2 * math.log(noise.between / scale)) ** 2
            for noise, scale in zip(noises, true, strict=True)
        )
        for noises in (alone, [moderate_noise(noise, prior) for noise in alone])
    )
    assert helped < 0.6 * own


def test_the_prior_inverts_the_trigamma_function():
    """From nearly no freedom to the most that is believed, to twelve digits."""
    most = float(polygamma(1, 15.0))
    for excess in np.geomspace(1.001 * most, 1e9, 400):
        assert float(polygamma(1, _half_freedom(float(excess)))) == pytest.approx(excess, rel=1e-12)
    assert _half_freedom(most) == _half_freedom(0.0) == 15.0
    for broken in (math.nan, math.inf):
        with pytest.raises(ValueError, match="no number"):
            _half_freedom(broken)
