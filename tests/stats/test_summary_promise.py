"""Groups and sittings of printed means: how often their limits are wrong, by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from night import at_night
from stats.printed import ALPHA, BETA, PLAIN, RATE, TIME, group, one, row, side

from gate.model import Take
from gate.stats.summary_logs import compare

DRAWS = 10_000


def most(chance):
    """Wrong limits that three standard deviations of luck may add to the share asked for."""
    expected = chance * DRAWS
    return expected + 3 * math.sqrt(expected)


@pytest.mark.parametrize("chance", [0.01, *at_night([0.1])])
@pytest.mark.parametrize(("base", "head"), [(3, 1), (1, 3), *at_night([(2, 1), (10, 1), (3, 5)])])
def test_the_limits_of_sittings_are_wrong_no_more_often_than_said(base, head, chance):
    """Normal noise of the logs, a true loss of tau: each limit beyond it in its share of draws."""
    dice = np.random.default_rng(20260111)
    loss = math.log1p(TIME.tau)
    draws = [
        np.exp(dice.normal(centre, 0.03, (DRAWS, n))) for centre, n in ((0.0, base), (loss, head))
    ]
    below = above = 0
    for b, h in zip(*draws, strict=True):
        seen = compare(row(side(*map(float, b)), side(*map(float, h))), PLAIN, chance, chance)
        below += seen.low is not None and seen.low > loss
        above += seen.high is not None and seen.high < loss
    assert max(below, above) <= most(chance)
    if 1 in (base, head):  # a prediction interval is exact, no mere bound
        assert min(below, above) >= chance * DRAWS - 3 * math.sqrt(chance * DRAWS)


def test_a_noisier_head_breaks_what_is_assumed():
    """Why the finding warns: a head three times as noisy as the sittings is wrong far more often."""
    dice = np.random.default_rng(3)
    base, head = dice.normal(0, 0.01, (DRAWS, 3)), dice.normal(0, 0.03, DRAWS)
    wrong = 0
    for b, h in zip(np.exp(base), np.exp(head), strict=True):
        seen = compare(row(side(*map(float, b)), side(float(h))), PLAIN, 0.01, 0.01)
        wrong += seen.low is not None and seen.low > 0
    assert wrong > 3 * 0.01 * DRAWS


@pytest.mark.parametrize("chance", [0.01, *at_night([0.1])])
@pytest.mark.parametrize(
    ("take", "curve", "spreads", "trials"),
    [
        pytest.param(Take.GEOMEAN, (1.0, 2.0, 4.0), (0.03, 0.03, 0.03), (5, 5, 5), id="geomean"),
        pytest.param(
            Take.GEOMEAN, (1.0, 2.0, 4.0), (0.1, 0.001, 0.001), (2, 9, 9), id="one loud point"
        ),
        pytest.param(Take.SCALING, (1.0, 9.0), (0.02, 0.05), (3, 3), id="scaling"),
        pytest.param(Take.KNEE, (10.0, 60.0, 100.0), (0.01, 0.01, 0.01), (5, 5, 5), id="knee"),
    ],
)
def test_the_limits_of_groups_are_wrong_no_more_often_than_said(
    take, curve, spreads, trials, chance
):
    """Near-normal points of both sides, no true loss: each limit beyond it in at most its share."""
    dice = np.random.default_rng(20260112)
    of = RATE if take is Take.KNEE else TIME
    count = DRAWS // 2
    drawn = []
    for _ in range(2):
        points = []
        for value, spread, n in zip(curve, spreads, trials, strict=True):
            values = value * np.exp(dice.normal(0, spread, (count, n)))
            points.append(np.stack([values.mean(axis=1), values.std(axis=1, ddof=1)]))
        drawn.append(points)
    below = above = 0
    for i in range(count):
        sides = [
            [one(float(p[0, i]), float(p[1, i]), n) for p, n in zip(points, trials, strict=True)]
            for points in drawn
        ]
        seen = compare(group(take, *sides, of), PLAIN, chance, chance)
        below += seen.low is not None and seen.low > 0
        above += seen.high is not None and seen.high < 0
    expected = chance * count
    assert max(below, above) <= expected + 3 * math.sqrt(expected)


def test_detectable_is_detected():
    """A true loss of the smallest detectable size is proven in 1 - beta of the draws, about."""
    dice = np.random.default_rng(5)
    base = np.exp(dice.normal(0, 0.01, (DRAWS, 30)))
    rows = [row(side(*map(float, b)), side(1.0)) for b in base[:200]]
    size = float(np.median([compare(one, PLAIN, ALPHA, BETA).detectable for one in rows]))
    head = np.exp(dice.normal(size, 0.01, DRAWS))
    proven = 0
    for b, h in zip(base[:4000], head, strict=False):
        seen = compare(row(side(*map(float, b)), side(float(h))), PLAIN, ALPHA, BETA)
        proven += seen.low > math.log1p(TIME.tau)
    assert proven / 4000 == pytest.approx(1 - BETA, abs=0.01)
