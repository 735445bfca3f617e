"""What disturbs a trial from outside it, and how much of it a trial may bear."""

from __future__ import annotations

from dataclasses import dataclass

from gate.model.bounds import STRICT, Name, Text

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Disturbance:
    """One reason why a trial was set aside."""

    __pydantic_config__ = STRICT

    kind: Name
    """One of `KINDS`, or `UNSTEADY`."""
    text: Text
    """With the figure, the limit and, where it is known, who did it: one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of each a trial bears before it is set aside."""

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
