"""What marked processes have done so far: processor time and I/O, by the kernel's count."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gate.measure.process import marked

if TYPE_CHECKING:
    from collections.abc import Iterable

TICK = 1 / os.sysconf("SC_CLK_TCK")
_USED, _REAPED, _THREADS = slice(11, 13), slice(13, 15), 17
"""Fields of /proc/PID/stat after the name: ticks of its own, of children it waited for."""


class Tally(NamedTuple):
    """Sums over a tree."""

    cpu: float = 0.0
    """CPU-seconds, those of children that were waited for included; a tick is the resolution."""
    moved: int = 0
    """Bytes read and written, and calls made for it; 0 where the kernel does not tell."""
    tasks: int = 0
    """Processes and threads that live now."""

    def __sub__(self, other: Tally) -> Tally:
        return Tally(self.cpu - other.cpu, self.moved - other.moved, self.tasks - other.tasks)

    @property
    def worked(self) -> bool:
        """Whether, as a difference, it shows any work."""
        return self.cpu > 0 or self.moved > 0


def tally(mark: str) -> Tally:
    """Everything that carries the mark."""
    return tally_of(marked(mark))


def tally_of(processes: Iterable[int]) -> Tally:
    """These processes; one that is gone meanwhile is left out."""
    cpu, moved, tasks = 0.0, 0, 0
    for number in processes:
        try:
            text = Path(f"/proc/{number}/stat").read_text("utf-8", "replace")
        except OSError:
            continue
        fields = text.rpartition(")")[2].split()
        ticks = [*fields[_USED], *fields[_REAPED]]
        cpu += sum(int(one) for one in ticks) * TICK
        tasks += int(fields[_THREADS])
        moved += _moved(number)
    return Tally(cpu, moved, tasks)


def _moved(number: int) -> int:
    try:
        text = Path(f"/proc/{number}/io").read_text("ascii")
    except OSError:
        return 0  # no such account in this kernel, or the process is gone
    return sum(int(line.rpartition(" ")[2]) for line in text.splitlines())
