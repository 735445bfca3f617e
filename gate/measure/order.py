"""Who runs when: every trial of a round in random order, round by round; a coin for each pair."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def rounds(names: Sequence[str], trials: int, seed: int) -> tuple[str, ...]:
    """The names of all trials in order: each round holds every name once, shuffled.

    The same seed gives the same order, so that a resumed session goes on where it stopped.
    """
    order: list[str] = []
    dice = random.Random(seed)  # noqa: S311 - not for secrets
    for _ in range(trials):
        one = list(names)
        dice.shuffle(one)
        order += one
    return tuple(order)


def remaining(order: Sequence[str], done: Iterable[str]) -> tuple[str, ...]:
    """What is left of an order when the trials `done` were taken from its start."""
    taken = Counter(done)
    left: list[str] = []
    for name in order:
        if taken[name] > 0:
            taken[name] -= 1
        else:
            left.append(name)
    return tuple(left)


def base_first(seed: int, benchmark: str, pair: int) -> bool:
    """The fair coin of one pair: whether the base side runs first."""
    return random.Random(f"{seed}/{benchmark}/{pair}").random() < 0.5  # noqa: S311, PLR2004
