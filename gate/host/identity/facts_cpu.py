"""The processors: which model, how many, and what software of their own they run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gate.host.identity.facts import CPU, by_number, count, short, together
from gate.linux.machine import line
from gate.model import UNKNOWN

if TYPE_CHECKING:
    from gate.linux.machine import LinuxMachine

_CPUINFO = "/proc/cpuinfo"
_ARM = ("CPU implementer", "CPU part", "CPU variant", "CPU revision")
_IBM = re.compile(r"version = (\w+),.*machine = (\w+)")


def cpu_facts(machine: LinuxMachine) -> dict[str, str]:
    """Stable facts of the processors.

    Threads are those that are there, also while they are offline: that is an epoch fact. Cores and
    sockets are those with a thread online: the kernel does not tell of others.
    """
    rows = _rows(machine.text(_CPUINFO))
    present = count(line(machine, f"{CPU}/present")) or count(line(machine, f"{CPU}/online"))
    processors = present or sum("processor" in row for row in rows)
    sockets, cores = _topology(machine)
    nodes = len(by_number(machine, "/sys/devices/system/node", "node"))
    return {
        "architecture": _architecture(machine),
        "cpu_model": _model(rows),
        "cpu_sockets": _number(sockets),
        "cpu_cores": _number(cores),
        "cpu_threads": _number(processors),
        "numa_nodes": _number(nodes),
    }


def microcode(machine: LinuxMachine) -> str:
    """Its revision; all of them where processors differ."""
    told = {row["microcode"] for row in _rows(machine.text(_CPUINFO)) if row.get("microcode")}
    told = told or {line(machine, f"{CPU}/cpu0/microcode/version")}
    return short(", ".join(sorted(told)))


def _number(found: int) -> str:
    return str(found) if found else UNKNOWN


def _architecture(machine: LinuxMachine) -> str:
    """As `uname -m` says it; the file is there since Linux 6.1."""
    return short(line(machine, "/proc/sys/kernel/arch") or machine.ask("uname", "-m"))


def _rows(cpuinfo: str) -> list[dict[str, str]]:
    """One dictionary per paragraph: per processor, and on some machines one for all."""
    rows = []
    for paragraph in re.split(r"\n\s*\n", cpuinfo):
        pairs = (text.partition(":") for text in paragraph.splitlines() if ":" in text)
        rows.append({name.strip(): value.strip() for name, _, value in pairs})
    return [row for row in rows if row]


def _model(rows: list[dict[str, str]]) -> str:
    """Each model that is there, with the numbers that tell its steppings apart.

    Counts are left out: an offline processor is not in the file.
    """
    return together(sorted({one for row in rows if (one := _model_of(row))}))


def _model_of(row: dict[str, str]) -> str:
    name = row.get("model name", "") or row.get("Model Name", "")
    numbers = [row.get(key, "") for key in ("cpu family", "model", "stepping")]
    if name and all(numbers):
        return "{} (family {} model {} stepping {})".format(name, *numbers)
    arm = [row.get(key, "") for key in _ARM]
    if all(arm[:3]):
        # The name beside the numbers, where there is one, depends on the kernel's age.
        return "Arm {} part {} variant {} revision {}".format(*arm[:3], arm[3] or UNKNOWN)
    if match := _IBM.search(" ".join(f"{key}: {value}" for key, value in row.items())):
        return f"IBM/S390 {match[2]} version {match[1]}"
    risc_v = [row.get(key, "") for key in ("mvendorid", "marchid", "mimpid")]
    if any(risc_v):
        return f"RISC-V {row.get('uarch', '')} {'/'.join(risc_v)}"
    power = (row.get("cpu", ""), row.get("revision", ""))
    return name or " ".join(filter(None, power)) or row.get("uarch", "")


def _topology(machine: LinuxMachine) -> tuple[int, int]:
    """Sockets and cores by the processors online; 0 where the kernel does not tell.

    Cores are the distinct sets of threads: their numbers repeat in every cluster of some machines.
    """
    packages, cores = set(), set()
    for name in by_number(machine, CPU, "cpu"):
        place = f"{CPU}/{name}/topology"
        package = line(machine, f"{place}/physical_package_id")
        siblings = line(machine, f"{place}/thread_siblings_list")
        siblings = siblings or line(machine, f"{place}/core_cpus_list")
        core = line(machine, f"{place}/core_id")
        if package and not package.startswith("-"):
            packages.add(package)
        if siblings or core:
            die = line(machine, f"{place}/die_id") if not siblings else ""
            cores.add((siblings,) if siblings else (package, die, core))
    return len(packages), len(cores)
