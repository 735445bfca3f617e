"""Curves keep the promise: an unchanged group is called regressed with probability at most alpha.

A slot of a block is a whole curve, its points run one after another, so the noise of a slot is
what scaling, mean and knee make of the noise of several moments. Drawn with fixed seeds.
"""

from __future__ import annotations

import numpy as np
import pytest
from stats.simulated import ALPHA, KINDS, LIMITS, SEED, decided, fair, noise, rule, sides, sizes

from gate.model import Take
from gate.model.metric import take_of
from gate.stats.costs import LossLimits
from gate.stats.noise import pair_sigma

POINTS = 3
DRAWS = 2000
FEW = 150
PLACES = (1.0, 32.0, 256.0)
LEVELS = np.log([1000.0, 3000.0, 4600.0])


def scaling(points):
    """Log cost of the last point over the first, where more is better."""
    return points[..., 0] - points[..., -1]


def geomean(points):
    return -points.mean(axis=-1)


def knees(points):
    values = np.exp(np.clip(points, -30, 30) + LEVELS)
    flat = values.reshape(-1, POINTS)
    found = [take_of(Take.KNEE, list(map(float, row)), PLACES) for row in flat]
    return -np.log(found).reshape(values.shape[:-1])


def alarms(kind, take, draws, limits=LIMITS):
    """Draws of an unchanged curve that are called regressed."""
    dice = np.random.default_rng([SEED, KINDS.index(kind), 7])
    every = sizes(30)
    raw = noise(kind, dice, draws, 2 * sum(every) * POINTS)
    slots = take(raw.reshape(draws, 2 * sum(every), POINTS))
    found, start = [], 0
    for size in every:
        found.append(sides(slots[:, start : start + 2 * size], fair(dice, draws, size)))
        start += 2 * size
    known = [tuple(map(float, row)) for row in slots[:10, :3]]
    settings = rule(
        kind,
        sigma=pair_sigma(known),
        negligible=limits.dead,
        tolerance=limits.most,
        limit=30,
    )
    return int((decided(found, settings).verdict == 1).sum())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("take", [scaling, geomean], ids=["scaling", "geomean"])
def test_unchanged_curves_are_seldom_called_regressed(kind, take):
    """Whatever the noise of the moments, at most alpha of 2000 unchanged curves are regressed."""
    assert alarms(kind, take, DRAWS) <= ALPHA * DRAWS


@pytest.mark.parametrize("kind", ["gauss", "laplace", "bimodal", "drift", "slot"])
def test_unchanged_knees_are_seldom_called_regressed(kind):
    """The same for a knee, which jumps when another point is the first to be high enough."""
    wide = LossLimits(tolerance=0.2, negligible=0.04)
    assert alarms(kind, knees, FEW, wide) <= ALPHA * FEW
