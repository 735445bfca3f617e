"""How what the kernel says becomes a fact: short, printable, `unknown` where it says nothing.

Stable and epoch facts come only out of files that everybody may read: neither the user's rights
nor the programs installed, nor their versions, change who a machine is.

Here are also the stable facts of everything but the disks: processors, maker and board, memory,
hypervisor, container.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from itertools import count
from typing import TYPE_CHECKING

from gate.linux.cpu_list import CPU, cpu_numbers
from gate.linux.machine import line
from gate.model import UNKNOWN
from gate.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.linux.machine import LinuxMachine

LONGEST = 200
"""Characters of a fact."""
_CPUINFO = "/proc/cpuinfo"
_ARM = ("CPU implementer", "CPU part", "CPU variant", "CPU revision")
_IBM = re.compile(r"version = (\w+),.*machine = (\w+)")
_DMI = "/sys/class/dmi/id"
_TREE = ("/proc/device-tree", "/sys/firmware/devicetree/base")
_NOTHING_SAID = re.compile(
    r"to be filled.*|default string|system (product name|manufacturer|version)|"
    r"not (specified|applicable|available)|none|unknown|o\.?e\.?m\.?|n/?a|product name|invalid|"
    r"undefined|linux,dummy-virt|[0x.\- ]*",
    re.IGNORECASE,
)
"""What makers leave in fields that they never filled."""
_HYPERVISORS = (
    (r"VMware|VMW", "vmware"),
    (r"innotek|VirtualBox", "virtualbox"),
    (r"Microsoft Corporation Virtual Machine", "hyper-v"),
    (r"Parallels", "parallels"),
    (r"BHYVE", "bhyve"),
    (r"Bochs", "bochs"),
    (r"Apple Virtualization|Apple Inc\. VirtualMac", "apple"),
    (r"\bXen\b|HVM domU", "xen"),
    (r"KubeVirt|OpenStack|\bKVM\b|oVirt|RHEV|Alibaba Cloud|DigitalOcean|Hetzner vServer", "kvm"),
    (r"QEMU|linux,dummy-virt", "qemu"),
)
"""What the firmware calls itself inside each hypervisor."""
_CLOUDS = (
    (r"Amazon EC2(?!.*\.metal)", "amazon"),
    (r"Google", "google"),
)
"""Makers that also rent out whole machines under their name."""
_CLOCKS = (("kvm-clock", "kvm"), ("hyperv", "hyper-v"), ("xen", "xen"))
CONTAINERS = r"kubepods|docker|lxc|machine\.slice"
"""Words in the control groups of the first process of a container."""
_GIB = 1 << 30
_STEPS = (1.0, 1.5)


def short(text: str) -> str:
    """A fact that can be printed; one too long ends in a hash, so that no change is lost."""
    clean = " ".join(printable(text).split())
    if len(clean) > LONGEST:
        mark = hashlib.sha256(clean.encode()).hexdigest()[:8]
        clean = f"{clean[: LONGEST - 11]}… #{mark}"
    return clean or UNKNOWN


def fact_text(machine: LinuxMachine, path: str) -> str:
    """What the first line of a file says."""
    return short(line(machine, path))


def bracketed(text: str) -> str:
    """The one in brackets: `none [mq-deadline]` is `mq-deadline`; the whole text without any."""
    match = re.search(r"\[([^\]]+)\]", text)
    return match[1] if match else text


def together(values: Iterable[str]) -> str:
    """The facts of several parts as one: `2 x MODEL + OTHER`, in no order but the alphabet's."""
    counted = Counter(values)
    if set(counted) <= {UNKNOWN}:
        return UNKNOWN
    each = (one if n == 1 else f"{n} x {one}" for one, n in sorted(counted.items()))
    return short(" + ".join(each))


def alike(values: Iterable[str]) -> str:
    """One value where all agree, whatever their number; otherwise how many say what."""
    found = [one for one in values if one]
    return together(found if len(set(found)) > 1 else found[:1])


def by_number(machine: LinuxMachine, directory: str, stem: str) -> list[str]:
    """Names such as `cpu0`, `cpu1`, by number."""
    names = [one for one in machine.names(directory) if re.fullmatch(rf"{stem}[0-9]{{1,9}}", one)]
    return sorted(names, key=lambda one: int(one.removeprefix(stem)))


def system_facts(machine: LinuxMachine) -> dict[str, str]:
    """Stable facts of everything but processors and disk."""
    return {
        "memory": _memory(machine),
        "virtualisation": _virtual(machine),
        "container": container_kind(machine),
        "system": short(_system(machine)),
        "board": short(_maker_and(machine, "board_vendor", "board_name")),
    }


def bios(machine: LinuxMachine) -> str:
    """Version and date of the firmware."""
    version, date = (_dmi(machine, key) for key in ("bios_version", "bios_date"))
    return short(f"{version} ({date})" if version and date else version or date)


def _dmi(machine: LinuxMachine, key: str) -> str:
    """A field of the firmware's table; empty where the maker left it so."""
    text = line(machine, f"{_DMI}/{key}")
    return "" if _NOTHING_SAID.fullmatch(text) else " ".join(text.split())


def _maker_and(machine: LinuxMachine, vendor: str, name: str) -> str:
    maker, model = _dmi(machine, vendor), _dmi(machine, name)
    return model if maker and model.startswith(maker) else f"{maker} {model}".strip()


def _system(machine: LinuxMachine) -> str:
    by_dmi = _maker_and(machine, "sys_vendor", "product_name")
    by_tree = _tree(machine, "model")
    return by_dmi or ("" if _NOTHING_SAID.fullmatch(by_tree) else by_tree)


def _tree(machine: LinuxMachine, key: str) -> str:
    """A property of the device tree, as Arm and RISC-V boards have; its texts end in NUL."""
    texts = (machine.text(f"{base}/{key}") for base in _TREE)
    return " ".join(next(filter(None, texts), "").replace("\0", " ").split())


def _memory(machine: LinuxMachine) -> str:
    """Installed memory: the kernel reserves some, so round up to a size that is sold."""
    match = re.search(r"MemTotal:\s+([0-9]{1,15}) kB", machine.text("/proc/meminfo"))
    if match is None:
        return UNKNOWN
    total = int(match[1]) * 1024
    sizes = (_GIB // 4 * 2**power * step for power in count() for step in _STEPS)
    return f"{next(size for size in sizes if size >= total) / _GIB:g} GiB"


def _virtual(machine: LinuxMachine) -> str:
    """`none` on bare metal, the hypervisor by name, `vm` where it gives none."""
    cpuinfo = machine.text("/proc/cpuinfo")
    if line(machine, "/sys/hypervisor/type") == "xen":
        dom0 = "control_d" in machine.text("/proc/xen/capabilities")
        return "xen dom0" if dom0 else "xen"
    said = f"{_system(machine)} {_maker_and(machine, 'bios_vendor', 'board_vendor')}"
    tree = f"{_tree(machine, 'compatible')} {_tree(machine, 'hypervisor/compatible')}"
    named = _first(_HYPERVISORS, f"{said} {tree}") or _first((("linux,kvm", "kvm"),), tree)
    flags = re.search(r"^flags\s*:.*$", cpuinfo, re.MULTILINE)
    flagged = flags is not None and re.search(r"\bhypervisor\b", flags[0]) is not None
    if named or (flags is not None and not flagged):
        return named or "none"
    named = _first(_CLOUDS, said)
    if flagged:
        clocks = "/sys/devices/system/clocksource/clocksource0/available_clocksource"
        return named or _first(_CLOCKS, machine.text(clocks)) or "vm"
    # Other processors do not say: a machine that gives its maker's name and no hypervisor's is one.
    return named or ("none" if said.strip() or tree.strip() else UNKNOWN)


def _first(table: tuple[tuple[str, str], ...], text: str) -> str:
    return next((name for pattern, name in table if re.search(pattern, text)), "")


def container_kind(machine: LinuxMachine) -> str:
    """`none` where the kernel's own threads are seen; else what the container says it is.

    What an image left behind, such as /.dockerenv, is no proof of one where the threads are seen:
    virtual machines are made of images too.
    """
    if line(machine, "/proc/2/comm") == "kthreadd":
        return "none"
    if named := line(machine, "/run/systemd/container"):
        return short(named)
    for mark, name in (("/.dockerenv", "docker"), ("/run/.containerenv", "podman")):
        if machine.real(mark):
            return name
    if match := re.search(CONTAINERS, machine.text("/proc/1/cgroup")):
        return match[0]
    return "unnamed" if machine.text("/proc/1/comm") else UNKNOWN


def cpu_facts(machine: LinuxMachine) -> dict[str, str]:
    """Stable facts of the processors.

    Threads are those that are there, also while they are offline: that is an epoch fact. Cores and
    sockets are those with a thread online: the kernel shows no others.
    """
    rows = _rows(machine.text(_CPUINFO))
    lists = (cpu_numbers(line(machine, f"{CPU}/{name}")) for name in ("present", "online"))
    present = next((len(one) for one in lists if one), 0)
    processors = present or sum("processor" in row for row in rows)
    sockets, cores = _topology(machine)
    nodes = len(by_number(machine, "/sys/devices/system/node", "node"))
    # The file is there since Linux 6.1.
    architecture = line(machine, "/proc/sys/kernel/arch") or machine.ask("uname", "-m")
    return {
        "architecture": short(architecture),
        "cpu_model": _model(rows),
        "cpu_sockets": str(sockets or UNKNOWN),
        "cpu_cores": str(cores or UNKNOWN),
        "cpu_threads": str(processors or UNKNOWN),
        "numa_nodes": str(nodes or UNKNOWN),
    }


def microcode(machine: LinuxMachine) -> str:
    """Its revision; all of them where processors differ."""
    found = {row["microcode"] for row in _rows(machine.text(_CPUINFO)) if row.get("microcode")}
    found = found or {line(machine, f"{CPU}/cpu0/microcode/version")}
    return short(", ".join(sorted(found)))


def _rows(cpuinfo: str) -> list[dict[str, str]]:
    """One dictionary per paragraph: per processor, and on some machines one for all."""
    rows = []
    for paragraph in re.split(r"\n\s*\n", cpuinfo):
        pairs = (text.partition(":") for text in paragraph.splitlines() if ":" in text)
        rows.append({name.strip(): value.strip() for name, _, value in pairs})
    return [row for row in rows if row]


def _model(rows: list[dict[str, str]]) -> str:
    """Each model that is there, with the numbers that keep its steppings apart.

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
    """Sockets and cores by the processors online; 0 where the kernel does not say.

    Cores are the distinct sets of threads: their numbers repeat in every cluster of some machines.
    """
    packages, cores = set(), set()
    for name in by_number(machine, CPU, "cpu"):
        place = f"{CPU}/{name}/topology"
        package = line(machine, f"{place}/physical_package_id")
        siblings = line(machine, f"{place}/thread_siblings_list", f"{place}/core_cpus_list")
        core = line(machine, f"{place}/core_id")
        if package and not package.startswith("-"):
            packages.add(package)
        if siblings or core:
            die = line(machine, f"{place}/die_id") if not siblings else ""
            cores.add((siblings,) if siblings else (package, die, core))
    return len(packages), len(cores)
