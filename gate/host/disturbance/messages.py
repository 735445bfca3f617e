"""What two looks at the machine mean: which limits were passed, by how much and by whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.linux.proc_stat import FIELDS, TICK, idle
from gate.model import Disturbance
from gate.units import percent, show, show_duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.host.disturbance.other_processes import ForeignWork
    from gate.linux.proc_stat import CpuTimes
    from gate.model import Limits

_ASLEEP = 1.0
"""Seconds: the clocks themselves are read one after another."""
_LEAST = 3 * TICK
"""CPU-seconds below which a few ticks decide."""
_LEAST_MOVED = float(1 << 20)
"""Bytes: one entry in a log is no disturbance of a short trial."""
_LEAST_WAITED = 0.01
"""Seconds."""
_GROSS = 0.5
"""Processors beyond the limit that nothing explains: ticks show bursts only roughly."""
_NAMED = 3
"""Processes that are named."""
_SHOWN = 0.05
"""Share of the whole below which one is not named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Processors:
    """What /proc/stat says of the time between two looks, in CPU-seconds."""

    total: float
    busy: float
    """Neither idle nor stolen."""
    interrupts: float
    steal: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Meanwhile:
    """What happened between two looks."""

    seconds: float
    asleep: float
    processors: Processors | None
    others: ForeignWork
    explained: float | None
    """CPU-seconds of the trial, of the gate, of the kernel's threads and of `others`; None where
    the trial's own are not known."""
    waited: float
    """Seconds in which a task waited for memory."""
    throttled: tuple[str, ...]
    reported: tuple[tuple[str, str], ...]
    """Faults and the kernel's lines."""


def processors_between(before: CpuTimes | None, after: CpuTimes | None) -> Processors | None:
    """The difference of two looks at /proc/stat; None where one of them is lacking."""
    if before is None or after is None:
        return None
    total = len(after.each) * (after.at - before.at)
    gained = tuple(late - early for early, late in zip(before.total, after.total, strict=True))
    column = dict(zip(FIELDS, gained, strict=True))
    return Processors(
        total=total,
        busy=max(total - idle(gained), 0.0),
        interrupts=column["irq"] + column["softirq"],
        steal=max(column["steal"], 0.0),
    )


def disturbances(seen: Meanwhile, limits: Limits) -> tuple[Disturbance, ...]:
    """The reasons why a trial between these looks must not be counted."""
    found = (
        ("asleep", _asleep(seen)),
        ("steal", _steal(seen, limits)),
        ("foreign_cpu", _foreign_cpu(seen, limits)),
        ("foreign_io", _foreign_io(seen, limits)),
        ("memory_pressure", _memory(seen, limits)),
        *(("throttling", text) for text in seen.throttled),
        *(("kernel_log", f"the kernel reported {what}: {said}") for what, said in seen.reported),
    )
    return tuple(Disturbance(kind=kind, text=text) for kind, text in found if text)


def _asleep(seen: Meanwhile) -> str:
    if seen.asleep <= _ASLEEP:
        return ""
    return f"the machine was suspended for {show_duration(seen.asleep)}"


def _steal(seen: Meanwhile, limits: Limits) -> str:
    processors = seen.processors
    if (
        processors is None
        or processors.steal < _LEAST
        or processors.steal <= limits.steal * processors.total
    ):
        return ""
    share = percent(processors.steal / processors.total, signed=False)
    limit = percent(limits.steal, signed=False)
    return f"the hypervisor took {share} of the processors' time {_key('steal', limit)}"


def _foreign_cpu(seen: Meanwhile, limits: Limits) -> str:
    spent = sum(seen.others.cpu.values())
    if spent >= _LEAST and spent > limits.foreign_cpu * seen.seconds:
        names = _worst(seen.others.cpu, lambda used: f"{used / seen.seconds:.2f}")
        return (
            f"processes outside the trial used {spent / seen.seconds:.2f} CPUs "
            f"{_key('foreign_cpu', f'{limits.foreign_cpu:.2f}')}: {names}"
        )
    processors = seen.processors
    if processors is None or seen.explained is None:
        return ""
    unseen = processors.busy - processors.interrupts - seen.explained
    if unseen < _LEAST or unseen <= (limits.foreign_cpu + _GROSS) * seen.seconds:
        return ""
    return (
        f"{unseen / seen.seconds:.2f} CPUs were used "
        f"{_key('foreign_cpu', f'{limits.foreign_cpu:.2f}')} that neither the trial nor a process "
        "that can be seen has used: processes that lived and died meanwhile"
    )


def _foreign_io(seen: Meanwhile, limits: Limits) -> str:
    moved = sum(seen.others.moved.values())
    if moved < _LEAST_MOVED or moved <= limits.foreign_io * seen.seconds:
        return ""
    names = _worst(seen.others.moved, lambda much: show(much / seen.seconds, "B/s"))
    return (
        f"processes outside the trial read and wrote {show(moved / seen.seconds, 'B/s')} "
        f"{_key('foreign_io', show(limits.foreign_io, 'B/s'))}: {names}"
    )


def _memory(seen: Meanwhile, limits: Limits) -> str:
    if seen.waited < _LEAST_WAITED or seen.waited <= limits.memory_pressure * seen.seconds:
        return ""
    share = percent(seen.waited / seen.seconds, signed=False)
    limit = percent(limits.memory_pressure, signed=False)
    return f"tasks waited for memory in {share} of the time {_key('memory_pressure', limit)}"


def _key(name: str, limit: str) -> str:
    """Where host.toml sets the limit that was passed."""
    return f"({name} = {limit} in [limits])"


def _worst(amounts: dict[str, float], shown: Callable[[float], str]) -> str:
    """Who did most of it, with how much."""
    whole = sum(amounts.values())
    most = sorted(amounts.items(), key=lambda one: -one[1])[:_NAMED]
    return ", ".join(f"{name} {shown(much)}" for name, much in most if much >= _SHOWN * whole)
