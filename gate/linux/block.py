"""What a block device is part of: partitions, device-mapper, md, loops, up and down, by /sys.

Names are the kernel's (`sda`, `nvme0n1p2`, `dm-0`). What stands above a device is lost when the
device is written; what stands below it is written with it. `storage_of` follows a directory through
partitions, LVM, RAID, encryption and loops down to the physical disks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gate.linux.machine import line
from gate.linux.mounts import mounts_carrying

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.linux.machine import LinuxMachine
    from gate.linux.mounts import Mount

CLASS = "/sys/class/block"
_BTRFS = "/sys/fs/btrfs"
_MEMORY = {"tmpfs", "ramfs", "devtmpfs", "rootfs", "hugetlbfs"}
_DEEPEST = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """One device and everything that it stands on or carries."""

    name: str
    above: tuple[str, ...]
    """Partitions, holders and loops on it, and what is on those; nearest first."""
    below: tuple[str, ...]
    """What it is made of, down to the disks; nearest first. A loop's own file ends the chain."""

    @property
    def lost(self) -> tuple[str, ...]:
        """Everything whose content a write to the device changes."""
        return (self.name, *self.above)


def chain(machine: LinuxMachine, name: str) -> Chain:
    """Walk from one device up and down."""
    return Chain(
        name=name,
        above=_closure(name, lambda one: above(machine, one)),
        below=_closure(name, lambda one: below(machine, one)),
    )


def _closure(name: str, step: Callable[[str], Iterator[str]]) -> tuple[str, ...]:
    """Everything that is reached, once each, also where the answers go round in a circle."""
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        for one in step(waiting.pop(0)):
            if one != name and one not in found:
                found[one] = None
                waiting.append(one)
    return tuple(found)


def above(machine: LinuxMachine, name: str) -> Iterator[str]:
    """Partitions of a device, devices made of it, and loops that show it."""
    yield from partitions(machine, name)
    yield from machine.names(f"{CLASS}/{name}/holders")
    for loop, file in backing_files(machine):
        if file and name_of_path(machine, file) == name:
            yield loop


def below(machine: LinuxMachine, name: str) -> Iterator[str]:
    """The disk of a partition, the members of a made-up device, the device that a loop shows."""
    if line(machine, f"{CLASS}/{name}/partition"):
        disk = machine.real(f"{CLASS}/{name}").rpartition("/")[0].rpartition("/")[2]
        if disk:
            yield disk
    yield from machine.names(f"{CLASS}/{name}/slaves")
    if file := line(machine, f"{CLASS}/{name}/loop/backing_file"):
        shown = name_of_path(machine, file)
        if shown:
            yield shown


def partitions(machine: LinuxMachine, name: str) -> tuple[str, ...]:
    """Partitions of a disk that the kernel knows."""
    return tuple(
        one
        for one in machine.names(f"{CLASS}/{name}")
        if one.startswith(name) and line(machine, f"{CLASS}/{name}/{one}/partition")
    )


def backing_files(machine: LinuxMachine) -> Iterator[tuple[str, str]]:
    """Loops that are set up, each with the file or device that it shows."""
    for one in machine.names(CLASS):
        if one.startswith("loop"):
            file = line(machine, f"{CLASS}/{one}/loop/backing_file")
            if file:
                yield one, file


def number_of(machine: LinuxMachine, name: str) -> str:
    """`major:minor` of a device; empty where the kernel knows none of that name."""
    return line(machine, f"{CLASS}/{name}/dev")


def name_of_number(machine: LinuxMachine, number: str) -> str:
    """The kernel's name of `major:minor`; empty where there is none."""
    return machine.real(f"/sys/dev/block/{number}").rpartition("/")[2]


def name_of_path(machine: LinuxMachine, path: str) -> str:
    """The kernel's name of what a path such as `/dev/mapper/data` leads to; empty for a file."""
    real = machine.real(path)
    if not real.startswith("/dev/"):
        return ""
    # The kernel writes cciss/c0d0 as cciss!c0d0 in /sys.
    name = real.removeprefix("/dev/").replace("/", "!")
    return name if number_of(machine, name) else ""


@dataclass(slots=True, kw_only=True)
class StorageStack:
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


def storage_of(machine: LinuxMachine, work: Path) -> StorageStack:
    """Follow a directory down to the disks."""
    found = StorageStack(mounts=mounts_carrying(machine, work))
    _follow(machine, found, found.mounts, depth=0)
    found.disks.sort()
    return found


def storage_on(machine: LinuxMachine, device: str, filesystem: str = "") -> StorageStack:
    """Follow a device that is measured itself, such as `/dev/nvme1n1`, down to the disks.

    A loop is the disk here: its size and its queue are what is measured.
    """
    found = StorageStack(mounts=(), made=filesystem or "raw")
    for directory in _named(machine, device):
        if line(machine, f"{directory}/loop/backing_file"):
            found.layers, found.disks = ["loop"], [directory]
        else:
            _down(machine, directory, found, depth=0)
    found.disks.sort()
    return found


def _follow(
    machine: LinuxMachine, found: StorageStack, mounts: tuple[Mount, ...], depth: int
) -> None:
    if mounts:
        for directory in _devices(machine, mounts[-1]):
            _down(machine, directory, found, depth)


def _devices(machine: LinuxMachine, mount: Mount) -> list[str]:
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


def _named(machine: LinuxMachine, source: str) -> list[str]:
    if not source.startswith("/dev/"):
        return []
    path = (machine.real(source) or source).removeprefix("/dev/")
    found = _directory(machine, path.replace("/", "!"))
    return [found] if found else []


def _directory(machine: LinuxMachine, name: str) -> str:
    return machine.real(f"{CLASS}/{name}") or machine.real(f"/sys/block/{name}")


def _down(machine: LinuxMachine, directory: str, found: StorageStack, depth: int) -> None:
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


def _behind(machine: LinuxMachine, file: str, found: StorageStack, depth: int) -> None:
    """The disks of the file, or of the device, that a loop shows."""
    if file.startswith("/dev/"):
        for directory in _named(machine, file):
            _down(machine, directory, found, depth)
    elif file.startswith("/"):
        _follow(machine, found, mounts_carrying(machine, Path(file)), depth)


def _layer(machine: LinuxMachine, directory: str) -> str:
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
