"""Bencher's t-test threshold: a prediction limit for the next value.

With the mean m and sample standard deviation s of the n newest stored values,

    limit = m + t(p, n - 1) s sqrt(1 + 1/n),   closes when value > limit

(lib/bencher_boundary at 8d75325c). There is no default threshold; the documentation's example
is p = 0.99, at most 64 values. One value per run: here the mean of its trials.

Degenerate input: without a head, with fewer than two stored values, or with stored values that
are all equal there is no limit, so it passes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gate.calibrate.peers.peer import Comparison, Peer, mean, mean_and_deviation
from gate.stats.quantiles import student

if TYPE_CHECKING:
    from collections.abc import Sequence

BOUNDARY = 0.99
MOST_VALUES = 64


def limit(values: Sequence[float], boundary: float) -> float | None:
    """Upper limit for the next value after these; None where Bencher computes none."""
    count = len(values)
    if count < 2:
        return None
    centre, spread = mean_and_deviation(values)
    if not spread:
        return None
    return centre + student(boundary, count - 1) * spread * math.sqrt(1 + 1 / count)


def _closes(case: Comparison) -> bool:
    stored = [session for session in case.history if session][-MOST_VALUES:]
    bound = limit([mean(session) for session in stored], BOUNDARY)
    return bound is not None and bool(case.head) and mean(case.head) > bound


BENCHER = Peer(
    name="bencher-t-99",
    sides=False,
    trials=10,
    history=MOST_VALUES,
    closes=_closes,
    source="value > m + t(.99, n-1) s sqrt(1 + 1/n) (Bencher lib/bencher_boundary, thresholds of "
    "its documentation); 10 trials averaged into one value, max sample size 64",
)
