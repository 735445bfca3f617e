"""Facts of the moment: recorded beside the numbers, never compared.

Only here are programs asked: what they say depends on their version and on who asks.
"""

from __future__ import annotations

import json
import re
from threading import Thread
from typing import TYPE_CHECKING, Any

from gate.host.identity.facts import bracketed, by_number, short, together
from gate.host.identity.facts_disk import NO_DISK, controllers, link_now
from gate.linux.machine import line
from gate.model import UNKNOWN
from gate.text import NAMES_ONE

if TYPE_CHECKING:
    from gate.linux.block import StorageStack
    from gate.linux.machine import LinuxMachine, MachineRecorder

_HWMON = "/sys/class/hwmon"
_CPU_SENSORS = {"coretemp", "k10temp", "zenpower", "cpu_thermal", "soc_thermal"}
_SUPPLIES = "/sys/class/power_supply"
_VIRTUAL, _PROCESSORS = ("systemd-detect-virt", "--vm"), ("lscpu", "-J")
SMART_LOG = "nvme_smart_health_information_log"
_MOST_DISKS = 8
"""Disks of a RAID whose programs are asked."""


def live_facts(machine: MachineRecorder, storage: StorageStack) -> dict[str, str]:
    """What the machine is like just now."""
    cpuinfo = machine.text("/proc/cpuinfo")
    disks = storage.disks[:_MOST_DISKS]
    questions = [question for disk in disks for question in (smartctl(disk), nvme(disk))]
    questions += [_VIRTUAL, () if "flags" in cpuinfo else _PROCESSORS]
    # All at once: the slowest program decides how long it takes, and each answer is remembered.
    asking = [Thread(target=machine.ask, args=one, daemon=True) for one in questions if one]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    health = {disk: _health(machine, disk) for disk in disks}
    facts = {
        "cpu_name": _cpu_name(cpuinfo, "" if "flags" in cpuinfo else machine.ask(*_PROCESSORS)),
        "cpu_mhz": _mhz(cpuinfo),
        "cpu_temperature": _hottest(machine),
        "disk_wear": together(health[disk][0] for disk in disks),
        "disk_temperature": together(_warmth(machine, disk) or health[disk][1] for disk in disks),
        "disk_link_now": together(link_now(machine, disk) for disk in disks),
        "load": short(" ".join(line(machine, "/proc/loadavg").split()[:3])),
        "power": _power(machine),
        "preemption_now": short(bracketed(machine.text("/sys/kernel/debug/sched/preempt"))),
        "detected_virt": short(machine.ask(*_VIRTUAL)),
    }
    if storage.diskless:
        facts |= {name: NO_DISK for name in facts if name.startswith("disk_")}
    return facts


def smartctl(disk: str, *more: str) -> tuple[str, ...]:
    """Without `-i`, so that it prints no serial number; a sleeping disk is left asleep."""
    name = disk.rpartition("/")[2]
    known = re.fullmatch(r"sd[a-z]+|nvme[0-9]+n[0-9]+", name)
    return ("smartctl", "-j", "-A", "-n", "standby", *more, f"/dev/{name}") if known else ()


def nvme(disk: str) -> tuple[str, ...]:
    """Of NVMe disks; none of others."""
    name = disk.rpartition("/")[2]
    known = re.fullmatch(r"nvme[0-9]+n[0-9]+", name)
    return ("nvme", "smart-log", "-o", "json", f"/dev/{name}") if known else ()


def _health(machine: LinuxMachine, disk: str) -> tuple[str, str]:
    """Share of the rated endurance that is used up, and temperature."""
    smart, log = (ask_json(machine, one) for one in (smartctl(disk), nvme(disk)))
    wear, warmth = share_used(smart, log), smart.get("temperature")
    kelvin = _first_number((log, "temperature"))
    celsius = _first_number((warmth, "current"), (smart.get(SMART_LOG), "temperature"))
    if celsius is None and kelvin is not None:
        celsius = kelvin - 273
    return (
        UNKNOWN if wear is None else f"{wear} % of its rated writes",
        UNKNOWN if celsius is None else f"{celsius} °C",
    )


def share_used(smart: dict[str, Any], log: dict[str, Any]) -> int | None:
    """Per cent of the rated endurance, by what smartctl says and by what nvme-cli says."""
    return _first_number(
        (smart.get(SMART_LOG), "percentage_used"),
        (smart.get("endurance_used"), "current_percent"),
        (log, "percent_used"),
        (log, "percentage_used"),
    )


def ask_json(machine: LinuxMachine, question: tuple[str, ...]) -> dict[str, Any]:
    """What a program says in JSON; empty where it says nothing or nonsense, or none is asked."""
    try:
        data = json.loads(machine.ask(*question) or "{}") if question else {}
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _first_number(*places: tuple[object, str]) -> int | None:
    for where, key in places:
        value = where.get(key) if isinstance(where, dict) else None
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _warmth(machine: LinuxMachine, disk: str) -> str:
    """By the kernel's sensor of the disk; empty where it has none."""
    for device in controllers(machine, disk):
        for base in (device, f"{device}/hwmon"):
            for name in by_number(machine, base, "hwmon"):
                if warm := _celsius(line(machine, f"{base}/{name}/temp1_input")):
                    return warm
    return ""


def _celsius(text: str) -> str:
    """The kernel counts in thousandths of a degree."""
    return f"{int(text) / 1000:.0f} °C" if re.fullmatch("-?[0-9]{1,7}", text) else ""


def _hottest(machine: LinuxMachine) -> str:
    degrees = []
    for name in by_number(machine, _HWMON, "hwmon"):
        place = f"{_HWMON}/{name}"
        if line(machine, f"{place}/name") not in _CPU_SENSORS:
            continue
        for one in machine.names(place):
            if re.fullmatch("temp[0-9]+_input", one):
                text = line(machine, f"{place}/{one}")
                degrees += [int(text)] if re.fullmatch("-?[0-9]{1,7}", text) else []
    return _celsius(str(max(degrees))) if degrees else UNKNOWN


def _mhz(cpuinfo: str) -> str:
    found = [
        float(one) for one in re.findall(r"^cpu MHz\s*:\s*([0-9]{1,6})", cpuinfo, re.MULTILINE)
    ]
    if not found:
        return UNKNOWN
    low, high = min(found), max(found)
    return f"{low:.0f} MHz" if low == high else f"{low:.0f} to {high:.0f} MHz"


def _cpu_name(cpuinfo: str, lscpu: str) -> str:
    """The name of a processor that gives only numbers, out of the table of lscpu."""
    if not lscpu:
        match = re.search(r"^model name\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
        return short(match[1]) if match else UNKNOWN
    names = re.findall(r'"field":\s*"Model name:",\s*"data":\s*"([^"]*)"', lscpu)
    return together(names)


def _power(machine: LinuxMachine) -> str:
    """Mains or battery, and the profile of the firmware where it has some."""
    found = []
    for name in machine.names(_SUPPLIES):
        place = f"{_SUPPLIES}/{name}"
        kind = line(machine, f"{place}/type")
        if kind == "Mains":
            found.append("mains" if line(machine, f"{place}/online") == "1" else "no mains")
        elif kind == "Battery" and line(machine, f"{place}/scope") != "Device":
            found.append(f"battery {line(machine, f'{place}/status').lower()}".strip())
    found = sorted(set(found), reverse=True)
    if profile := line(machine, "/sys/firmware/acpi/platform_profile"):
        found.append(f"profile {profile}")
    return NAMES_ONE.sub("…", short(", ".join(found)))
