"""What can be detected without a base side: the figures against the gate's own rank test."""

from __future__ import annotations

import math
import random
from statistics import median

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from gate.stats import planning, strikes
from gate.stats.costs import LossLimits
from gate.stats.detectable import can_detect
from gate.stats.noise import Noise, provable_with_strikes
from gate.stats.power import CERTAINTY
from gate.stats.screen import threshold
from gate.stats.strike_power import with_strikes

BETA = 0.025


def noise_of(between, sessions, freedom=5.85):
    return Noise(between=between, freedom=freedom, within=0.0, usual=1.0, level=sessions)


def limits_at(tolerance):
    return LossLimits(tolerance=tolerance, negligible=tolerance / 5)


def power(noise, asked=0.05, alpha=0.001, trials=1):
    clears, limits = provable_with_strikes(noise, trials), limits_at(asked)
    able = can_detect(limits_at, lambda _: clears)
    force = LossLimits(tolerance=asked if clears <= asked else able, negligible=limits.negligible)
    metric = planning.Expected(noise=noise, limits=force, sigma=1.0, pairs=1, can_detect=able)
    return with_strikes(metric, asked, trials=trials, alpha=alpha, beta=BETA)


def share_found(noise, tolerance, asked, loss, alpha, draws=800):
    """How often the gate's own conditions are met, sessions of one value drawn around a level."""
    dice = random.Random(20260110)
    count = strikes.strikes_needed(noise.level, alpha)
    dead, limits = limits_at(asked).dead, LossLimits(tolerance=tolerance, negligible=asked / 5)
    above = threshold(limits, noise, 1, BETA)
    found = 0
    for _ in range(draws):
        known = [(dice.gauss(0, noise.between),) for _ in range(noise.level)]
        fresh = [(loss + dice.gauss(0, noise.between),) for _ in range(count)]
        screened = loss + dice.gauss(0, noise.between) - median(one for (one,) in known)
        among = strikes.newest(known)
        won = strikes.wins(fresh, among, dead)
        found += (
            screened > above
            and strikes.chance(won, len(among), count) <= alpha
            and strikes.estimated_loss(fresh, among) >= strikes.least_loss(asked, limits)
            and strikes.recent_loss(fresh, known) > dead
        )
    return found / draws


@pytest.mark.parametrize("sessions", [5, 10, 20])
@pytest.mark.parametrize("between", [0.005, 0.01, 0.02])
@pytest.mark.parametrize("alpha", [0.001, 0.0003])
def test_chance_and_finds_are_what_is_simulated(sessions, between, alpha):
    """`chance` is true to 0.05 and `finds` is found in 0.92 to 0.98 of 800 draws."""
    noise = noise_of(between, sessions)
    found = power(noise, alpha=alpha)
    at = found.judged_at
    share = share_found(noise, at, 0.05, math.log1p(0.05), alpha)
    assert found.chance == pytest.approx(share, abs=0.05)
    share = share_found(noise, at, 0.05, math.log1p(found.finds), alpha)
    assert share == pytest.approx(CERTAINTY, abs=0.03)


@pytest.mark.parametrize("sessions", [5, 10, 20, 40])
def test_at_what_can_be_detected_the_screen_can_clear(sessions):
    """The figure is the tolerance judged by, and no loss at all mostly passes there."""
    noise = noise_of(0.01, sessions)
    found = power(noise)
    again = power(noise, asked=found.can_detect)
    assert again.judged_at == again.can_detect == found.can_detect
    assert 0 <= found.can_detect - provable_with_strikes(noise, 1) < 0.011
    above = threshold(limits_at(found.can_detect), noise, 1, BETA)
    assert above > noise.error(1)


def test_too_few_sessions_prove_nothing():
    """Five sessions cannot show what a part of alpha of 1/100,000 asks for: no figure is made up."""
    assert strikes.strikes_needed(5, 1e-5) is None
    found = power(noise_of(0.001, 5), alpha=1e-5)
    assert (found.finds, found.chance) == (math.inf, 0.0)
    assert found.slower == found.unchanged == 1


def test_expected_trials_worked_out_by_hand():
    """A flagged metric costs ten further sessions of as many trials."""
    found = power(noise_of(0.002, 10), trials=3)
    assert found.unchanged == pytest.approx(3, abs=0.01)
    assert found.slower == pytest.approx(33, abs=0.05)


def test_the_same_question_has_the_same_answer():
    """The draws are from a fixed seed."""
    assert power(noise_of(0.01, 12)) == power(noise_of(0.01, 12))


@examples(0.4)
@given(
    st.floats(1e-3, 0.05),
    st.floats(1.5, 20),
    st.integers(5, 20),
    st.integers(1, 20),
    st.integers(2, 12),
    st.floats(0, 0.05),
)
def test_more_sessions_and_trials_detect_no_less(between, freedom, sessions, more, trials, within):
    """Neither more accepted sessions nor longer ones make what can be detected larger."""
    noise = Noise(
        between=max(between, within),
        freedom=freedom,
        within=within,
        usual=3.0,
        level=sessions,
    )
    plain = power(noise, trials=3)
    known = power(planning.with_sessions(noise, sessions + more), trials=3)
    assert known.can_detect <= plain.can_detect
    longer = power(planning.with_trials(noise, 3 + trials), trials=3 + trials)
    assert longer.can_detect <= plain.can_detect


@given(st.floats(1e-3, 0.1), st.floats(0, 0.1))
def test_more_noise_never_helps(between, more):
    """A noisier metric detects no smaller loss and proves the tolerance no more often."""
    calm, loud = power(noise_of(between, 10)), power(noise_of(between + more, 10))
    assert loud.can_detect >= calm.can_detect
