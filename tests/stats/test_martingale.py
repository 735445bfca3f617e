"""The pair rule against a wealth worked out by writing out every assignment."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from stats import brute

from gate.stats import martingale as gate
from gate.stats.martingale import PairRule, confidence_limits, decide
from gate.stats.martingale import _noises as noises
from gate.stats.tails import Tails

RULE = PairRule(
    negligible=math.log(1.01),
    tolerance=math.log(1.05),
    sigma=0.03,
    alpha=0.01,
    beta=0.016,
    limit=60,
    tails=Tails(stake=1e-12, clear=0.45),
)
SIZES = (5, 2, 2, 2, 2, 2)


def drawn(seed, loss, noise=0.02, sizes=SIZES):
    """Blocks of normal noise with a loss on every head trial."""
    dice = np.random.default_rng(seed)
    return [
        (
            tuple(float(x) for x in dice.normal(0, noise, size)),
            tuple(float(x) for x in dice.normal(loss, noise, size)),
        )
        for size in sizes
    ]


def parted(gap, sizes, step=1e-4):
    """Blocks in which every head trial is dearer than every base trial by about a gap."""
    return [
        (tuple(step * i for i in range(size)), tuple(gap + step * i for i in range(size)))
        for size in sizes
    ]


def test_constants_of_the_bet():
    """What the written-out wealth takes from the gate, and with it every recorded figure."""
    assert (gate.BET, gate._STRAIGHT) == (0.95, 0.6)
    assert (gate._STEEPEST, gate._RANK_SLOPE, gate._STEEPEST_RANK) == (5.7, 1.25, 6.0)
    assert (gate._PRIOR_GAPS, gate._QUIETEST) == (8, 1 / 8)


@pytest.mark.parametrize("seed", range(6))
def test_wealth_is_that_of_all_assignments(seed):
    """`regressed` and `passed` fall on the block where the written-out wealth reaches 1/level."""
    blocks = drawn(seed, 0.03)
    for sign, name, centre in ((1, "alpha", RULE.negligible), (-1, "beta", RULE.tolerance)):
        grown = brute.wealth(blocks, RULE, centre, sign)
        other = {"alpha": "beta", "beta": "alpha"}[name]
        for place, reached in enumerate(grown):
            if reached <= max([1.0, *grown[:place]]):
                continue
            just = replace(RULE, **{name: 1 / reached * (1 + 1e-9), other: 1e-300})
            answer = decide(blocks, just)
            assert answer.verdict == {1: "regressed", -1: "passed"}[sign]
            assert answer.blocks == place + 1
            assert answer.pairs == sum(SIZES[: place + 1])
            short = replace(just, **{name: 1 / reached * (1 - 1e-9)})
            assert decide(blocks[: place + 1], short).verdict == "undecided"


def test_a_loss_and_its_absence_at_once_is_a_loss():
    """Where a block proves more than tau and less than T at once, it is the loss that counts."""
    both = replace(RULE, sigma=1e-3)
    blocks = parted(math.log(1.03), (5,))
    assert brute.wealth(blocks, both, both.negligible, 1)[-1] > 1 / both.alpha
    assert brute.wealth(blocks, both, both.tolerance, -1)[-1] > 1 / both.beta
    assert decide(blocks, both).verdict == "regressed"


@pytest.mark.parametrize("seed", range(4))
def test_expected_noise(seed):
    """Each block's bet uses the baseline's noise and the gaps of the blocks before, not its own."""
    blocks = drawn(seed, 0.03, noise=0.07)
    assert noises(blocks, RULE) == pytest.approx(brute.noises(blocks, RULE))
    other = [*blocks[:3], ((0.0, 9.0), (9.0, -9.0)), *blocks[4:]]
    assert noises(other, RULE)[:4] == noises(blocks, RULE)[:4]
    assert noises(other, RULE)[4] > noises(blocks, RULE)[4]


def test_expected_noise_starts_at_the_baseline():
    """Before any block it is sigma over root two: a pair difference has two trials' variance."""
    assert noises(drawn(1, 0.0), RULE)[0] == pytest.approx(0.03 / math.sqrt(2))


def test_expected_noise_of_normal_gaps():
    """A normal gap's log is on average the noise's: (Euler's constant + log 2) / 2 is added."""
    assert pytest.approx((np.euler_gamma + math.log(2)) / 2, abs=5e-5) == gate._LOG_GAP
    expected = 0.03 / math.sqrt(2)
    found = noises(drawn(3, 0.0, noise=4 * expected, sizes=(5, *[2] * 2000)), RULE)
    assert found[-1] == pytest.approx(4 * expected, rel=0.04)


def test_small_gaps_are_not_believed():
    """No gap counts as less than an eighth: noise as expected then looks a tenth larger."""
    expected = 0.03 / math.sqrt(2)
    found = noises(drawn(3, 0.0, noise=expected, sizes=(5, *[2] * 2000)), RULE)
    assert found[-1] == pytest.approx(1.105 * expected, rel=0.03)


def test_ties_are_a_coarse_clock():
    """Gaps of zero count as an eighth of the expected noise: no certainty, and no logarithm of 0."""
    still = [((0.0,) * 5, (0.0,) * 5), ((0.0, 0.0), (0.0, 0.0))]
    expected = 0.03 / math.sqrt(2)
    gap = math.log(expected / 8) + gate._LOG_GAP
    logs = (8 * math.log(expected) + 4 * gap) / 12
    assert noises(still, RULE)[1] == pytest.approx(math.exp(logs))


def test_a_wild_gap_is_barely_noticed():
    """One trial a thousand times off raises the expected noise of the next block by a factor 5."""
    calm = drawn(2, 0.0)
    (first, *rest), head = calm[0]
    wild = [((first + 20, *rest), head), *calm[1:]]
    ratio = noises(wild, RULE)[1] / noises(calm, RULE)[1]
    assert 1.5 < ratio < 5


def test_one_spoilt_block_costs_a_factor_of_twenty():
    """1 - b of the wealth stays out of every bet, so no block takes more than 95 % of it."""
    assert gate.BET == 0.95
    good = parted(0.3, (5, 2, 2))
    spoilt = [*good, ((9.0, 9.0), (0.0, 0.0))]
    before, after = brute.wealth(spoilt, RULE, RULE.negligible, 1)[-2:]
    assert after == pytest.approx(before / 20, rel=1e-3)
    held = replace(RULE, alpha=1 / after * (1 + 1e-9), beta=1e-300)
    assert decide(spoilt[3:], held).verdict == "undecided"


def test_fewest_pairs():
    """A clear loss at 3 % noise is worth 157 after five pairs, and 5.7 times more with each two."""
    blocks = parted(0.5, (5, *[2] * 6))
    worth = brute.wealth(blocks, RULE, RULE.negligible, 1)[:4]
    assert worth == pytest.approx([157.6, 892.6, 5083.0, 29033.4], rel=1e-3)
    for count, reached in enumerate(worth):
        for hair, more in ((1e-9, 0), (-1e-9, 2)):
            answer = decide(blocks, replace(RULE, alpha=(1 + hair) / reached))
            assert (answer.verdict, answer.pairs) == ("regressed", 5 + 2 * count + more)


def test_fewest_pairs_to_pass():
    """A head clearly faster is improved after the first block at beta 1.6 %."""
    answer = decide(parted(-0.5, (5, 2, 2)), RULE)
    assert (answer.verdict, answer.pairs, answer.blocks) == ("improved", 5, 1)


@pytest.mark.parametrize(
    ("limit", "spent"), [(60, 59), (61, 61), (59, 59), (9, 9), (10, 9), (30, 29)]
)
def test_the_limit_of_pairs_is_never_passed(limit, spent):
    """The pairs are spent once no further block of two fits below the limit."""
    between = (RULE.negligible + RULE.tolerance) / 2
    dice = np.random.default_rng(1)
    blocks = []
    loud = replace(RULE, limit=limit, alpha=1e-9, beta=1e-9)
    for size in (5, *[2] * 40):
        blocks.append(
            (
                tuple(float(x) for x in dice.normal(0, 0.3, size)),
                tuple(float(x) for x in dice.normal(between, 0.3, size)),
            )
        )
        answer = decide(blocks, loud)
        if answer.verdict != "undecided":
            break
    assert (answer.verdict, answer.pairs) == ("spent", spent)


def test_without_the_first_block():
    """Where the block of five was cut short, blocks of two go on: 2, 4, 6 pairs and the limit."""
    blocks = parted(0.5, (2, 2, 2, 2))
    assert [decide(blocks[:n], RULE).verdict for n in (1, 2, 3)] == ["undecided"] * 2 + [
        "regressed"
    ]
    assert decide([], RULE) == decide([], RULE, limits=False)
    assert decide([], RULE).verdict == "undecided"


def test_limits_only_where_asked_for():
    """A look between blocks leaves the limits out and says the same otherwise."""
    blocks = drawn(1, 0.05)
    full, short = decide(blocks, RULE), decide(blocks, RULE, limits=False)
    assert (short.low, short.high) == (None, None)
    assert replace(full, low=None, high=None) == short
    assert None not in (full.low, full.high)


@pytest.mark.parametrize("seed", range(5))
def test_limits_are_where_the_wealth_reaches_the_level(seed):
    """Up to the lower limit the largest wealth so far is 1/alpha, from the upper one on 1/beta."""
    blocks = drawn(seed, 0.03)
    low, high = confidence_limits(blocks, RULE)
    for limit, level, sign in ((low, RULE.alpha, 1), (high, RULE.beta, -1)):
        inside, outside = (limit + sign * step for step in (-1e-6, 1e-6))
        assert max(brute.wealth(blocks, RULE, inside, sign)) >= 1 / level
        assert max(brute.wealth(blocks, RULE, outside, sign)) < 1 / level
    assert low < high


def test_limits_without_blocks():
    """No blocks, no limits; one block of two refutes nothing at all."""
    assert confidence_limits([], RULE) == (None, None)
    assert confidence_limits(parted(0.5, (2,)), RULE) == (None, None)


def test_limits_hold_the_decision_however_far_the_loss():
    """A loss far beyond ten times the noise has a lower limit, also where bets are faint."""
    dice = np.random.default_rng(4)
    blocks = [
        (tuple(dice.normal(0, 1.0, n).tolist()), tuple(dice.normal(60, 1.0, n).tolist()))
        for n in (5, *[2] * 60)
    ]
    faint = replace(RULE, sigma=0.3)
    answer = decide(blocks, faint)
    assert answer.verdict == "regressed"
    assert answer.low is not None
    assert answer.low >= faint.negligible


def test_the_limits_cover_a_true_loss():
    """Of 400 draws hardly any has a true loss of 3 % outside limits of 1 and 1.6 %."""
    outside = 0
    for seed in range(400):
        low, high = confidence_limits(drawn(1000 + seed, math.log(1.03)), RULE)
        outside += low is not None and low > math.log(1.03)
        outside += high is not None and high < math.log(1.03)
    assert outside == 3
