"""What the processors of this machine did so far, as /proc/stat tells it.

Idle time is exact where the kernel keeps it (NO_HZ, which every distribution sets): it is summed
in nanoseconds and rounded down to a tick when it is printed. What was not idle is therefore known
to a tick. How it divides into user, system, irq and softirq is sampled by the tick, and short
bursts of work hide between two of them: those figures tell who, not how much.

Whether the machine has time to spare: the share of its processors' time that is used.

How long tasks waited for a resource, as the kernel sums it (PSI).
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gate.linux.machine import LinuxMachine


TICK = 1.0 / os.sysconf("SC_CLK_TCK")
"""Seconds: what the kernel rounds each figure down to (USER_HZ)."""
FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
"""The figures of a line, in their order there. Guest time is a part of user."""
_LARGEST = 1 << 20


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


def parse_proc_stat(raw: Raw) -> CpuTimes:
    """A look as numbers.

    Raises:
        ValueError: the text is not what Linux writes.
    """
    rows: dict[str, tuple[float, ...]] = {}
    for line in raw.processors.decode("ascii", "replace").splitlines():
        name, *words = line.split()
        figures = tuple(int(word) * TICK for word in words[: len(FIELDS)])
        rows[name] = figures + (0.0,) * (len(FIELDS) - len(figures))
    total = rows.pop("cpu", None)
    if total is None or not rows:
        message = "/proc/stat holds no line of a processor"
        raise ValueError(message)
    return CpuTimes(at=raw.at, total=total, each=rows, switches=float(raw.switches))


def idle(figures: tuple[float, ...]) -> float:
    """Seconds of a line that are no work of ours: idle, waiting for a disk, taken by the host."""
    return figures[3] + figures[4] + figures[7]


SAMPLE = 1.0
"""Seconds that a look at the processors takes."""
_IDLE = slice(3, 5)
"""Columns of /proc/stat that are no work: idle and iowait."""


class Ticks(NamedTuple):
    """Clock ticks of all processors since boot."""

    busy: int
    total: int


def ticks(root: Path = Path("/")) -> Ticks:
    """Ticks so far; zeros where the kernel does not tell."""
    try:
        first = (root / "proc/stat").read_text(encoding="ascii").partition("\n")[0]
        numbers = [int(word) for word in first.split()[1:9]]
    except (OSError, ValueError):
        return Ticks(0, 0)
    return Ticks(sum(numbers) - sum(numbers[_IDLE]), sum(numbers))


def busy_share(before: Ticks, after: Ticks) -> float:
    """The share of the time between two looks that was used; 0 where nothing is known."""
    passed = after.total - before.total
    return (after.busy - before.busy) / passed if passed > 0 else 0.0


def busy_now() -> float:
    """The share of the processors' time that is used now; looks for a second."""
    before = ticks()
    time.sleep(SAMPLE)
    return busy_share(before, ticks())


_TOTAL = re.compile(r"^some .*\btotal=(\d+)", re.MULTILINE)
_MICRO = 1e-6


def waited_for_memory(machine: LinuxMachine) -> float | None:
    """As `waited_for`."""
    return waited_for(machine, "memory")


def waited_for(machine: LinuxMachine, what: str) -> float | None:
    """Seconds since boot in which some task waited for `cpu`, `io` or `memory`.

    None where the kernel does not tell.
    """
    found = _TOTAL.search(machine.text(f"/proc/pressure/{what}"))
    return int(found[1]) * _MICRO if found else None
