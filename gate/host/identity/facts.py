"""How what the kernel says becomes a fact: short, printable, `unknown` where it says nothing.

Stable and epoch facts come only out of files that everybody may read: neither the user's rights
nor the programs installed, nor their versions, change who a machine is.

The machine around the processors: maker and board, memory, hypervisor, container.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING

from gate.linux.machine import line
from gate.model import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.linux.machine import LinuxMachine


LONGEST = 200
"""Characters of a fact."""
CPU = "/sys/devices/system/cpu"


def short(text: str) -> str:
    """A fact that can be printed; one too long ends in a hash, so that no change is lost."""
    clean = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if len(clean) > LONGEST:
        mark = hashlib.sha256(clean.encode()).hexdigest()[:8]
        clean = f"{clean[: LONGEST - 11]}… #{mark}"
    return clean or UNKNOWN


def fact_text(machine: LinuxMachine, path: str) -> str:
    """What the first line of a file says."""
    return short(line(machine, path))


def chosen(text: str) -> str:
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
    names = [one for one in machine.names(directory) if re.fullmatch(rf"{stem}[0-9]{{1,6}}", one)]
    return sorted(names, key=lambda one: int(one.removeprefix(stem)))


def count(ranges: str) -> int:
    """How many numbers are in a list of the kernel's: `0-3,8` is 5; 0 where it is no such list."""
    total = 0
    for part in ranges.split(","):
        first, dash, last = part.partition("-")
        if not re.fullmatch("[0-9]{1,6}", first) or (dash and not re.fullmatch("[0-9]{1,6}", last)):
            return 0
        total += int(last or first) - int(first) + 1
    return max(total, 0)


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


def system_facts(machine: LinuxMachine) -> dict[str, str]:
    """Stable facts of everything but processors and disk."""
    return {
        "memory": _memory(machine),
        "virtualisation": _virtual(machine),
        "container": _container(machine),
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
    size = _GIB // 4
    while True:
        for step in _STEPS:
            if size * step >= total:
                return f"{size * step / _GIB:g} GiB"
        size *= 2


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


def _container(machine: LinuxMachine) -> str:
    """`none` where the kernel's own threads are seen; else what the container says it is."""
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
