"""Epoch facts: software and settings of the machine; a change of one makes other numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gate.host.identity.facts import alike, bios, bracketed, by_number, fact_text, microcode, short
from gate.linux.cpu_list import CPU
from gate.linux.machine import line
from gate.model import UNKNOWN
from gate.text import NAMES_ONE, SECRET_WORD

if TYPE_CHECKING:
    from gate.linux.machine import LinuxMachine

COMMAND_LINE = "/proc/cmdline"
_WORD = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
_OF_ONE_MACHINE = re.compile(
    r"BOOT_IMAGE|BOOTIF|initrd|root|rootflags|nfsroot|resume(_offset)?|ip|ifname|vlan|bond|bridge|"
    r"team|nameserver|console|earlycon|netconsole|kgdboc|(systemd\.)?hostname|systemd\.machine_id|"
    r"(rd\.)?luks\..*|rd\.(lvm|md|dm|iscsi|znet|neednet|route|peerdns).*|crypt(device|key|root)|"
    r"cc|ds|ostree|url|inst\..*|ignition\..*|coreos\..*",
)
"""Names of kernel parameters that name one machine, its disks or its place."""
_ADDRESS = re.compile(r"\b[0-9]{1,3}(\.[0-9]{1,3}){3}\b|[0-9a-f]*:[0-9a-f]*:|/dev/")
_WEAK = "Vulnerable"
_SHORT_NAMES = {
    "gather_data_sampling": "gds",
    "indirect_target_selection": "its",
    "mmio_stale_data": "mmio",
    "reg_file_data_sampling": "rfds",
    "spec_rstack_overflow": "srso",
    "spec_store_bypass": "ssb",
    "tsx_async_abort": "taa",
}
"""As the kernel's own documents and parameters abbreviate them."""
_SHORT_WORDS = {
    "usercopy/swapgs barriers and __user pointer sanitization": "barriers",
    "Speculative Store Bypass disabled via prctl": "prctl",
    "Enhanced / Automatic IBRS": "Enhanced IBRS",
}


def system_epoch(machine: LinuxMachine) -> dict[str, str]:
    """Epoch facts of everything but the disks."""
    return {
        "kernel": fact_text(machine, "/proc/sys/kernel/osrelease"),
        "preemption": _preemption(line(machine, "/proc/sys/kernel/version")),
        "command_line": short(normal_command_line(machine.text(COMMAND_LINE))),
        "microcode": microcode(machine),
        "bios": bios(machine),
        "mitigations": _mitigations(machine),
        **_clocks(machine),
        "smt": fact_text(machine, f"{CPU}/smt/control"),
        "offline_cpus": _offline(machine),
        "idle": _idle(machine),
        "thp": _thp(machine),
        "clocksource": fact_text(
            machine, "/sys/devices/system/clocksource/clocksource0/current_clocksource"
        ),
        "numa_balancing": _switch(line(machine, "/proc/sys/kernel/numa_balancing")),
        "swap": _swap(machine.text("/proc/swaps")),
    }


def normal_command_line(text: str) -> str:
    """What a kind of machine is booted with, in order; without what names one machine.

    What stands behind `--` is for the first process, not for the kernel.
    """
    words = _WORD.findall(text)
    kernels = words[: words.index("--")] if "--" in words else words
    kept = [word for word in kernels if _of_a_kind(word)]
    return " ".join(kept) or ("nothing" if words else "")


def _of_a_kind(word: str) -> bool:
    name, _, value = word.partition("=")
    if _OF_ONE_MACHINE.fullmatch(name):
        return False
    private = NAMES_ONE.search(word) or SECRET_WORD.search(word)
    return not (private or _ADDRESS.search(value))


def _preemption(version: str) -> str:
    """As the kernel was built; which of them a dynamic one now has, only root may read."""
    if not version:
        return UNKNOWN
    match = re.search(r"\bPREEMPT(_\w+)?\b", version)
    return match[0] if match else "voluntary or none"


def _mitigations(machine: LinuxMachine) -> str:
    """Weaknesses that concern this processor, and what is done; the open ones first."""
    place = f"{CPU}/vulnerabilities"
    states = {name: line(machine, f"{place}/{name}") for name in machine.names(place)}
    found = [(name, one) for name, one in states.items() if one not in {"", "Not affected"}]
    if not found:
        return "none needed" if states else UNKNOWN
    found.sort(key=lambda one: not one[1].startswith(_WEAK))
    each = (f"{_SHORT_NAMES.get(name, name)}: {_in_short(state)}" for name, state in found)
    return short("; ".join(each))


def _in_short(state: str) -> str:
    """What is done, without what need not be done, and the longest phrases by one word."""
    parts = re.split(r"[;,] ", state.removeprefix("Mitigation: "))
    words = ", ".join(one for one in parts if not one.endswith("Not affected"))
    for phrase, word in _SHORT_WORDS.items():
        words = words.replace(phrase, word)
    return words


def _clocks(machine: LinuxMachine) -> dict[str, str]:
    """Who chooses the processors' clocks, and how."""
    base = f"{CPU}/cpufreq"
    places = [f"{base}/{one}" for one in by_number(machine, base, "policy")]
    places = places or [f"{CPU}/{one}/cpufreq" for one in by_number(machine, CPU, "cpu")]

    def every(name: str) -> str:
        return alike(line(machine, f"{one}/{name}") for one in places)

    mode = line(machine, f"{CPU}/intel_pstate/status", f"{CPU}/amd_pstate/status")
    driver = every("scaling_driver")
    return {
        "governor": every("scaling_governor"),
        "epp": every("energy_performance_preference"),
        "scaling": short(f"{driver} ({mode})") if mode and driver != UNKNOWN else driver,
        "turbo": _turbo(machine, every("boost")),
    }


def _turbo(machine: LinuxMachine, per_policy: str) -> str:
    no_turbo = line(machine, f"{CPU}/intel_pstate/no_turbo")
    if no_turbo:
        return {"0": "on", "1": "off"}.get(no_turbo, UNKNOWN)
    boost = line(machine, f"{CPU}/cpufreq/boost") or per_policy
    return {"1": "on", "0": "off", UNKNOWN: UNKNOWN}.get(boost, short(boost))


def _offline(machine: LinuxMachine) -> str:
    """Processors switched off; the list also names those that could be added but are not there."""
    present, online = (line(machine, f"{CPU}/{name}") for name in ("present", "online"))
    if not present or not online:
        return UNKNOWN
    return "none" if present == online else short(f"all but {online}")


def _idle(machine: LinuxMachine) -> str:
    driver = line(machine, f"{CPU}/cpuidle/current_driver")
    governors = (f"{CPU}/cpuidle/current_governor{end}" for end in ("_ro", ""))
    return short(", ".join(filter(None, (driver, line(machine, *governors)))))


def _thp(machine: LinuxMachine) -> str:
    base = "/sys/kernel/mm/transparent_hugepage"
    enabled, defrag = (bracketed(line(machine, f"{base}/{one}")) for one in ("enabled", "defrag"))
    return short(f"{enabled}, defrag {defrag}" if enabled and defrag else enabled)


def _switch(text: str) -> str:
    return {"0": "off", "": UNKNOWN}.get(text, f"on ({short(text)})" if text != "1" else "on")


def _swap(swaps: str) -> str:
    """Whether memory may go to a disk, or to compressed memory."""
    rows = [row.split() for row in swaps.splitlines()]
    if not rows:
        return UNKNOWN
    kinds = {"zram" if "zram" in row[0] else row[1] for row in rows[1:] if len(row) > 1}
    return short(f"on ({', '.join(sorted(kinds))})" if kinds else "off")
