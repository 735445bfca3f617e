"""Each formula of the verdict, with figures worked out by other means."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median

import pytest

from gate.stats import loudness, robust
from gate.stats.costs import log_costs, ratio, value_of
from gate.stats.martingale import BET, PairRule, decide, limits, slope_for
from gate.stats.quantiles import normal, student
from gate.stats.screen import Limits, moved, pairs_detectable, screen, slid, standard_error
from gate.stats.strikes import all_exceed, false_alarm, strikes_needed

LIMITS = Limits(tolerance=0.05, negligible=0.01)
RULE = PairRule(
    negligible=math.log(1.01), design=math.log(1.04), slope=100.0, alpha=0.01, beta=0.025, limit=30
)


def flat(*levels):
    """Sessions of one trial each."""
    return [(level,) for level in levels]


def test_quantiles():
    """The quantiles are those of the printed tables."""
    assert student(0.99, 9) == pytest.approx(2.821438, abs=1e-6)
    assert student(0.99, 4) == pytest.approx(3.746947, abs=1e-6)
    assert student(0.995, 9) == pytest.approx(3.249836, abs=1e-6)
    assert normal(0.975) == pytest.approx(1.959964, abs=1e-6)


def test_scale_between_sessions():
    """1.4826 MAD (1 + 1.2/S) of the session medians."""
    sessions = flat(0.00, 0.01, 0.02, 0.04, 0.08)
    assert robust.between_sessions(sessions) == pytest.approx(1.4826 * 0.02 * 1.24)


def test_scale_never_below_what_the_trials_imply():
    """Sessions that agree by luck are as uncertain as the median of their trials."""
    sessions = [(-0.03, 0.0, 0.03), (-0.03, 0.0001, 0.03), (-0.03, 0.0, 0.03)]
    inside = robust.within_session(sessions)
    assert robust.between_sessions(sessions) == pytest.approx(inside * math.sqrt(math.pi / 6))


def test_scale_of_equal_values_is_the_floor():
    """Zero variance is never certainty, and a MAD of zero falls back on the deviation."""
    assert robust.between_sessions(flat(0, 0, 0, 0, 0)) == robust.FLOOR
    assert robust.between_sessions(flat(0, 0, 0, 0, 0.05)) == pytest.approx(0.05 / math.sqrt(5))
    assert robust.step_scale([0, 0, 0]) == robust.step_scale([0]) == robust.FLOOR


def test_scale_inside_sessions():
    """The median difference of trials of one session, as a standard deviation; 0 if unknown."""
    assert robust.within_session(flat(1, 2)) == 0
    sessions = [(0.0, 0.01, 0.03)]
    assert robust.within_session(sessions) == pytest.approx(1.4826 * 0.02 / math.sqrt(2))
    assert robust.within_session([(0.0, 0.0, 0.0, 0.0, 0.06)]) == pytest.approx(0.06 / math.sqrt(5))


def test_step_scale():
    """1.4826 times the median absolute step, over root two."""
    assert robust.step_scale([0, 0.01, 0.03, 0.02]) == pytest.approx(1.4826 * 0.01 / math.sqrt(2))


def test_hodges_lehmann():
    """The median of all pairwise means, a value with itself included."""
    assert robust.hodges_lehmann([1, 2, 10]) == median([1, 1.5, 5.5, 2, 6, 10])


def test_standard_error():
    """s sqrt(1 + 1.57/S) for as many trials as the accepted sessions have, or more."""
    sessions = flat(0.00, 0.01, 0.02, 0.04, 0.08)
    expected = 1.4826 * 0.02 * 1.24 * math.sqrt(1 + 1.57 / 5)
    assert standard_error(sessions, 1) == pytest.approx(expected)
    assert standard_error(sessions, 9) == pytest.approx(expected)


def test_standard_error_of_fewer_trials():
    """A head of fewer trials is noisier by what the others averaged out."""
    sessions = [(0.0, 0.02, 0.04, 0.06)] * 5
    full, single = standard_error(sessions, 4), standard_error(sessions, 1)
    inside = robust.within_session(sessions)
    assert single**2 - full**2 == pytest.approx(inside**2 * math.pi / 2 * (1 - 1 / 4))


@pytest.mark.parametrize(
    ("scale", "branch"),
    [(0.002, "design"), (0.013, "half of tau"), (0.05, "tolerance")],
)
def test_screen_threshold(scale, branch):
    """The threshold is log(1+T_d) - r, or tau/2 to save work, but never above log(1+T) - r."""
    sessions = flat(*(scale * z for z in (-1.2, -1, -0.6, -0.2, 0, 0, 0.2, 0.6, 1, 1.2)))
    reach = student(0.99, 9) * standard_error(sessions, 1)
    expected = {
        "design": math.log(1.04) - reach,
        "half of tau": math.log(1.01) / 2,
        "tolerance": math.log(1.05) - reach,
    }
    seen = screen([0.0], sessions, LIMITS, 0.025)
    assert seen.threshold == pytest.approx(expected[branch])
    assert seen.flagged == (seen.threshold < 0)
    assert seen.high - seen.loss == pytest.approx(student(0.995, 9) * seen.error)


def test_screen_threshold_at_a_smaller_beta():
    """A beta below 1 % is held by the screen, too."""
    sessions = flat(-0.01, -0.005, 0, 0.005, 0.01)
    usual = screen([0.0], sessions, LIMITS, 0.025).threshold
    assert screen([0.0], sessions, LIMITS, 0.001).threshold < usual


def test_screen_improved_only_beyond_the_interval():
    """`improved` needs the whole interval beyond the negligible loss."""
    sessions = flat(-0.01, -0.005, 0, 0.005, 0.01)
    reach = screen([0.0], sessions, LIMITS, 0.025).high
    least = -(reach + LIMITS.dead)
    assert not screen([least + 1e-9], sessions, LIMITS, 0.025).improved
    assert screen([least - 1e-9], sessions, LIMITS, 0.025).improved


def test_slid_from_the_anchor():
    """A slide counts beyond the tolerance plus the noise of the steps, not before."""
    sessions = flat(0.0, 0.01, 0.02, 0.03, 0.04)
    error = robust.step_scale([0.0, 0.01, 0.02, 0.03, 0.04]) * math.sqrt(2)
    least = math.log(1.05) + student(0.99, 4) * error
    assert slid([least - 1e-9], sessions, LIMITS) is None
    assert slid([least + 1e-9], sessions, LIMITS) == pytest.approx(least)
    assert slid([9.0], sessions[:4], LIMITS) is None


def test_moved_needs_more_than_noise():
    """A level moved when it is beyond noise and tau, in whichever direction."""
    quiet = flat(0, 0.001, -0.001, 0.0005, -0.0005)
    loud = flat(0, 0.05, -0.05, 0.03, -0.03)
    assert moved([0.03], quiet, LIMITS)
    assert moved([-0.03], quiet, LIMITS)
    assert not moved([0.009], quiet, LIMITS)
    assert not moved([0.06], loud, LIMITS)


def test_moved_of_few_sessions():
    """Of few sessions the trials inside them tell the noise: a loud metric keeps its epoch."""
    assert moved([0.06], flat(0.0), LIMITS)
    assert not moved([0.04], flat(0.0), LIMITS)
    assert moved([0.060, 0.061, 0.062], [(0.0, 0.001, 0.002)], LIMITS)
    assert not moved([0.06, -0.05, 0.2], [(0.0, 0.1, -0.1)], LIMITS)


def test_moved_agrees_with_slid():
    """Whatever the check calls a slide opens an epoch when it is accepted."""
    sessions = flat(*(0.004 * i for i in range(20)))
    head = next(i / 1000 for i in range(1000) if slid([i / 1000], sessions, LIMITS))
    assert moved([head], sessions, LIMITS)


def test_strikes_bound():
    """1 / C(S + k, k), against the product of its factors."""
    assert false_alarm(20, 3) == 1 / 1771
    assert false_alarm(5, 4) == 1 / 126
    for count in range(1, 30):
        for k in range(1, 8):
            chance = math.prod(i / (count + i) for i in range(1, k + 1))
            assert false_alarm(count, k) == pytest.approx(chance)


def test_strikes_needed():
    """The fewest strikes whose bound holds alpha, and none where twelve do not."""
    assert [strikes_needed(count, 0.01) for count in (5, 10, 20)] == [4, 3, 2]
    assert strikes_needed(10, 0.01 / 20) == 5
    assert strikes_needed(1, 0.01) is None


def test_all_exceed():
    """Every strike must exceed the worst accepted session by more than tau."""
    sessions = flat(0, 0.02, 0.01)
    assert all_exceed(flat(0.031, 0.04), sessions, 0.01)
    assert not all_exceed(flat(0.03, 0.04), sessions, 0.01)
    assert not all_exceed([], sessions, 0.01)


def test_all_exceed_compares_like_with_like():
    """Sessions of more trials are cut to as many as the shortest has."""
    assert all_exceed([(0.05, 0, 0)], flat(0.0), 0.01)
    assert not all_exceed([(0.05, 0.0, 0.0)], [(0.0, 0.0, 0.0)], 0.01)


def test_martingale_factor():
    """One pair multiplies the wealth by 1 + b tanh(slope (d - c)), b = 0.8."""
    assert BET == 0.8
    differences = [0.02, 0.0095, 0.05]
    wealth = math.prod(1 + 0.8 * math.tanh(100 * (d - math.log(1.01))) for d in differences)
    just = replace(RULE, alpha=1 / wealth * (1 + 1e-9), beta=1e-9)
    assert decide(differences, just).verdict == "regressed"
    not_quite = replace(RULE, alpha=1 / wealth * (1 - 1e-9), beta=1e-9)
    assert decide(differences, not_quite).verdict == "undecided"


def test_martingale_factor_has_mean_one():
    """For a fair sign about c the factor's mean is exactly 1, and one outlier costs at most 1-b."""
    for size in (1e-6, 0.01, 0.3, 1e9):
        up, down = (1 + BET * math.tanh(100 * s * size) for s in (1, -1))
        assert (up + down) / 2 == pytest.approx(1)
        assert down >= 1 - BET


def test_slope():
    """The Gaussian-optimal slope, capped at 4 / sigma."""
    gap = RULE.design - RULE.negligible
    assert slope_for(RULE.negligible, RULE.design, 0.02) == pytest.approx(gap / 0.0004)
    assert slope_for(RULE.negligible, RULE.design, 0.001) == pytest.approx(4000)


def test_spent_and_hopeless():
    """The pairs end when none is left, or when those left could prove nothing."""
    between = (RULE.negligible + RULE.design) / 2
    assert decide([between] * 29, replace(RULE, slope=1)).verdict == "spent"
    assert decide([1.0, -1.0] * 12, RULE).verdict == "spent"
    assert decide([1.0, -1.0] * 15, RULE).verdict == "spent"
    assert decide([between], RULE).verdict == "undecided"


def test_limits_without_pairs():
    """No pairs, no limits; too few pairs refute nothing."""
    assert limits([], RULE) == (None, None)
    assert limits([0.1] * 7, RULE) == (None, pytest.approx(limits([0.1] * 7, RULE)[1]))
    assert limits([0.1] * 6, RULE) == (None, None)


def test_pairs_detectable():
    """tau + (z(1-alpha) + z(1-beta)) sigma / sqrt(n)."""
    expected = LIMITS.dead + (normal(0.99) + normal(0.975)) * 0.02 / math.sqrt(16)
    assert pairs_detectable(LIMITS, 0.02, 16, 0.01, 0.025) == pytest.approx(expected)


def test_provable_tolerances():
    """The published planning figures: 30 pairs at 4 % noise hold 6.4 %, 60 at 10 % hold 11.1 %."""
    assert loudness.provable_with_pairs(LIMITS, 0.04, 30) == pytest.approx(0.064, abs=5e-4)
    assert loudness.provable_with_pairs(LIMITS, 0.10, 30) == pytest.approx(0.145, abs=5e-4)
    assert loudness.provable_with_pairs(LIMITS, 0.10, 60) == pytest.approx(0.111, abs=5e-4)
    assert loudness.provable_with_pairs(LIMITS, 0.15, 60) == pytest.approx(0.163, abs=5e-4)


def test_provable_with_strikes_lets_an_unchanged_metric_through():
    """At the raised tolerance the screen's threshold is 1.5 standard errors: room to pass."""
    sessions = flat(0, 0.05, -0.05, 0.03, -0.03)
    raised = Limits(tolerance=loudness.provable_with_strikes(sessions, 1), negligible=0.01)
    seen = screen([0.0], sessions, raised, 0.025)
    assert seen.threshold == pytest.approx(1.5 * seen.error)


def test_pair_noise_from_the_baseline():
    """Root two times the noise inside sessions; the noise between them where each has one trial."""
    inside = [(0.0, 0.02), (0.0, 0.02)]
    assert loudness.pair_sigma(inside) == pytest.approx(1.4826 * 0.02)
    single = flat(0.0, 0.01, 0.02)
    expected = math.sqrt(2) * robust.between_sessions(single)
    assert loudness.pair_sigma(single) == pytest.approx(expected)
    assert loudness.pair_sigma(flat(0.0)) == pytest.approx(loudness.LOUD)
    assert loudness.pair_sigma([(1.0, 1.0)]) == loudness.LEAST_SIGMA
    assert [loudness.pair_limit(s, 30) for s in (0.03, 0.031)] == [30, 60]


def test_costs():
    """Log costs point up for worse, and come back as the value they were made of."""
    from gate.model import Better

    assert log_costs([math.e], Better.LOWER) == (1.0,)
    assert log_costs([math.e], Better.HIGHER) == (-1.0,)
    for better in Better:
        assert value_of(log_costs([3.5], better)[0], better) == pytest.approx(3.5)
    assert ratio(math.log(1.05)) == pytest.approx(0.05)
    assert math.isfinite(ratio(1e6))
    assert math.isfinite(value_of(1e6, Better.LOWER))


def test_least_pairs():
    """Eight pairs at least for alpha 1 %, seven to pass at beta 2.5 %, whatever they show."""
    assert decide([1.0] * 30, RULE).pairs == 8
    assert decide([-1.0] * 30, RULE).pairs == 7
    assert decide([1.0] * 7, RULE).verdict == "undecided"
