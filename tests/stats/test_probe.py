"""The noise of a host from trials of fixed work, and the smallest loss that it can tell."""

from __future__ import annotations

import math
import random
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.stats import robust
from gate.stats.costs import LossLimits
from gate.stats.detectable import least, provable_with_pairs
from gate.stats.probe import PAIRS, TRIALS, host_noise, smallest
from gate.stats.special import normal

BOUNDS = {"alpha": 0.01, "beta": 0.025}


def normal_trials(count, noise, seed=1, typical=0.4):
    dice = random.Random(seed)
    return [typical * math.exp(dice.gauss(0, noise)) for _ in range(count)]


def test_the_noise_is_that_of_the_trials():
    """400 trials of 1 % noise about 0.4 s show 1 % and 0.4 s, and no drift."""
    found = host_noise(normal_trials(400, 0.01), **BOUNDS)
    assert found.trials == 400
    assert found.noise == pytest.approx(0.01, rel=0.1)
    assert found.typical == pytest.approx(0.4, rel=0.002)
    assert abs(found.alike) < 0.1
    assert not found.drifts


def test_it_is_the_noise_that_the_gate_takes_from_sessions():
    """The figure is that of trials inside one accepted session, to the last digit."""
    trials = normal_trials(40, 0.02)
    logs = [math.log(one) for one in trials]
    assert host_noise(trials, **BOUNDS).noise == robust.within_session([logs])


def test_a_few_wild_trials_do_not_count():
    """8 of 40 trials that take twice as long leave the noise below 2 %, and are told as slowest."""
    trials = normal_trials(40, 0.01)
    trials[::5] = [0.8] * 8
    found = host_noise(trials, **BOUNDS)
    assert found.noise < 0.02
    assert found.slowest == pytest.approx(1.0, abs=0.02)


def test_two_levels_are_not_taken_for_quiet():
    """Trials that are half on one level and half 5 % above it show at least 2 % noise."""
    trials = normal_trials(40, 0.002)
    trials[1::2] = [1.05 * one for one in trials[1::2]]
    assert host_noise(trials, **BOUNDS).noise > 0.02


def test_the_figures_of_one_per_cent_noise():
    """Pinned: what 45 trials of exactly 1 % noise promise, for trials a side and for pairs."""
    freedom = 0.86 * 44
    told = {n: round(smallest(0.01, n, freedom, 0.01, 0.025), 4) for n in TRIALS}
    assert told == {1: 0.0826, 3: 0.0467, 10: 0.0253, 30: 0.0145}


def test_the_loss_told_is_the_gates_own_planning_formula():
    """With the scale known for sure: tau + (z(1-alpha) + z(1-beta)) sigma / sqrt(n) is T."""
    for trials in TRIALS:
        told = smallest(0.01, trials, 1e9, 0.01, 0.025)
        limits = LossLimits(tolerance=told, negligible=told / 5)
        sigma = math.sqrt(2) * 0.01
        apart = (normal(0.99) + normal(0.975)) * sigma / math.sqrt(trials)
        assert limits.dead + apart == pytest.approx(math.log1p(told), rel=1e-4)


def test_pairs_are_what_the_judge_holds():
    """The tolerance told for pairs is the smallest one that the judge would not raise."""
    found = host_noise(normal_trials(45, 0.01), **BOUNDS)
    sigma = math.sqrt(2) * found.noise
    for pairs in PAIRS:
        told = found.with_pairs[pairs]

        def raised(tolerance, pairs=pairs):
            limits = LossLimits(tolerance=tolerance, negligible=tolerance / 5)
            return provable_with_pairs(limits, sigma, pairs)

        assert raised(told) <= told
        assert raised(0.89 * told) > 0.89 * told  # two digits, rounded up


@pytest.mark.parametrize("trials", TRIALS)
def test_the_loss_told_is_found_and_none_is_not(trials):
    """Simulated: with the scale of a fresh 45-trial probe, a test at alpha 1 % against tau = T/5
    errs at most as often as promised, both ways, within what 4,000 draws can show."""
    dice, draws, noise = random.Random(trials), 4000, 0.01
    missed = wrong = 0
    for _ in range(draws):
        probe = [dice.gauss(0, noise) for _ in range(45)]
        scale, freedom = robust.within_session([probe]), 0.86 * 44
        loss = smallest(scale, trials, freedom, 0.01, 0.025)
        tau, most = math.log1p(loss / 5), math.log1p(loss)
        error = noise * math.sqrt(2 / trials)
        # The bound of the test parts what lies between tau and T as alpha and beta ask for it.
        bound = tau + (most - tau) * 2.43 / (2.43 + 2.03)
        wrong += dice.gauss(tau, error) > bound
        missed += dice.gauss(most, error) < bound
    assert wrong / draws < 0.01 + 3 * math.sqrt(0.01 / draws)
    assert missed / draws < 0.025 + 3 * math.sqrt(0.025 / draws)


def test_the_freedom_is_that_of_the_scale():
    """Simulated: the scale of 20 trials scatters like one of 0.86 x 19 degrees of freedom."""
    dice = random.Random(7)
    scales = [robust.within_session([[dice.gauss(0, 1) for _ in range(20)]]) for _ in range(3000)]
    freedom = fmean(scales) ** 2 / (2 * stdev(scales) ** 2)
    assert freedom == pytest.approx(0.86 * 19, rel=0.1)


def test_a_drifting_host_says_so():
    """A slow slide of ten times the noise makes neighbours alike, and is told; a burst does not."""
    trials = normal_trials(45, 0.01)
    sliding = [one * (1 + 0.1 * n / 45) for n, one in enumerate(trials)]
    assert host_noise(sliding, **BOUNDS).drifts
    assert host_noise(sliding, **BOUNDS).alike > 0.8
    burst = [*trials[:20], 4.0, 4.0, *trials[22:]]
    assert not host_noise(burst, **BOUNDS).drifts


def test_no_noise_is_a_coarse_clock():
    """Equal trials have the smallest scale that is believed, never none."""
    found = host_noise([0.4] * 10, **BOUNDS)
    assert found.noise == robust.FLOOR
    assert found.alike == 0.0
    assert all(value > 0 for value in found.detectable.values())


def test_a_hopeless_host_tells_no_loss():
    """Noise beyond a factor has no loss that could be told: infinite, not a number to trust."""
    found = host_noise(normal_trials(20, 3.0), **BOUNDS)
    assert found.detectable[1] == math.inf


@pytest.mark.parametrize("seconds", [[0.4] * 4, [0.4] * 9 + [0.0], [0.4] * 9 + [math.inf], []])
def test_trials_that_tell_nothing_are_refused(seconds):
    """Fewer than five trials, or one without a time, give no figure."""
    with pytest.raises(ValueError, match="needs 5 trials"):
        host_noise(seconds, **BOUNDS)


@given(
    # Of another unit, values that differ by rounding alone may be equal, or the other way round.
    st.lists(st.floats(1e-3, 1e3).map(lambda one: round(one, 6)), min_size=5, max_size=60),
    st.floats(0.1, 10),
)
def test_more_trials_never_tell_less(seconds, unit):
    """For any trials: more a side tell smaller losses, and the unit of time does not matter."""
    found = host_noise(seconds, **BOUNDS)
    told = [found.detectable[n] for n in TRIALS]
    assert told == sorted(told, reverse=True)
    scaled = host_noise([one * unit for one in seconds], **BOUNDS)
    assert scaled.noise == pytest.approx(found.noise, rel=1e-6, abs=1e-9)
    assert -1 <= found.alike <= 1


def test_least_is_what_holds():
    """The search that all of these rest on gives the smallest tolerance that holds."""
    assert least(lambda tolerance: tolerance >= 0.05) == pytest.approx(0.05, rel=1e-6)
