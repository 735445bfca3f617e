"""Firecracker's A/B test: a permutation test on means, measured again while it fails.

Fails when p < 0.01 and the mean moved by more than 5 % of the base's (tools/ab_test.py at
81b38b9d). p is scipy's two-sided permutation test of the difference of means with 9999
resamples: all splits where there are no more than that, else random ones with
p = 2 (count + 1) / 10000, the smaller tail. Up to 4 rounds in its CI; a round only follows a
failure, and the data of all rounds count. Only slower closes here. Averaging the change over
the parameters of a metric, which it does before the 5 %, needs several benchmarks and is left out.

The random splits of each pair of sizes are drawn once, from a fixed seed: the answer depends on
the data alone.

Degenerate input: with fewer than two values on a side scipy raises, so the job fails without a
verdict (None). Equal values on a side are no special case. With fewer than 5 values a side p is
never below 0.01, so it passes. A base mean of 0 makes any significant increase close.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from gate.calibrate.peers.peer import Comparison, Peer, mean, quotient
from gate.stats.numeric import np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SIGNIFICANCE = 0.01
NOISE = 0.05
RESAMPLES = 9999
_SEED = 20260924
_CLOSE = 100 * float(np.finfo(np.float64).eps)
"""Relative difference below which scipy calls two statistics equal."""


@lru_cache(maxsize=32)
def _splits(first: int, second: int) -> tuple[NDArray[np.float64], bool]:
    """Which places of the pooled sample each split gives to the first, and whether these are all.

    An array of splits x (first + second), 1 or 0.
    """
    total = first + second
    every = math.comb(total, first) <= RESAMPLES
    if every:
        places = np.array(list(combinations(range(total), first)))
    else:
        dice = np.random.default_rng((_SEED, first, second))
        places = np.argsort(dice.random((RESAMPLES, total)), axis=1)[:, :first]
    chosen = np.zeros((len(places), total))
    np.put_along_axis(chosen, places, 1.0, axis=1)
    return chosen, every


def p_value(base: Sequence[float], head: Sequence[float]) -> float:
    """Two-sided p of the permutation test of mean(head) - mean(base); two values a side at least.

    Of centred values, so that sums round as little as the differences that they decide.
    """
    chosen, every = _splits(len(base), len(head))
    pooled = np.array([*base, *head], dtype=np.float64)
    pooled -= pooled.mean()
    total = float(pooled.sum())
    sums = chosen @ pooled
    changes = (total - sums) / len(head) - sums / len(base)
    seen = float(pooled[len(base) :].mean() - pooled[: len(base)].mean())
    room = _CLOSE * abs(seen)
    rare = min(np.count_nonzero(changes <= seen + room), np.count_nonzero(changes >= seen - room))
    extra = 0 if every else 1
    return min(2 * (int(rare) + extra) / (len(changes) + extra), 1.0)


def _closes(case: Comparison) -> bool | None:
    if min(len(case.head), len(case.base)) < 2:
        return None
    usual = mean(case.base)
    change = mean(case.head) - usual
    if not quotient(change, usual) > NOISE or p_value(case.base, case.head) >= SIGNIFICANCE:
        return False
    return True if case.last else None


FIRECRACKER = Peer(
    name="firecracker",
    rounds=4,
    closes=_closes,
    source="permutation p < .01 and mean > 5 % worse, again while failing (Firecracker "
    "tools/ab_test.py, 4 iterations in its CI); 10 trials a side and round for its 30 samples",
)
