"""A harness that does a little more than it was asked: known losses, planted to be found.

Only a calibration plants losses. The plant is real work of the harness's own kind, added to the
head side of one benchmark. How much work a loss takes is measured on the spot, and how large the
loss became is read from the trials afterwards.

Which round loses how much is drawn. Rounds come in blocks: a block holds each planted loss once and
three unchanged rounds for each of them, shuffled, so that most rounds are unchanged, every loss
comes as often as the others, and a slow change of the host meets all of them alike. The same seed
gives the same draw.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from gate.errors import TrialFailed
from gate.formats.profile.metric_kinds import replay_kinds
from gate.harness.base import HarnessAround, Planter
from gate.harness.planted.commands import PlantCommand, PlantPytest
from gate.harness.planted.fio_job import PlantFio
from gate.model import Better, Role, Side

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.harness.base import Harness, Reading, TrialContext
    from gate.model import Benchmark, Plant, Profile


class PlantReplay(Planter):
    """Multiplies what is played."""

    def reaches(self, profile: Profile) -> tuple[str, ...]:
        """Everything."""
        return tuple(metric.name for metric in profile.metrics)

    def size(
        self, inner: Harness, context: TrialContext, loss: float, metric: str
    ) -> dict[str, str]:
        """Nothing has to be measured."""
        return {"factor": repr(1 + loss)}

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


_WHY = "a loss in instructions is a change of the kernel: plant it in a side of your own"


class PlantInstructions(Planter):
    """Refuses: a loss in counted instructions would have to be in the kernel itself."""

    def reaches(self, profile: Profile) -> tuple[str, ...]:
        """Whatever a changed kernel would reach."""
        return tuple(metric.name for metric in profile.metrics)

    def refusal(self, profile: Profile, benchmark: Benchmark) -> str:
        """Always."""
        return _WHY

    def size(self, *_: object, **__: object) -> NoReturn:
        """Never called, as every benchmark is refused."""
        raise TrialFailed(_WHY)

    slowed = reading = size


PLANTERS: dict[str, Planter] = {
    "fio": PlantFio(),
    "hyperfine": PlantCommand(),
    "instructions": PlantInstructions(),
    "pytest-benchmark": PlantPytest(),
    "replay": PlantReplay(),
}


def plantable_metrics(profile: Profile) -> tuple[str, ...]:
    """The gate metrics of a profile that a plant reaches, the one to measure by first.

    Those of groups are not among them: a plant slows one point of a curve, its share of the curve
    is nothing that was asked for.
    """
    gates = {m.name for m in profile.metrics if m.role is Role.GATE and m.derived is None}
    return tuple(name for name in PLANTERS[profile.harness].reaches(profile) if name in gates)


def plantable(profile: Profile) -> tuple[tuple[str, ...], str]:
    """Benchmarks that can be slowed, and why the others, or all, cannot.

    A control is never slowed: the gate would rightly say that the host moved. Nor is a group,
    which runs nothing itself.
    """
    if not plantable_metrics(profile):
        names = ", ".join(PLANTERS[profile.harness].reaches(profile))
        return (), f"a plant reaches only {names}, and none of these may close the gate here"
    planter = PLANTERS[profile.harness]
    free = [one for one in profile.benchmarks if not one.control and not one.group]
    refusals = {benchmark.name: planter.refusal(profile, benchmark) for benchmark in free}
    fit = tuple(name for name, why in refusals.items() if not why)
    return fit, next((why for why in refusals.values() if why), "" if free else "only controls")


def with_plant(inner: Harness, plant: Plant | None) -> Harness:
    """The harness, with the plant in it if there is one."""
    return Planted(inner, plant) if plant is not None and plant.settings else inner


class Planted(HarnessAround):
    """A harness whose head side of one benchmark is slowed."""

    def __init__(self, inner: Harness, plant: Plant) -> None:
        super().__init__(inner)
        self._plant, self._planter = plant, PLANTERS[inner.name]

    def check(self, context: TrialContext) -> None:
        """Refuse what must not be run, slowed or not."""
        self.inner.check(self._slowed(context) if self._meant(context) else context)

    def trial(self, context: TrialContext) -> Reading:
        """One trial, slowed where it is meant to be."""
        if not self._meant(context):
            return self.inner.trial(context)
        reading = self.inner.trial(self._slowed(context))
        reading = self._planter.reading(context, reading, self._plant.settings)
        settings = ", ".join(f"{key} {value}" for key, value in self._plant.settings.items())
        return replace(reading, notes=(*reading.notes, f"planted: {settings}"))

    def _meant(self, context: TrialContext) -> bool:
        return context.side is Side.HEAD and context.benchmark.name == self._plant.benchmark

    def _slowed(self, context: TrialContext) -> TrialContext:
        return self._planter.slowed(context, self._plant.settings)


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
