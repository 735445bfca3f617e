"""What disturbed a trial from outside: two looks at the machine, one before and one after it.

Nothing is looked at while a trial runs, so that watching costs it nothing.
"""

from __future__ import annotations

import os
import resource
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.host.disturbance.messages import Meanwhile, disturbances, processors_between
from gate.host.disturbance.other_processes import blind_spots, used_between
from gate.host.identity.facts import by_number
from gate.linux.cpu_list import CPU
from gate.linux.kernel_log import KernelLog
from gate.linux.machine import ThisMachine, line
from gate.linux.proc_stat import StatFile, parse_proc_stat, waited_for
from gate.linux.processes import read_processes
from gate.model import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.linux.machine import LinuxMachine
    from gate.linux.proc_stat import CpuTimes
    from gate.linux.processes import Processes
    from gate.model import Disturbance

_POLICIES = f"{CPU}/cpufreq"
_THERMAL = "/sys/class/thermal"
_COUNTERS = ("core_throttle_count", "package_throttle_count")
_CEILINGS = ("scaling_max_freq", "bios_limit")
_KILO_IN_GIGA = 1e6


@dataclass(frozen=True, slots=True)
class Throttle:
    """The files of this machine that show throttling, found once."""

    machine: LinuxMachine
    counters: tuple[str, ...]
    """They grow by one each time a limit was met."""
    ceilings: tuple[str, ...]
    """Frequencies in kHz: the highest that is allowed."""
    states: tuple[str, ...]
    """Of cooling devices that slow something down: 0 is not at all."""

    def look(self) -> dict[str, int]:
        """What they hold now; a file that does not hold a number is left out."""
        found = {}
        for path in (*self.counters, *self.ceilings, *self.states):
            text = line(self.machine, path)
            if text.isdecimal():
                found[path] = int(text)
        return found

    def changes(self, before: dict[str, int], after: dict[str, int]) -> Iterator[str]:
        """What was throttled between two looks, in words."""
        grown = {path: after[path] - early for path, early in before.items() if path in after}
        if met := {path: grown[path] for path in self.counters if grown.get(path, 0) > 0}:
            first, *others = dict.fromkeys(path.split("/")[-3] for path in met)
            more = f" and {len(others)} more" if others else ""
            most = max(met.values())
            yield f"{first}{more} met a thermal limit {most} time{'s' if most > 1 else ''}"
        for path in self.ceilings:
            if grown.get(path, 0) < 0:
                *_, policy, name = path.split("/")
                yield (
                    f"{name} of {policy} went from "
                    f"{before[path] / _KILO_IN_GIGA:.2f} to {after[path] / _KILO_IN_GIGA:.2f} GHz"
                )
        for path in self.states:
            if grown.get(path, 0) > 0:
                place = path.rpartition("/")[0]
                kind = line(self.machine, f"{place}/type") or "unknown"
                yield (
                    f"cooling device {place.rpartition('/')[2]} ({kind[:30]}) went from state "
                    f"{before[path]} to {after[path]}"
                )


def find_throttle(machine: LinuxMachine) -> Throttle:
    """The files that this machine has; a fan that turns faster slows nothing down."""
    cpus, policies = by_number(machine, CPU, "cpu"), by_number(machine, _POLICIES, "policy")
    counters = [f"{CPU}/{n}/thermal_throttle/{c}" for n in cpus for c in _COUNTERS]
    ceilings = [f"{_POLICIES}/{n}/{c}" for n in policies for c in _CEILINGS]
    states = [
        f"{_THERMAL}/{n}/cur_state"
        for n in by_number(machine, _THERMAL, "cooling_device")
        if "fan" not in line(machine, f"{_THERMAL}/{n}/type").lower()
    ]
    there = Throttle(machine, tuple(counters), tuple(ceilings), tuple(states)).look()
    kept = (tuple(path for path in some if path in there) for some in (counters, ceilings, states))
    return Throttle(machine, *kept)


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
        lacking = (
            "steal" if self._stat is None else "",
            blind_spots(read_processes()),
            "memory pressure (PSI)" if waited_for(self._machine, "memory") is None else "",
            self._log.blind,
        )
        self.blind = tuple(f"not watched for disturbance: {one}" for one in lacking if one)
        """What cannot be watched here, one sentence each."""

    def begin(self) -> None:
        """Look before a trial."""
        self._log.skip()
        self._before = self._look()

    def end(self, used: float | None) -> tuple[Disturbance, ...]:
        """Look after a trial: what disturbed it; nothing if it did not begin.

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
            processes=read_processes(),
            waited=waited_for(self._machine, "memory"),
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
        others = used_between(
            before.processes, after.processes, own=os.getpid(), companions=self._companions
        )
        waited = (
            after.waited - before.waited
            if after.waited is not None and before.waited is not None
            else 0.0
        )
        explained = others.kernel + others.companions + sum(others.cpu.values())
        explained += after.gate - before.gate
        return Meanwhile(
            seconds=after.at - before.at,
            asleep=after.asleep - before.asleep,
            processors=processors_between(before.stat, after.stat),
            others=others,
            explained=None if used is None else used + explained,
            waited=waited,
            throttled=tuple(self._throttle.changes(before.throttle, after.throttle)),
            reported=self._log.faults(),
        )
