"""Which rounds of a calibration lose how much: a fair draw, known to nobody who decides.

Rounds come in blocks. A block holds each planted loss once and three unchanged rounds for each of
them, shuffled, so that most rounds are unchanged, every loss comes as often as the others, and a
slow change of the host meets all of them alike. The same seed gives the same draw.

Before a planted round: how much work the loss takes, measured where it will be measured.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from gate.harness.planted.planting import PLANTERS, plantable_metrics
from gate.measure.run_context import trial_context
from gate.model import Side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.measure.run_context import RunContext
    from gate.model import Plant


UNCHANGED_PER_PLANT = 3


def planted_loss(seed: int, position: int, plants: Sequence[float]) -> float:
    """The loss to plant into the round at a position (from 0) of the draw; 0 is unchanged."""
    if not plants:
        return 0.0
    block = [*plants, *[0.0] * (UNCHANGED_PER_PLANT * len(plants))]
    number, place = divmod(position, len(block))
    random.Random(f"{seed}/block/{number}").shuffle(block)
    return block[place]


def planted_benchmark(seed: int, position: int, names: Sequence[str]) -> str:
    """The one benchmark that loses it."""
    return random.Random(f"{seed}/benchmark/{position}").choice(names)


def size_plant(sitting: RunContext, plant: Plant) -> Plant:
    """The plant with the settings that make it as large as it was asked to be.

    Raises:
        TrialFailed: a trial of the measuring failed, or so small a loss cannot be planted.
        StopRequested: a signal came.
    """
    profile = sitting.profile
    benchmark = next(one for one in profile.benchmarks if one.name == plant.benchmark)
    with trial_context(sitting, Side.HEAD, benchmark) as context:
        settings = PLANTERS[profile.harness].size(
            sitting.harness, context, plant.loss, plantable_metrics(profile)[0]
        )
    return replace(plant, settings=settings)
