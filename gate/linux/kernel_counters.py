"""What the kernel counts of its own accord: two looks show what happened in between.

Only what never falls is read: the difference of figures of the moment (`nr_free_pages`, a queue's
length) means nothing. Times are in seconds and sizes in bytes, and the name of a counter
ends so; all else is events. What a kernel does not have is left out. Energy of the processor
packages is counted by RAPL (powercap).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gate.linux.proc_stat import pressure, read_stat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.linux.machine import LinuxMachine

_SECTOR = 512
_MILLI, _MICRO, _NANO = 1e-3, 1e-6, 1e-9
_GROWING = frozenset(
    {
        *("nr_dirtied", "nr_written", "nr_throttled_written", "nr_vmscan_write"),
        *("nr_vmscan_immediate_reclaim", "nr_foll_pin_acquired", "nr_foll_pin_released"),
    }
)
"""What counts, of all in /proc/vmstat that is named as if it were a figure of the moment."""
_OF_THE_MOMENT = frozenset({"workingset_nodes"})
_STAT = {
    "ctxt": "context switches",
    "processes": "processes started",
    "intr": "interrupts",
    "softirq": "soft interrupts",
}
_BLOCK = (
    *("reads", "reads merged", "read bytes", "read time"),
    *("writes", "writes merged", "written bytes", "write time", "", "busy time", "queued time"),
    *("discards", "discards merged", "discarded bytes", "discard time", "flushes", "flush time"),
)
"""The fields of /sys/block/*/stat; the ninth is a figure of the moment."""
_SCHED = (
    *("yields", "", "schedule calls", "schedules to idle", "wake-ups", "wake-ups here"),
    *("running time", "waiting time", "time slices"),
)
"""The fields of a processor's line in /proc/schedstat; the second is always zero."""
_NOT_COUNTED = re.compile(r"Forwarding|Default|Rto|MaxConn|CurrEstab")
_PRESSURES = ("cpu", "io", "memory", "irq")

Counts = dict[str, float]


def read_counts(machine: LinuxMachine) -> Counts:
    """Everything that this machine counts, by source and name: `vmstat: pgfault`."""
    found: Counts = {}
    for name, value in _all(machine):
        found[name] = found.get(name, 0.0) + value
    return found


def growth(before: Counts, after: Counts) -> Counts:
    """By how much each counter grew; those that did not, or that began anew, are left out."""
    return {
        name: value - before.get(name, 0.0)
        for name, value in after.items()
        if value > before.get(name, 0.0)
    }


def _all(machine: LinuxMachine) -> Iterator[tuple[str, float]]:
    yield from _vmstat(machine.text("/proc/vmstat"))
    yield from _softirqs(machine.text("/proc/softirqs"))
    yield from _interrupts(machine.text("/proc/interrupts"))
    counts = read_stat(machine).counts
    yield from ((f"stat: {title}", float(counts[n])) for n, title in _STAT.items() if n in counts)
    yield from _schedstat(machine.text("/proc/schedstat"))
    for name in machine.names("/sys/block"):
        text = machine.text(f"/sys/block/{name}/stat")
        yield from _fields(f"block {name}", text.split(), _BLOCK, _MILLI)
    yield from _net(machine.text("/proc/net/snmp"))
    for what in _PRESSURES:
        for kind, seconds in pressure(machine, what).items():
            yield f"pressure: {kind} {what} time", seconds


def _vmstat(text: str) -> Iterator[tuple[str, float]]:
    for line in text.splitlines():
        name, _, value = line.partition(" ")
        momentary = name.startswith("nr_") and name not in _GROWING
        if value.isdigit() and not momentary and name not in _OF_THE_MOMENT:
            yield f"vmstat: {name}", float(value)


def _softirqs(text: str) -> Iterator[tuple[str, float]]:
    for line in text.splitlines()[1:]:
        name, _, rest = line.partition(":")
        yield f"softirq: {name.strip()}", _sum(rest.split())


def _interrupts(text: str) -> Iterator[tuple[str, float]]:
    """A device's lines together, by the name of its driver; the processors' own by their title."""
    head, *lines = text.splitlines() or [""]
    processors = len(head.split())
    for line in lines:
        name, _, rest = line.partition(":")
        words = rest.split(maxsplit=processors)
        counts = [word for word in words[:processors] if word.isdigit()]
        device = words[processors].strip() if len(words) > processors else ""
        title = re.split(r"\s{2,}", device)[-1] if name.strip().isdigit() else device
        yield f"interrupts: {title or name.strip()}", _sum(counts)


def _schedstat(text: str) -> Iterator[tuple[str, float]]:
    for line in text.splitlines():
        name, *words = line.split()
        if name.startswith("cpu"):
            yield from _fields("schedstat", words, _SCHED, _NANO)


def _net(text: str) -> Iterator[tuple[str, float]]:
    lines = text.splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=False):
        layer, *titles = names.split()
        for title, value in zip(titles, values.split()[1:], strict=False):
            if value.isdigit() and not _NOT_COUNTED.match(title):
                yield f"net {layer} {title}", float(value)


def _fields(
    source: str, words: Iterable[str], titles: Iterable[str], tick: float
) -> Iterator[tuple[str, float]]:
    units = {"bytes": _SECTOR, "time": tick}
    for word, title in zip(words, titles, strict=False):
        if title and word.isdigit():
            yield f"{source}: {title}", int(word) * units.get(title.rpartition(" ")[2], 1.0)


def _sum(words: Iterable[str]) -> float:
    return float(sum(int(word) for word in words if word.isdigit()))


_ZONE = re.compile(r"intel-rapl:\d+")
"""Zones of the first level; AMD's are called so too. Those below are parts of them."""


@dataclass(frozen=True, slots=True)
class Package:
    """The counter of one package."""

    file: Path
    range: float
    """Joule at which it begins anew."""


@dataclass(frozen=True, slots=True)
class Energy:
    """The counters of all packages, or why there are none."""

    packages: tuple[Package, ...]
    reason: str = ""

    def look(self) -> tuple[float, ...]:
        """Joule of each package, since some moment of its own."""
        return tuple(int(one.file.read_bytes()) * _MICRO for one in self.packages)

    def used(self, before: tuple[float, ...], after: tuple[float, ...]) -> float:
        """Joule between two looks; a counter that began anew in between did so once."""
        return sum(
            late - early if late >= early else late - early + package.range
            for package, early, late in zip(self.packages, before, after, strict=True)
        )


def find_energy(root: Path = Path("/sys/class/powercap")) -> Energy:
    """The packages whose counters can be read here."""
    try:
        zones = sorted(entry for entry in root.iterdir() if _ZONE.fullmatch(entry.name))
    except OSError:
        zones = []
    packages = []
    for zone in zones:
        try:
            if not (zone / "name").read_text("ascii").startswith("package"):
                continue  # psys, the whole board: a package would count twice
            most = int((zone / "max_energy_range_uj").read_bytes()) * _MICRO
            int((zone / "energy_uj").read_bytes())
        except PermissionError:
            return Energy((), f"{zone.name}/energy_uj may be read by root only")
        except (OSError, ValueError):
            continue
        packages.append(Package(zone / "energy_uj", most))
    if not packages:
        return Energy((), "this machine has no RAPL counter of a package (powercap)")
    return Energy(tuple(packages))
