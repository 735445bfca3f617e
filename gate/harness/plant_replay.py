"""A loss planted into recorded values, so that a calibration can be tried in a moment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.harness.replay import replay_kinds
from gate.model import Better

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.harness.base import Harness, Reading, TrialContext
    from gate.model import Benchmark, Profile


class PlantReplay:
    """Multiplies what is played."""

    def reaches(self, profile: Profile) -> tuple[str, ...]:
        """Everything."""
        return tuple(metric.name for metric in profile.metrics)

    def refusal(self, profile: Profile, benchmark: Benchmark) -> str:
        """Nothing stands against it."""
        del profile, benchmark
        return ""

    def size(
        self, inner: Harness, context: TrialContext, loss: float, metric: str
    ) -> dict[str, str]:
        """Nothing has to be measured."""
        del inner, context, metric
        return {"factor": repr(1 + loss)}

    def slowed(self, context: TrialContext, settings: Mapping[str, str]) -> TrialContext:
        """As it is."""
        del settings
        return context

    def reading(
        self, context: TrialContext, reading: Reading, settings: Mapping[str, str]
    ) -> Reading:
        """Every value worse by the factor."""
        kinds = replay_kinds(context.profile.work.replay_file or "")
        factor = float(settings["factor"])

        def worse(metric: str) -> float:
            return factor if kinds[metric].better is Better.LOWER else 1 / factor

        values = tuple(replace(v, value=v.value * worse(v.metric)) for v in reading.values)
        return replace(reading, values=values)
