"""No loss is planted into counted instructions: it would have to be in the kernel itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from gate.harness.base import TrialFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.harness.base import Harness, Reading, TrialContext
    from gate.model import Benchmark, Profile

_WHY = "a loss in instructions is a change of the kernel: plant it in a side of your own"


class PlantInstructions:
    """Refuses, and says what to do instead."""

    def reaches(self, profile: Profile) -> tuple[str, ...]:
        """Whatever a changed kernel would reach."""
        return tuple(metric.name for metric in profile.metrics)

    def refusal(self, profile: Profile, benchmark: Benchmark) -> str:
        """Always."""
        del profile, benchmark
        return _WHY

    def size(self, inner: Harness, context: TrialContext, loss: float, metric: str) -> NoReturn:
        """Never asked for, as every benchmark is refused."""
        del inner, context, loss, metric
        raise TrialFailed(_WHY)

    def slowed(self, context: TrialContext, settings: Mapping[str, str]) -> NoReturn:
        """Likewise."""
        del context, settings
        raise TrialFailed(_WHY)

    def reading(
        self, context: TrialContext, reading: Reading, settings: Mapping[str, str]
    ) -> NoReturn:
        """Likewise."""
        del context, reading, settings
        raise TrialFailed(_WHY)
