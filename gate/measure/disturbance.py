"""What happened to the machine while it measured, over the whole sitting."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

_SUSPENDED = 1.0
_STEAL_NOTED = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Counters of the machine at one moment."""

    asleep: float
    """Seconds the machine spent suspended since boot."""
    cpus: int
    """Processors this process may use."""
    steal: int
    """Clock ticks the hypervisor took, all processors."""
    ticks: int
    """All clock ticks."""


def snapshot() -> Snapshot:
    """Look at the machine now."""
    steal, ticks = _cpu_ticks()
    asleep = time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)
    return Snapshot(asleep=asleep, cpus=len(os.sched_getaffinity(0)), steal=steal, ticks=ticks)


def _cpu_ticks() -> tuple[int, int]:
    """Steal and total ticks from the first line of /proc/stat; zeros where there is none."""
    try:
        with open("/proc/stat", encoding="ascii") as stream:  # noqa: PTH123 - one line of many
            numbers = [int(word) for word in stream.readline().split()[1:9]]
    except (OSError, ValueError):
        return 0, 0
    return (numbers[7] if len(numbers) > 7 else 0), sum(numbers)  # noqa: PLR2004


def disturbances(before: Snapshot, after: Snapshot, *, watched: bool = False) -> tuple[str, ...]:
    """Reasons why what was measured in between must not be judged.

    Where trials are `watched`, those that a suspended machine spoilt are set aside one by one.
    """
    found = []
    if after.asleep - before.asleep > _SUSPENDED and not watched:
        found.append(f"the machine was suspended for {after.asleep - before.asleep:.0f} s")
    if after.cpus != before.cpus:
        found.append(f"the number of usable processors went from {before.cpus} to {after.cpus}")
    return tuple(found)


def notes(before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    """What a reader should know, short of a disturbance."""
    ticks = after.ticks - before.ticks
    share = (after.steal - before.steal) / ticks if ticks > 0 else 0.0
    if share < _STEAL_NOTED:
        return ()
    return (f"the hypervisor took {share * 100:.0f} % of the processors' time",)
