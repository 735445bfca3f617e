"""rustc-perf: a change larger than this series' own recent changes.

Significant when |b - a| / a >= Q3 + 3 (Q3 - Q1), the quartiles taken over the 29 relative changes
|x - y| / x between neighbours (x the newer) of the 30 results before the parent a; 0.2 % with
fewer than 30 (site/src/comparison.rs at 169b07b). Several iterations count by their smallest
value. Only b > a closes. Its second filter, which hides significant changes that are very small
in its own metric, is left out.

Degenerate input: without a head or a parent it passes. Where the 30 results never changed, the
limit is 0 and any increase closes. A parent of 0 and a head above it closes.
"""

from __future__ import annotations

from itertools import pairwise

from gate.calibrate.peers.peer import Comparison, Peer, quotient

COMMITS = 30
DEFAULT = 0.002
_REACH = 3.0
_INNER = (COMMITS - 1) // 4
"""The middle two of the 14 smallest changes are at 6 and 7, of the 14 largest at -8 and -7."""


def threshold(results: list[float]) -> float:
    """Smallest significant relative change after these results, oldest first.

    The quartiles are the medians of the lower and upper 14 of 29 changes.
    """
    if len(results) < COMMITS:
        return DEFAULT
    recent = results[-COMMITS:]
    changes = sorted(quotient(abs(newer - older), newer) for older, newer in pairwise(recent))
    lower = (changes[_INNER - 1] + changes[_INNER]) / 2
    upper = (changes[-_INNER - 1] + changes[-_INNER]) / 2
    return upper + _REACH * (upper - lower)


def _closes(case: Comparison) -> bool:
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
    sides=False,
    trials=10,
    history=COMMITS + 1,
    closes=_closes,
    source="relative change >= Q3 + 3 IQR of 29 earlier changes (rustc-perf comparison.rs); the "
    "smallest of 10 trials (it runs few, on instruction counts), parent and 30 before it",
)
