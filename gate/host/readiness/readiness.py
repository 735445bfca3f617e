"""Whether a machine is fit to measure on: the list of questions, asked in the order of a table.

Every answer is ok, off or unknown, with the value, what is wanted, why, and a cure. What the
machine does not report is unknown, never ok. Nothing is changed.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gate.host.readiness import cpu, disk, system
from gate.host.readiness import sample as sampled
from gate.host.readiness import system as memory
from gate.host.readiness.ground import MachineUnderCheck, printable
from gate.host.readiness.sample import Sample, look
from gate.linux.perf_event import CounterFiles, NoCounters
from gate.model.disturbance import Answer, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gate.linux.machine import LinuxMachine
    from gate.model.disturbance import Readiness

SAMPLE = 1.0
"""Seconds between the two looks."""
_MOST_NOTES, _LONGEST_NOTE = 8, 159
_USUAL = Limits()


def check_readiness(
    machine: LinuxMachine,
    work: Path,
    *,
    measured_cpus: str = "",
    limits: Limits = _USUAL,
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
    ground = MachineUnderCheck(machine, measured_cpus)
    settings = tuple(_settings(ground, work))
    before = look(ground, clock())
    sleep(sample)
    seen = Sample(before, look(ground, clock()), own)
    return (
        *settings,
        system.interrupts(ground),
        cpu.check_isolation(ground),
        cpu.mitigations(ground),
        disk.link(ground, work),
        disk.wear(ground, work),
        system.counters(ground, count),
        system.container(ground),
        sampled.load(ground),
        sampled.foreign_cpu(ground, seen, limits),
        sampled.foreign_io(ground, seen, limits),
        sampled.pressure(ground, seen, "cpu", limits),
        sampled.pressure(ground, seen, "memory", limits),
        sampled.check_throttling(ground, seen),
        sampled.steal(ground, seen, limits),
    )


def _settings(ground: MachineUnderCheck, work: Path) -> Iterator[Readiness]:
    """The questions that take no time and ask no other program but `df`."""
    yield cpu.governor(ground)
    yield cpu.energy_preference(ground)
    yield cpu.turbo(ground)
    yield cpu.smt(ground)
    yield cpu.idle_states(ground)
    yield memory.huge_pages(ground)
    yield memory.swap(ground)
    yield memory.layout(ground)
    yield memory.check_numa_balancing(ground)
    yield system.time_source(ground)
    yield system.battery(ground)
    yield disk.free_space(ground, work)


def quick_notes(machine: LinuxMachine, work: Path) -> tuple[str, ...]:
    """What is off, for the notes of a session: settings only, at once, one line each.

    What moves while a session is measured is watched around its trials, and is no note here.
    """
    found = [one for one in _settings(_Quick(machine), work) if one.answer is Answer.OFF]
    texts = [f"not ready: {one.name} {one.value} (wanted: {one.wanted})" for one in found]
    return tuple(printable(text, _LONGEST_NOTE) for text in texts[:_MOST_NOTES])


class _Quick(MachineUnderCheck):
    """Asks nobody about hypervisors: that only words what is unknown, which makes no note."""

    virtual = ""


def no_counter() -> str:
    """Why this machine counts no cycles for us; empty where it does."""
    try:
        CounterFiles().close()
    except NoCounters as reason:
        return str(reason)
    except OSError as error:
        return f"the processors cannot be listed: {error.strerror}"
    return ""
