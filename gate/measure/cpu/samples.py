"""Looks at the machine: rare and cheap ones while a trial runs, and many while it is at rest."""

from __future__ import annotations

import itertools
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import TYPE_CHECKING

from gate.linux import processes
from gate.linux.proc_stat import idle, parse_proc_stat
from gate.model import IdleReference

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gate.harness.base import Usage
    from gate.linux.kernel_counters import Energy
    from gate.linux.perf_event import CounterFiles
    from gate.linux.proc_stat import CpuTimes, Raw, StatFile
    from gate.measure.process.stop import Stop
    from gate.model import CpuBill

_EVERY = 0.2
"""Seconds between two looks."""
_SHARE = 0.0006
"""Of one processor, that looking may cost; where a look is dear, looks are rare."""
_COARSER = 1 / 500
"""Long trials are looked at more rarely: an edge of a long window weighs less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where this host is read."""

    stat: StatFile
    energy: Energy | None = None
    """Absent where nobody asks for it, or it cannot be read."""
    counters: CounterFiles | None = None
    """Likewise."""

    def look(self) -> CpuSample:
        """Read everything now, in some 30 µs."""
        return CpuSample(
            stat=self.stat.look(),
            energy=self.energy.look() if self.energy else (),
            counters=self.counters.look() if self.counters else (),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuSample:
    """One look at all sources."""

    stat: Raw
    energy: tuple[float, ...]
    counters: tuple[float, ...]


@dataclass(slots=True)
class Meter:
    """The looks at one process, from before its start to its end."""

    sources: Sources
    background_cpu: Callable[[], float] | None = None
    """CPU-seconds that the background load's processes have used so far."""
    looks: list[CpuSample] = field(default_factory=list)
    threads: dict[str, float] = field(default_factory=dict)
    background: float = 0.0
    used: Usage | None = None
    _before: processes.Threads = field(default_factory=dict)
    _cost: float = 0.0
    _until: float | None = None
    """What the background had used at the last look."""
    wall: float = 0.0
    """Unix time less CLOCK_MONOTONIC, at the end."""

    def begin(self) -> None:
        """Before the process starts: what is too dear to be read while it runs."""
        self._before = processes.read_kthreads()

    def sample(self) -> float:
        """Look; gives the seconds until the next one.

        The background's time is asked for at the first and the last look, so that it is that of
        the same life as all else.
        """
        if not self.looks:
            self.background = -self._background()
        self.looks.append(self.sources.look())
        if self.background_cpu and len(self.looks) > 1 and _one_has_ended():
            self._until = self._background()
        now = time.process_time()
        cost, self._cost = now - self._cost, now
        if len(self.looks) < 3:
            return _EVERY
        lived = self.looks[-1].stat.at - self.looks[0].stat.at
        return max(_EVERY, cost / _SHARE, lived * _COARSER)

    def end(self, used: Usage | None) -> None:
        """After the process has ended and was waited for."""
        self.wall = time.time() - time.monotonic()
        self.used = used
        self.background += self._background() if self._until is None else self._until
        self.threads = processes.kthread_seconds(self._before, processes.read_kthreads())

    def _background(self) -> float:
        return self.background_cpu() if self.background_cpu else 0.0


def _one_has_ended() -> bool:
    """Whether a child of ours has ended and was not waited for yet: at a look, the measured one."""
    with suppress(ChildProcessError):
        how = os.WEXITED | os.WNOWAIT | os.WNOHANG
        return os.waitid(os.P_ALL, 0, how) is not None
    return False


QUIET = 1.5
"""Seconds: short enough to need no word, long enough for a per cent of one processor."""
_SPANS = 5
"""The middle one of so many counts: a neighbour's short burst is not the machine at rest."""
_NOTED = 0.1
"""Processors: a smaller change at rest is the noise of any machine."""
_TENTH = 0.1
"""Of a trial's own cost: a change at rest that a verdict could rest on."""
_LOOKS, _APART = 6, 0.0033
"""Looks at each end of a span. A tick rounds each of them down at another phase, so that their
mean is known to a fraction of a tick."""


def measure_idle(sources: Sources, stop: Stop) -> IdleReference:
    """Look at the machine while nothing is measured: what it uses is taken off every bill."""
    with stop.interruptible():
        ends = [_looks(sources)]
        for _ in range(_SPANS):
            time.sleep(QUIET / _SPANS)
            ends.append(_looks(sources))
    readings = [[parse_proc_stat(look.stat) for look in looks] for looks in ends]
    spans = [_busy(early, late) for early, late in itertools.pairwise(readings)]
    first, last = ends[0][-1], ends[-1][0]
    seconds, energy = last.stat.at - first.stat.at, sources.energy
    return IdleReference(
        seconds=seconds,
        busy=sorted(spans)[_SPANS // 2],
        energy=energy.used(first.energy, last.energy) / seconds if energy else None,
    )


def changed_rest(before: IdleReference, after: IdleReference, bills: Sequence[CpuBill]) -> str:
    """Why the bills between two looks at rest must not be judged; empty where they may.

    What was taken off every bill was seen before the trials. Where the machine at rest uses another
    amount after them, nobody knows what it used in between.
    """
    costs = [bill.net / bill.window for bill in bills if bill.net > 0]
    moved = abs(after.busy - before.busy)
    if not costs or moved <= max(_NOTED, _TENTH * median(costs)):
        return ""
    return (
        f"the machine at rest used {before.busy:.2f} processors before the trials and "
        f"{after.busy:.2f} after them: their CPU cost may be off by {moved / median(costs):.0%}"
    )


def _looks(sources: Sources) -> list[CpuSample]:
    found = []
    for _ in range(_LOOKS):
        found.append(sources.look())
        time.sleep(_APART)
    return found


def _busy(early: Sequence[CpuTimes], late: Sequence[CpuTimes]) -> float:
    """CPU-seconds per second that were not idle."""
    seconds = fmean(one.at for one in late) - fmean(one.at for one in early)
    quiet = fmean(idle(one.total) for one in late) - fmean(idle(one.total) for one in early)
    return max(len(late[0].each) - quiet / seconds, 0.0)
