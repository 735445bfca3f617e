"""The promise of the pairs, on seeded simulations: counts are recorded, bounds are the proven ones.

Every draw is of a true loss at the edge of what a verdict may do, where the bound is tightest.
`simulated` has the noises and the rule for many draws at once; here it is held to the real one.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest
from stats import simulated
from stats.simulated import ALPHA, BETA, KINDS, LIMITS, blocks, rule

from gate.measure.order import block_order
from gate.model import Side
from gate.stats.martingale import decide

DRAWS = 10_000
TAU, TOLERANCE = LIMITS.negligible, LIMITS.tolerance
WORDS = {
    simulated.REGRESSED: "regressed",
    simulated.SOMETIMES: "sometimes_slow",
    simulated.PASSED: "passed",
    simulated.IMPROVED: "improved",
    simulated.SUSPECTED: "suspected",
    0: "spent",
}


@lru_cache
def drawn(kind, loss):
    return simulated.drawn(kind, loss, DRAWS)


def alarms_of(kind, loss):
    return int(drawn(kind, loss).proven.sum())


def passes_of(kind, loss):
    return int(drawn(kind, loss).passes.sum())


def one_of(every, row):
    """The blocks of one draw as the gate has them."""
    return [(tuple(map(float, base[row])), tuple(map(float, head[row]))) for base, head in every]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", [0.0, 0.01, 0.03, 0.05])
def test_the_rule_is_what_is_simulated(kind, loss):
    """The gate's own decision agrees with the simulated one, draw by draw, pair by pair."""
    every = blocks(kind, loss, np.random.default_rng(3), 25)
    seen = simulated.decided(every, rule(kind))
    for row in range(25):
        own = one_of(every, row)
        pairs = int(seen.pairs[row])
        upto = [block for n, block in enumerate(own) if n < 1 or 5 + 2 * n <= pairs]
        found = decide(upto, rule(kind), limits=False)
        assert (found.verdict, found.pairs) == (WORDS[int(seen.verdict[row])], pairs)


@pytest.mark.parametrize("kind", KINDS)
def test_false_alarms_at_exactly_tau(kind):
    """At a true loss of exactly tau at most alpha are called regressed, whatever the noise."""
    assert alarms_of(kind, TAU) / DRAWS <= ALPHA


@pytest.mark.parametrize("kind", KINDS)
def test_misses_at_exactly_the_tolerance(kind):
    """At a true loss of exactly T at most the second stage's beta pass, whatever the noise."""
    assert passes_of(kind, TOLERANCE) / DRAWS <= BETA


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_called_regressed_that_is_unchanged(kind):
    """Without any loss no more than a fifth of alpha is called regressed."""
    assert alarms_of(kind, 0.0) / DRAWS <= ALPHA / 5


RECORDED = {
    "gauss": (66, 45, 10.0, 7.2),
    "laplace": (30, 39, 9.8, 7.2),
    "student": (30, 42, 7.3, 6.3),
    "cauchy": (50, 44, 10.1, 8.8),
    "skewed": (32, 32, 9.0, 7.7),
    "bimodal": (24, 44, 17.3, 12.0),
    "outliers": (58, 64, 19.0, 21.5),
    "drift": (43, 41, 8.0, 6.5),
    "autocorrelated": (60, 35, 11.0, 8.4),
    "slot": (35, 70, 23.0, 15.1),
}
"""Of 10,000 draws each: regressed at tau (100 are proven to be the most), passed at T (130);
mean pairs at T and without a loss. `python -m stats.simulated` prints them."""


@pytest.mark.parametrize("kind", KINDS)
def test_recorded_counts(kind):
    """Counts and mean pairs are the recorded ones: a changed bet, slope or order shows here."""
    assert (
        alarms_of(kind, TAU),
        passes_of(kind, TOLERANCE),
        round(float(drawn(kind, TOLERANCE).pairs.mean()), 1),
        round(float(drawn(kind, 0.0).pairs.mean()), 1),
    ) == RECORDED[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_power(kind):
    """At noise that 100 pairs can bear, a loss of T is proven in 99 % and its absence in 99 %.

    In 98 % where a fifth of the trials of either side take twice as long.
    """
    assert alarms_of(kind, TOLERANCE) / DRAWS >= 0.99
    assert passes_of(kind, 0.0) / DRAWS >= (0.98 if kind == "outliers" else 0.99)


@pytest.mark.parametrize("sigma", [0.001, 0.005, 0.02, 0.1, 0.5])
@pytest.mark.parametrize("kind", ["student", "slot"])
def test_validity_does_not_depend_on_the_expected_noise(sigma, kind):
    """A wrong guess of the noise, either way, costs time and never the bounds."""
    draws = 4000
    at_tau, at_most = (simulated.drawn(kind, loss, draws, sigma=sigma) for loss in (TAU, TOLERANCE))
    assert at_tau.proven.mean() <= ALPHA
    assert at_most.passes.mean() <= BETA


def arranged(kind, seed, draws, loss, order):
    """Blocks whose head trials stand where `order(row, block)` says."""
    every = simulated.sizes()
    slots = simulated.noise(kind, np.random.default_rng(seed), draws, 2 * sum(every))
    found, start = [], 0
    for number, size in enumerate(every):
        is_head = np.array([order(row, number) for row in range(draws)])
        base, head = simulated.sides(slots[:, start : start + 2 * size], is_head)
        found.append((base, head + math.log1p(loss)))
        start += 2 * size
    return found


@pytest.mark.parametrize(("kind", "alarms", "misses"), [("slot", 0, 5), ("drift", 1, 7)])
def test_the_real_order_of_trials_keeps_the_bounds(kind, alarms, misses):
    """With the order that a check draws from its seed, slot effects and drift fool nobody."""

    def order(row, number):
        return [side is Side.HEAD for side, _ in block_order(row, "b", number)]

    draws = 1500
    at_tau, at_most = (
        simulated.decided(arranged(kind, 11, draws, loss, order), rule(kind))
        for loss in (TAU, TOLERANCE)
    )
    assert (at_tau.proven.sum(), at_most.passes.sum()) == (alarms, misses)
    assert alarms <= ALPHA * draws
    assert misses <= BETA * draws


@pytest.mark.parametrize(
    ("kind", "order", "fooled"),
    [
        ("slot", lambda size: [slot % 2 == 1 for slot in range(2 * size)], 1000),
        ("drift", lambda size: [slot >= size for slot in range(2 * size)], 136),
    ],
    ids=["in turn, every other slot slow", "base first, the host drifting"],
)
def test_without_a_fair_order_it_is_fooled(kind, order, fooled):
    """The random order is what the bound stands on: with a fixed one an unchanged head fails."""
    every = simulated.sizes()
    seen = arranged(kind, 2, 1000, 0.0, lambda _, number: order(every[number]))
    assert simulated.decided(seen, rule(kind)).proven.sum() == fooled
    assert fooled > 10 * ALPHA * 1000


@pytest.mark.parametrize(
    ("kappa", "at_most", "at_tau", "at_none"),
    [
        (0.3, 1.22, 1.16, 1.27),
        (0.5, 1.31, 1.26, 1.40),
        (0.7, 1.42, 1.37, 1.55),
        (0.93, 1.57, 1.54, 1.79),
    ],
)
def test_nearness_to_walds_bound(kappa, at_most, at_tau, at_none):
    """Normal noise: pairs as a multiple of the least mean of any test that knows its variance.

    At most 1.6 where that mean is 10 pairs or more; below, a block of five is the least there is.
    """
    sigma = (LIMITS.most - LIMITS.dead) / kappa
    for loss, least, seed, expected in (
        (TOLERANCE, simulated.wald(kappa, ALPHA, BETA), 1, at_most),
        (0.0, simulated.wald(LIMITS.most / sigma, BETA, ALPHA), 2, at_none),
        (TAU, simulated.wald(kappa, BETA, ALPHA), 3, at_tau),
    ):
        ratio = simulated.normal(sigma, loss, 6000, 600, seed).pairs.mean() / least
        assert ratio == pytest.approx(expected, abs=0.006)
        assert ratio <= 1.6 or least < 10


def test_walds_bound_worked_out_by_hand():
    """((1-b) log((1-b)/a) + b log(b/(1-a))) over half kappa squared: 35.8 pairs at kappa 0.5."""
    by_hand = 0.987 * math.log(98.7) + 0.013 * math.log(0.013 / 0.99)
    assert simulated.wald(0.5, 0.01, 0.013) == pytest.approx(by_hand / 0.125)
    assert by_hand / 0.125 == pytest.approx(35.8, abs=0.05)
