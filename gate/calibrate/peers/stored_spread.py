"""Bencher, fsperf and rustc-perf: a limit computed from the spread of the stored results.

Bencher's t-test threshold is a prediction limit for the next value. With the mean m and sample
standard deviation s of the n newest stored values,

    limit = m + t(p, n - 1) s sqrt(1 + 1/n),   closes when value > limit

(lib/bencher_boundary at 8d75325c). There is no default threshold; the documentation's example
is p = 0.99, at most 64 values. One value per run: here the mean of its trials. Without a head,
with fewer than two stored values or with equal ones there is no limit, so it passes.

`fsperf -t` marks a metric whose new mean is above mean + 1.96 s of all results of the last 7 days
(src/utils.py at fc0e544); every run is a stored result, whichever session it is of. Its outlier
filter has no effect, and it always exits with 0: closing here means the red mark. (The weekly
page compares one new value in the same way.) Without new or stored results it passes. With one
stored result, or equal ones, the deviation is 0 and any increase closes.

rustc-perf calls a change significant when |b - a| / a >= Q3 + 3 (Q3 - Q1), the quartiles taken
over the 29 relative changes |x - y| / x between neighbours (x the newer) of the 30 results before
the parent a; 0.2 % with fewer than 30 (site/src/comparison.rs at 169b07b). Several iterations
count by their smallest value. Only b > a closes. Its second filter, which hides significant
changes that are very small in its own metric, is left out. Without a head or a parent it passes.
Where the 30 results never changed, the limit is 0 and any increase closes. A parent of 0 and a
head above it closes.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from gate.calibrate.peers.peer import Comparison, Peer, mean, mean_and_deviation, quotient
from gate.stats.special import student

if TYPE_CHECKING:
    from collections.abc import Sequence

BOUNDARY = 0.99
MOST_VALUES = 64


def prediction_limit(values: Sequence[float], boundary: float) -> float | None:
    """Upper limit for the next value after these; None where Bencher computes none."""
    count = len(values)
    if count < 2:
        return None
    centre, spread = mean_and_deviation(values)
    if not spread:
        return None
    return centre + student(boundary, count - 1) * spread * math.sqrt(1 + 1 / count)


def _above_limit(case: Comparison) -> bool:
    stored = [session for session in case.history if session][-MOST_VALUES:]
    bound = prediction_limit([mean(session) for session in stored], BOUNDARY)
    return bound is not None and bool(case.head) and mean(case.head) > bound


BENCHER = Peer(
    name="bencher-t-99",
    history=MOST_VALUES,
    closes=_above_limit,
    source="value > m + t(.99, n-1) s sqrt(1 + 1/n) (Bencher lib/bencher_boundary, thresholds of "
    "its documentation); 10 trials averaged into one value, max sample size 64",
)


DEVIATIONS = 1.96
DAYS = 7


def _above_spread(case: Comparison) -> bool:
    stored = [value for session in case.history[-DAYS:] for value in session]
    if not case.head or not stored:
        return False
    centre, spread = mean_and_deviation(stored) if len(stored) > 1 else (stored[0], 0.0)
    return mean(case.head) > centre + DEVIATIONS * spread


FSPERF = Peer(
    name="fsperf",
    history=DAYS,
    closes=_above_spread,
    source="mean > mean + 1.96 s of the stored runs (fsperf src/utils.py); 10 runs (its default "
    "is 1) against 7 days of one session each",
)


COMMITS = 30
LEAST_CHANGE = 0.002
_REACH = 3.0
_INNER = (COMMITS - 1) // 4
"""The middle two of the 14 smallest changes are at 6 and 7, of the 14 largest at -8 and -7."""


def threshold(results: list[float]) -> float:
    """Smallest significant relative change after these results, oldest first.

    The quartiles are the medians of the lower and upper 14 of 29 changes.
    """
    if len(results) < COMMITS:
        return LEAST_CHANGE
    recent = results[-COMMITS:]
    changes = sorted(quotient(abs(newer - older), newer) for older, newer in pairwise(recent))
    lower = (changes[_INNER - 1] + changes[_INNER]) / 2
    upper = (changes[-_INNER - 1] + changes[-_INNER]) / 2
    return upper + _REACH * (upper - lower)


def _unusual_change(case: Comparison) -> bool:
    if not case.head or not case.history or not case.history[-1]:
        return False
    parent, head = min(case.history[-1]), min(case.head)
    if head <= parent:
        return False
    earlier = case.history[-1 - COMMITS : -1]
    limit = threshold([min(session) for session in earlier if session])
    return quotient(head - parent, parent) >= limit


RUSTC_PERF = Peer(
    name="rustc-perf",
    history=COMMITS + 1,
    closes=_unusual_change,
    source="relative change >= Q3 + 3 IQR of 29 earlier changes (rustc-perf comparison.rs); the "
    "smallest of 10 trials (it runs few, on instruction counts), parent and 30 before it",
)
