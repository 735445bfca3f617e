"""Readiness by two looks a second apart: who computes, writes and waits, and what heat takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gate.host.readiness.ground import number, off, ok, question, unknown, unreported
from gate.linux.cpu_list import CPU
from gate.linux.proc_stat import FIELDS, TICK
from gate.units import show

if TYPE_CHECKING:
    from gate.host.readiness.ground import MachineUnderCheck, Result

_WAITING = 0.05
"""Share of the time in which some task may wait for a processor."""
_LOADED, _LEAST_LOAD = 0.1, 0.5
_COOLING = "/sys/class/thermal"
_SLOWING = re.compile(r"Processor|(thermal-)?cpufreq|intel_powerclamp")
"""Types of cooling devices that slow the processors down."""
_SHOWN = 3


@question("foreign_cpu", lambda g: f"below {g.limits.foreign_cpu:g} processors used by others")
def foreign_cpu(ground: MachineUnderCheck) -> Result:
    """Others take time, caches and clock from what is measured."""
    seen = ground.seen
    if not seen.ticks.total or seen.seconds <= 0:
        return unreported(ground.system("/proc/stat cannot be read"))
    used = seen.strangers
    value = f"{used:.2f} processors"
    if used <= ground.limits.foreign_cpu:
        return ok(value)
    named = seen.most(lambda one: one.own * TICK)
    if (rest := used - sum(share for _, share in named)) > used / 2:
        named = [("processes that ended meanwhile or are small", rest), *named]
    names = ", ".join(f"{name} {share:.2f}" for name, share in named)
    return off(f"{value}: {names}", "stop them, or measure when they rest")


@question(
    "foreign_io", lambda g: f"below {show(g.limits.foreign_io, 'B/s')} read and written by others"
)
def foreign_io(ground: MachineUnderCheck) -> Result:
    """A disk that serves others makes every request of a trial wait behind theirs."""
    seen = ground.seen
    early, late = seen.before.moved, seen.after.moved
    if early is None or late is None or seen.seconds <= 0:
        return unreported(ground.system("no disk counts in /proc/diskstats"))
    rate = max(late - early, 0) / seen.seconds
    value = show(rate, "B/s") if rate else "none"
    if rate <= ground.limits.foreign_io:
        return ok(value)
    named = seen.most(lambda one: one.moved or 0)
    names = ", ".join(f"{name} {show(share, 'B/s')}" for name, share in named)
    return off(f"{value}: {names or 'nobody named'}", "stop them, or measure when they rest")


@question("cpu_pressure", f"some task waits below {_WAITING:.0%} of the time")
def cpu_pressure(ground: MachineUnderCheck) -> Result:
    """More tasks than processors: what is measured waits for its turn."""
    return _pressure(ground, "cpu", _WAITING)


@question(
    "memory_pressure", lambda g: f"some task waits below {g.limits.memory_pressure:.0%} of the time"
)
def memory_pressure(ground: MachineUnderCheck) -> Result:
    """Where memory is short, trials wait for pages to be freed and read again."""
    return _pressure(ground, "memory", ground.limits.memory_pressure)


def _pressure(ground: MachineUnderCheck, what: str, most: float) -> Result:
    share = ground.seen.stalled(what)
    if share is None:
        return unreported(ground.system("boot with psi=1"))
    value = f"{share * 100:.1f} % of the time"
    if share <= most:
        return ok(value)
    return off(value, "stop what runs beside the measurement: see `top`")


@question("steal", lambda g: f"below {g.limits.steal:.0%} of the processors' time")
def steal(ground: MachineUnderCheck) -> Result:
    """While another guest has the processor, the clock of a trial runs on."""
    ticks = ground.seen.ticks
    if len(ticks.total) < len(FIELDS):
        return unreported(ground.system("/proc/stat cannot be read"))
    share = ticks.steal / sum(ticks.total)
    value = f"{share * 100:.1f} %"
    if share > ground.limits.steal:
        return off(value, "ask for dedicated processors, or measure on bare metal")
    if ground.virtual and not ground.seen.after.stat.steal:
        cure = "ask the owner of its hypervisor whether it reports stolen time to guests"
        return unknown("0 since boot; not every hypervisor reports it", cure)
    return ok(value)


@question("throttling", "no throttling now")
def check_throttling(ground: MachineUnderCheck) -> Result:
    """A processor at its thermal or power limit slows down however much work there is."""
    cure = "cool it: fans, dust, room; raise or fix its power limit in the BIOS"
    held = []
    for name in ground.machine.names(_COOLING):
        kind, level = (ground.line(f"{_COOLING}/{name}/{file}") for file in ("type", "cur_state"))
        if name.startswith("cooling_device") and _SLOWING.match(kind) and (number(level) or 0) > 0:
            held.append(f"{kind} at level {level}")
    early, late = ground.seen.before.throttled, ground.seen.after.throttled
    if early is not None and late is not None and late > early:
        return off(f"{late - early} times in {ground.seen.seconds:.1f} s", cure)
    if held:
        return off(", ".join(held[:_SHOWN]), cure)
    if late is None:
        return unknown(f"no counter in {CPU}", ground.hidden("watch `sensors` under load"))
    return ok(f"{late} times since boot, none while looking" if late else "never since boot")


def _most_load(ground: MachineUnderCheck) -> float:
    return max(_LEAST_LOAD, _LOADED * len(ground.cpus))


@question("load", lambda g: f"at most {_most_load(g):g} tasks, mean of a minute")
def load(ground: MachineUnderCheck) -> Result:
    """What was just busy is often busy again, and leaves warm processors and dirty pages."""
    found = re.match(r"(\d+\.\d+) ", ground.line("/proc/loadavg"))
    if found is None:
        return unreported(ground.system("/proc/loadavg cannot be read"))
    if float(found[1]) <= _most_load(ground):
        return ok(found[1])
    return off(found[1], "wait a minute after the last work; `top` shows what still runs")
