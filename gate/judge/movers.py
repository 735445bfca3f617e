"""Which counters moved with a regression: ranked by how far the sides lie apart for their noise.

    score = |median(head) - median(base)| / (spread + counting + 1 % of the larger median)

*spread* is the larger of both sides' ranges (largest run less smallest). *counting* is what chance
alone does to a number of events, its square root. The last part keeps a counter that repeats
exactly from standing above one that moved: a score is at most 100, and a counter that moved by 2 %
or less is never told. Events are divided by the operations of their run, else by its seconds.

Three runs of a side are few. Where nothing differs and noise is normal, a counter scores 2 or more
with a probability of 0.5 % (simulated; 0.2 % at a noise of 5 %), and a hundred are compared, most
of which move together: a row may be chance. It is a hint where to look and no part of a verdict.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from gate.model import Side
from gate.model.why import MOST_MOVERS, Mover, unit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gate.model.extra import ExtraRun

LEAST_RUNS = 2
"""Of each side, below which nothing is known of the noise."""
LEAST_SCORE = 2.0
SECOND = "second"
"""What is divided by where operations are not told."""
_REPEATS = 0.01
_LEAST = {"1": 30.0, "s": 0.01, "B": 30 * 512.0}
"""What a counter must have grown by in the median run of one side, by unit."""
_EVENT = {"1": 1.0, "s": 0.001, "B": 512.0}
"""What counts as one event of a unit, for what chance alone does."""


def per_of(runs: Sequence[ExtraRun], word: str) -> str:
    """What counters are divided by: operations where every run tells them, else seconds."""
    return word if runs and all(run.operations for run in runs) else SECOND


def movers(runs: Sequence[ExtraRun], *, by_operation: bool = True) -> tuple[tuple[Mover, ...], int]:
    """The counters that moved most, and how many were compared.

    First those that also grew faster or slower in a second. The others moved only because an
    operation takes longer: they are as likely its effect as its cause.
    """
    base = [run for run in runs if run.side is Side.BASE]
    head = [run for run in runs if run.side is Side.HEAD]
    if min(len(base), len(head)) < LEAST_RUNS:
        return (), 0
    divisor = _operations if by_operation else _seconds
    found, compared = [], 0
    for name in dict.fromkeys(name for run in runs for name in run.counts):
        if not _enough(name, base, head):
            continue
        compared += 1
        score = _score(name, base, head, divisor)
        if score >= LEAST_SCORE:
            longer = by_operation and _score(name, base, head, _seconds) < LEAST_SCORE
            found.append(_mover(name, base, head, divisor, score, longer=longer))
    found.sort(key=lambda one: (one.longer, -one.score, one.counter))
    return tuple(found[:MOST_MOVERS]), compared


def _operations(run: ExtraRun) -> float:
    return run.operations or 1.0


def _seconds(run: ExtraRun) -> float:
    return max(run.seconds, 1e-6)


def _enough(name: str, base: Sequence[ExtraRun], head: Sequence[ExtraRun]) -> bool:
    return _raw(name, base, head) >= _LEAST[unit_of(name)]


def _raw(name: str, base: Sequence[ExtraRun], head: Sequence[ExtraRun]) -> float:
    """How much a counter grew in the median run of the side where it grew more."""
    return max(median(run.counts.get(name, 0.0) for run in side) for side in (base, head))


def _score(
    name: str,
    base: Sequence[ExtraRun],
    head: Sequence[ExtraRun],
    divisor: Callable[[ExtraRun], float],
) -> float:
    sides = [[run.counts.get(name, 0.0) / divisor(run) for run in side] for side in (base, head)]
    before, after = map(median, sides)
    level = max(before, after)
    spread = max(max(side) - min(side) for side in sides)
    counting = level / math.sqrt(_raw(name, base, head) / _EVENT[unit_of(name)])
    return abs(after - before) / (spread + counting + _REPEATS * level)


def _mover(
    name: str,
    base: Sequence[ExtraRun],
    head: Sequence[ExtraRun],
    divisor: Callable[[ExtraRun], float],
    score: float,
    *,
    longer: bool,
) -> Mover:
    before, after = (
        median(run.counts.get(name, 0.0) / divisor(run) for run in side) for side in (base, head)
    )
    return Mover(
        counter=name, unit=unit_of(name), base=before, head=after, score=score, longer=longer
    )
