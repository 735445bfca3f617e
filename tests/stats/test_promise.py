"""The promise, on seeded simulations: counts are recorded, bounds are the proven ones.

Every draw is of a true loss at the edge of what a verdict may do, where the bound is tightest.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from gate.stats.martingale import PairRule, decide, slope_for
from gate.stats.screen import Limits, screen
from gate.stats.strikes import all_exceed, false_alarm

LIMITS = Limits(tolerance=0.05, negligible=0.01)
DRAWS = 20_000
PAIRS = 30
ALPHA, BETA = 0.01, 0.025
KINDS = ("gauss", "laplace", "student", "cauchy", "drift", "slot", "outliers")


def rule(sigma: float, alpha: float = ALPHA) -> PairRule:
    return PairRule(
        negligible=LIMITS.dead,
        design=LIMITS.design,
        slope=slope_for(LIMITS.dead, LIMITS.design, sigma),
        alpha=alpha,
        beta=BETA,
        limit=PAIRS,
    )


def slots(kind: str, dice: np.random.Generator) -> np.ndarray:
    """Log noise of the two slots of each pair, in the order in which they ran."""
    shape = (PAIRS, 2)
    match kind:
        case "gauss":
            return dice.normal(0, 0.02, shape)
        case "laplace":
            return dice.laplace(0, 0.015, shape)
        case "student":
            return dice.standard_t(2.5, shape) * 0.01
        case "cauchy":
            return dice.standard_cauchy(shape) * 0.005
        case "drift":
            walk = np.cumsum(dice.normal(0.004, 0.02, 2 * PAIRS)).reshape(shape)
            return walk + dice.normal(0, 0.005, shape)
        case "slot":
            return dice.normal(0, 0.005, shape) + np.array([0.0, 0.05])
        case "outliers":
            twice = (dice.random(shape) < 0.2) * math.log(2)
            return twice + dice.normal(0, 0.01, shape)
    raise AssertionError(kind)


def differences(kind: str, loss: float, dice: np.random.Generator, draws: int) -> np.ndarray:
    """Pairs of a true loss, each ordered by a fair coin; one row per draw."""
    noise = np.array([slots(kind, dice) for _ in range(draws)])
    coin = dice.random((draws, PAIRS)) < 0.5
    head = np.where(coin, noise[..., 0], noise[..., 1])
    base = np.where(coin, noise[..., 1], noise[..., 0])
    return head - base + math.log1p(loss)


def verdicts(seen: np.ndarray, settings: PairRule) -> np.ndarray:
    """The rule once more, written for many draws at once: 1 regressed, -1 passed, 0 neither."""

    def first(gains: np.ndarray, bound: float) -> np.ndarray:
        wealth = np.cumsum(np.log1p(0.8 * np.tanh(settings.slope * gains)), axis=1)
        over = wealth >= -math.log(bound)
        return np.where(over.any(axis=1), over.argmax(axis=1), PAIRS)

    loss = first(seen - settings.negligible, settings.alpha)
    none = first(settings.design - seen, settings.beta)
    return np.where((loss <= none) & (loss < PAIRS), 1, np.where(none < loss, -1, 0))


def count(kind: str, loss: float, verdict: int, sigma: float = 0.02) -> int:
    seen = differences(kind, loss, np.random.default_rng(20260110), DRAWS)
    return int((verdicts(seen, rule(sigma)) == verdict).sum())


@pytest.mark.parametrize("kind", KINDS)
def test_the_rule_is_what_is_simulated(kind):
    """The gate's own decision agrees with the simulated one, draw by draw."""
    words = {1: "regressed", -1: "passed", 0: "spent"}
    for loss in (0.01, 0.04):
        seen = differences(kind, loss, np.random.default_rng(3), 100)
        expected = [words[int(one)] for one in verdicts(seen, rule(0.02))]
        assert [decide([float(d) for d in row], rule(0.02)).verdict for row in seen] == expected


@pytest.mark.parametrize("kind", KINDS)
def test_false_alarms_at_exactly_tau(kind):
    """At a true loss of exactly tau fewer than alpha are called regressed, whatever the noise."""
    assert count(kind, 0.01, 1) <= ALPHA * DRAWS


@pytest.mark.parametrize("kind", KINDS)
def test_misses_at_exactly_the_design_loss(kind):
    """At a true loss of exactly T_d fewer than beta pass, whatever the noise."""
    assert count(kind, 0.04, -1) <= BETA * DRAWS


@pytest.mark.parametrize("sigma", [0.001, 0.005, 0.02, 0.1])
def test_validity_does_not_depend_on_the_expected_noise(sigma):
    """A wrong guess of the noise costs time, never the bound."""
    assert count("student", 0.01, 1, sigma) <= ALPHA * DRAWS


def test_no_change_at_all():
    """Without any loss a false alarm is rarer by far than the bound."""
    assert sum(count(kind, 0.0, 1) for kind in KINDS) <= ALPHA * DRAWS * len(KINDS) / 2


@pytest.mark.parametrize("kind", KINDS)
def test_recorded_counts(kind):
    """The rate is the recorded one, within chance: a changed bet, slope or order shows here."""
    expected = RECORDED[kind] / 60_000 * DRAWS
    assert count(kind, 0.01, 1) == pytest.approx(expected, abs=5 * math.sqrt(expected))


RECORDED = {
    "gauss": 250, "laplace": 251, "student": 109, "cauchy": 144, "drift": 114, "slot": 445,
    "outliers": 332,
}  # fmt: skip
"""Draws of 60000 called regressed at a true loss of tau: at most 0.74 %, where 1 % is proven."""


def test_power():
    """A loss of the tolerance is proven nearly always on quiet pairs, and seldom passes on loud."""
    assert count("gauss", 0.05, -1) <= BETA * DRAWS / 5
    dice = np.random.default_rng(1)
    quiet = dice.normal(math.log(1.05), 0.01, (DRAWS, PAIRS))
    assert (verdicts(quiet, rule(0.01)) == 1).mean() > 0.995


def test_without_the_coin_a_slot_effect_fools_it():
    """The coin is what the bound stands on: with head always second a 5 % slot effect fails."""
    dice = np.random.default_rng(2)
    settings = rule(0.02)
    fooled = 0
    for _ in range(200):
        noise = slots("slot", dice)
        fooled += decide([float(d) for d in noise[:, 1] - noise[:, 0]], settings).verdict == (
            "regressed"
        )
    assert fooled == 200


def normal_sessions(dice, number: int, scale: float, inside: float, trials: int, loss: float = 0):
    levels = loss + dice.normal(0, scale, (number, 1))
    return [
        tuple(float(v) for v in row) for row in levels + dice.normal(0, inside, (number, trials))
    ]


@pytest.mark.parametrize("scale", [0.003, 0.009, 0.02, 0.03, 0.06, 0.2])
@pytest.mark.parametrize("number", [5, 10, 20])
def test_the_screen_seldom_clears_a_loss_of_the_tolerance(scale, number):
    """A loss of T is cleared with probability below about beta, however loud the sessions are.

    The scale is estimated (MAD), so that the nominal 1 % of the screen may come out above it.
    """
    dice = np.random.default_rng([number, int(scale * 1000)])
    cleared = 0
    for _ in range(1000):
        known = normal_sessions(dice, number, scale, 0.006, 3)
        (head,) = normal_sessions(dice, 1, scale, 0.006, 3, math.log(1.05))
        cleared += not screen(head, known, LIMITS, BETA).flagged
    assert cleared <= 1.4 * BETA * 1000


def test_the_screen_knows_of_a_shorter_head():
    """One head trial against sessions of ten: the loss of T_d is still missed in about 1 %."""
    dice = np.random.default_rng(5)
    cleared = 0
    for _ in range(1000):
        known = normal_sessions(dice, 10, 0.001, 0.02, 10)
        (head,) = normal_sessions(dice, 1, 0.001, 0.02, 1, math.log(1.04))
        cleared += not screen(head, known, LIMITS, BETA).flagged
    assert cleared <= 2 * 0.01 * 1000


@pytest.mark.parametrize("trials", [1, 3])
def test_strikes_hold_their_bound(trials):
    """Exchangeable sessions, also of heavy tails and fewer trials: 1 / C(S + k, k) holds."""
    dice = np.random.default_rng(6)
    alarms = 0
    draws = 10_000
    for _ in range(draws):
        level = dice.standard_t(2, (8, 1)) * 0.01
        noise = dice.normal(0, 0.05, (8, 10))
        rows = [tuple(row) for row in level + noise]
        alarms += all_exceed([row[:trials] for row in rows[5:]], rows[:5], 0.0)
    expected = false_alarm(5, 3) * draws
    assert alarms == pytest.approx(expected, abs=4 * math.sqrt(expected))
