"""Readiness of the processors: their clock, their threads, their sleep, who may run on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.host.readiness.ground import ReadinessCheck, cpu_count_text, number
from gate.linux.cpu_list import CPU, cpu_list_text, cpu_numbers

if TYPE_CHECKING:
    from gate.host.readiness.ground import MachineUnderCheck
    from gate.model.disturbance import Readiness

_DEEP = 10
"""Microseconds to leave an idle state above which it is deeper than C1 (C1E of a Xeon takes 10)."""
_LATENCY_FILE = "/dev/cpu_dma_latency"


def governor(ground: MachineUnderCheck) -> Readiness:
    """Whether the clock is left to follow the load."""
    check = ReadinessCheck(
        "governor",
        "performance, or one fixed clock",
        "A governor that follows the load makes short trials slow and long ones fast.",
    )
    found = ground.of_cpus("cpufreq/scaling_governor")
    if not found:
        cure = ground.clock("let the system set the clock (BIOS), and load its cpufreq driver")
        return check.unknown("no cpufreq" + _guest(ground), cure)
    low, high = (ground.of_cpus(f"cpufreq/scaling_{end}_freq") for end in ("min", "max"))
    value = cpu_count_text(found, len(ground.cpus))
    if set(found.values()) == {"performance"}:
        return _for_all(check, ground, found, value)
    if len(low) == len(ground.cpus) and low == high:
        return check.ok(f"{value}, clock held at {_clock(low)}")
    cure = "gate host tune governor -- COMMAND, or: cpupower frequency-set -g performance"
    return check.off(value, ground.system(cure))


def _for_all(
    check: ReadinessCheck, ground: MachineUnderCheck, found: dict[int, str], value: str
) -> Readiness:
    """Ok where every processor reports its state, else unknown."""
    if len(found) == len(ground.cpus):
        return check.ok(value)
    return check.unknown(
        f"{value}, the others do not report it", ground.clock("look at each of them")
    )


def _clock(kilohertz: dict[int, str]) -> str:
    known = sorted({int(one) for one in kilohertz.values() if one.isdecimal()})
    return "/".join(f"{one / 1e6:g} GHz" for one in known[:3])


def _guest(ground: MachineUnderCheck) -> str:
    return f" ({ground.virtual})" if ground.virtual else ""


def energy_preference(ground: MachineUnderCheck) -> Readiness:
    """Whether the processor trades speed for energy by itself."""
    check = ReadinessCheck(
        "epp",
        "performance",
        "The processor itself holds the clock down between bursts of work to save energy.",
    )
    found = ground.of_cpus("cpufreq/energy_performance_preference")
    if not found:
        cure = ground.clock("nothing to set: this frequency driver has no such preference")
        return check.unknown("no preference reported" + _guest(ground), cure)
    value = cpu_count_text(found, len(ground.cpus))
    if set(found.values()) <= {"performance", "0"}:
        return _for_all(check, ground, found, value)
    tune = "gate host tune governor -- COMMAND"
    by_hand = f"echo performance | tee {CPU}/cpu*/cpufreq/energy_performance_preference"
    return check.off(value, ground.system(f"{tune}, or: {by_hand}"))


def turbo(ground: MachineUnderCheck) -> Readiness:
    """Whether the clock may rise above the rated one."""
    check = ReadinessCheck(
        "turbo",
        "off",
        "A clock above the rated one lasts as long as heat and neighbours allow, so trials differ.",
    )
    pstate, boost = f"{CPU}/intel_pstate/no_turbo", f"{CPU}/cpufreq/boost"
    policies = {
        f"{CPU}/cpufreq/{name}/boost": ground.line(f"{CPU}/cpufreq/{name}/boost")
        for name in ground.machine.names(f"{CPU}/cpufreq")
        if name.startswith("policy")
    }
    states = {pstate: {"0": "on", "1": "off"}.get(ground.line(pstate), "")}
    states |= {
        path: {"1": "on", "0": "off"}.get(text, "")
        for path, text in ({boost: ground.line(boost)} | policies).items()
    }
    on = [path for path, state in states.items() if state == "on"]
    if not any(states.values()):
        return check.unknown(
            "not reported" + _guest(ground), ground.clock("turn it off in the BIOS")
        )
    if not on or states[pstate] == "off":
        return check.ok("off")
    by_hand = f"echo {1 if on[0] == pstate else 0} > {on[0]}"
    return check.off("on", ground.system(f"gate host tune turbo -- COMMAND, or: {by_hand}"))


def smt(ground: MachineUnderCheck) -> Readiness:
    """Whether two threads share a core."""
    check = ReadinessCheck(
        "smt",
        "off, one thread a core",
        "What runs on the other thread of a core takes up to half of it, and no counter shows it.",
    )
    active, control = ground.line(f"{CPU}/smt/active"), ground.line(f"{CPU}/smt/control")
    if active not in {"0", "1"}:
        return check.unknown("not reported" + _guest(ground), ground.clock("look in the BIOS"))
    value = f"{'on' if active == '1' else 'off'} ({control})" if control else active
    if active == "1":
        by_hand = f"echo off > {CPU}/smt/control, or the BIOS; then `gate host enroll` anew"
        return check.off(value, ground.clock(by_hand))
    if ground.virtual:  # two virtual processors may be threads of one core, and it is not shown
        return check.unknown(f"{value}, as the hypervisor shows it", ground.clock(""))
    return check.ok(value)


def idle_states(ground: MachineUnderCheck) -> Readiness:
    """Whether processors fall into a sleep from which they wake late."""
    check = ReadinessCheck(
        "cstates",
        f"no idle state that takes more than {_DEEP} µs to leave",
        "A processor that sleeps deeply wakes late and with cold caches: latencies scatter.",
    )
    held = _latency_limit(ground.machine.text(_LATENCY_FILE))
    if held is not None:
        return check.ok(f"held at {held} µs by {_LATENCY_FILE}")
    if "idle=poll" in ground.line("/proc/cmdline").split():
        return check.ok("never idle (idle=poll)")
    states = _states(ground)
    if not states:
        cure = ground.clock("look in the BIOS, or boot with processor.max_cstate=1")
        return check.unknown("no idle state reported" + _guest(ground), cure)
    deep = {name: wait for name, wait in states.items() if wait > _DEEP}
    if deep:
        cure = f"gate host tune cstates -- COMMAND, or: cpupower idle-set -D {_DEEP}"
        value = ", ".join(f"{name} {wait} µs" for name, wait in list(deep.items())[:4])
        return check.off(f"enabled: {value}", ground.clock(cure))
    value = f"deepest: {max(states.values())} µs to leave"
    if ground.virtual:
        return check.unknown(f"{value}, as the hypervisor shows it", ground.clock(""))
    return check.ok(value)


def _latency_limit(text: str) -> int | None:
    """Microseconds that somebody asks for, a small number of four bytes; None for nobody."""
    low, high = text[:1], text[1:4]
    return ord(low) if low and high == "\0\0\0" and ord(low) <= _DEEP else None


def _states(ground: MachineUnderCheck) -> dict[str, int]:
    """Idle states that some processor may enter, with microseconds to leave each."""
    found: dict[str, int] = {}
    for first in ground.cpus[:1]:
        for state in ground.machine.names(f"{CPU}/cpu{first}/cpuidle"):
            place = f"{CPU}/cpu{first}/cpuidle/{state}"
            wait = number(ground.line(f"{place}/latency"))
            disabled = ground.of_cpus(f"cpuidle/{state}/disable")
            if wait is not None and any(text == "0" for text in disabled.values()):
                found[ground.line(f"{place}/name") or state] = wait
    return found


def check_isolation(ground: MachineUnderCheck) -> Readiness:
    """Whether what measures is spread over isolated and usual processors."""
    check = ReadinessCheck(
        "isolated_cpus",
        "none, or every one that measures",
        "The scheduler moves no work to or from an isolated processor: trials that see both pile "
        "up on some.",
    )
    path = f"{CPU}/isolated"
    if not ground.machine.real(path):
        return check.unreported(ground.system("this kernel has no such file"))
    apart = set(cpu_numbers(ground.line(path)))
    if not apart:
        return check.ok("none")
    value, measured = f"{cpu_list_text(apart)} isolated", set(ground.measured)
    if not measured:
        names = f'measured_cpus = "{cpu_list_text(apart)}"'
        cure = f"name the processors that measure in host.toml: {names}"
        return check.unknown(f"{value}, measured processors not named", cure)
    value += f", {cpu_list_text(measured)} measure"
    if measured <= apart or not measured & apart:
        return check.ok(value)
    cure = (
        f"boot with isolcpus={cpu_list_text(measured)}, or name others in host.toml (measured_cpus)"
    )
    return check.off(value, ground.system(cure))


def mitigations(ground: MachineUnderCheck) -> Readiness:
    """What the kernel does against the processor's flaws: shown, and compared as an epoch fact."""
    check = ReadinessCheck(
        "mitigations",
        "as in the accepted sessions",
        "They cost time in every system call: a change of them opens an epoch.",
    )
    place = f"{CPU}/vulnerabilities"
    texts = [ground.line(f"{place}/{name}") for name in ground.machine.names(place)]
    known = [text for text in texts if text]
    if not known:
        return check.unreported(ground.system("this kernel does not list them"))
    kinds = ("Mitigation", "Vulnerable", "Not affected")
    counts = {kind: sum(text.startswith(kind) for text in known) for kind in kinds}
    rest = len(known) - sum(counts.values())
    names = ("mitigated", "vulnerable", "not affected")
    shown = [f"{n} {name}" for n, name in zip(counts.values(), names, strict=True) if n]
    return check.ok(", ".join([*shown, f"{rest} other"] if rest else shown))
