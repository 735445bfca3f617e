"""Who runs when: the trials of a round or a block in random order, one after the other."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

from gate.model import Side
from gate.model.plan import pairs_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def rounds(trials: Mapping[str, int], seed: int) -> tuple[str, ...]:
    """The names of all trials in order: each round holds every name still due once, shuffled.

    The same seed gives the same order, so that a resumed session goes on where it stopped.
    """
    order: list[str] = []
    dice = random.Random(seed)
    for number in range(max(trials.values(), default=0)):
        one = [name for name, count in trials.items() if count > number]
        dice.shuffle(one)
        order += one
    return tuple(order)


def in_turn(trials: Mapping[str, int], seed: int) -> tuple[str, ...]:
    """All trials of one name, then all of the next: for storage that must settle for each."""
    names = list(trials)
    random.Random(seed).shuffle(names)
    return tuple(name for name in names for _ in range(trials[name]))


def remaining_trials(order: Sequence[str], done: Iterable[str]) -> tuple[str, ...]:
    """What is left of an order when the trials `done` were taken from its start."""
    taken = Counter(done)
    left: list[str] = []
    for name in order:
        if taken[name] > 0:
            taken[name] -= 1
        else:
            left.append(name)
    return tuple(left)


def block_order(seed: int, benchmark: str, block: int) -> tuple[tuple[Side, int], ...]:
    """Side and pair number of each trial of a block, in the order in which they are to run.

    Every arrangement of the two sides is equally likely; that fairness is what the verdict
    rests on.
    """
    sides = [side for side in (Side.BASE, Side.HEAD) for _ in pairs_in(block)]
    random.Random(f"{seed}/{benchmark}/{block}").shuffle(sides)
    numbers = {side: iter(pairs_in(block)) for side in (Side.BASE, Side.HEAD)}
    return tuple((side, next(numbers[side])) for side in sides)
