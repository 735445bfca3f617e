"""What is planned from the noise: shares of alpha, trials of the screen, provable tolerances."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from stats.strategies import noises

from gate.judge.host_stability.standing import unusual_scatter
from gate.stats import robust
from gate.stats.base_today import locate_base
from gate.stats.costs import LossLimits
from gate.stats.detectable import provable_with_pairs
from gate.stats.martingale import shares
from gate.stats.noise import (
    Noise,
    known_sigma,
    pair_sigma,
    provable_with_strikes,
)
from gate.stats.planning import Expected, screen_trials
from gate.stats.screen import SHARE, screen, threshold
from gate.stats.special import student

LIMITS = LossLimits(tolerance=0.05, negligible=0.01)
BETA = 0.025
CALM = Noise(between=0.003, freedom=8.0, within=0.004, usual=3.0, level=10)
LOUD_TRIALS = replace(CALM, between=0.011, within=0.03, usual=10.0)
METRIC = Expected(noise=CALM, limits=LIMITS, sigma=0.006, pairs=60, can_detect=0.02)
metrics = st.builds(
    Expected,
    noise=noises,
    limits=st.just(LIMITS),
    sigma=st.floats(1e-3, 0.3),
    pairs=st.integers(9, 200),
    can_detect=st.just(0.02),
)


def test_shares_worked_out_by_hand():
    """A tenth is shared equally, the rest by exp(strength), strength between 0 and 8."""
    weights = [math.e, math.e**2, 1.0]
    expected = [0.1 / 3 + 0.9 * weight / sum(weights) for weight in weights]
    assert shares([1.0, 2.0, -3.0]) == pytest.approx(expected)
    assert shares([8.0, 0.0]) == shares([800.0, -1.0])
    assert shares([0.7]) == (pytest.approx(1.0),)
    assert shares([]) == ()


def test_a_clear_loss_gets_nearly_all():
    """Among twenty flagged metrics the one far beyond its noise has 90 % of alpha."""
    first, *rest = shares([9.0, *[0.0] * 19])
    assert first == pytest.approx(0.9 * 2980.958 / 2999.958 + 0.005, rel=1e-6)
    assert all(one > 0.005 for one in rest)


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=50))
def test_shares_sum_to_one(strengths):
    """Whatever the screen saw, the shares sum to 1 and none is below a tenth of an equal one."""
    found = shares(strengths)
    assert math.fsum(found) == pytest.approx(1, rel=1e-12)
    assert min(found) >= 0.1 / len(strengths)


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=9), st.floats(0, 5))
def test_a_stronger_metric_gets_no_less(strengths, more):
    """A larger strength never lowers the metric's own share, nor raises another's."""
    before, after = shares(strengths), shares([strengths[0] + more, *strengths[1:]])
    assert after[0] >= before[0] - 1e-12
    assert all(b <= a + 1e-12 for a, b in zip(before[1:], after[1:], strict=True))


def test_chance_of_a_flag():
    """The normal chance that a true loss is seen above the threshold."""
    alone = replace(METRIC, pairs=0)
    for metric, known in ((METRIC, locate_base(CALM)), (alone, CALM)):
        above, error = threshold(LIMITS, known, 3, BETA), known.error(3)
        for loss in (0.0, 0.02, 0.05):
            expected = norm.cdf((loss - above) / error)
            assert metric.flagged(3, BETA, loss) == pytest.approx(expected)


def test_pairs_to_pass_and_to_prove():
    """10 / kappa^2 + 2 and 11 / kappa^2 + 2 pairs, at least the first block, at most all."""
    loud = replace(METRIC, sigma=0.05)
    assert loud.pairs_to_pass == pytest.approx(10 * (0.05 / math.log(1.05)) ** 2 + 2)
    distance = math.log(1.05) - math.log(1.01)
    assert loud.pairs_to_prove == pytest.approx(11 * (0.05 / distance) ** 2 + 2)
    assert METRIC.pairs_to_pass == METRIC.pairs_to_prove == 5
    deaf = replace(METRIC, sigma=1.0)
    assert deaf.pairs_to_pass == deaf.pairs_to_prove == 60


def test_a_quiet_benchmark_takes_what_was_asked():
    """Where an unchanged metric is hardly ever flagged, no further trial is worth taking."""
    assert screen_trials([METRIC], 3, BETA) == 3
    assert screen_trials([METRIC], 15, BETA) == 15
    assert screen_trials([], 3, BETA) == 3


def test_loud_trials_of_steady_sessions_take_more():
    """More trials help where they are what is noisy: six instead of three, at least cost."""
    noisy = replace(METRIC, noise=LOUD_TRIALS, sigma=0.04)
    costs = {
        trials: trials + 2 * noisy.pairs_to_pass * noisy.flagged(trials, BETA)
        for trials in range(3, 11)
    }
    best = screen_trials([noisy], 3, BETA)
    assert best == 6
    assert costs[best] == pytest.approx(min(costs.values()), abs=0.3)
    assert screen_trials([METRIC, noisy], 3, BETA) == best
    assert screen_trials([METRIC, noisy, METRIC], 9, BETA) == 9


def test_loud_sessions_take_no_more():
    """Where the sessions are what is noisy, further trials of one session change nothing."""
    restless = replace(CALM, between=0.03)
    assert screen_trials([replace(METRIC, noise=restless)], 3, BETA) == 3


@given(st.lists(metrics, max_size=4), st.integers(2, 20))
def test_planned_trials_are_at_least_those_asked_for(some, asked):
    """The plan never takes fewer, and of its own account no more than ten."""
    assert asked <= screen_trials(some, asked, BETA) <= max(asked, 10)


@given(metrics, st.integers(1, 20), st.floats(-0.1, 0.2), st.floats(0, 0.1))
def test_planning_is_monotone(metric, trials, loss, more):
    """A larger loss is flagged more often; more noise needs more pairs; a longer limit, no fewer."""
    assert metric.flagged(trials, BETA, loss + more) >= metric.flagged(trials, BETA, loss)
    louder = replace(metric, sigma=metric.sigma * (1 + more))
    longer = replace(metric, pairs=metric.pairs + 10)
    for name in ("pairs_to_pass", "pairs_to_prove"):
        assert getattr(louder, name) >= getattr(metric, name)
        assert getattr(longer, name) >= getattr(metric, name)
    assert metric.pairs_to_prove >= metric.pairs_to_pass


@given(noises, st.integers(1, 30))
def test_more_trials_never_raise_the_error(noise, trials):
    """A longer screen is never less certain."""
    assert noise.error(trials + 1) <= noise.error(trials)


def test_provable_tolerances_with_pairs():
    """log(1+T) = log(1+tau) + 1.1 sigma sqrt(100 / n): at 4 % noise 5.5 % with 100, 7.5 % with 50."""
    for sigma, pairs, expected in ((0.04, 100, 0.0554), (0.04, 50, 0.0748), (0.10, 100, 0.1274)):
        found = provable_with_pairs(LIMITS, sigma, pairs)
        assert found == pytest.approx(1.01 * math.exp(1.1 * sigma * math.sqrt(100 / pairs)) - 1)
        assert found == pytest.approx(expected, abs=5e-5)


def test_provable_with_strikes_lets_an_unchanged_metric_through():
    """At the raised tolerance the screen's threshold is about 1.4 standard errors: room to pass."""
    noise = replace(CALM, between=0.04, usual=1.0)
    raised = LossLimits(tolerance=provable_with_strikes(noise, 1), negligible=0.01)
    seen = screen([0.0], 0.0, noise, raised, BETA)
    reach = student(0.99, 8.0) * seen.error
    assert raised.most == pytest.approx(reach + 1.3 * seen.error)
    assert seen.threshold == pytest.approx(
        raised.most - student(1 - SHARE * BETA, 8.0) * seen.error
    )
    assert 1.3 * seen.error < seen.threshold < 1.5 * seen.error
    assert not seen.flagged


def test_pair_noise_from_the_baseline():
    """Root two times the noise inside sessions; the noise between them where each has one trial."""
    assert pair_sigma([(0.0, 0.02), (0.0, 0.02)]) == pytest.approx(1.4826 * 0.02)
    single = [(0.0,), (0.01,), (0.02,)]
    expected = math.sqrt(2) * robust.scale([0.0, 0.01, 0.02])[0]
    assert pair_sigma(single) == pytest.approx(expected)
    assert pair_sigma([(0.0,)]) == pytest.approx(0.03)
    assert pair_sigma([(1.0, 1.0)]) == 1e-3
    assert known_sigma(CALM) == pytest.approx(math.sqrt(2) * 0.004)
    single = replace(CALM, within=0.0, usual=1.0)
    assert known_sigma(single) == pytest.approx(math.sqrt(2) * 0.003)
    assert known_sigma(replace(CALM, within=1e-9)) == 1e-3


def test_unusual_scatter():
    """Half of at least five series must scatter more than four times as usual."""
    assert unusual_scatter([4.1, 1.0, 9.0, 30.0, 0.5]) == 4.1
    assert unusual_scatter([4.0, 1.0, 9.0, 30.0, 0.5]) is None
    assert unusual_scatter([99.0] * 4) is None
    assert unusual_scatter([]) is None
