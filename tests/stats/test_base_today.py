"""Where the base stands today: by the accepted level, and by a trial of it in this sitting."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stats import simulated
from stats.strategies import noises

from gate.model.plan import BASE_TRIALS
from gate.stats.base_today import locate_base
from gate.stats.noise import Noise
from gate.stats.special import student

CALM = Noise(between=0.01, freedom=6.0, within=0.008, usual=4.0, level=10, within_freedom=12.0)


def test_both_are_weighed_by_their_variance():
    """P = 1e-4 - pi/2 6.4e-5 / 4 + pi/2 1e-4 / 10 = 9.058e-5, V = 6.4e-5: 0.586 of the way."""
    prior = 1e-4 - math.pi / 2 * 6.4e-5 / 4 + math.pi / 2 * 1e-4 / 10
    today = locate_base(CALM, 2.0, [2.01])
    assert today.prior == pytest.approx(prior)
    assert today.level == pytest.approx(2.0 + 0.01 * prior / (prior + 6.4e-5))
    variance = prior * 6.4e-5 / (prior + 6.4e-5)
    assert today.error(3) == pytest.approx(math.sqrt(0.449 * 6.4e-5 + variance))
    assert today.error(4) == pytest.approx(math.sqrt(math.pi / 8 * 6.4e-5 + variance))
    assert today.reach(0.99, 3) > student(0.99, 18) * today.error(3)
    assert today.reach(0.99, 3) < student(0.99, 6) * today.error(3)


@given(noises, st.integers(1, 20), st.floats(-0.3, 0.3))
def test_never_less_well_known_than_by_either_alone(noise, trials, off):
    """The error is at most that beside the base trial alone; where it stands is between the two."""
    today = locate_base(noise, 1.0, [1.0 + off])
    within = today.within
    assert today.error(trials) <= math.sqrt((math.pi / 2 / trials + 1) * within**2) * (1 + 1e-9)
    assert min(1.0, 1.0 + off) - 1e-12 <= today.level <= max(1.0, 1.0 + off) + 1e-12


@given(noises, st.floats(0, 0.3))
def test_what_is_planned_is_what_is_judged(noise, off):
    """Before anything is measured the error is known already: it does not depend on the values."""
    planned, judged = locate_base(noise), locate_base(noise, 1.0, [1.0 + off] * BASE_TRIALS)
    assert planned.error(3) == judged.error(3)
    assert planned.reach(0.99, 5) == judged.reach(0.99, 5)


@given(noises, st.floats(1e-3, 0.5))
def test_a_level_that_does_not_hold_is_seen_both_ways(noise, off):
    """Whoever is far from the accepted level is not where it says, faster or slower."""
    away = [locate_base(noise, 0.0, [sign * off]).holds for sign in (-1, 1)]
    assert away[0] == away[1]
    assert locate_base(noise, 0.0, [0.0]).holds
    assert not locate_base(replace(noise, freedom=6.0), 0.0, [10.0]).holds


@pytest.mark.parametrize(("trials", "usual"), [(3, 3), (3, 10), (8, 10)])
def test_a_loss_of_the_tolerance_is_seldom_below_its_reach(trials, usual):
    """Whole sittings drawn: an error of 2 % or less beyond the 97.5 % reach, scales known."""
    noise = Noise(
        between=math.sqrt(0.01**2 + math.pi / 2 * 0.02**2 / usual),
        freedom=1e6, within=0.02, usual=float(usual), level=10, within_freedom=1e6,
    )  # fmt: skip
    dice = np.random.default_rng([simulated.SEED, trials, usual])
    days = dice.normal(0, 0.01, 4000)
    levels = dice.normal(0, noise.between * math.sqrt(math.pi / 20), 4000)
    heads = days + np.median(dice.normal(0, 0.02, (4000, trials)), axis=1)
    bases = days + dice.normal(0, 0.02, 4000)
    found = [locate_base(noise, *one) for one in zip(levels, bases[:, None], strict=True)]
    off = np.array([h - one.level for h, one in zip(heads, found, strict=True)])
    assert np.std(off) == pytest.approx(found[0].error(trials), rel=0.04)
    assert np.mean(off < -found[0].reach(0.975, trials)) == pytest.approx(0.025, abs=0.008)
