"""Readiness by two looks a second apart: who else computes, writes and waits, and what heat takes.

Processors used by others are all that was not idle, less what this process itself used. Others'
I/O is that of the real disks, so that no byte counts twice; who did it is named as far as /proc
shows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.host.readiness.ground import ReadinessCheck, number
from gate.linux.cpu_list import CPU
from gate.linux.proc_stat import FIELDS, TICK, read_stat, waited_for
from gate.linux.processes import ProcessStat, read_processes_of
from gate.units import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gate.host.readiness.ground import MachineUnderCheck
    from gate.model.disturbance import Limits, Readiness


IDLE, IOWAIT, STEAL = (FIELDS.index(name) for name in ("idle", "iowait", "steal"))
"""Columns of /proc/stat that are no work of this machine."""
_SECTOR = 512
_COUNTERS = ("core_throttle_count", "package_throttle_count")


_NOBODY = ProcessStat(name="", parent=0, kernel=False, own=0, reaped=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivitySample:
    """Counters of the machine at one moment; what it does not report is absent."""

    at: float
    """Seconds of a clock that does not jump."""
    ticks: tuple[int, ...] = ()
    """All processors, as /proc/stat has them."""
    stalled: Mapping[str, float] = field(default_factory=dict)
    """Seconds since boot in which some task waited, by resource."""
    moved: int | None = None
    """Bytes that the real disks read and wrote."""
    throttled: int | None = None
    processes: Mapping[tuple[int, int], ProcessStat] = field(default_factory=dict)
    """By number and start: a number may come again."""


def look(ground: MachineUnderCheck, at: float) -> ActivitySample:
    """Look now."""
    return ActivitySample(
        at=at,
        ticks=read_stat(ground.machine).total,
        stalled=dict(_stalls(ground)),
        moved=_moved(ground),
        throttled=_throttled(ground),
        processes=read_processes_of(ground.machine),
    )


def _stalls(ground: MachineUnderCheck) -> Iterator[tuple[str, float]]:
    for what in ("cpu", "memory"):
        waited = waited_for(ground.machine, what)
        if waited is not None:
            yield what, waited


def _moved(ground: MachineUnderCheck) -> int | None:
    """Of whole disks only, and not of what is made of disks or of memory."""
    rows = [row.split() for row in ground.machine.text("/proc/diskstats").splitlines()]
    known = [row for row in rows if len(row) > 9]
    real = [row for row in known if ground.machine.real(f"/sys/block/{row[2]}/device")]
    return sum(int(row[5]) + int(row[9]) for row in real) * _SECTOR if real else None


def _throttled(ground: MachineUnderCheck) -> int | None:
    found = [
        value
        for name in _COUNTERS
        for text in ground.of_cpus(f"thermal_throttle/{name}").values()
        if (value := number(text)) is not None
    ]
    return sum(found) if found else None


@dataclass(frozen=True, slots=True)
class Sample:
    """Two looks, and who is looking."""

    before: ActivitySample
    after: ActivitySample
    own: int = 0
    """Number of the process that looks: it is no stranger."""

    @property
    def seconds(self) -> float:
        """Between the two."""
        return self.after.at - self.before.at

    @property
    def ticks(self) -> tuple[int, ...]:
        """What each column of /proc/stat grew by; empty where it is not known."""
        if len(self.before.ticks) != len(self.after.ticks) or sum(self.after.ticks) <= sum(
            self.before.ticks
        ):
            return ()
        return tuple(b - a for a, b in zip(self.before.ticks, self.after.ticks, strict=True))

    def stalled(self, what: str) -> float | None:
        """Share of the time in which some task waited for it."""
        early, late = self.before.stalled.get(what), self.after.stalled.get(what)
        if early is None or late is None or self.seconds <= 0:
            return None
        return max(late - early, 0.0) / self.seconds

    def growth(self, figure: Callable[[ProcessStat], float]) -> dict[tuple[int, int], float]:
        """By how much a figure of each process grew; those that began in between grew from 0."""
        early = self.before.processes
        return {
            who: figure(now) - figure(early.get(who, _NOBODY))
            for who, now in self.after.processes.items()
        }

    @property
    def strangers(self) -> float:
        """Processors in use by others, on average."""
        idle = sum(self.ticks[n] for n in (IDLE, IOWAIT, STEAL) if n < len(self.ticks))
        growth = self.growth(lambda one: one.own * TICK)
        own = sum(much for who, much in growth.items() if who[0] == self.own)
        return max((sum(self.ticks) - idle) * TICK - own, 0.0) / self.seconds

    def most(self, figure: Callable[[ProcessStat], float]) -> list[tuple[str, float]]:
        """The strangers who did most of it, per second: names with their numbers."""
        found = [
            (f"{self.after.processes[who].name} ({who[0]})", much / self.seconds)
            for who, much in self.growth(figure).items()
            if who[0] != self.own and much > 0
        ]
        return sorted(found, key=lambda one: -one[1])[:_NAMED]


_NAMED = 3
_WAITING = 0.05
"""Share of the time in which some task may wait for a processor."""
_LOADED, _LEAST_LOAD = 0.1, 0.5
_COOLING = "/sys/class/thermal"


def foreign_cpu(ground: MachineUnderCheck, sample: Sample, limits: Limits) -> Readiness:
    """Whether others use the processors."""
    check = ReadinessCheck(
        "foreign_cpu",
        f"below {limits.foreign_cpu:g} processors used by others",
        "Others take time, caches and clock from what is measured.",
    )
    ticks = sample.ticks
    if not ticks or sample.seconds <= 0:
        return check.unreported(ground.system("/proc/stat cannot be read"))
    used = sample.strangers
    value = f"{used:.2f} processors"
    if used <= limits.foreign_cpu:
        return check.ok(value)
    named = sample.most(lambda one: one.own * TICK)
    if (rest := used - sum(share for _, share in named)) > used / 2:
        named = [("processes that ended meanwhile or are small", rest), *named]
    names = ", ".join(f"{name} {share:.2f}" for name, share in named)
    return check.off(f"{value}: {names}", "stop them, or measure when they rest")


def foreign_io(ground: MachineUnderCheck, sample: Sample, limits: Limits) -> Readiness:
    """Whether others read and write the disks."""
    check = ReadinessCheck(
        "foreign_io",
        f"below {show(limits.foreign_io, 'B/s')} read and written by others",
        "A disk that serves others makes every request of a trial wait behind theirs.",
    )
    early, late = sample.before.moved, sample.after.moved
    if early is None or late is None or sample.seconds <= 0:
        return check.unreported(ground.system("no disk counts in /proc/diskstats"))
    rate = max(late - early, 0) / sample.seconds
    value = show(rate, "B/s") if rate else "none"
    if rate <= limits.foreign_io:
        return check.ok(value)
    names = ", ".join(
        f"{name} {show(share, 'B/s')}" for name, share in sample.most(lambda one: one.moved or 0)
    )
    return check.off(f"{value}: {names or 'nobody named'}", "stop them, or measure when they rest")


def pressure(ground: MachineUnderCheck, sample: Sample, what: str, limits: Limits) -> Readiness:
    """Whether tasks wait for memory, or for a processor."""
    most, why = {
        "cpu": (_WAITING, "More tasks than processors: what is measured waits for its turn."),
        "memory": (
            limits.memory_pressure,
            "Where memory is short, trials wait for pages to be freed and read again.",
        ),
    }[what]
    check = ReadinessCheck(f"{what}_pressure", f"some task waits below {most:.0%} of the time", why)
    share = sample.stalled(what)
    if share is None:
        return check.unreported(ground.system("boot with psi=1"))
    value = f"{share * 100:.1f} % of the time"
    if share <= most:
        return check.ok(value)
    return check.off(value, "stop what runs beside the measurement: see `top`")


def steal(ground: MachineUnderCheck, sample: Sample, limits: Limits) -> Readiness:
    """Whether a hypervisor gives the processors to others."""
    check = ReadinessCheck(
        "steal",
        f"below {limits.steal:.0%} of the processors' time",
        "While another guest has the processor, the clock of a trial runs on.",
    )
    ticks = sample.ticks
    if len(ticks) <= STEAL:
        return check.unreported(ground.system("/proc/stat cannot be read"))
    share = ticks[STEAL] / sum(ticks)
    value = f"{share * 100:.1f} %"
    if share > limits.steal:
        return check.off(value, "ask for dedicated processors, or measure on bare metal")
    if ground.virtual and not sample.after.ticks[STEAL]:
        cure = "ask the owner of its hypervisor whether it reports stolen time to guests"
        return check.unknown("0 since boot; not every hypervisor reports it", cure)
    return check.ok(value)


def check_throttling(ground: MachineUnderCheck, sample: Sample) -> Readiness:
    """Whether heat or a power limit holds the clock down."""
    check = ReadinessCheck(
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


def load(ground: MachineUnderCheck) -> Readiness:
    """Whether the last minute was busy."""
    most = max(_LEAST_LOAD, _LOADED * len(ground.cpus))
    check = ReadinessCheck(
        "load",
        f"at most {most:g} tasks, mean of a minute",
        "What was just busy is often busy again, and leaves warm processors and dirty pages.",
    )
    found = re.match(r"(\d+\.\d+) ", ground.line("/proc/loadavg"))
    if found is None:
        return check.unreported(ground.system("/proc/loadavg cannot be read"))
    if float(found[1]) <= most:
        return check.ok(found[1])
    return check.off(found[1], "wait a minute after the last work; `top` shows what still runs")
