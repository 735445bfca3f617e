"""Readiness of the rest: interrupts, the clock that is read, power, counters, a container.

Readiness of the memory: huge pages, swap, where things lie in it, and pages that move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.host.identity.facts import bracketed, by_number
from gate.host.readiness.ground import off, ok, question, unknown, unreported
from gate.linux.cpu_list import cpu_list_text, cpu_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.host.readiness.ground import MachineUnderCheck, Result

_THP = "/sys/kernel/mm/transparent_hugepage/enabled"
_KERNEL = "/proc/sys/kernel"
_IRQ = "/proc/irq"
_SOURCE = "/sys/devices/system/clocksource/clocksource0"
_SUPPLY = "/sys/class/power_supply"
_QUICK_SOURCES = {
    *("tsc", "arch_sys_counter", "timebase", "tod", "riscv_clocksource"),
    *("kvm-clock", "hyperv_clocksource_tsc_page"),
}
"""Clocks that programs read without a system call."""
_OWN_FILES = {
    *("affinity_hint", "effective_affinity", "effective_affinity_list", "node"),
    *("smp_affinity", "smp_affinity_list", "spurious"),
}
_SHOWN = 3


@question("irq", "devices interrupt other processors than those that measure")
def interrupts(ground: MachineUnderCheck) -> Result:
    """An interrupt runs in the middle of a trial, for whichever device it was."""
    here = dict(_devices(ground))
    if not here:
        return unreported(ground.system(f"{_IRQ} cannot be read"))
    measured = ground.measured
    if not measured:
        cure = 'name the processors that measure in host.toml, as in measured_cpus = "1-3"'
        return unknown(f"{len(here)} interrupts, measured processors not named", cure)
    on = [name for name, cpus in here.items() if cpus & measured]
    if not on:
        return ok(f"{len(here)} interrupts, none on {cpu_list_text(measured)}")
    more = f" and {len(on) - _SHOWN} more" if len(on) > _SHOWN else ""
    value = f"{len(on)} of {len(here)} on {cpu_list_text(measured)}: {', '.join(on[:_SHOWN])}{more}"
    by_hand = f"stop irqbalance and write the others' list into {_IRQ}/*/smp_affinity_list"
    return off(value, ground.system(f"gate host tune irq -- COMMAND, or: {by_hand}"))


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


@question("time_source", "tsc, or another clock that programs read without a system call")
def time_source(ground: MachineUnderCheck) -> Result:
    """Reading a slow clock costs microseconds, and many programs read it all the time."""
    found = ground.line(f"{_SOURCE}/current_clocksource")
    if not found:
        return unreported(ground.system(f"{_SOURCE} is absent"))
    if found in _QUICK_SOURCES:
        return ok(found)
    if "tsc" in ground.line(f"{_SOURCE}/available_clocksource").split():
        return off(found, ground.system(f"echo tsc > {_SOURCE}/current_clocksource"))
    return off(found, ground.hidden("the kernel distrusts the tsc: dmesg | grep -i tsc"))


@question("battery", "none, or on mains")
def battery(ground: MachineUnderCheck) -> Result:
    """On its battery a machine lowers its clock, and the lower the emptier it is."""
    if not ground.machine.real(_SUPPLY):
        return unreported(ground.system(f"{_SUPPLY} is absent"))
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
        return ok("no battery")
    value = ", ".join(f"{state.lower() or 'state unknown'} ({level} %)" for state, level in states)
    if any(state == "Discharging" for state, _ in states) or (mains and set(mains) == {"0"}):
        return off(value, "plug it in")
    if "1" in mains or all(state in {"Charging", "Full", "Not charging"} for state, _ in states):
        return ok(f"on mains, {value}")
    return unknown(value, "see that it is plugged in")


@question("perf", "the whole machine's cycles can be counted")
def counters(ground: MachineUnderCheck) -> Result:
    """Without counters no metric in cycles or instructions, the quietest that there are."""
    level = ground.line("/proc/sys/kernel/perf_event_paranoid")
    shown = f"perf_event_paranoid {level}" if level else "not reported"
    if ground.count is None:
        return unknown(f"{shown}, not tried", "gate host check on the machine itself")
    reason = ground.count()
    if not reason:
        return ok(f"counters open ({shown})")
    if "perf_event_paranoid" in reason:
        return off(shown, ground.system("sysctl kernel.perf_event_paranoid=0, or run as root"))
    return unknown(f"{reason} ({shown})", ground.hidden("nothing to set: no such hardware"))


@question("container", "none")
def container(ground: MachineUnderCheck) -> Result:
    """A container hides who else runs on its host, and its limits throttle without a word."""
    if ground.container == "none":
        return ok("none: the kernel's own threads are seen")
    cure = "measure on its host, or see there that nothing else runs"
    return unknown(ground.container or "not reported", cure)


@question("thp", "madvise or never")
def huge_pages(ground: MachineUnderCheck) -> Result:
    """Whether a trial gets huge pages depends on how scattered the memory is when it starts."""
    found = bracketed(ground.line(_THP))
    if not found:
        return unreported(ground.system("this kernel has no such setting"))
    if found in {"madvise", "never"}:
        return ok(found)
    cure = f"gate host tune thp -- COMMAND, or: echo madvise > {_THP}"
    return off(found, ground.system(cure))


@question("swap", "off")
def swap(ground: MachineUnderCheck) -> Result:
    """A trial that waits for a page on a disk measures that disk."""
    head, *rows = [row.split() for row in ground.machine.text("/proc/swaps").splitlines()] or [[]]
    if not head:
        return unreported(ground.system("/proc/swaps cannot be read"))
    areas = [row for row in rows if len(row) == len(head)]
    if not areas:
        return ok("off")
    size, used = (sum(int(a[n]) for a in areas if a[n].isdecimal()) / 2**20 for n in (2, 3))
    value = f"on, {used:.1f} of {size:.1f} GiB used"
    return off(value, ground.system("gate host tune swap -- COMMAND, or: swapoff -a"))


@question("aslr", "2, everything placed anew in each process")
def layout(ground: MachineUnderCheck) -> Result:
    """With one fixed layout, a change that only moves code looks like a loss in every trial.

    Wanted on: where a program lies moves its speed, so that each trial should draw anew. Held
    still, one lucky place is measured in every trial, and a change that only moves code looks like
    a loss (Mytkowicz et al. 2009).
    """
    found = ground.line(f"{_KERNEL}/randomize_va_space")
    if not found:
        return unreported(ground.system(f"{_KERNEL}/randomize_va_space is absent"))
    if found == "2":
        return ok(found)
    return off(found, ground.system("sysctl kernel.randomize_va_space=2"))


@question("numa_balancing", "off, or a single node")
def check_numa_balancing(ground: MachineUnderCheck) -> Result:
    """The kernel unmaps and moves pages between nodes in the middle of a trial."""
    nodes = by_number(ground.machine, "/sys/devices/system/node", "node")
    found = ground.line(f"{_KERNEL}/numa_balancing")
    if len(nodes) == 1:
        return ok(f"{_state(found)}, a single node")
    if not found:
        return unreported(ground.system(f"{_KERNEL}/numa_balancing is absent"))
    value = f"{_state(found)}, {len(nodes) or 'unknown'} nodes"
    if found == "0":
        return ok(value)
    cure = "gate host tune numa_balancing -- COMMAND, or: sysctl kernel.numa_balancing=0"
    return off(value, ground.system(cure))


def _state(found: str) -> str:
    return {"": "not reported", "0": "off"}.get(found, "on")
