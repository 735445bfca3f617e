"""What each tunable name changes on a machine: paths, the values before and the values after.

Chosen so that a trial's time depends on the subject and not on the machine's moods:

- `governor`: the preference first, then the governor. With `performance` in force intel_pstate
  and amd_pstate take no other preference, so that putting back goes the other way round.
- `turbo`: one knob of the whole driver where there is one, else one of each policy. Never both:
  the whole driver's knob would overwrite what a single policy was set to.
- `thp`: `never`, and sizes of their own with it. `defrag` is left alone: it only matters where
  huge pages are handed out.
- `irq`: not beside irqbalance, which would steer them back in the middle of a trial.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.host.identity.facts import by_number
from gate.host.tuning.sysctl_setting import OFF, SWAP, swapped_bytes, swaps, value_at
from gate.linux.cpu_list import CPU, cpu_list_text, cpus_mask, cpus_of, mask_cpus
from gate.linux.machine import line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gate.linux.machine import LinuxMachine

_THP = "/sys/kernel/mm/transparent_hugepage"
_NUMA = "/proc/sys/kernel/numa_balancing"
_IRQ = "/proc/irq"
ABSENT = "not on this machine"
_SPARE = 0.1
"""Share of the memory that must stay free when what is swapped out comes back."""

_OWNED = {
    "governor": rf"{CPU}/cpufreq/policy\d+/(scaling_governor|energy_performance_preference)",
    "turbo": rf"{CPU}/(intel_pstate/no_turbo|cpufreq/boost|cpufreq/policy\d+/boost)",
    "thp": rf"{_THP}/(hugepages-\d+kB/)?enabled",
    "irq": r"/proc/irq/(\d+/smp_affinity_list|default_smp_affinity)",
    "numa_balancing": _NUMA,
    SWAP: r"/[^\0]+",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingChange:
    """One knob: what it was set to, and what the gate sets it to."""

    setting: str
    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TunableSettings:
    """What a name changes here."""

    changes: tuple[SettingChange, ...] = ()
    """None where everything is already as it should be."""
    already: tuple[SettingChange, ...] = ()
    """Knobs that are as they should be."""
    lacking: str = ""
    """Why the name cannot be tuned here; empty where it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """Which processors measure, and which are left for everything else."""

    measured: frozenset[int]
    others: frozenset[int]


def owns(setting: str, path: str) -> bool:
    """Whether a path is one that this setting may change: a journal is not believed blindly."""
    pattern = _OWNED.get(setting)
    return pattern is not None and re.fullmatch(pattern, path) is not None


def division(machine: LinuxMachine, text: str) -> Division:
    """The processors named, or our own choice: isolated ones, else all but the first core.

    Raises:
        ValueError: the text is no list, or names processors that are not there.
    """
    online = cpus_of(line(machine, f"{CPU}/online"))
    measured = cpus_of(text)
    if lacking := measured - online:
        message = f"processor {cpu_list_text(lacking)} is not there, only {cpu_list_text(online)}"
        raise ValueError(message)
    if not measured:
        first = min(online, default=0)
        siblings = line(machine, f"{CPU}/cpu{first}/topology/thread_siblings_list")
        core = cpus_of(siblings) | {first}
        measured = cpus_of(line(machine, f"{CPU}/isolated")) & online or online - core or online
    return Division(measured=measured, others=online - measured)


def wanted_settings(machine: LinuxMachine, setting: str, parts: Division) -> TunableSettings:
    """What tuning a name whose knobs are journaled would change now."""
    if setting == SWAP:
        return _swap(machine)
    lacking = _irq_obstacle(machine, parts) if setting == "irq" else ""
    values = _irq(machine, parts) if setting == "irq" else _VALUES[setting](machine)
    knobs = [
        SettingChange(setting=setting, path=path, before=before, after=after)
        for path, after in ([] if lacking else values)
        if (before := value_at(machine, setting, path))
    ]
    return TunableSettings(
        changes=tuple(one for one in knobs if one.before != one.after),
        already=tuple(one for one in knobs if one.before == one.after),
        lacking=lacking or ("" if knobs else ABSENT),
    )


def _policies(machine: LinuxMachine) -> list[str]:
    base = f"{CPU}/cpufreq"
    return [f"{base}/{name}" for name in by_number(machine, base, "policy")]


def _governor(machine: LinuxMachine) -> Iterator[tuple[str, str]]:
    for name, choices in (
        ("energy_performance_preference", "energy_performance_available_preferences"),
        ("scaling_governor", "scaling_available_governors"),
    ):
        for policy in _policies(machine):
            known = line(machine, f"{policy}/{choices}").split()
            if not known or "performance" in known:
                yield f"{policy}/{name}", "performance"


def _turbo(machine: LinuxMachine) -> list[tuple[str, str]]:
    whole = f"{CPU}/intel_pstate/no_turbo"
    if line(machine, whole):
        return [(whole, "1")]
    each = [f"{policy}/boost" for policy in _policies(machine)]
    if any(line(machine, path) for path in each):
        return [(path, "0") for path in each]
    return [(f"{CPU}/cpufreq/boost", "0")]


def _thp(machine: LinuxMachine) -> list[tuple[str, str]]:
    sizes = [name for name in machine.names(_THP) if name.startswith("hugepages-")]
    own = [f"{_THP}/{name}/enabled" for name in sizes]
    # A size that inherits follows the first.
    apart = [path for path in own if value_at(machine, "thp", path) in {"always", "madvise"}]
    return [(path, "never") for path in (f"{_THP}/enabled", *apart)]


def _numa(_: LinuxMachine) -> list[tuple[str, str]]:
    return [(_NUMA, "0")]


def _swap(machine: LinuxMachine) -> TunableSettings:
    active, used = swaps(machine), sum(swapped_bytes(machine).values())
    if not machine.text("/proc/swaps"):
        return TunableSettings(lacking=ABSENT)
    memory = dict(re.findall(r"^(\w+):\s+(\d+)", machine.text("/proc/meminfo"), re.MULTILINE))
    free, whole = (int(memory.get(name, 0)) << 10 for name in ("MemAvailable", "MemTotal"))
    spare = free - _SPARE * whole
    if used and used > spare:
        return TunableSettings(lacking=f"{used} bytes lie in swap, and would not fit into memory")
    # Deleted, or of another mount namespace: what cannot be named could not be put back.
    if gone := [path for path in active if not machine.real(path)]:
        return TunableSettings(lacking=f"the swap file {gone[0]} could not be put back")
    return TunableSettings(
        changes=tuple(
            SettingChange(setting=SWAP, path=path, before=before, after=OFF)
            for path, before in active.items()
        )
    )


def _irq_obstacle(machine: LinuxMachine, parts: Division) -> str:
    if not parts.others:
        return "every processor measures, none is left for interrupts"
    running = (line(machine, f"/proc/{one}/comm") for one in by_number(machine, "/proc", ""))
    if by_number(machine, _IRQ, "") and "irqbalance" in running:
        return "irqbalance runs and would steer them back; stop it first"
    return ""


def _irq(machine: LinuxMachine, parts: Division) -> Iterator[tuple[str, str]]:
    default = f"{_IRQ}/default_smp_affinity"
    if mask := line(machine, default):
        yield default, cpus_mask(mask_cpus(mask) - parts.measured or parts.others)
    for number in by_number(machine, _IRQ, ""):
        path = f"{_IRQ}/{number}/smp_affinity_list"
        if now := line(machine, path):
            yield path, cpu_list_text(cpus_of(now) - parts.measured or parts.others)


_VALUES: dict[str, Callable[[LinuxMachine], Iterable[tuple[str, str]]]] = {
    "governor": _governor,
    "turbo": _turbo,
    "thp": _thp,
    "numa_balancing": _numa,
}
"""What each knob of a name is set to."""


def wake_limit(machine: LinuxMachine) -> int | None:
    """Microseconds that waking may take when `cstates` is tuned; None without sleep states.

    That of the shallowest real sleep of the slowest processor: deeper ones are out. Not 0, which
    would let idle processors spin: that takes power from the others' clocks, and work from the
    other thread of their core.
    """
    shallow = []
    for cpu in by_number(machine, CPU, "cpu"):
        place = f"{CPU}/{cpu}/cpuidle"
        waits = [line(machine, f"{place}/{state}/latency") for state in machine.names(place)]
        shallow.append(min((int(w) for w in waits if w.isdigit() and int(w)), default=0))
    return max(shallow) if shallow and machine.names(f"{CPU}/cpu0/cpuidle") else None
