"""What pairs can detect: every planning figure against simulation, and which way it goes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stats import simulated, strategies

from gate.stats import planning, robust
from gate.stats.base_today import locate_base
from gate.stats.costs import LossLimits
from gate.stats.detectable import can_detect, least, provable_with_pairs, round_up
from gate.stats.noise import Noise
from gate.stats.planning import Expected
from gate.stats.power import CERTAINTY, chance_proven, with_pairs
from gate.stats.screen import threshold

ALPHA, BETA = 0.01, 0.025
CALM = Noise(between=0.003, freedom=5.85, within=0.004, usual=3.0, level=10)


def limits_at(tolerance):
    return LossLimits(tolerance=tolerance, negligible=tolerance / 5)


def metric(sigma, pairs, noise=CALM, asked=0.05):
    limits = limits_at(asked)
    able = can_detect(limits_at, lambda one: provable_with_pairs(one, sigma, pairs))
    force = LossLimits(tolerance=max(asked, able), negligible=limits.negligible)
    return Expected(noise=noise, limits=force, sigma=sigma, pairs=pairs, can_detect=able)


def power(sigma=0.02, pairs=80, noise=CALM, trials=3, asked=0.05):
    one = metric(sigma, pairs, noise, asked)
    return with_pairs(one, asked, trials=trials, alpha=ALPHA, beta=BETA)


def seen(one, loss, draws=1500, seed=5):
    """The share of simulated draws that are proven, with the metric's own limits."""
    dice = np.random.default_rng([simulated.SEED, seed])
    every = []
    for size in simulated.sizes(one.pairs):
        base, head = dice.normal(0, one.sigma / math.sqrt(2), (2, draws, size))
        every.append((base, head + loss))
    rule = simulated.rule(
        sigma=one.sigma,
        limit=one.pairs,
        negligible=one.limits.dead,
        tolerance=one.limits.most,
        alpha=0.9 * ALPHA,
    )
    return simulated.decided(every, rule)


@pytest.mark.parametrize("pairs", [9, 30, 80, 160])
@pytest.mark.parametrize("kappa", [0.7, 1.1, 2.5, 6.0])
@pytest.mark.parametrize("part", [0.5, 0.8, 1.0, 1.3])
def test_the_chance_of_a_proof_is_what_is_simulated(pairs, kappa, part):
    """Normal noise: at most 0.04 above 1,500 simulated draws of the rule, at most 0.13 below.

    Tolerances as asked, also below what the judge would raise, so that small chances count too.
    """
    limits = limits_at(0.05)
    distance = limits.most - limits.dead
    sigma = distance / (kappa * 0.65 * math.sqrt(80 / pairs))
    one = Expected(noise=CALM, limits=limits, sigma=sigma, pairs=pairs, can_detect=0.05)
    loss = limits.dead + part * distance
    share = float(seen(one, loss).proven.mean())
    assert -0.13 <= chance_proven(one, loss, ALPHA, BETA) - share <= 0.04


@pytest.mark.parametrize("pairs", [30, 80, 160])
@pytest.mark.parametrize("sigma", [0.01, 0.03, 0.08])
def test_the_detectable_loss_is_proven_when_it_is_there(pairs, sigma):
    """A loss as large as the smallest tolerance held is proven in 95 % of the draws and more."""
    found = power(sigma, pairs)
    limits = limits_at(found.can_detect)
    one = Expected(noise=CALM, limits=limits, sigma=sigma, pairs=pairs, can_detect=0.05)
    assert seen(one, limits.most).proven.mean() >= CERTAINTY
    provable = provable_with_pairs(limits, sigma, pairs)
    assert provable <= found.can_detect
    assert found.can_detect == pytest.approx(provable, rel=0.11)  # two digits, rounded up


@pytest.mark.parametrize(("sigma", "pairs"), [(0.02, 80), (0.03, 30), (0.05, 80), (0.1, 160)])
def test_what_is_found_as_set_is_found(sigma, pairs):
    """`finds` is proven in 0.91 to 1, `chance` is true to 0.06 above, 0.11 below: screen and pairs simulated."""
    found, one = power(sigma, pairs), metric(sigma, pairs)
    dice = np.random.default_rng([simulated.SEED, 9])
    above, error = threshold(one.limits, CALM, 3, BETA), CALM.error(3)
    for loss, least_share, most_share in (
        (math.log1p(found.finds), CERTAINTY - 0.04, 1.0),
        (math.log1p(0.05), found.chance - 0.06, found.chance + 0.11),
    ):
        flagged = dice.normal(loss, error, 1500) > above
        share = float((flagged & seen(one, loss).proven).mean())
        assert least_share <= share <= most_share


@pytest.mark.parametrize("sigma", [0.02, 0.03, 0.04])
def test_expected_pairs_are_what_is_simulated(sigma):
    """Mean pairs without a loss and at the tolerance: planned within a quarter and two pairs."""
    one = metric(sigma, 80)
    for loss, planned in ((0.0, one.pairs_to_pass), (one.limits.most, one.pairs_to_prove)):
        spent = float(seen(one, loss).pairs.mean())
        assert abs(planned - spent) <= 0.25 * spent + 2


def test_expected_trials_worked_out_by_hand():
    """The screen's trials, and both trials of each pair where it flags."""
    one, found = metric(0.03, 80), power(0.03, 80)
    flags, at_most = one.flagged(3, BETA), one.flagged(3, BETA, math.log1p(0.05))
    assert found.unchanged == pytest.approx(3 + 2 * flags * one.pairs_to_pass)
    assert found.slower == pytest.approx(3 + 2 * at_most * one.pairs_to_prove)


@pytest.mark.parametrize("trials", [2, 3, 5, 10])
def test_chance_of_a_flag_is_what_is_simulated(trials):
    """Whole sessions drawn: the planned chance of a flag is true to 0.05."""
    noise = Noise(between=0.012, freedom=5.85, within=0.02, usual=float(trials), level=10)
    one = metric(0.03, 80, noise)
    dice = np.random.default_rng([simulated.SEED, trials])
    trial_part = noise.within * math.sqrt(math.pi / 2 / trials)
    day = math.sqrt(max(noise.between**2 - trial_part**2, 0.0))
    days = dice.normal(0, day, (4000, 11))
    medians = days + np.median(dice.normal(0, noise.within, (4000, 11, trials)), axis=2)
    levels = np.median(medians[:, 1:], axis=1)
    beside = days[:, 0] + dice.normal(0, noise.within, 4000)
    today = [locate_base(noise, *one).level for one in zip(levels, beside[:, None], strict=True)]
    above = threshold(one.limits, locate_base(noise), trials, BETA)
    for loss in (0.0, 0.02, 0.05):
        share = float((medians[:, 0] + loss - np.array(today) > above).mean())
        assert one.flagged(trials, BETA, loss) == pytest.approx(share, abs=0.05)


@pytest.mark.parametrize(
    ("tolerance", "figure"),
    [
        (0.0731, 0.074),
        (0.074, 0.074),
        (0.0991, 0.1),
        (0.141, 0.15),
        (1.42, 1.5),
        (0.00012, 0.00012),
    ],
)
def test_figures_are_rounded_up_to_two_digits(tolerance, figure):
    """Never down, and a figure of two digits stays as it is."""
    assert round_up(tolerance) == figure
    assert round_up(figure) == figure
    assert round_up(math.inf) == math.inf


def test_least():
    """The smallest tolerance of a range, its ends and none."""
    assert least(lambda tolerance: tolerance >= 0.0123) == pytest.approx(0.0123)
    assert least(lambda _: True) == pytest.approx(1e-4)
    assert least(lambda _: False) == math.inf


noises = strategies.noises.map(
    lambda noise: replace(noise, between=max(noise.between, noise.implied))
)
"""As `noise_of` makes them: never quieter between sessions than the trials alone imply."""


@given(st.floats(1e-3, 0.3), st.integers(9, 200), st.integers(1, 100), noises)
def test_more_pairs_detect_no_less(sigma, pairs, more, noise):
    """Further pairs never make the detectable loss larger, nor what is found as set."""
    few, many = power(sigma, pairs, noise), power(sigma, pairs + more, noise)
    assert many.can_detect <= few.can_detect + 1e-9
    if few.judged_at == 0.05:
        assert many.finds <= few.finds + 1e-9
        assert many.chance >= few.chance - 1e-9


@given(st.floats(1e-3, 0.3), noises, st.integers(2, 20), st.integers(1, 20))
def test_more_trials_and_sessions_detect_no_less(sigma, noise, trials, more):
    """With both sides the pairs decide: screen and sessions change what it costs only."""
    plain = power(sigma, 80, noise, trials)
    longer = power(sigma, 80, planning.with_trials(noise, trials + more), trials + more)
    known = power(sigma, 80, planning.with_sessions(noise, noise.level + more), trials)
    assert plain.can_detect == longer.can_detect == known.can_detect


@given(noises, st.integers(1, 40), st.integers(1, 40))
def test_what_is_foreseen_never_is_noisier(noise, one, more):
    """More sessions or longer ones never raise the error, and none of them invents certainty."""
    for change, count in (
        (planning.with_sessions, noise.level + one),
        (planning.with_trials, int(noise.usual) + one),
    ):
        few, many = change(noise, count), change(noise, count + more)
        trials = int(max(few.usual, many.usual))
        assert many.error(trials) <= few.error(trials) + 1e-12 <= noise.error(trials) + 2e-12
        assert many.reach(0.99, trials) <= few.reach(0.99, trials) + 1e-9
        assert many.between >= min(noise.between, max(many.implied, robust.FLOOR)) - 1e-12


def test_longer_sessions_worked_out_by_hand():
    """between^2 - pi/2 within^2 (1/3 - 1/10); a single trial promises nothing."""
    noise = Noise(between=0.02, freedom=5.85, within=0.02, usual=3.0, level=10)
    gone = math.pi / 2 * 0.02**2 * (1 / 3 - 1 / 10)
    longer = planning.with_trials(noise, 10)
    assert (longer.between, longer.usual) == (pytest.approx(math.sqrt(0.0004 - gone)), 10.0)
    assert planning.with_trials(noise, 3) is noise
    single = replace(noise, usual=1.0, within=0.0)
    assert planning.with_trials(single, 10) is single


def test_more_sessions_worked_out_by_hand():
    """The freedom grows by what Q_n of 20 has more than Q_n of 10: 12.91 less 5.85."""
    known = planning.with_sessions(CALM, 20)
    assert known.level == 20
    assert known.freedom == pytest.approx(5.85 + 12.91 - 5.85)
    assert planning.with_sessions(CALM, 10) is CALM
    longer = planning.with_trials(replace(CALM, within=0.2), 10)
    simulated_scale = np.random.default_rng(1).normal(0, 1, (2000, 20))
    spread = [robust.scale(list(map(float, row)))[0] for row in simulated_scale]
    cv = float(np.std(np.log(np.square(spread))))
    assert cv == pytest.approx(math.sqrt(2 / 12.91), abs=0.05)
    assert longer.between == longer.implied
