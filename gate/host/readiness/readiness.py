"""Whether a machine is fit to measure on: the list of questions, asked in the order of a table.

Every answer is ok, off or unknown, with the value, what is wanted, why, and a cure. What the
machine does not report is unknown, never ok. Nothing is changed.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gate.host.readiness import cpu, disk, system
from gate.host.readiness import sample as sampled
from gate.host.readiness.ground import MachineUnderCheck, Sample, look
from gate.linux.perf_event import CounterFiles, NoCounters
from gate.model.disturbance import Answer
from gate.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gate.linux.machine import LinuxMachine
    from gate.model.disturbance import Limits, Readiness

SAMPLE = 1.0
"""Seconds between the two looks."""
_MOST_NOTES, _LONGEST_NOTE = 8, 159
_SETTINGS = (
    *(cpu.governor, cpu.energy_preference, cpu.turbo, cpu.smt, cpu.idle_states),
    *(system.huge_pages, system.swap, system.layout, system.check_numa_balancing),
    *(system.time_source, system.battery, disk.free_space),
)
"""The questions that take no time and ask no other program but `df`."""
_OTHERS = (
    *(system.interrupts, cpu.check_isolation, cpu.mitigations, disk.link, disk.wear),
    *(system.counters, system.container, sampled.load, sampled.foreign_cpu, sampled.foreign_io),
    *(sampled.cpu_pressure, sampled.memory_pressure, sampled.check_throttling, sampled.steal),
)


def check_readiness(
    machine: LinuxMachine,
    work: Path,
    *,
    measured_cpus: str = "",
    limits: Limits | None = None,
    sample: float = SAMPLE,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    own: int = 0,
    count: Callable[[], str] | None = None,
) -> tuple[Readiness, ...]:
    """Ask all questions; takes `sample` seconds and a little more.

    `work` decides which disk counts, `measured_cpus` (`1-3`) which processors. `own` is the number
    of the process that looks, and `count` tries to open a counter and says why it cannot: both are
    of the machine that this runs on, and are left out where a recorded one is played.
    """
    ground = MachineUnderCheck(machine, work, measured=measured_cpus, limits=limits, count=count)
    settings = [ask(ground) for ask in _SETTINGS]
    before = look(ground, clock())
    sleep(sample)
    ground.seen = Sample(before, look(ground, clock()), own)
    return (*settings, *(ask(ground) for ask in _OTHERS))


def quick_notes(machine: LinuxMachine, work: Path) -> tuple[str, ...]:
    """What is off, for the notes of a session: settings only, at once, one line each.

    What moves while a session is measured is watched around its trials, and is no note here.
    """
    ground = MachineUnderCheck(machine, work)
    # No program is asked about hypervisors: that only words what is unknown, which makes no note.
    ground.virtual = ""
    found = [one for ask in _SETTINGS if (one := ask(ground)).answer is Answer.OFF]
    texts = [f"not ready: {one.name} {one.value} (wanted: {one.wanted})" for one in found]
    return tuple(printable(text, "?")[:_LONGEST_NOTE] for text in texts[:_MOST_NOTES])


def no_counter() -> str:
    """Why this machine counts no cycles for us; empty where it does."""
    try:
        CounterFiles().close()
    except NoCounters as reason:
        return str(reason)
    except OSError as error:
        return f"the processors cannot be listed: {error.strerror}"
    return ""
