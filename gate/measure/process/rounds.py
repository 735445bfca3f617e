"""What a background load has done: processor time and I/O by the kernel's count, and its rounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import sub
from typing import TYPE_CHECKING, NamedTuple

from gate.errors import TrialFailed
from gate.formats.strict import export
from gate.linux.proc_stat import TICK
from gate.linux.processes import process_io, process_stat

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class ProcessUsage(NamedTuple):
    """Sums over a tree."""

    cpu: float = 0.0
    """CPU-seconds, those of children that were waited for included; a tick is the resolution."""
    moved: int = 0
    """Bytes read and written, and calls made for it; 0 where the kernel does not tell."""
    tasks: int = 0
    """Processes and threads that live now."""

    def __sub__(self, other: ProcessUsage) -> ProcessUsage:
        return ProcessUsage._make(map(sub, self, other))

    @property
    def worked(self) -> bool:
        """Whether, as a difference, it shows any work."""
        return self.cpu > 0 or self.moved > 0


def tally(processes: Iterable[int]) -> ProcessUsage:
    """What these processes used; one that is gone meanwhile is left out."""
    cpu, moved, tasks = 0.0, 0, 0
    for number in processes:
        stat = process_stat(number)
        if stat is not None:
            cpu += (stat.own + stat.reaped) * TICK
            tasks += stat.threads
            moved += sum((process_io(number) or {}).values())
    return ProcessUsage(cpu, moved, tasks)


ROUNDS = "background.rounds"
LOOP = """
trap 'kill -KILL 0' TERM INT HUP
account=$1
shift
while :; do
  "$@" &
  wait $!
  status=$?
  read -r now rest < /proc/uptime
  if [ $status -ne 0 ]; then echo "$now $status" >> "$account"; exit $status; fi
  read -r x x x x x x x x x x x x x a b c d rest < /proc/$$/stat
  moved=0
  while read -r x each; do moved=$((moved + each)); done 2> /dev/null < /proc/$$/io
  echo "$now $((a + b + c + d)) $moved" >> "$account"
done
"""
"""Runs a command again and again, and writes down when each round ended and what all have used.

`wait` and not the foreground, so that the trap answers at once.
"""
_TICK = 0.01
"""Seconds: what the clock that the loop reads can tell."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Moments on the clock since boot."""

    started: float
    ends: tuple[float, ...]
    """Of rounds that ended well, in order."""
    died: float | None = None
    """When a round failed, which ends the loop."""
    used: tuple[ProcessUsage, ...] = ()
    """What the loop and its rounds had used up at each end."""

    def during(self, begin: float, end: float) -> tuple[int, float, float] | None:
        """Rounds that ended in a window, how many per second, and the resolution of that.

        The rate is over whole rounds: from the last end before the window to the last in it.
        """
        inside = [one for one in self.ends if begin <= one <= end]
        if not inside:
            return None
        before = max((one for one in self.ends if one < inside[0]), default=self.started)
        lasted = max(inside[-1] - before, _TICK)
        rate = len(inside) / lasted
        return len(inside), rate, rate * _TICK / lasted

    def silence(self, begin: float, end: float, used: ProcessUsage) -> tuple[float, ProcessUsage]:
        """Seconds without an end up to a window's own, and the use in them; then it was `used`."""
        ends = [n for n, one in enumerate(self.ends) if begin <= one <= end]
        if not ends:
            return end - begin, ProcessUsage()
        return end - self.ends[ends[-1]], used - self.used[ends[-1]]


def read_rounds_done(path: Path, started: float) -> Rounds:
    """Read what the loop alone may write; nothing yet is no rounds."""
    if not path.exists():
        return Rounds(started, ())
    whole, _, _ = export(path, "the background load", empty=True).rpartition("\n")
    rows = [line.split() for line in whole.splitlines()]
    try:
        moments = [float(row[0]) for row in rows]
        counts = [[int(count) for count in row[1:]] for row in rows]
    except (ValueError, IndexError):
        moments, counts = [math.nan], [[]]
    is_whole = all(map(math.isfinite, moments)) and {1, 2} >= {len(one) for one in counts}
    if not is_whole or moments != sorted(moments):
        raise TrialFailed("the background load's record of its rounds is spoilt")
    done = list(zip(moments, counts, strict=True))
    return Rounds(
        started,
        tuple(moment for moment, one in done if len(one) == 2),
        next((moment for moment, one in done if len(one) == 1), None),
        tuple(ProcessUsage(one[0] * TICK, one[1]) for _, one in done if len(one) == 2),
    )
