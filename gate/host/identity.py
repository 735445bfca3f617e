"""Who this machine is: stable facts that must agree, epoch facts that explain.

Everything is read below a root directory, so that recorded machines can be played. What is
absent is `unknown`, shown as such and compared as such. Live values (MHz, load, temperature,
bogomips) and names (hostname, serial numbers) are never identity.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from pathlib import Path

from gate.model import Host

UNKNOWN = "unknown"

_GIB = 1 << 30
_STEPS = (1.0, 1.5)


def read_host(work: Path, *, root: Path = Path("/"), host_class: str | None = None) -> Host:
    """The facts of this machine; `work` decides which disk counts.

    `host_class` names the class; by default it is made from the facts.
    """
    stable = {**_cpu(root), "memory": _memory(root), "virtualisation": _virtual(root)}
    stable |= _disk(work, root)
    text = json.dumps(stable, sort_keys=True)
    return Host(
        host_class=host_class or class_name(stable),
        fingerprint="sha256:" + hashlib.sha256(text.encode()).hexdigest(),
        stable=stable,
        epoch=_epoch(root),
    )


def boot_id(root: Path = Path("/")) -> str:
    """The kernel's id of this boot; empty when unknown."""
    return _line(root / "proc/sys/kernel/random/boot_id") or ""


def class_name(stable: dict[str, str]) -> str:
    """A file name for machines with these facts: `vm-amd-epyc-2c-24g`."""
    where = "bm" if stable["virtualisation"] == "none" else "vm"
    name = stable["cpu_model"].partition(" (family")[0].lower()
    model = re.sub(r"\((r|tm)\)|cpu|processor|@.*", " ", name)
    slug = re.sub(r"[^a-z0-9]+", "-", model).strip("-")[:40].strip("-") or UNKNOWN
    threads = stable["cpu_threads"]
    threads = threads if threads == UNKNOWN else f"{threads}t"
    memory = stable["memory"].replace(" GiB", "g")
    return "-".join((where, slug, _slug(threads), _slug(memory)))


def _slug(fact: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", fact.lower()).strip("-.")[:15].strip("-.") or UNKNOWN


def _cpu(root: Path) -> dict[str, str]:
    info = _cpuinfo(root)
    topology = sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*/topology"))
    cores = {
        (_line(t / "physical_package_id"), _line(t / "core_id"), _line(t / "die_id"))
        for t in topology
    }
    packages = {package for package, _, _ in cores}
    nodes = list((root / "sys/devices/system/node").glob("node[0-9]*"))
    online = _line(root / "sys/devices/system/cpu/online")
    threads = _count(online) if online else info.get("processors", UNKNOWN)
    return {
        "architecture": platform.machine() if root == Path("/") else info.get("machine", UNKNOWN),
        "cpu_model": info.get("model", UNKNOWN),
        "cpu_sockets": str(len(packages)) if packages else UNKNOWN,
        "cpu_cores": str(len(cores)) if cores else UNKNOWN,
        "cpu_threads": threads,
        "numa_nodes": str(len(nodes)) if nodes else UNKNOWN,
    }


def _cpuinfo(root: Path) -> dict[str, str]:
    """CPU model and processor count; Arm has no model name, its part numbers stand in."""
    found: dict[str, str] = {}
    count = 0
    for line in _text(root / "proc/cpuinfo").splitlines():
        name, _, value = (part.strip() for part in line.partition(":"))
        count += name == "processor"
        if value and name not in found:
            found[name] = value
    family = [found.get(key, "") for key in ("vendor_id", "cpu family", "model", "stepping")]
    parts = [found.get(key, "") for key in ("CPU implementer", "CPU part", "CPU variant")]
    model = found.get("model name", "")
    if model and all(family):
        model = f"{model} (family {family[1]} model {family[2]} stepping {family[3]})"
    arm = f"Arm {'/'.join(parts)}" if all(parts) else ""
    return {"model": model or arm or UNKNOWN, "processors": str(count) if count else UNKNOWN}


def _count(online: str) -> str:
    total = 0
    for part in online.split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()):
            return UNKNOWN
        total += int(last or first) - int(first) + 1
    return str(total)


def _memory(root: Path) -> str:
    """Installed memory: the kernel reserves some, so round up to a size that is sold."""
    match = re.search(r"MemTotal:\s+(\d+) kB", _text(root / "proc/meminfo"))
    if match is None:
        return UNKNOWN
    total = int(match[1]) * 1024
    size = _GIB // 4
    while True:
        for step in _STEPS:
            if size * step >= total:
                return f"{size * step / _GIB:g} GiB"
        size *= 2


def _virtual(root: Path) -> str:
    """`none` on bare metal as far as the CPU tells; the hypervisor where it gives its name."""
    info = _text(root / "proc/cpuinfo")
    hypervisor = re.search(r"^flags\s*:.*\bhypervisor\b", info, re.MULTILINE)
    vendor = _line(root / "sys/class/dmi/id/sys_vendor") or ""
    named = next((n for n in ("QEMU", "VMware", "Xen", "Amazon EC2", "Google") if n in vendor), "")
    if hypervisor is None and not named:
        return "none"
    return named.lower() or "vm"


def _disk(work: Path, root: Path) -> dict[str, str]:
    """Model, size and kind of the disk that holds the work directory."""
    unknown = {"disk_model": UNKNOWN, "disk_size": UNKNOWN, "disk_rotational": UNKNOWN}
    place = work
    while not place.exists() and place != place.parent:
        place = place.parent
    device = place.stat().st_dev
    block = root / f"sys/dev/block/{os.major(device)}:{os.minor(device)}"
    if not block.exists():
        return unknown
    whole = block.resolve()
    whole = whole.parent if (whole / "partition").exists() else whole
    sectors = _line(whole / "size")
    return {
        "disk_model": _line(whole / "device/model") or whole.name.rstrip("0123456789"),
        "disk_size": f"{int(sectors) * 512} B" if sectors and sectors.isdecimal() else UNKNOWN,
        "disk_rotational": _line(whole / "queue/rotational") or UNKNOWN,
    }


def _epoch(root: Path) -> dict[str, str]:
    cpu0 = root / "sys/devices/system/cpu/cpu0"
    microcode = re.search(r"^microcode\s*:\s*(\S+)", _text(root / "proc/cpuinfo"), re.MULTILINE)
    release = _line(root / "proc/sys/kernel/osrelease")
    turbo = _line(root / "sys/devices/system/cpu/intel_pstate/no_turbo")
    return {
        "kernel": release or UNKNOWN,
        "microcode": microcode[1] if microcode else UNKNOWN,
        "governor": _line(cpu0 / "cpufreq/scaling_governor") or UNKNOWN,
        "turbo": {"0": "on", "1": "off"}.get(turbo or "", UNKNOWN),
        "smt": _line(root / "sys/devices/system/cpu/smt/control") or UNKNOWN,
    }


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _line(path: Path) -> str | None:
    """First line of a file, stripped; None when absent or empty."""
    lines = _text(path).strip().splitlines()
    return lines[0].strip() if lines else None
