"""Readiness of the rest: interrupts, the clock that is read, power, counters, a container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.host.readiness_ground import Check, listed, numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.host.readiness_ground import Ground
    from gate.model.readiness import Readiness

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


def interrupts(ground: Ground) -> Readiness:
    """Whether devices interrupt the processors that measure."""
    check = Check(
        "irq",
        "devices interrupt other processors than those that measure",
        "An interrupt runs in the middle of a trial, for whichever device it was.",
    )
    here = dict(_devices(ground))
    if not here:
        return check.unknown("not told", ground.system(f"{_IRQ} cannot be read"))
    measured = set(ground.measured)
    if not measured:
        cure = 'name the processors that measure in host.toml, as in measured_cpus = "1-3"'
        return check.unknown(f"{len(here)} interrupts, measured processors not named", cure)
    on = [name for name, cpus in here.items() if cpus & measured]
    if not on:
        return check.ok(f"{len(here)} interrupts, none on {listed(measured)}")
    more = f" and {len(on) - _SHOWN} more" if len(on) > _SHOWN else ""
    value = f"{len(on)} of {len(here)} on {listed(measured)}: {', '.join(on[:_SHOWN])}{more}"
    by_hand = f"stop irqbalance and write the others' list into {_IRQ}/*/smp_affinity_list"
    return check.off(value, ground.system(f"gate host tune irq -- COMMAND, or: {by_hand}"))


def _devices(ground: Ground) -> Iterator[tuple[str, set[int]]]:
    """Interrupts that some device uses, each with the processors where it goes."""
    for name in ground.machine.names(_IRQ):
        users = sorted(set(ground.machine.names(f"{_IRQ}/{name}")) - _OWN_FILES)
        if not name.isdecimal() or not users:
            continue
        goes = ground.line(f"{_IRQ}/{name}/effective_affinity_list")
        may = ground.line(f"{_IRQ}/{name}/smp_affinity_list")
        if cpus := set(numbers(goes) or numbers(may)):
            yield f"{name} ({users[0]})", cpus


def time_source(ground: Ground) -> Readiness:
    """Whether reading the time is quick."""
    check = Check(
        "time_source",
        "tsc, or another clock that programs read without a system call",
        "Reading a slow clock costs microseconds, and many programs read it all the time.",
    )
    found = ground.line(f"{_SOURCE}/current_clocksource")
    if not found:
        return check.unknown("not told", ground.system(f"{_SOURCE} is absent"))
    if found in _QUICK_SOURCES:
        return check.ok(found)
    if "tsc" in ground.line(f"{_SOURCE}/available_clocksource").split():
        return check.off(found, ground.system(f"echo tsc > {_SOURCE}/current_clocksource"))
    return check.off(found, ground.hidden("the kernel distrusts the tsc: dmesg | grep -i tsc"))


def battery(ground: Ground) -> Readiness:
    """Whether the machine lives on its battery."""
    check = Check(
        "battery",
        "none, or on mains",
        "On its battery a machine lowers its clock, and the lower the emptier it is.",
    )
    if not ground.machine.real(_SUPPLY):
        return check.unknown("not told", ground.system(f"{_SUPPLY} is absent"))
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


def counters(ground: Ground, count: Callable[[], str] | None) -> Readiness:
    """Whether cycles and instructions can be counted; `count` tries, and says why not."""
    check = Check(
        "perf",
        "the whole machine's cycles can be counted",
        "Without counters no metric in cycles or instructions, the quietest that there are.",
    )
    level = ground.line("/proc/sys/kernel/perf_event_paranoid")
    told = f"perf_event_paranoid {level}" if level else "not told"
    if count is None:
        return check.unknown(f"{told}, not tried", "gate host check on the machine itself")
    reason = count()
    if not reason:
        return check.ok(f"counters open ({told})")
    if "perf_event_paranoid" in reason:
        return check.off(told, ground.system("sysctl kernel.perf_event_paranoid=0, or run as root"))
    return check.unknown(f"{reason} ({told})", ground.hidden("nothing to set: no such hardware"))


def container(ground: Ground) -> Readiness:
    """Whether we are in a container, which shares its host with others and hides them."""
    check = Check(
        "container",
        "none",
        "A container hides who else runs on its host, and its limits throttle without a word.",
    )
    if ground.alone:
        return check.ok("none: the kernel's own threads are seen")
    cure = "measure on its host, or see there that nothing else runs"
    return check.unknown(ground.container or "not told", cure)
