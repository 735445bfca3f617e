"""What slows the processors down from below: thermal limits and lowered frequencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.linux.machine import line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.linux.machine import LinuxMachine

_CPUS = "/sys/devices/system/cpu"
_POLICIES = f"{_CPUS}/cpufreq"
_THERMAL = "/sys/class/thermal"
_COUNTERS = ("core_throttle_count", "package_throttle_count")
_CEILINGS = ("scaling_max_freq", "bios_limit")
_KILO = 1e3
_GIGA = 1e9


@dataclass(frozen=True, slots=True)
class Throttle:
    """The files of this machine that tell of throttling, found once."""

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

    def told(self, before: dict[str, int], after: dict[str, int]) -> tuple[str, ...]:
        """What was throttled between two looks, in words."""
        return tuple(self._told(before, after))

    def _told(self, before: dict[str, int], after: dict[str, int]) -> Iterator[str]:
        met = [
            (path, after[path] - before[path])
            for path in self.counters
            if _both(path, before, after)
        ]
        most = max((times for _, times in met), default=0)
        if most > 0:
            where = [_part(path, -3) for path, times in met if times > 0]
            yield f"{_some(where)} met a thermal limit {most} time{'s' if most > 1 else ''}"
        for path in self.ceilings:
            if _both(path, before, after) and after[path] < before[path]:
                yield (
                    f"{path.rpartition('/')[2]} of {_part(path, -2)} went from "
                    f"{before[path] * _KILO / _GIGA:.2f} to {after[path] * _KILO / _GIGA:.2f} GHz"
                )
        for path in self.states:
            if _both(path, before, after) and after[path] > before[path]:
                kind = line(self.machine, f"{path.rpartition('/')[0]}/type") or "unknown"
                yield (
                    f"cooling device {_part(path, -2)} ({kind[:30]}) went from state "
                    f"{before[path]} to {after[path]}"
                )


def find_throttle(machine: LinuxMachine) -> Throttle:
    """The files that this machine has; a fan that turns faster slows nothing down."""
    cpus = [n for n in machine.names(_CPUS) if n.startswith("cpu") and n[3:].isdecimal()]
    counters = [f"{_CPUS}/{n}/thermal_throttle/{c}" for n in cpus for c in _COUNTERS]
    policies = [n for n in machine.names(_POLICIES) if n.startswith("policy")]
    ceilings = [f"{_POLICIES}/{n}/{c}" for n in policies for c in _CEILINGS]
    devices = [n for n in machine.names(_THERMAL) if n.startswith("cooling_device")]
    states = [
        f"{_THERMAL}/{n}/cur_state"
        for n in devices
        if "fan" not in line(machine, f"{_THERMAL}/{n}/type").lower()
    ]
    there = Throttle(machine, tuple(counters), tuple(ceilings), tuple(states)).look()
    kept = (tuple(path for path in some if path in there) for some in (counters, ceilings, states))
    return Throttle(machine, *kept)


def _both(path: str, before: dict[str, int], after: dict[str, int]) -> bool:
    return path in before and path in after


def _part(path: str, which: int) -> str:
    return path.split("/")[which]


def _some(names: list[str]) -> str:
    different = list(dict.fromkeys(names))
    more = f" and {len(different) - 1} more" if len(different) > 1 else ""
    return f"{different[0]}{more}"
