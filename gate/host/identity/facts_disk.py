"""The disks that carry the work directory: what they are, and how the kernel drives them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gate.host.identity.facts import alike, bracketed, by_number, fact_text, short, together
from gate.linux.machine import line
from gate.model import UNKNOWN
from gate.text import NAMES_ONE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gate.linux.block import StorageStack
    from gate.linux.machine import LinuxMachine

NO_DISK = "no disk"
"""What stands for every fact of a disk where the file system needs none."""
_SECTOR = 512
_GIGA = 10**9
_QUEUE = ("nr_requests", "nomerges", "rq_affinity", "read_ahead_kb", "max_sectors_kb")
_KINDS = (
    (r"/nvme[0-9]+n[0-9]+$|/nvme[0-9]+c[0-9]+n[0-9]+$", "nvme"),
    (r"/mmcblk[0-9]+$", "mmc"),
    (r"/vd[a-z]+$", "virtio"),
    (r"/xvd[a-z]+$", "xen"),
    (r"/pmem[0-9.]+s?$", "pmem"),
    (r"/dasd[a-z]+$", "dasd"),
    (r"/(loop|zram|ram|nbd|rbd|md|dm-|drbd|bcache)[0-9a-z_]*$", ""),
    (r"/usb[0-9]+/", "usb"),
    (r"ufshc?[d.@/_]", "ufs"),
    (r"/ata[0-9]+/", "sata"),
    (r"/virtio[0-9]+/host", "virtio scsi"),
    (r"/end_device-|/expander-", "sas"),
    (r"/sd[a-z]+$", "scsi"),
)
"""Of the directory in /sys, the first that fits; empty takes the name of the device itself."""
_OF_ONE_MOUNT = re.compile(
    "addr|clientaddr|context|defcontext|dev|domain|fd|fscontext|fsid|gid|group_id|lowerdir|"
    "mountaddr|name|nr_inodes|password|pgrp|pipe_ino|resgid|resuid|rootcontext|size|source|"
    "subvol|subvolid|timeout|uid|upperdir|user_id|username|workdir"
)
"""Mount options that say where and whose, not how."""


def disk_facts(machine: LinuxMachine, storage: StorageStack) -> dict[str, str]:
    """Stable facts of the disks; of several alike: `2 x MODEL`."""
    each: dict[str, Callable[[LinuxMachine, str], str]] = {
        "disk_model": _model,
        "disk_firmware": _firmware,
        "disk_kind": _kind,
        "disk_size": _size,
        "disk_lba": _lba,
        "disk_link": _link,
    }
    if storage.diskless:
        return dict.fromkeys(each, NO_DISK) | {"disk_kind": storage.diskless}
    facts = {
        name: together(read(machine, disk) for disk in storage.disks) for name, read in each.items()
    }
    if not storage.disks and storage.mounts:
        facts["disk_kind"] = short(storage.mounts[-1].kind)
    return facts


def disk_epoch(machine: LinuxMachine, storage: StorageStack) -> dict[str, str]:
    """Epoch facts of the disks and of the file system on them."""
    each: dict[str, Callable[[LinuxMachine, str], str]] = {
        "disk_scheduler": lambda m, disk: short(bracketed(line(m, f"{disk}/queue/scheduler"))),
        "disk_queue": _queue,
        "disk_write_cache": lambda m, disk: fact_text(m, f"{disk}/queue/write_cache"),
    }
    facts = {
        name: NO_DISK if storage.diskless else alike(read(machine, one) for one in storage.disks)
        for name, read in each.items()
    }
    layers = ", ".join(storage.layers) or ("none" if storage.disks else "")
    facts["disk_layers"] = NO_DISK if storage.diskless else short(layers)
    mounted = [
        ", ".join([mount.kind, *sorted({one for one in mount.options if matters(one)})])
        for mount in storage.mounts
    ]
    facts["file_system"] = short(storage.made or "; ".join(dict.fromkeys(mounted)))
    return facts


def matters(option: str) -> bool:
    """Whether a mount option says how a file system works, and not where or whose it is."""
    name, _, value = option.partition("=")
    addressed = re.search(r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+", value)
    return not (
        _OF_ONE_MOUNT.fullmatch(name) or "/" in value or addressed or NAMES_ONE.search(value)
    )


def _queue(machine: LinuxMachine, disk: str) -> str:
    shown = {name: line(machine, f"{disk}/queue/{name}") for name in (*_QUEUE, "wbt_lat_usec")}
    return ", ".join(f"{name} {value}" for name, value in shown.items() if value)


def _model(machine: LinuxMachine, disk: str) -> str:
    """By the kernel's files alone: udev and smartctl know longer names, where they are there."""
    name = line(machine, f"{disk}/device/model", f"{disk}/device/name")
    vendor = line(machine, f"{disk}/device/vendor")
    # Of SATA disks the maker is `ATA`; of virtio and mmc it is a number.
    named = vendor and name and vendor != "ATA" and not vendor.startswith("0x")
    return short(f"{vendor} {name}" if named and not name.startswith(vendor) else name)


def _firmware(machine: LinuxMachine, disk: str) -> str:
    places = (f"{disk}/device/{name}" for name in ("firmware_rev", "fwrev", "rev"))
    return short(line(machine, *places))


def _size(machine: LinuxMachine, disk: str) -> str:
    sectors = line(machine, f"{disk}/size")
    if not re.fullmatch("[0-9]{1,15}", sectors) or not int(sectors):
        return UNKNOWN
    size = int(sectors) * _SECTOR
    return f"{size / _GIGA:.1f} GB ({size} B)"


def _lba(machine: LinuxMachine, disk: str) -> str:
    """Bytes of the blocks that the disk is spoken to in, and of those that it writes."""
    names = ("logical_block_size", "physical_block_size")
    sizes = [line(machine, f"{disk}/queue/{name}") for name in names]
    return short("{} B logical, {} B physical".format(*sizes)) if all(sizes) else UNKNOWN


def _kind(machine: LinuxMachine, disk: str) -> str:
    kind = next((kind for pattern, kind in _KINDS if re.search(pattern, disk)), "")
    kind = kind or re.split("[0-9]", disk.rpartition("/")[2])[0].rstrip("-")
    if kind == "nvme":
        over = [line(machine, f"{one}/transport") for one in controllers(machine, disk)]
        kind += "".join(f" over {one}" for one in over[:1] if one and one != "pcie")
    turns = {"0": "solid state", "1": "rotating"}.get(line(machine, f"{disk}/queue/rotational"))
    return short(f"{kind}, {turns}" if turns else kind)


def controllers(machine: LinuxMachine, disk: str) -> list[str]:
    """Directories of the controllers of an NVMe disk: several where it has several paths."""
    device = f"{disk}/device"
    paths = by_number(machine, device, "nvme")
    return [f"{device}/{one}" for one in paths] or [device]


def _link(machine: LinuxMachine, disk: str) -> str:
    """The most that the disk and its slot can do together; how fast it now is, is a live fact."""
    return _link_of(machine, disk, "hw_sata_spd_limit", "max")


def link_now(machine: LinuxMachine, disk: str) -> str:
    """As the disk and its slot are speaking now."""
    return _link_of(machine, disk, "sata_spd", "current")


def _link_of(machine: LinuxMachine, disk: str, sata: str, pcie: str) -> str:
    """The link of a SATA disk, or those of the PCIe devices that NVMe controllers are."""
    if port := re.search(r"/ata([0-9]+)/", disk):
        # The kernel writes `<unknown>` where it does not know.
        speed = re.match(
            r"([0-9.]+) Gbps", line(machine, f"/sys/class/ata_link/link{port[1]}/{sata}")
        )
        return f"{speed[1]} Gbit/s" if speed else UNKNOWN
    links = []
    for one in controllers(machine, disk) if "/nvme" in disk else ():
        if device := machine.real(f"{one}/device"):
            gigas, lanes = pcie_link(machine, (device, device.rpartition("/")[0]), pcie)
            links.append(f"{gigas:g} GT/s x{lanes}" if gigas and lanes else UNKNOWN)
    return together(links)


def pcie_link(machine: LinuxMachine, ends: Iterable[str], which: str) -> tuple[float, int]:
    """GT/s and lanes, `max` or `current`, of the lesser end of a PCIe link; 0 where none says."""
    speeds, widths = [], []
    for place in ends:
        speed = re.match(
            r"[0-9]+(\.[0-9]+)?(?= GT/s)", line(machine, f"{place}/{which}_link_speed")
        )
        width = line(machine, f"{place}/{which}_link_width")
        speeds += [float(speed[0])] if speed else []
        # 0 and 255 stand for what the device does not report.
        widths += [int(width)] if re.fullmatch("[1-9][0-9]?", width) else []
    return min(speeds, default=0.0), min(widths, default=0)
