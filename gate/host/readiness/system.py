"""Readiness of the rest: interrupts, the clock that is read, power, counters, a container.

Readiness of the memory: huge pages, swap, where things lie in it, and pages that move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.host.identity.facts import bracketed
from gate.host.readiness.ground import ReadinessCheck
from gate.linux.cpu_list import cpu_list_text, cpu_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.host.readiness.ground import MachineUnderCheck
    from gate.model.disturbance import Readiness

_IRQ = "/proc/irq"
_SOURCE = "/sys/devices/system/clocksource/clocksource0"
_SUPPLY = "/sys/class/power_supply"
_QUICK_SOURCES = {
    "tsc",
    "arch_sys_counter",
    "timebase",
    "tod",
    "riscv_clocksource",
    "kvm-clock",
    "hyperv_clocksource_tsc_page",
}
"""Clocks that programs read without a system call."""
_OWN_FILES = {
    "affinity_hint",
    "effective_affinity",
    "effective_affinity_list",
    "node",
    "smp_affinity",
    "smp_affinity_list",
    "spurious",
}
_SHOWN = 3


def interrupts(ground: MachineUnderCheck) -> Readiness:
    """Whether devices interrupt the processors that measure."""
    check = ReadinessCheck(
        "irq",
        "devices interrupt other processors than those that measure",
        "An interrupt runs in the middle of a trial, for whichever device it was.",
    )
    here = dict(_devices(ground))
    if not here:
        return check.unreported(ground.system(f"{_IRQ} cannot be read"))
    measured = set(ground.measured)
    if not measured:
        cure = 'name the processors that measure in host.toml, as in measured_cpus = "1-3"'
        return check.unknown(f"{len(here)} interrupts, measured processors not named", cure)
    on = [name for name, cpus in here.items() if cpus & measured]
    if not on:
        return check.ok(f"{len(here)} interrupts, none on {cpu_list_text(measured)}")
    more = f" and {len(on) - _SHOWN} more" if len(on) > _SHOWN else ""
    value = f"{len(on)} of {len(here)} on {cpu_list_text(measured)}: {', '.join(on[:_SHOWN])}{more}"
    by_hand = f"stop irqbalance and write the others' list into {_IRQ}/*/smp_affinity_list"
    return check.off(value, ground.system(f"gate host tune irq -- COMMAND, or: {by_hand}"))


def _devices(ground: MachineUnderCheck) -> Iterator[tuple[str, set[int]]]:
    """Interrupts that some device uses, each with the processors where it goes."""
    for name in ground.machine.names(_IRQ):
        users = sorted(set(ground.machine.names(f"{_IRQ}/{name}")) - _OWN_FILES)
        if not name.isdecimal() or not users:
            continue
        goes = ground.line(f"{_IRQ}/{name}/effective_affinity_list")
        may = ground.line(f"{_IRQ}/{name}/smp_affinity_list")
        if cpus := set(cpu_numbers(goes) or cpu_numbers(may)):
            yield f"{name} ({users[0]})", cpus


def time_source(ground: MachineUnderCheck) -> Readiness:
    """Whether reading the time is quick."""
    check = ReadinessCheck(
        "time_source",
        "tsc, or another clock that programs read without a system call",
        "Reading a slow clock costs microseconds, and many programs read it all the time.",
    )
    found = ground.line(f"{_SOURCE}/current_clocksource")
    if not found:
        return check.unreported(ground.system(f"{_SOURCE} is absent"))
    if found in _QUICK_SOURCES:
        return check.ok(found)
    if "tsc" in ground.line(f"{_SOURCE}/available_clocksource").split():
        return check.off(found, ground.system(f"echo tsc > {_SOURCE}/current_clocksource"))
    return check.off(found, ground.hidden("the kernel distrusts the tsc: dmesg | grep -i tsc"))


def battery(ground: MachineUnderCheck) -> Readiness:
    """Whether the machine lives on its battery."""
    check = ReadinessCheck(
        "battery",
        "none, or on mains",
        "On its battery a machine lowers its clock, and the lower the emptier it is.",
    )
    if not ground.machine.real(_SUPPLY):
        return check.unreported(ground.system(f"{_SUPPLY} is absent"))
    mains, states = [], []
    for name in ground.machine.names(_SUPPLY):
        place = f"{_SUPPLY}/{name}"
        if ground.line(f"{place}/scope") == "Device":
            continue  # of a mouse
        if ground.line(f"{place}/type") == "Battery":
            level = ground.line(f"{place}/capacity")
            states.append((ground.line(f"{place}/status"), level))
        else:
            mains.append(ground.line(f"{place}/online"))
    if not states:
        return check.ok("no battery")
    value = ", ".join(f"{state.lower() or 'state unknown'} ({level} %)" for state, level in states)
    if any(state == "Discharging" for state, _ in states) or (mains and set(mains) == {"0"}):
        return check.off(value, "plug it in")
    if "1" in mains or all(state in {"Charging", "Full", "Not charging"} for state, _ in states):
        return check.ok(f"on mains, {value}")
    return check.unknown(value, "see that it is plugged in")


def counters(ground: MachineUnderCheck, count: Callable[[], str] | None) -> Readiness:
    """Whether cycles and instructions can be counted; `count` tries, and says why not."""
    check = ReadinessCheck(
        "perf",
        "the whole machine's cycles can be counted",
        "Without counters no metric in cycles or instructions, the quietest that there are.",
    )
    level = ground.line("/proc/sys/kernel/perf_event_paranoid")
    shown = f"perf_event_paranoid {level}" if level else "not reported"
    if count is None:
        return check.unknown(f"{shown}, not tried", "gate host check on the machine itself")
    reason = count()
    if not reason:
        return check.ok(f"counters open ({shown})")
    if "perf_event_paranoid" in reason:
        return check.off(
            shown, ground.system("sysctl kernel.perf_event_paranoid=0, or run as root")
        )
    return check.unknown(f"{reason} ({shown})", ground.hidden("nothing to set: no such hardware"))


def container(ground: MachineUnderCheck) -> Readiness:
    """Whether we are in a container, which shares its host with others and hides them."""
    check = ReadinessCheck(
        "container",
        "none",
        "A container hides who else runs on its host, and its limits throttle without a word.",
    )
    if ground.alone:
        return check.ok("none: the kernel's own threads are seen")
    cure = "measure on its host, or see there that nothing else runs"
    return check.unknown(ground.container or "not reported", cure)


_THP = "/sys/kernel/mm/transparent_hugepage/enabled"
_KERNEL = "/proc/sys/kernel"
_HEAD = 1
"""Lines of /proc/swaps before the first one in use."""


def huge_pages(ground: MachineUnderCheck) -> Readiness:
    """Whether the kernel gives huge pages to those who did not ask."""
    check = ReadinessCheck(
        "thp",
        "madvise or never",
        "Whether a trial gets huge pages depends on how scattered the memory is when it starts.",
    )
    found = bracketed(ground.line(_THP))
    if not found:
        return check.unreported(ground.system("this kernel has no such setting"))
    if found in {"madvise", "never"}:
        return check.ok(found)
    cure = f"gate host tune thp -- COMMAND, or: echo madvise > {_THP}"
    return check.off(found, ground.system(cure))


def swap(ground: MachineUnderCheck) -> Readiness:
    """Whether memory may go to a disk."""
    check = ReadinessCheck(
        "swap", "off", "A trial that waits for a page on a disk measures that disk."
    )
    rows = ground.machine.text("/proc/swaps").splitlines()
    if not rows:
        return check.unreported(ground.system("/proc/swaps cannot be read"))
    areas = [row.split() for row in rows[_HEAD:] if len(row.split()) == len(rows[0].split())]
    if not areas:
        return check.ok("off")
    size, used = (sum(int(a[n]) for a in areas if a[n].isdecimal()) / 2**20 for n in (2, 3))
    value = f"on, {used:.1f} of {size:.1f} GiB used"
    return check.off(value, ground.system("gate host tune swap -- COMMAND, or: swapoff -a"))


def layout(ground: MachineUnderCheck) -> Readiness:
    """Whether every process lies elsewhere in its memory.

    Wanted on: where a program lies moves its speed, so that each trial should draw anew. Held
    still, one lucky place is measured in every trial, and a change that only moves code looks like
    a loss (Mytkowicz et al. 2009).
    """
    check = ReadinessCheck(
        "aslr",
        "2, everything placed anew in each process",
        "With one fixed layout, a change that only moves code looks like a loss in every trial.",
    )
    found = ground.line(f"{_KERNEL}/randomize_va_space")
    if not found:
        return check.unknown(
            "not reported", ground.system(f"{_KERNEL}/randomize_va_space is absent")
        )
    if found == "2":
        return check.ok(found)
    return check.off(found, ground.system("sysctl kernel.randomize_va_space=2"))


def check_numa_balancing(ground: MachineUnderCheck) -> Readiness:
    """Whether the kernel moves pages between nodes."""
    check = ReadinessCheck(
        "numa_balancing",
        "off, or a single node",
        "The kernel unmaps and moves pages between nodes in the middle of a trial.",
    )
    nodes = [
        name
        for name in ground.machine.names("/sys/devices/system/node")
        if name.removeprefix("node").isdecimal()
    ]
    found = ground.line(f"{_KERNEL}/numa_balancing")
    if len(nodes) == 1:
        return check.ok(f"{_state(found)}, a single node")
    if not found:
        return check.unreported(ground.system(f"{_KERNEL}/numa_balancing is absent"))
    value = f"{_state(found)}, {len(nodes) or 'unknown'} nodes"
    if found == "0":
        return check.ok(value)
    cure = "gate host tune numa_balancing -- COMMAND, or: sysctl kernel.numa_balancing=0"
    return check.off(value, ground.system(cure))


def _state(found: str) -> str:
    return {"": "not reported", "0": "off"}.get(found, "on")
