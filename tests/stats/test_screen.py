"""The first stage, each formula with figures worked out by other means."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats import robust
from gate.stats.costs import LossLimits
from gate.stats.noise import Noise, noise_of
from gate.stats.screen import (
    SHARE,
    level_moved,
    screen,
    slide_since_anchor,
    threshold,
)
from gate.stats.special import student

LIMITS = LossLimits(tolerance=0.05, negligible=0.01)
BETA = 0.025
NOISE = Noise(between=0.004, freedom=6.0, within=0.0, usual=1.0, level=10)


def flat(*levels):
    """Sessions of one trial each."""
    return [(level,) for level in levels]


def reach(noise, sessions=1):
    """t at one minus the screen's share of beta, times the standard error."""
    return student(1 - SHARE * BETA, noise.freedom) * noise.error(1, sessions)


def test_share_of_beta():
    """Of beta 2.5 % the screen spends 1.3 %; the second stage has 1.2 %."""
    assert pytest.approx(0.013) == SHARE * BETA
    assert pytest.approx(0.012) == (1 - SHARE) * BETA


@pytest.mark.parametrize(
    ("between", "limits", "branch"),
    [
        (0.0010, LIMITS, "half"),
        (0.0200, LIMITS, "tolerance"),
        (0.0001, LossLimits(tolerance=0.05, negligible=0.031), "tau"),
    ],
)
def test_threshold(between, limits, branch):
    """log(1+T) less the margin; where that is large, log(1+T/2) or log(1+tau) if it is larger."""
    noise = replace(NOISE, between=between)
    expected = {
        "half": math.log(1.025),
        "tolerance": math.log(1.05) - reach(noise),
        "tau": math.log(1.031),
    }
    seen = threshold(limits, noise, 1, BETA)
    assert seen == pytest.approx(expected.pop(branch))
    assert all(abs(seen - value) > 1e-6 for value in expected.values())


@given(st.floats(0.001, 5), st.floats(0, 0.64), st.floats(1e-4, 1))
def test_no_threshold_within_the_noise(tolerance, share, between):
    """Where T leaves room, the threshold is beyond the noise itself: the margin below T, or more.

    log(1 + T/2) is at least half of log(1 + T), so a margin beyond it lowers the first term first.
    """
    limits = LossLimits(tolerance=tolerance, negligible=share * tolerance)
    noise = replace(NOISE, between=between)
    margin, seen = reach(noise), threshold(limits, noise, 1, BETA)
    flat_part = max(math.log1p(tolerance / 2), limits.dead)
    assert seen == pytest.approx(min(limits.most - margin, flat_part), abs=1e-12)
    assert seen >= min(margin, limits.most - margin) - 1e-12


def test_screen():
    """Loss, interval, threshold and flag of one look, by their formulas."""
    seen = screen([0.031, 0.02, 0.04], 0.001, NOISE, LIMITS, BETA)
    assert seen.loss == pytest.approx(0.03)
    assert seen.error == NOISE.error(3)
    assert seen.high - seen.loss == pytest.approx(student(0.995, 6.0) * seen.error)
    assert seen.loss - seen.low == pytest.approx(student(0.995, 6.0) * seen.error)
    assert seen.threshold == threshold(LIMITS, NOISE, 3, BETA)
    assert seen.flagged


def test_flagged_above_the_threshold_only():
    """The threshold itself is no flag."""
    above = threshold(LIMITS, NOISE, 1, BETA)
    assert not screen([above], 0.0, NOISE, LIMITS, BETA).flagged
    assert screen([above + 1e-12], 0.0, NOISE, LIMITS, BETA).flagged


def test_screen_of_session_medians():
    """Of k fresh sessions their median is compared, with the error of such a median."""
    heads = [0.00, 0.01, 0.02]
    seen = screen(heads, 0.0, NOISE, LIMITS, BETA, trials=1, sessions=3)
    assert seen.loss == 0.01
    assert seen.error == NOISE.error(1, 3)
    assert seen.threshold == threshold(LIMITS, NOISE, 1, BETA, 3)


def test_a_smaller_beta_clears_less():
    """The screen's share shrinks with beta, so its threshold does."""
    loud = replace(NOISE, between=0.01)
    assert threshold(LIMITS, loud, 1, 0.001) < threshold(LIMITS, loud, 1, 0.025)


def test_improved_only_beyond_the_interval():
    """`improved` needs the whole interval beyond the negligible loss."""
    least = -(screen([0.0], 0.0, NOISE, LIMITS, BETA).high + LIMITS.dead)
    assert not screen([least + 1e-9], 0.0, NOISE, LIMITS, BETA).improved
    assert screen([least - 1e-9], 0.0, NOISE, LIMITS, BETA).improved


def test_slid_from_the_anchor():
    """A slide counts beyond the tolerance plus the noise of the steps, not before."""
    sessions = flat(0.0, 0.01, 0.02, 0.03, 0.04)
    error = robust.step_scale([0.0, 0.01, 0.02, 0.03, 0.04]) * math.sqrt(1 + math.pi / 6)
    least = math.log(1.05) + student(0.99, 4) * error
    assert slide_since_anchor([0.01 + least - 1e-9], sessions, LIMITS) is None
    assert slide_since_anchor([0.01 + least + 1e-9], sessions, LIMITS) == pytest.approx(least)
    assert slide_since_anchor([9.0], sessions[:4], LIMITS) is None


def test_the_anchor_is_the_median_of_three():
    """One odd first session neither makes a slide nor hides one."""
    for odd in (-0.5, 0.5):
        sessions = flat(odd, 0.0, 0.001, 0.002, 0.003, 0.004)
        since = slide_since_anchor([0.2], sessions, LIMITS)
        assert since == pytest.approx(0.2 - (0.0 if odd < 0 else 0.001))


def test_moved_needs_more_than_noise():
    """A level moved when it is beyond noise and tau, in whichever direction."""
    quiet = flat(0, 0.001, -0.001, 0.0005, -0.0005)
    loud = flat(0, 0.05, -0.05, 0.03, -0.03)
    assert level_moved([0.03], quiet, LIMITS)
    assert level_moved([-0.03], quiet, LIMITS)
    assert not level_moved([0.009], quiet, LIMITS)
    assert not level_moved([0.06], loud, LIMITS)


def test_moved_is_the_interval_of_the_noise():
    """Beyond t(99.5 %) standard errors of the sessions' own noise, and not a hair before."""
    sessions = flat(0, 0.002, -0.002, 0.0012, -0.0012)
    least = noise_of(sessions).reach(0.995, 1)
    assert LIMITS.dead < least < LIMITS.most
    assert not level_moved([least - 1e-9], sessions, LIMITS)
    assert level_moved([least + 1e-9], sessions, LIMITS)


def test_moved_of_few_sessions():
    """Of few sessions the trials inside them tell the noise: a loud metric keeps its epoch."""
    assert level_moved([0.06], flat(0.0), LIMITS)
    assert not level_moved([0.04], flat(0.0), LIMITS)
    assert level_moved([0.060, 0.061, 0.062], [(0.0, 0.001, 0.002)], LIMITS)
    assert not level_moved([0.06, -0.05, 0.2], [(0.0, 0.1, -0.1)], LIMITS)


def test_moved_agrees_with_slid():
    """Whatever the check calls a slide opens an epoch when it is accepted."""
    sessions = flat(*(0.004 * i for i in range(20)))
    head = next(i / 1000 for i in range(1000) if slide_since_anchor([i / 1000], sessions, LIMITS))
    assert level_moved([head], sessions, LIMITS)
