"""Looks at the machine while a trial runs, rare and cheap; what they mean is worked out later."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.linux import processes

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.harness.base import Usage
    from gate.linux.perf_event import CounterFiles
    from gate.linux.powercap import Energy
    from gate.linux.proc_stat import Raw, StatFile

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
    background_cpu: Callable[[], float] | None = None
    """CPU-seconds that the background load's processes have used so far."""

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
        if self.sources.background_cpu and len(self.looks) > 1 and _one_has_ended():
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
        hook = self.sources.background_cpu
        return hook() if hook else 0.0


def _one_has_ended() -> bool:
    """Whether a child of ours has ended and was not waited for yet: at a look, the measured one."""
    with suppress(ChildProcessError):
        how = os.WEXITED | os.WNOWAIT | os.WNOHANG
        return os.waitid(os.P_ALL, 0, how) is not None
    return False
