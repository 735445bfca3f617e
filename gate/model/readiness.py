"""Whether a machine is fit to measure on: one answer per question, each with its cure.

What of a machine can be tuned around a check, and put back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from gate.model.bounds import STRICT

_ALIKE = 0.3
"""An autocorrelation below this costs little of what many trials are worth."""


class Answer(StrEnum):
    """What a readiness check says."""

    OK = "ok"
    OFF = "off"
    """Not as it should be for measuring."""
    UNKNOWN = "unknown"
    """The machine does not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """One readiness check of a machine."""

    __pydantic_config__ = STRICT

    name: str
    """`governor`."""
    answer: Answer
    value: str
    """As measured: `powersave on 8 of 8 processors`."""
    wanted: str
    """`performance`."""
    why: str
    """What it does to a measurement, in one sentence."""
    cure: str = ""
    """The command or the step that mends it; empty where it is ok."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostNoise:
    """What the trials of one piece of fixed work show of the host."""

    __pydantic_config__ = STRICT

    trials: int
    typical: float
    """Median seconds of a trial."""
    noise: float
    """Relative scale of a trial: a log scale, 0.01 for 1 %."""
    slowest: float
    """How much longer than the median the slowest trial took, as a ratio."""
    alike: float
    """Lag-1 autocorrelation, -1 to 1."""
    detectable: dict[int, float]
    """Trials a side -> smallest relative loss that can be told; infinite where none can."""
    with_pairs: dict[int, float]
    """Most pairs -> smallest tolerance that the gate's pairs can hold; infinite where none."""

    @property
    def drifts(self) -> bool:
        """Whether neighbouring trials are more alike than chance makes them."""
        return self.alike > max(_ALIKE, 2 / math.sqrt(self.trials))


TUNABLE = {
    "governor": "the frequency governor and energy preference ask for full speed",
    "turbo": "no clock above the rated one, which heat and neighbours would take back",
    "thp": "no transparent huge pages, which a trial gets or not as memory is free",
    "swap": "no swap, so that no trial waits for a disk in place of memory",
    "irq": "interrupts are steered off the processors that measure",
    "numa_balancing": "the kernel moves no pages between nodes in the middle of a trial",
    "cstates": "processors wake at once, in place of after a deep sleep",
    "pinning": "harnesses run on the processors that measure, and nowhere else",
}
"""Names that `tune` in host.toml and `--tune` take, each with what tuning it does."""
TUNED_FACTS = {
    "governor": ("governor", "epp"),
    "turbo": ("turbo",),
    "thp": ("thp",),
    "swap": ("swap",),
    "numa_balancing": ("numa_balancing",),
}
"""Facts of the machine that are other ones while it is tuned, by the name of the tuning."""


def facts_tuned(names: tuple[str, ...]) -> frozenset[str]:
    """The facts that a check with these tunings finds otherwise than they are without one."""
    tuned = {fact for name in names for fact in TUNED_FACTS.get(name, ())}
    return frozenset(tuned | ({"tuned"} if names else set()))
