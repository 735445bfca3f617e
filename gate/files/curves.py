"""What no type can say of a trial's completion latencies: that they are a curve at all."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Percentiles, Trial

_KINDS = ("read", "write", "trim", "mixed")
_MOST_POINTS = 64


def curve_complaints(trial: Trial) -> Iterator[str]:
    """Everything in a trial's latencies that contradicts itself, one kind after the other."""
    if len(trial.latencies) > len(_KINDS):
        yield f"{len(trial.latencies)} are more than the {len(_KINDS)} kinds of I/O"
        return
    kinds = [one.kind for one in trial.latencies]
    for kind in dict.fromkeys(kinds):
        if kind not in _KINDS:
            yield f"{kind[:80]!r} is no kind of I/O: there are {', '.join(_KINDS)}"
        elif kinds.count(kind) > 1:
            yield f"{kind} stands twice"
    for one in trial.latencies:
        what = _wrong(one)
        if what:
            yield what


def _wrong(curve: Percentiles) -> str:
    """The first thing that is wrong with one curve; empty where nothing is."""
    percents = [percent for percent, _ in curve.points]
    seconds = [latency for _, latency in curve.points]
    if curve.samples < 1:
        return "there are latencies of no I/O"
    if not 1 <= len(percents) <= _MOST_POINTS:
        return f"there are between 1 and {_MOST_POINTS} percentiles, not {len(percents)}"
    if not all(0 < percent < 100 for percent in percents):  # noqa: PLR2004 - per cent
        return "a percentile lies above 0 and below 100"
    if any(before >= after for before, after in pairwise(percents)):
        return "percentiles ascend"
    if min(seconds) < 0:
        return "a latency must not be negative"
    if any(before > after for before, after in pairwise(seconds)):
        return "latencies do not fall from one percentile to the next"
    return ""
