"""Readiness while one looks: who else computes, writes and waits, and what heat or a host takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gate.host.accounting import TICK
from gate.host.readiness_ground import CPU, Check, number
from gate.host.readiness_look import STEAL
from gate.units import show

if TYPE_CHECKING:
    from gate.host.readiness_ground import Ground
    from gate.host.readiness_look import Sample
    from gate.model.disturbance import Limits
    from gate.model.readiness import Readiness

_NAMED = 3
_WAITING = 0.05
"""Share of the time in which some task may wait for a processor."""
_LOADED, _LEAST_LOAD = 0.1, 0.5
_COOLING = "/sys/class/thermal"


def foreign_cpu(ground: Ground, sample: Sample, limits: Limits) -> Readiness:
    """Whether others use the processors."""
    check = Check(
        "foreign_cpu",
        f"below {limits.foreign_cpu:g} processors used by others",
        "Others take time, caches and clock from what is measured.",
    )
    ticks = sample.ticks
    if not ticks or sample.seconds <= 0:
        return check.unknown("not told", ground.system("/proc/stat cannot be read"))
    used = sample.strangers
    value = f"{used:.2f} processors"
    if used <= limits.foreign_cpu:
        return check.ok(value)
    named = sample.most(lambda one: one.own * TICK)
    if (rest := used - sum(share for _, share in named)) > used / 2:
        named = [("processes that ended meanwhile or are small", rest), *named]
    names = ", ".join(f"{name} {share:.2f}" for name, share in named)
    return check.off(f"{value}: {names}", "stop them, or measure when they rest")


def foreign_io(ground: Ground, sample: Sample, limits: Limits) -> Readiness:
    """Whether others read and write the disks."""
    check = Check(
        "foreign_io",
        f"below {show(limits.foreign_io, 'B/s')} read and written by others",
        "A disk that serves others makes every request of a trial wait behind theirs.",
    )
    early, late = sample.before.moved, sample.after.moved
    if early is None or late is None or sample.seconds <= 0:
        return check.unknown("not told", ground.system("no disk counts in /proc/diskstats"))
    rate = max(late - early, 0) / sample.seconds
    value = show(rate, "B/s") if rate else "none"
    if rate <= limits.foreign_io:
        return check.ok(value)
    names = ", ".join(
        f"{name} {show(share, 'B/s')}" for name, share in sample.most(lambda one: one.moved or 0)
    )
    return check.off(f"{value}: {names or 'nobody named'}", "stop them, or measure when they rest")


def pressure(ground: Ground, sample: Sample, what: str, limits: Limits) -> Readiness:
    """Whether tasks wait for memory, or for a processor."""
    most, why = {
        "cpu": (_WAITING, "More tasks than processors: what is measured waits for its turn."),
        "memory": (
            limits.memory_pressure,
            "Where memory is short, trials wait for pages to be freed and read again.",
        ),
    }[what]
    check = Check(f"{what}_pressure", f"some task waits below {most:.0%} of the time", why)
    share = sample.stalled(what)
    if share is None:
        return check.unknown("not told", ground.system("boot with psi=1"))
    value = f"{share * 100:.1f} % of the time"
    if share <= most:
        return check.ok(value)
    return check.off(value, "stop what runs beside the measurement: `top` tells it")


def steal(ground: Ground, sample: Sample, limits: Limits) -> Readiness:
    """Whether a hypervisor gives the processors to others."""
    check = Check(
        "steal",
        f"below {limits.steal:.0%} of the processors' time",
        "While another guest has the processor, the clock of a trial runs on.",
    )
    ticks = sample.ticks
    if len(ticks) <= STEAL:
        return check.unknown("not told", ground.system("/proc/stat cannot be read"))
    share = ticks[STEAL] / sum(ticks)
    value = f"{share * 100:.1f} %"
    if share > limits.steal:
        return check.off(value, "ask for dedicated processors, or measure on bare metal")
    if ground.virtual and not sample.after.ticks[STEAL]:
        cure = "ask the owner of its hypervisor whether guests are told of stolen time"
        return check.unknown("0 since boot; not every hypervisor tells", cure)
    return check.ok(value)


def throttling(ground: Ground, sample: Sample) -> Readiness:
    """Whether heat or a power limit holds the clock down."""
    check = Check(
        "throttling",
        "no throttling now",
        "A processor at its thermal or power limit slows down however much work there is.",
    )
    cure = "cool it: fans, dust, room; raise or fix its power limit in the BIOS"
    held = [
        f"{kind} at level {level}"
        for name in ground.machine.names(_COOLING)
        if name.startswith("cooling_device")
        and re.match(
            r"Processor|(thermal-)?cpufreq|intel_powerclamp",
            kind := ground.line(f"{_COOLING}/{name}/type"),
        )
        and (number(level := ground.line(f"{_COOLING}/{name}/cur_state")) or 0) > 0
    ]
    early, late = sample.before.throttled, sample.after.throttled
    if early is not None and late is not None and late > early:
        return check.off(f"{late - early} times in {sample.seconds:.1f} s", cure)
    if held:
        return check.off(", ".join(held[:_NAMED]), cure)
    if late is None:
        return check.unknown(f"no counter in {CPU}", ground.hidden("watch `sensors` under load"))
    return check.ok(f"{late} times since boot, none while looking" if late else "never since boot")


def load(ground: Ground) -> Readiness:
    """Whether the last minute was busy."""
    most = max(_LEAST_LOAD, _LOADED * len(ground.cpus))
    check = Check(
        "load",
        f"at most {most:g} tasks, mean of a minute",
        "What was just busy is often busy again, and leaves warm processors and dirty pages.",
    )
    found = re.match(r"(\d+\.\d+) ", ground.line("/proc/loadavg"))
    if found is None:
        return check.unknown("not told", ground.system("/proc/loadavg cannot be read"))
    if float(found[1]) <= most:
        return check.ok(found[1])
    return check.off(found[1], "wait a minute after the last work; `top` tells who goes on")
