"""Looks at the machine while a trial runs, rare and cheap; what they mean is worked out later."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.host import kthreads

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.harness.base import Usage
    from gate.host.accounting import Raw, StatFile
    from gate.host.counters import CounterFiles
    from gate.host.energy import Energy

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

    def look(self) -> Look:
        """Read everything now, in some 30 µs."""
        return Look(
            stat=self.stat.look(),
            energy=self.energy.look() if self.energy else (),
            counters=self.counters.look() if self.counters else (),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at all sources."""

    stat: Raw
    energy: tuple[float, ...]
    counters: tuple[float, ...]


@dataclass(slots=True)
class Meter:
    """The looks at one process, from before its start to its end."""

    sources: Sources
    looks: list[Look] = field(default_factory=list)
    threads: dict[str, float] = field(default_factory=dict)
    background: float = 0.0
    used: Usage | None = None
    _before: kthreads.Threads = field(default_factory=dict)
    _cost: float = 0.0
    wall: float = 0.0
    """Unix time less CLOCK_MONOTONIC, at the end."""

    def begin(self) -> None:
        """Before the process starts: what is too dear to be read while it runs."""
        self._before = kthreads.read_kthreads()
        self.background = -self._background()

    def sample(self) -> float:
        """Look; gives the seconds until the next one."""
        self.looks.append(self.sources.look())
        now = time.process_time()
        cost, self._cost = now - self._cost, now
        if len(self.looks) < 3:  # noqa: PLR2004 - our own start of the process is in between
            return _EVERY
        lived = self.looks[-1].stat.at - self.looks[0].stat.at
        return max(_EVERY, cost / _SHARE, lived * _COARSER)

    def end(self, used: Usage | None) -> None:
        """After the process has ended and was waited for."""
        self.wall = time.time() - time.monotonic()
        self.used = used
        self.background += self._background()
        self.threads = kthreads.spent(self._before, kthreads.read_kthreads())

    def _background(self) -> float:
        hook = self.sources.background_cpu
        return hook() if hook else 0.0
