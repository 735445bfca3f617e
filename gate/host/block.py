"""The physical disks below a directory: through partitions, LVM, RAID, encryption and loops."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.host.machine import line
from gate.host.mounts import carrying

if TYPE_CHECKING:
    from pathlib import Path

    from gate.files.mounts import Mount
    from gate.host.machine import Machine

_CLASS = "/sys/class/block"
_BTRFS = "/sys/fs/btrfs"
_MEMORY = {"tmpfs", "ramfs", "devtmpfs", "rootfs", "hugetlbfs"}
_DEEPEST = 16


@dataclass(slots=True, kw_only=True)
class Storage:
    """What a directory stands on."""

    mounts: tuple[Mount, ...]
    """Its mount, then what that stands on."""
    disks: list[str] = field(default_factory=list)
    """Directories in /sys of the physical disks, sorted."""
    layers: list[str] = field(default_factory=list)
    """What lies between file system and disks, from above: `crypt`, `lvm`, `raid1`, `loop`."""
    made: str = ""
    """What is made on a device that is measured itself: `raw`, or the kind of the file system."""

    @property
    def diskless(self) -> str:
        """The file system that needs no disk at all; empty for others."""
        kind = self.mounts[-1].kind if self.mounts else ""
        return kind if kind in _MEMORY and not self.disks else ""


def storage_of(machine: Machine, work: Path) -> Storage:
    """Follow a directory down to the disks."""
    found = Storage(mounts=carrying(machine, work))
    _follow(machine, found, found.mounts, depth=0)
    found.disks.sort()
    return found


def storage_on(machine: Machine, device: str, filesystem: str = "") -> Storage:
    """Follow a device that is measured itself, such as `/dev/nvme1n1`, down to the disks.

    A loop is the disk here: its size and its queue are what is measured.
    """
    found = Storage(mounts=(), made=filesystem or "raw")
    for directory in _named(machine, device):
        if line(machine, f"{directory}/loop/backing_file"):
            found.layers, found.disks = ["loop"], [directory]
        else:
            _down(machine, directory, found, depth=0)
    found.disks.sort()
    return found


def _follow(machine: Machine, found: Storage, mounts: tuple[Mount, ...], depth: int) -> None:
    if mounts:
        for directory in _devices(machine, mounts[-1]):
            _down(machine, directory, found, depth)


def _devices(machine: Machine, mount: Mount) -> list[str]:
    """Directories in /sys of the devices that a file system lies on."""
    if not mount.device.startswith("0:"):
        known = machine.real(f"/sys/dev/block/{mount.device}")
        return [known] if known else _named(machine, mount.source)
    # Such file systems have a number of their own; their devices go by name.
    named = [one for part in mount.source.split(":") for one in _named(machine, part)]
    if mount.kind == "btrfs" and named:
        names = {one.rpartition("/")[2] for one in named}
        for uuid in machine.names(_BTRFS):
            members = machine.names(f"{_BTRFS}/{uuid}/devices")
            if names & set(members):
                return [one for name in members if (one := _directory(machine, name))]
    return named


def _named(machine: Machine, source: str) -> list[str]:
    if not source.startswith("/dev/"):
        return []
    path = (machine.real(source) or source).removeprefix("/dev/")
    found = _directory(machine, path.replace("/", "!"))
    return [found] if found else []


def _directory(machine: Machine, name: str) -> str:
    return machine.real(f"{_CLASS}/{name}") or machine.real(f"/sys/block/{name}")


def _down(machine: Machine, directory: str, found: Storage, depth: int) -> None:
    """From one block device to the disks below it."""
    if depth > _DEEPEST or directory in found.disks:
        return
    if line(machine, f"{directory}/partition"):
        _down(machine, directory.rpartition("/")[0], found, depth + 1)
        return
    below = [
        one
        for name in machine.names(f"{directory}/slaves")
        if (one := machine.real(f"{directory}/slaves/{name}") or _directory(machine, name))
    ]
    layer = _layer(machine, directory)
    if layer and layer not in found.layers:
        found.layers.append(layer)
    for one in below:
        _down(machine, one, found, depth + 1)
    if below:
        return
    disks = len(found.disks)
    if file := line(machine, f"{directory}/loop/backing_file"):
        _behind(machine, file, found, depth + 1)
    if len(found.disks) == disks:
        found.disks.append(directory)


def _behind(machine: Machine, file: str, found: Storage, depth: int) -> None:
    """The disks of the file, or of the device, that a loop shows."""
    from pathlib import Path  # noqa: PLC0415 - only where there is a loop

    if file.startswith("/dev/"):
        for directory in _named(machine, file):
            _down(machine, directory, found, depth)
    elif file.startswith("/"):
        _follow(machine, found, carrying(machine, Path(file)), depth)


def _layer(machine: Machine, directory: str) -> str:
    """What a made-up device does; empty for a real one."""
    name = directory.rpartition("/")[2]
    if name.startswith("dm-"):
        # Only the beginning: what follows names one device and not a kind.
        kind = line(machine, f"{directory}/dm/uuid").partition("-")[0].lower()
        return re.sub(r"^part[0-9]+$", "mpath", kind) or "dm"
    if name.startswith("md"):
        return line(machine, f"{directory}/md/level") or "md"
    match = re.match(r"loop|bcache|zram|nbd|drbd|rbd", name)
    return match[0] if match else ""
