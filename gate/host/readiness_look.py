"""Two looks at what runs on a machine: who computes, who writes, who waits, and what is throttled.

Processors used by others are all that was not idle, less what this process itself used. Others'
I/O is that of the real disks, so that no byte counts twice; who did it is told as far as /proc
lets us see it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.host.accounting import TICK
from gate.host.foreign import Process, bytes_moved, described
from gate.host.pressure import waited_for
from gate.host.readiness_ground import number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gate.host.readiness_ground import Ground

IDLE, IOWAIT, STEAL = 3, 4, 7
"""Columns of /proc/stat that are no work of this machine."""
_SECTOR = 512
_NAMED = 3
_COUNTERS = ("core_throttle_count", "package_throttle_count")


_NOBODY = Process(name="", parent=0, kernel=False, own=0, reaped=0, moved=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Counters of the machine at one moment; what it does not tell is absent."""

    at: float
    """Seconds of a clock that does not jump."""
    ticks: tuple[int, ...] = ()
    """All processors, as /proc/stat has them."""
    stalled: Mapping[str, float] = field(default_factory=dict)
    """Seconds since boot in which some task waited, by resource."""
    moved: int | None = None
    """Bytes that the real disks read and wrote."""
    throttled: int | None = None
    processes: Mapping[tuple[int, int], Process] = field(default_factory=dict)
    """By number and start: a number may come again."""


def look(ground: Ground, at: float) -> Look:
    """Look now."""
    first = ground.line("/proc/stat").split()
    return Look(
        at=at,
        ticks=tuple(int(word) for word in first[1:9]) if first[:1] == ["cpu"] else (),
        stalled=dict(_stalls(ground)),
        moved=_moved(ground),
        throttled=_throttled(ground),
        processes=dict(_processes(ground)),
    )


def _stalls(ground: Ground) -> Iterator[tuple[str, float]]:
    for what in ("cpu", "memory"):
        waited = waited_for(ground.machine, what)
        if waited is not None:
            yield what, waited


def _moved(ground: Ground) -> int | None:
    """Of whole disks only, and not of what is made of disks or of memory."""
    rows = [row.split() for row in ground.machine.text("/proc/diskstats").splitlines()]
    known = [row for row in rows if len(row) > 9]  # noqa: PLR2004 - up to sectors written
    real = [row for row in known if ground.machine.real(f"/sys/block/{row[2]}/device")]
    return sum(int(row[5]) + int(row[9]) for row in real) * _SECTOR if real else None


def _throttled(ground: Ground) -> int | None:
    found = [
        value
        for name in _COUNTERS
        for text in ground.of_cpus(f"thermal_throttle/{name}").values()
        if (value := number(text)) is not None
    ]
    return sum(found) if found else None


def _processes(ground: Ground) -> Iterator[tuple[tuple[int, int], Process]]:
    for name in ground.machine.names("/proc"):
        if not name.isdecimal():
            continue
        stat, io = (ground.machine.text(f"/proc/{name}/{one}").encode() for one in ("stat", "io"))
        try:
            born, process = described(stat)
            yield (int(name), born), process._replace(moved=bytes_moved(io))
        except (ValueError, IndexError):
            continue  # gone meanwhile


@dataclass(frozen=True, slots=True)
class Sample:
    """Two looks, and who is looking."""

    before: Look
    after: Look
    own: int = 0
    """Number of the process that looks: it is no stranger."""

    @property
    def seconds(self) -> float:
        """Between the two."""
        return self.after.at - self.before.at

    @property
    def ticks(self) -> tuple[int, ...]:
        """What each column of /proc/stat grew by; empty where it is not told."""
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

    def grown(self, figure: Callable[[Process], float]) -> dict[tuple[int, int], float]:
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
        grown = self.grown(lambda one: one.own * TICK)
        own = sum(much for who, much in grown.items() if who[0] == self.own)
        return max((sum(self.ticks) - idle) * TICK - own, 0.0) / self.seconds

    def most(self, figure: Callable[[Process], float]) -> list[tuple[str, float]]:
        """The strangers who did most of it, per second: names with their numbers."""
        found = [
            (f"{self.after.processes[who].name} ({who[0]})", much / self.seconds)
            for who, much in self.grown(figure).items()
            if who[0] != self.own and much > 0
        ]
        return sorted(found, key=lambda one: -one[1])[:_NAMED]
