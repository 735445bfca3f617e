"""LKP (0-day): value ranges that do not overlap, with a wide enough gap.

With at least 3 samples a side: min(head) > max(base), and the gap is more than half the
difference of medians; with fewer head samples the gap must be more than 5 times the longer
range. Either way the medians' ratio must be above 1.01 for a KPI (lib/changed_stat.rb and
lib/stats.rb at bbbc29c4, distance mode as used for its reports). The base are the samples of
the newest earlier releases, until there are 3 of them and 9 samples. Of 32 samples or more,
1/32 (at most 3) are cut off at each end; the median is sorted[n // 2]. The bisection with which
LKP confirms before it mails, and its exception for whole numbers one apart, are not modelled.

Degenerate input: fewer than 3 base samples, or no head, are not compared and pass. One head
value needs the 5 ranges; equal values have a range of 0, and then a ratio above 1.01 closes. A
base median of 0 counts as a ratio of 5.
"""

from __future__ import annotations

from gate.calibrate.peers.peer import Comparison, Peer

RELEASES, LEAST_BASE = 3, 9
LEAST = 3
DISTANCE = 5.0
KPI_RATIO = 1.01
_MOST_CUT = 3


def base_samples(history: tuple[tuple[float, ...], ...]) -> list[float]:
    """Samples of the newest sessions that LKP would merge into its base."""
    merged: list[float] = []
    used = 0
    for session in reversed(history):
        if used >= RELEASES and len(merged) >= LEAST_BASE:
            break
        merged += session
        used += bool(session)
    return merged


def _trimmed(values: list[float]) -> list[float]:
    cut = min(len(values) >> 5, _MOST_CUT)
    return sorted(values)[cut : len(values) - cut]


def _closes(case: Comparison) -> bool:
    base, head = _trimmed(base_samples(case.history)), _trimmed(list(case.head))
    if not head or len(base) < LEAST:
        return False
    gap = head[0] - base[-1]
    middle, base_middle = head[len(head) // 2], base[len(base) // 2]
    if len(head) < LEAST:
        wide = gap > DISTANCE * max(head[-1] - head[0], base[-1] - base[0])
    else:
        wide = gap > 0 and gap > (middle - base_middle) / 2
    return wide and (base_middle <= 0 or middle / base_middle > KPI_RATIO)


LKP = Peer(
    name="lkp",
    trials=3,
    history=RELEASES,
    closes=_closes,
    source="ranges disjoint, gap > half the difference of medians, KPI ratio > 1.01 (LKP "
    "lib/changed_stat.rb, lib/stats.rb); 3 runs against 3 releases of 3, the least it asks for",
)
