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

from gate.host.tuning.sysctl_setting import OFF, SWAP, swapped_bytes, swaps, value_at
from gate.linux.cpu_list import CPU, cpu_list_text, cpus_mask, cpus_of, mask_cpus
from gate.linux.machine import line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gate.linux.machine import LinuxMachine

_THP = "/sys/kernel/mm/transparent_hugepage"
_NUMA = "/proc/sys/kernel/numa_balancing"
_ABSENT = "not on this machine"
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
    if setting == "irq":
        return _irq(machine, parts)
    return _PLANS[setting](machine)


def _plan(machine: LinuxMachine, setting: str, pairs: Iterable[tuple[str, str]]) -> TunableSettings:
    """Changes of knobs to values, apart from those that are set so already."""
    found = [(path, value_at(machine, setting, path), after) for path, after in pairs]
    there = [(path, before, after) for path, before, after in found if before]
    knobs = [
        SettingChange(setting=setting, path=path, before=was, after=to) for path, was, to in there
    ]
    return TunableSettings(
        changes=tuple(one for one in knobs if one.before != one.after),
        already=tuple(one for one in knobs if one.before == one.after),
        lacking="" if there else _ABSENT,
    )


def _policies(machine: LinuxMachine) -> list[str]:
    names = [n for n in machine.names(f"{CPU}/cpufreq") if re.fullmatch(r"policy\d+", n)]
    return [f"{CPU}/cpufreq/{name}" for name in sorted(names, key=lambda one: int(one[6:]))]


def _governor(machine: LinuxMachine) -> TunableSettings:
    policies = _policies(machine)
    pairs = []
    for name, choices in (
        ("energy_performance_preference", "energy_performance_available_preferences"),
        ("scaling_governor", "scaling_available_governors"),
    ):
        for policy in policies:
            known = line(machine, f"{policy}/{choices}").split()
            if not known or "performance" in known:
                pairs.append((f"{policy}/{name}", "performance"))
    return _plan(machine, "governor", pairs)


def _turbo(machine: LinuxMachine) -> TunableSettings:
    whole = f"{CPU}/intel_pstate/no_turbo"
    if line(machine, whole):
        return _plan(machine, "turbo", [(whole, "1")])
    each = [f"{policy}/boost" for policy in _policies(machine)]
    if any(line(machine, path) for path in each):
        return _plan(machine, "turbo", [(path, "0") for path in each])
    return _plan(machine, "turbo", [(f"{CPU}/cpufreq/boost", "0")])


def _thp(machine: LinuxMachine) -> TunableSettings:
    sizes = [name for name in machine.names(_THP) if name.startswith("hugepages-")]
    own = [f"{_THP}/{name}/enabled" for name in sizes]
    # A size that inherits follows the first.
    apart = [path for path in own if value_at(machine, "thp", path) in {"always", "madvise"}]
    return _plan(machine, "thp", [(path, "never") for path in (f"{_THP}/enabled", *apart)])


def _numa(machine: LinuxMachine) -> TunableSettings:
    return _plan(machine, "numa_balancing", [(_NUMA, "0")])


def _swap(machine: LinuxMachine) -> TunableSettings:
    active, used = swaps(machine), sum(swapped_bytes(machine).values())
    if not machine.text("/proc/swaps"):
        return TunableSettings(lacking=_ABSENT)
    memory = {
        words[0].rstrip(":"): int(words[1]) << 10
        for words in map(str.split, machine.text("/proc/meminfo").splitlines())
        if len(words) > 1 and words[1].isdigit()
    }
    spare = memory.get("MemAvailable", 0) - _SPARE * memory.get("MemTotal", 0)
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


def _irq(machine: LinuxMachine, parts: Division) -> TunableSettings:
    if not parts.others:
        return TunableSettings(lacking="every processor measures, none is left for interrupts")
    numbers = [name for name in machine.names("/proc/irq") if name.isdigit()]
    if numbers and _runs(machine, "irqbalance"):
        return TunableSettings(lacking="irqbalance runs and would steer them back; stop it first")
    pairs = []
    default = "/proc/irq/default_smp_affinity"
    if mask := line(machine, default):
        pairs.append((default, cpus_mask(mask_cpus(mask) - parts.measured or parts.others)))
    for number in sorted(numbers, key=int):
        path = f"/proc/irq/{number}/smp_affinity_list"
        if now := line(machine, path):
            pairs.append((path, cpu_list_text(cpus_of(now) - parts.measured or parts.others)))
    return _plan(machine, "irq", pairs)


def _runs(machine: LinuxMachine, program: str) -> bool:
    numbers = (name for name in machine.names("/proc") if name.isdigit())
    return any(line(machine, f"/proc/{number}/comm") == program for number in numbers)


_PLANS: dict[str, Callable[[LinuxMachine], TunableSettings]] = {
    "governor": _governor,
    "turbo": _turbo,
    "thp": _thp,
    SWAP: _swap,
    "numa_balancing": _numa,
}


def wake_limit(machine: LinuxMachine) -> int | None:
    """Microseconds that waking may take when `cstates` is tuned; None without sleep states.

    That of the shallowest real sleep of the slowest processor: deeper ones are out. Not 0, which
    would let idle processors spin: that takes power from the others' clocks, and work from the
    other thread of their core.
    """
    shallow = []
    for cpu in machine.names(CPU):
        if not re.fullmatch(r"cpu\d+", cpu):
            continue
        place = f"{CPU}/{cpu}/cpuidle"
        waits = [line(machine, f"{place}/{state}/latency") for state in machine.names(place)]
        shallow.append(min((int(w) for w in waits if w.isdigit() and int(w)), default=0))
    return max(shallow) if shallow and machine.names(f"{CPU}/cpu0/cpuidle") else None
