"""Who uses a block device, by /sys and /proc: reasons not to write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gate.linux.block import (
    CLASS,
    above,
    backing_files,
    chain,
    name_of_number,
    name_of_path,
    number_of,
    partitions,
)
from gate.linux.machine import line
from gate.linux.mounts import MOUNTINFO, mounts_of_all, unescape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.linux.block import Chain
    from gate.linux.machine import LinuxMachine

_SYSTEM = ("/", "/boot", "/boot/efi", "/efi", "/usr", "/var", "/home", "/nix", "/sysroot")
"""Mount points that a machine does not run without, or that hold what cannot be made again."""
_NVMET = "/sys/kernel/config/nvmet/subsystems"
_BTRFS = "/sys/fs/btrfs"


class Reason(NamedTuple):
    """Why a device must not be written."""

    code: str
    why: str
    cure: str


def reasons(machine: LinuxMachine, device: Chain) -> Iterator[Reason]:
    """Everything that speaks against writing a device, the worst first."""
    mounts = tuple(dict.fromkeys(_mounts(machine)))
    if not machine.text(MOUNTINFO):
        yield Reason("G253", "what is mounted here cannot be seen", "See that /proc is mounted.")
    yield from _system(machine, device, mounts)
    yield from _kind(machine, device)
    family = _family(machine, device)
    for name, place in mounts:
        if name in family:
            yield _used(f"{_as(device, name)} is mounted on {place}", "Unmount it")
    for swap in _swaps(machine):
        if swap in family:
            yield _used(f"{_as(device, swap)} is swap", "Take it out of use with swapoff")
    yield from _carries(machine, device)
    yield from _shared(machine, device)
    yield from _exported(machine, family)


def _used(why: str, cure: str) -> Reason:
    return Reason("G251", why, f"{cure}, if nothing on it is needed.")


def _as(device: Chain, name: str) -> str:
    """A device of the chain, in words."""
    where = "on it" if name in device.above else "below it"
    return "it" if name == device.name else f"{name}, which is {where},"


def _family(machine: LinuxMachine, device: Chain) -> frozenset[str]:
    """The device, what stands on it and below it, and what else stands on that."""
    below = [chain(machine, one) for one in device.below]
    return frozenset((*device.lost, *device.below, *(one for each in below for one in each.above)))


def _mounts(machine: LinuxMachine) -> Iterator[tuple[str, str]]:
    """Devices and mount points, of this process and of every other, which may see others.

    A device whose mount nobody can show here is still claimed in the kernel: see `guard`; and
    `content.opened_by_others` refuses where not every process is seen.
    """
    for one in mounts_of_all(machine):
        # btrfs and overlay have a number that is no device's; their source may name one.
        for name in {name_of_number(machine, one.device), name_of_path(machine, one.source)}:
            if name:
                yield name, one.point
    for uuid in machine.names(_BTRFS):
        for name in machine.names(f"{_BTRFS}/{uuid}/devices"):
            yield name, f"a place of btrfs {uuid}"


def _swaps(machine: LinuxMachine) -> Iterator[str]:
    """Devices that are swap, also where the path that is shown is another namespace's."""
    for row in machine.text("/proc/swaps").split("\n")[1:]:
        path = unescape(row.split(" ")[0].split("\t")[0])
        last = path.removesuffix(" (deleted)").rpartition("/")[2]
        name = name_of_path(machine, path) or (last if number_of(machine, last) else "")
        if name:
            yield name


def _system(
    machine: LinuxMachine, device: Chain, mounts: tuple[tuple[str, str], ...]
) -> Iterator[Reason]:
    """The disks that the machine itself runs from, in any case and whatever else is said."""
    roots = {name: place for name, place in mounts if place in _SYSTEM}
    for word in machine.text("/proc/cmdline").split():
        key, _, value = word.partition("=")
        if key in {"root", "resume"} and (name := name_of_path(machine, value)):
            roots.setdefault(name, "the kernel's command line")
    for root, place in sorted(roots.items()):
        disks = {root, *chain(machine, root).below}
        shared = disks & {device.name, *device.below}
        if shared:
            what = "it is" if device.name in shared else f"it stands on {min(shared)}, which is"
            yield Reason(
                "G251",
                f"{what} a device that the machine itself runs from ({place})",
                "Name a device of its own for measuring.",
            )


def _kind(machine: LinuxMachine, device: Chain) -> Iterator[Reason]:
    place = f"{CLASS}/{device.name}"
    if line(machine, f"{place}/partition"):
        yield Reason("G253", "it is a partition", "Name a whole device.")
    if line(machine, f"{place}/hidden") == "1":
        yield Reason("G253", "the kernel hides it: it is one path of several", "Name the whole.")
    if line(machine, f"{place}/ro") not in {"0", ""}:
        yield Reason("G253", "it is read-only", "Name a device that may be written.")
    file = line(machine, f"{place}/loop/backing_file")
    if not file:
        return
    if {line(machine, f"{place}/loop/{one}") for one in ("offset", "sizelimit")} - {"0", ""}:
        yield Reason("G253", f"it shows only a part of {file}", "Let the loop show the whole file.")
    if not machine.real(file):
        yield Reason("G253", f"its file {file} cannot be found", "Set the loop up again.")


def _carries(machine: LinuxMachine, device: Chain) -> Iterator[Reason]:
    """Partitions and holders are data, whether or not they are in use now."""
    own = partitions(machine, device.name)
    if own:
        cure = "Remove its partition table with wipefs, if nothing on it is needed."
        yield Reason("G252", f"it has partitions: {', '.join(own)}", cure)
    others = [one for one in dict.fromkeys(above(machine, device.name)) if one not in own]
    if others:
        yield _used(f"it is in use by {', '.join(others)}", "Take that apart")


def _shared(machine: LinuxMachine, device: Chain) -> Iterator[Reason]:
    """What the device is made of must serve it alone: two device-mapper targets may overlap."""
    inside = {device.name, *device.above, *device.below}
    for part in device.below:
        others = [one for one in chain(machine, part).above if one not in inside]
        if others:
            said = f"{part}, which it stands on, also carries {', '.join(others)}"
            yield _used(said, "Give the device a disk of its own")
    file = line(machine, f"{CLASS}/{device.name}/loop/backing_file")
    for loop, other in backing_files(machine) if file else ():
        if loop != device.name and machine.real(other) == machine.real(file):
            yield _used(f"{loop} shows the same file", "Detach that loop")


def _exported(machine: LinuxMachine, family: frozenset[str]) -> Iterator[Reason]:
    """NVMe over fabrics shows a device to other machines without claiming it."""
    for system in machine.names(_NVMET):
        for space in machine.names(f"{_NVMET}/{system}/namespaces"):
            file = line(machine, f"{_NVMET}/{system}/namespaces/{space}/device_path")
            if file and name_of_path(machine, file) in family:
                yield _used(f"it is exported to other machines as {system}", "End the export")
