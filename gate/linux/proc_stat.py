"""What the processors of a machine did so far (/proc/stat), and what tasks waited for (PSI).

Idle time is exact where the kernel keeps it (NO_HZ, which every distribution sets): it is summed
in nanoseconds and rounded down to a tick when it is printed. What was not idle is therefore known
to a tick. How it divides into user, system, irq and softirq is sampled by the tick, and short
bursts of work hide between two of them: those figures show who, not how much.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from gate.linux.machine import ThisMachine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.linux.machine import LinuxMachine

TICK = 1.0 / os.sysconf("SC_CLK_TCK")
"""Seconds: what the kernel rounds each figure down to (USER_HZ)."""
FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
"""The figures of a line, in their order there. Guest time is a part of user."""
_LARGEST = 1 << 20
_IDLE, _STEAL = slice(3, 5), 7
"""Columns that are no work, idle and iowait; and the last one."""
SAMPLE = 1.0
"""Seconds that a look at how busy the processors are takes."""
_WAITED = re.compile(r"^(some|full) .*\btotal=(\d+)", re.MULTILINE)
_MICRO = 1e-6


@dataclass(frozen=True, slots=True)
class Raw:
    """One look, unparsed: cheap enough to be taken while something is measured."""

    at: float
    """CLOCK_MONOTONIC in the middle of the look."""
    processors: bytes
    """The lines of all processors together and of each."""
    switches: bytes
    """The number of context switches."""


@dataclass(frozen=True, slots=True)
class CpuTimes:
    """One look: seconds since boot that the processors spent on each thing."""

    at: float
    total: tuple[float, ...]
    """All processors, in the order of `FIELDS`."""
    each: dict[str, tuple[float, ...]]
    """Each processor that is online: `cpu0`."""
    switches: float
    """Context switches since boot."""


class StatFile:
    """/proc/stat, kept open: a look costs some 20 µs on a small machine."""

    def __init__(self, root: Path = Path("/proc")) -> None:
        self._file = os.open(root / "stat", os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        """Give the file back."""
        os.close(self._file)

    def look(self) -> Raw:
        """Read now; nothing is parsed."""
        before = time.monotonic()
        text = os.pread(self._file, _LARGEST, 0)
        at = (before + time.monotonic()) / 2
        switches = text.find(b"\nctxt ") + 6
        return Raw(
            at=at,
            # The line of interrupts between them can be long, and nobody asks for it.
            processors=text[: text.find(b"\nintr")],
            switches=text[switches : text.find(b"\n", switches)],
        )


class StatTicks(NamedTuple):
    """The text of /proc/stat: clock ticks since boot, as many columns as this kernel prints."""

    total: tuple[int, ...] = ()
    """All processors, in the order of `FIELDS`; empty where nothing can be read."""
    each: Mapping[str, tuple[int, ...]] = MappingProxyType({})
    """Each processor that is online: `cpu0`."""
    counts: Mapping[str, int] = MappingProxyType({})
    """Events since boot by the kernel's name: `ctxt`, `intr`, `processes`, `softirq`."""

    @property
    def busy(self) -> int:
        """Ticks in which the processors worked, here or for the hypervisor's other guests."""
        return sum(self.total) - sum(self.total[_IDLE])

    @property
    def steal(self) -> int:
        """Ticks that a hypervisor took."""
        return sum(self.total[_STEAL:])


def parse_stat(text: str) -> StatTicks:
    """The text of /proc/stat, or a part of it.

    Raises:
        ValueError: it is not what Linux writes.
    """
    rows: dict[str, tuple[int, ...]] = {}
    counts: dict[str, int] = {}
    for line in text.splitlines():
        name, _, rest = line.partition(" ")
        if name.startswith("cpu"):
            rows[name] = tuple(int(word) for word in rest.split()[: len(FIELDS)])
        elif (word := rest.partition(" ")[0]).isdecimal():
            counts[name] = int(word)
    return StatTicks(rows.pop("cpu", ()), rows, counts)


def read_stat(machine: LinuxMachine) -> StatTicks:
    """/proc/stat of a machine now; empty where it cannot be read."""
    try:
        return parse_stat(machine.text("/proc/stat"))
    except ValueError:
        return StatTicks()


def parse_proc_stat(raw: Raw) -> CpuTimes:
    """A look in seconds.

    Raises:
        ValueError: the text is not what Linux writes.
    """
    ticks = parse_stat(raw.processors.decode("ascii", "replace"))
    if not ticks.total or not ticks.each:
        message = "/proc/stat holds no line of a processor"
        raise ValueError(message)
    each = {name: _seconds(row) for name, row in ticks.each.items()}
    return CpuTimes(at=raw.at, total=_seconds(ticks.total), each=each, switches=float(raw.switches))


def _seconds(row: tuple[int, ...]) -> tuple[float, ...]:
    """What an old kernel does not print is zero."""
    return tuple(one * TICK for one in row) + (0.0,) * (len(FIELDS) - len(row))


def idle(figures: tuple[float, ...]) -> float:
    """Seconds of a line that are no work of ours: idle, waiting for a disk, taken by the host."""
    return figures[3] + figures[4] + figures[7]


def busy_share(before: StatTicks, after: StatTicks) -> float:
    """The share of the time between two looks that was used; 0 where nothing is known."""
    passed = sum(after.total) - sum(before.total)
    return (after.busy - before.busy) / passed if passed > 0 else 0.0


def busy_now() -> float:
    """The share of the processors' time that is used now; looks for a second."""
    machine = ThisMachine()
    before = read_stat(machine)
    time.sleep(SAMPLE)
    return busy_share(before, read_stat(machine))


def pressure(machine: LinuxMachine, what: str) -> dict[str, float]:
    """Seconds since boot in which `some` task, or all (`full`), waited for `cpu`, `io` or `memory`.

    Empty where the kernel does not count it.
    """
    waits = _WAITED.findall(machine.text(f"/proc/pressure/{what}"))
    return {kind: int(micro) * _MICRO for kind, micro in waits}


def waited_for(machine: LinuxMachine, what: str) -> float | None:
    """Seconds since boot in which some task waited for it; None where nobody counts."""
    return pressure(machine, what).get("some")
