"""Which rounds of a calibration lose how much: a fair draw, known to nobody who decides.

Rounds come in blocks. A block holds each planted loss once and three unchanged rounds for each of
them, shuffled, so that most rounds are unchanged, every loss comes as often as the others, and a
slow change of the host meets all of them alike. The same seed gives the same draw.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

UNCHANGED_PER_PLANT = 3


def planted_loss(seed: int, position: int, plants: Sequence[float]) -> float:
    """The loss to plant into the round at a position (from 0) of the draw; 0 is unchanged."""
    if not plants:
        return 0.0
    block = [*plants, *[0.0] * (UNCHANGED_PER_PLANT * len(plants))]
    number, place = divmod(position, len(block))
    random.Random(f"{seed}/block/{number}").shuffle(block)  # noqa: S311 - not for secrets
    return block[place]


def planted_benchmark(seed: int, position: int, names: Sequence[str]) -> str:
    """The one benchmark that loses it."""
    return random.Random(f"{seed}/benchmark/{position}").choice(names)  # noqa: S311
