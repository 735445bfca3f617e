"""What disturbs a measurement: trials that are set aside, and machines that are not ready.

How much disturbance a trial tolerates, whether a machine is fit to measure on, and what of it can
be tuned around a check and put back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from gate.model.bounds import Name, Strict, Text

KINDS = {
    "steal": "the hypervisor took processor time",
    "foreign_cpu": "processes outside the trial used the processors",
    "foreign_io": "processes outside the trial read or wrote disks",
    "memory_pressure": "tasks waited for memory",
    "throttling": "the processors were throttled, or a thermal limit was met",
    "kernel_log": "the kernel reported a fault",
    "asleep": "the machine was suspended",
}
"""Kinds of disturbance, by the name that profiles and host.toml use."""
UNSTEADY = "unsteady"
"""The kind of a trial that was set aside because the storage was not in its steady state yet."""
_ALIKE = 0.3
"""An autocorrelation below this costs little of what many trials are worth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disturbance(Strict):
    """One reason why a trial was set aside."""

    kind: Name
    """One of `KINDS`, or `UNSTEADY`."""
    text: Text
    """With the figure, the limit and, where it is known, who did it: one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of each a trial tolerates before it is set aside."""

    steal: float = 0.05
    """Share of all processors' time."""
    foreign_cpu: float = 0.25
    """Processors in use by others, on average over the trial."""
    foreign_io: float = 8e6
    """Bytes per second that others read and wrote."""
    memory_pressure: float = 0.05
    """Share of the time in which some task waited for memory (PSI)."""
    set_aside: float = 0.5
    """Trials set aside per trial planned, above which a session is not judged."""


_LEAST_ASIDE = 3
"""Trials that may be set aside however few are planned, unless the limit is zero."""


def most_set_aside(share: float, planned: int) -> float:
    """How many trials may be set aside at this limit, of so many that are planned."""
    return max(_LEAST_ASIDE, share * planned) if share > 0 else 0.0


class Answer(StrEnum):
    """What a readiness check says."""

    OK = "ok"
    OFF = "off"
    """Not as it should be for measuring."""
    UNKNOWN = "unknown"
    """The machine does not report it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness(Strict):
    """One readiness check of a machine."""

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
class HostNoise(Strict):
    """What the trials of one piece of fixed work show of the host."""

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
    """Trials a side -> smallest relative loss that can be detected; infinite where none can."""
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
    **{name: (name,) for name in ("turbo", "thp", "swap", "numa_balancing")},
}
"""Facts of the machine that are other ones while it is tuned, by the name of the tuning."""


def facts_tuned(names: tuple[str, ...]) -> frozenset[str]:
    """The facts that a check with these tunings finds otherwise than they are without one."""
    tuned = {fact for name in names for fact in TUNED_FACTS.get(name, ())}
    return frozenset(tuned | ({"tuned"} if names else set()))
