"""Before a planted round: how much work the loss takes, measured where it will be measured."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.harness.planting import PLANTERS, reached
from gate.measure.sitting import trial_context
from gate.model import Side

if TYPE_CHECKING:
    from gate.measure.sitting import Sitting
    from gate.model import Plant


def size_plant(sitting: Sitting, plant: Plant) -> Plant:
    """The plant with the settings that make it as large as it was asked to be.

    Raises:
        TrialFailed: a trial of the measuring failed, or so small a loss cannot be planted.
        StopRequested: a signal came.
    """
    profile = sitting.profile
    benchmark = next(one for one in profile.benchmarks if one.name == plant.benchmark)
    with trial_context(sitting, Side.HEAD, benchmark) as context:
        settings = PLANTERS[profile.harness].size(
            sitting.harness, context, plant.loss, reached(profile)[0]
        )
    return replace(plant, settings=settings)
