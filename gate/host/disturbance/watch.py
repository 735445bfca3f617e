"""What disturbed a trial from outside: two looks at the machine, one before and one after it.

Nothing is looked at while a trial runs, so that watching costs it nothing.
"""

from __future__ import annotations

import os
import resource
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.host.disturbance import other_processes
from gate.host.disturbance.messages import Meanwhile, disturbances, processors_between
from gate.host.disturbance.throttle import find_throttle
from gate.linux import proc_stat
from gate.linux.kernel_log import KernelLog
from gate.linux.machine import ThisMachine
from gate.linux.proc_stat import StatFile, parse_proc_stat
from gate.model import Limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.host.disturbance.other_processes import Processes
    from gate.linux.machine import LinuxMachine
    from gate.linux.proc_stat import CpuTimes
    from gate.model import Disturbance


@dataclass(frozen=True, slots=True, kw_only=True)
class DisturbanceSample:
    """The machine at one moment."""

    at: float
    """CLOCK_MONOTONIC."""
    asleep: float
    """Seconds spent suspended since boot."""
    stat: CpuTimes | None
    processes: Processes
    waited: float | None
    """Seconds in which a task waited for memory."""
    throttle: dict[str, int]
    gate: float
    """CPU-seconds of this process."""


class Watch:
    """Looks at this machine before and after each trial of a profile."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        companions: Sequence[str] = (),
        expects: Sequence[str] = (),
        machine: LinuxMachine | None = None,
    ) -> None:
        """`companions` are processes that belong to the trials, `expects` kinds they make."""
        self.limits = limits or Limits()
        self._companions = frozenset(name[:15] for name in companions)
        self._expects = frozenset(expects)
        self._machine = machine or ThisMachine()
        self._log = KernelLog()
        self._throttle = find_throttle(self._machine)
        try:
            self._stat: StatFile | None = StatFile()
        except OSError:
            self._stat = None
        self._before: DisturbanceSample | None = None
        self.blind = self._blind_spots()

    def _blind_spots(self) -> tuple[str, ...]:
        """What cannot be watched here, one sentence each."""
        lacking = [
            "steal" if self._stat is None else "",
            other_processes.blind_spots(other_processes.read_processes()),
            "memory pressure (PSI)" if proc_stat.waited_for_memory(self._machine) is None else "",
            self._log.blind,
        ]
        return tuple(f"not watched for disturbance: {one}" for one in lacking if one)

    def begin(self) -> None:
        """Look before a trial."""
        self._log.skip()
        self._before = self._look()

    def end(self, used: float | None) -> tuple[Disturbance, ...]:
        """Look after a trial, and tell what disturbed it; nothing if it did not begin.

        `used` is the CPU-seconds of the trial's own processes, None where nobody knows.
        """
        before, self._before = self._before, None
        if before is None:
            return ()
        seen = self._between(before, self._look(), used)
        found = disturbances(seen, self.limits)
        return tuple(one for one in found if one.kind not in self._expects)

    def _look(self) -> DisturbanceSample:
        own = resource.getrusage(resource.RUSAGE_SELF)
        return DisturbanceSample(
            at=time.monotonic(),
            asleep=time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic(),
            stat=self._counted(),
            processes=other_processes.read_processes(),
            waited=proc_stat.waited_for_memory(self._machine),
            throttle=self._throttle.look(),
            gate=own.ru_utime + own.ru_stime,
        )

    def _counted(self) -> CpuTimes | None:
        try:
            return parse_proc_stat(self._stat.look()) if self._stat else None
        except (OSError, ValueError):
            return None

    def _between(
        self, before: DisturbanceSample, after: DisturbanceSample, used: float | None
    ) -> Meanwhile:
        others = other_processes.used_between(
            before.processes, after.processes, own=os.getpid(), companions=self._companions
        )
        waited = (
            after.waited - before.waited
            if after.waited is not None and before.waited is not None
            else 0.0
        )
        return Meanwhile(
            seconds=after.at - before.at,
            asleep=after.asleep - before.asleep,
            processors=processors_between(before.stat, after.stat),
            others=others,
            explained=None
            if used is None
            else used
            + others.kernel
            + others.companions
            + sum(others.cpu.values())
            + (after.gate - before.gate),
            waited=waited,
            throttled=self._throttle.told(before.throttle, after.throttle),
            reported=self._log.faults(),
        )
