"""Readiness of the processors: their clock, their threads, their sleep, who may run on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.host.readiness.ground import number, off, ok, question, unknown, unreported
from gate.linux.cpu_list import CPU, cpu_list_text, cpu_numbers

if TYPE_CHECKING:
    from gate.host.readiness.ground import MachineUnderCheck, Result

_DEEP = 10
"""Microseconds to leave an idle state above which it is deeper than C1 (C1E of a Xeon takes 10)."""
_LATENCY_FILE = "/dev/cpu_dma_latency"


@question("governor", "performance, or one fixed clock")
def governor(ground: MachineUnderCheck) -> Result:
    """A governor that follows the load makes short trials slow and long ones fast."""
    found = ground.of_cpus("cpufreq/scaling_governor")
    if not found:
        cure = "let the system set the clock (BIOS), and load its cpufreq driver"
        return ground.unseen("no cpufreq", cure)
    low, high = (ground.of_cpus(f"cpufreq/scaling_{end}_freq") for end in ("min", "max"))
    if set(found.values()) == {"performance"}:
        return _of_all(ground, found)
    value = ground.count_text(found)
    if len(low) == len(ground.cpus) and low == high:
        return ok(f"{value}, clock held at {_clock(low)}")
    cure = "gate host tune governor -- COMMAND, or: cpupower frequency-set -g performance"
    return off(value, ground.system(cure))


def _of_all(ground: MachineUnderCheck, found: dict[int, str]) -> Result:
    value = ground.count_text(found)
    if len(found) == len(ground.cpus):
        return ok(value)
    return unknown(f"{value}, the others do not report it", ground.clock("look at each of them"))


def _clock(kilohertz: dict[int, str]) -> str:
    known = sorted({int(one) for one in kilohertz.values() if one.isdecimal()})
    return "/".join(f"{one / 1e6:g} GHz" for one in known[:3])


@question("epp", "performance")
def energy_preference(ground: MachineUnderCheck) -> Result:
    """The processor itself holds the clock down between bursts of work to save energy."""
    found = ground.of_cpus("cpufreq/energy_performance_preference")
    if not found:
        cure = "nothing to set: this frequency driver has no such preference"
        return ground.unseen("no preference reported", cure)
    if set(found.values()) <= {"performance", "0"}:
        return _of_all(ground, found)
    tune = "gate host tune governor -- COMMAND"
    by_hand = f"echo performance | tee {CPU}/cpu*/cpufreq/energy_performance_preference"
    return off(ground.count_text(found), ground.system(f"{tune}, or: {by_hand}"))


@question("turbo", "off")
def turbo(ground: MachineUnderCheck) -> Result:
    """A clock above the rated one lasts as long as heat and neighbours allow, so trials differ."""
    pstate, base = f"{CPU}/intel_pstate/no_turbo", f"{CPU}/cpufreq"
    policies = [one for one in ground.machine.names(base) if one.startswith("policy")]
    # The value of each that stands for a turbo that is on.
    knobs = {pstate: "0", f"{base}/boost": "1"} | {f"{base}/{one}/boost": "1" for one in policies}
    states = {path: text for path in knobs if (text := ground.line(path)) in {"0", "1"}}
    if not states:
        return ground.unseen("not reported", "turn it off in the BIOS")
    on = [path for path, text in states.items() if text == knobs[path]]
    if not on or states.get(pstate) == "1":
        return ok("off")
    by_hand = f"echo {1 if on[0] == pstate else 0} > {on[0]}"
    return off("on", ground.system(f"gate host tune turbo -- COMMAND, or: {by_hand}"))


@question("smt", "off, one thread a core")
def smt(ground: MachineUnderCheck) -> Result:
    """What runs on the other thread of a core takes up to half of it, and no counter shows it."""
    active, control = ground.line(f"{CPU}/smt/active"), ground.line(f"{CPU}/smt/control")
    if active not in {"0", "1"}:
        return ground.unseen("not reported", "look in the BIOS")
    value = f"{'on' if active == '1' else 'off'} ({control})" if control else active
    if active == "1":
        by_hand = f"echo off > {CPU}/smt/control, or the BIOS; then `gate host enroll` anew"
        return off(value, ground.clock(by_hand))
    # Two virtual processors may be threads of one core, and it is not shown.
    return _unless_virtual(ground, value)


def _unless_virtual(ground: MachineUnderCheck, value: str) -> Result:
    if ground.virtual:
        return unknown(f"{value}, as the hypervisor shows it", ground.clock(""))
    return ok(value)


@question("cstates", f"no idle state that takes more than {_DEEP} µs to leave")
def idle_states(ground: MachineUnderCheck) -> Result:
    """A processor that sleeps deeply wakes late and with cold caches: latencies scatter."""
    held = _latency_limit(ground.machine.text(_LATENCY_FILE))
    if held is not None:
        return ok(f"held at {held} µs by {_LATENCY_FILE}")
    if "idle=poll" in ground.line("/proc/cmdline").split():
        return ok("never idle (idle=poll)")
    states = _states(ground)
    if not states:
        cure = "look in the BIOS, or boot with processor.max_cstate=1"
        return ground.unseen("no idle state reported", cure)
    deep = {name: wait for name, wait in states.items() if wait > _DEEP}
    if deep:
        cure = f"gate host tune cstates -- COMMAND, or: cpupower idle-set -D {_DEEP}"
        value = ", ".join(f"{name} {wait} µs" for name, wait in list(deep.items())[:4])
        return off(f"enabled: {value}", ground.clock(cure))
    return _unless_virtual(ground, f"deepest: {max(states.values())} µs to leave")


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


@question("isolated_cpus", "none, or every one that measures")
def check_isolation(ground: MachineUnderCheck) -> Result:
    """No work moves to or from an isolated processor: trials that see both pile up on some."""
    path = f"{CPU}/isolated"
    if not ground.machine.real(path):
        return unreported(ground.system("this kernel has no such file"))
    apart = frozenset(cpu_numbers(ground.line(path)))
    if not apart:
        return ok("none")
    value, measured = f"{cpu_list_text(apart)} isolated", ground.measured
    if not measured:
        names = f'measured_cpus = "{cpu_list_text(apart)}"'
        cure = f"name the processors that measure in host.toml: {names}"
        return unknown(f"{value}, measured processors not named", cure)
    named = cpu_list_text(measured)
    value += f", {named} measure"
    if measured <= apart or not measured & apart:
        return ok(value)
    cure = f"boot with isolcpus={named}, or name others in host.toml (measured_cpus)"
    return off(value, ground.system(cure))


@question("mitigations", "as in the accepted sessions")
def mitigations(ground: MachineUnderCheck) -> Result:
    """They cost time in every system call: a change of them opens an epoch."""
    place = f"{CPU}/vulnerabilities"
    texts = [ground.line(f"{place}/{name}") for name in ground.machine.names(place)]
    known = [text for text in texts if text]
    if not known:
        return unreported(ground.system("this kernel does not list them"))
    kinds = {"Mitigation": "mitigated", "Vulnerable": "vulnerable", "Not affected": "not affected"}
    counts = {name: sum(text.startswith(kind) for text in known) for kind, name in kinds.items()}
    counts["other"] = len(known) - sum(counts.values())
    return ok(", ".join(f"{count} {name}" for name, count in counts.items() if count))
