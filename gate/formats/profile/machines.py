"""The machines that a profile asks for: booted ones, and this one restarted.

`machine = { ... }` of a subject, or options of a command line, is what a kernel is booted in;
`metal = { ... }` is how this machine itself is restarted into a side's kernel; `[guest]` is booted
with the side's kernel for each trial that counts instructions.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from gate.errors import InputError
from gate.formats.document import Form
from gate.model import DEVICE_DISK, Guest, Machine, Metal, OneShot, Untouched
from gate.units import parse_quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gate.formats.profile.sizes import Sized

    Wrong = Callable[..., InputError]

Accelerator = Literal["auto", "kvm", "tcg"]
_LEAST_MEMORY, _LEAST_GUEST_MEMORY, _MOST_MEMORY = 256, 128, 64 << 10
"""MiB."""
_SMALLEST_DISK, _LARGEST_DISK = 16 << 20, 1 << 40
"""Bytes; a disk is a sparse file."""
_MOST_CPUS = 64


class MachineForm(Form):
    """`machine = { ... }`: the virtual machine that a kernel is booted in."""

    memory: str = "2 GiB"
    """Of the machine; the trial's files in it live in memory too."""
    cpus: int = Field(default=1, ge=1, le=_MOST_CPUS)
    """Processors."""
    command_line: str = ""
    """Added to the kernel's command line."""
    disks: list[str] = []
    """In this order: empty throw-away disks, "virtio:1 GiB", "nvme:512 MiB"; and "virtio:device"
    or "nvme:device", behind which is the device of [storage]."""
    trials: int = Field(default=3, ge=1, le=100)
    """Trials in a row inside one boot, whose median is what the boot gave."""
    accelerator: Accelerator = "auto"
    """KVM, emulation, or KVM where a probe boot proves it usable."""


def machine_from(form: MachineForm, wrong: Wrong) -> Machine:
    """The machine that a profile asks for."""
    if not form.command_line.isprintable():
        raise wrong("subject.machine.command_line is not one line.", "subject", "machine")
    limits = (_LEAST_MEMORY << 20, _MOST_MEMORY << 20)
    memory = int(within(form.memory, "B", limits, wrong, "machine", "memory")) >> 20
    disks = tuple(_disk(one, wrong) for one in form.disks)
    return Machine(**form.as_fields() | {"memory": memory, "disks": disks})


def machine_of(
    *, memory: str, cpus: int, disks: Sequence[str], command_line: str, accelerator: Accelerator
) -> Machine:
    """The machine that options of a command line ask for: there no [storage] gives a device."""

    def wrong(message: str, *_: str | int, cure: str = "") -> InputError:
        return InputError("G200", message.replace("subject.machine.", "--"), cure=cure)

    form = MachineForm(
        memory=memory,
        cpus=cpus,
        disks=list(disks),
        command_line=command_line,
        accelerator=accelerator,
    )
    machine = machine_from(form, wrong)
    for one in machine.disks:
        if one.endswith(DEVICE_DISK):
            cure = "Name it in a profile, with [storage] device and root's own list of devices."
            raise wrong(f"subject.machine.disks: no device is named for {one!r}.", cure=cure)
    return machine


def within(text: str, unit: str, limits: tuple[float, float], wrong: Wrong, *key: str) -> float:
    """A quantity between two limits, in base units; `key` names it below `subject`."""
    name = ".".join(("subject", *key))
    try:
        value = parse_quantity(text, unit)
    except ValueError as error:
        raise wrong(f"{name}: {error}.", "subject", *key) from error
    if not limits[0] <= value <= limits[1]:
        low, high = (f"{limit:g} {unit}" for limit in limits)
        raise wrong(f"{name} must be {low} to {high}.", "subject", *key)
    return value


def _disk(text: str, wrong: Wrong) -> str:
    """A disk as `nvme:536870912`, or as it is where it stands for the device."""
    match = re.fullmatch(r"(virtio|nvme):(.+)", text)
    if match is None:
        said = f"subject.machine.disks: {text[:80]!r} is no disk."
        cure = 'Write a bus and a size, "virtio:1 GiB" or "nvme:512 MiB"; or "nvme:device".'
        raise wrong(said, "subject", "machine", "disks", cure=cure)
    if text.endswith(DEVICE_DISK):
        return text
    size = within(match[2], "B", (_SMALLEST_DISK, _LARGEST_DISK), wrong, "machine", "disks")
    return f"{match[1]}:{int(size)}"


_ENTRIES = frozenset({"base", "head"})
_KEYS = {
    OneShot.GRUB: _ENTRIES,
    OneShot.SYSTEMD_BOOT: _ENTRIES,
    OneShot.EFI: _ENTRIES,
    OneShot.KEXEC: frozenset({"initrd", "command_line"}),
    OneShot.COMMAND: frozenset({"once"}),
}
_NEEDED = _ENTRIES | {"once"}
_NUMBER = re.compile(r"[0-9A-Fa-f]{4}")


class MetalForm(Form):
    """`metal = { by = "grub", base = "...", head = "..." }`."""

    by: Literal["grub", "systemd-boot", "efi", "kexec", "command"]
    """What makes the next start, and no other, one of the side's kernel."""
    base: str = ""
    """grub: a menu entry; systemd-boot: its ID; efi: the number of a boot option, "0003"."""
    head: str = ""
    """Likewise, for the head side."""
    once: str = ""
    """command: a shell command that arms the next start; `{side}` is the side's directory."""
    restart: str = ""
    """A shell command instead of `systemctl reboot`, and `systemctl kexec` with kexec."""
    initrd: str = ""
    """kexec: the first file system; `{side}` is the side's directory."""
    command_line: str = ""
    """kexec: the kernel's command line, instead of that of the kernel that was there first."""


def metal_of(form: MetalForm, wrong: Wrong) -> Metal:
    """How the machine is restarted."""
    by = OneShot(form.by)
    for said, cure in _unfit_metal(form, by):
        raise wrong(f"subject.metal{said}.", "subject", "metal", cure=cure)
    return Metal(**form.as_fields() | {"by": by})


def _unfit_metal(form: MetalForm, by: OneShot) -> Iterator[tuple[str, str]]:
    allowed = _KEYS[by] | {"restart"}
    for key in sorted(form.model_fields_set - allowed - {"by"}):
        yield f".{key} means nothing to {by.value}, which has {', '.join(sorted(allowed))}", ""
    for key in sorted(allowed):
        text = getattr(form, key)
        if not text and key in _NEEDED:
            yield f": {by.value} needs the key {key}", ""
        if not text.isprintable() or text.startswith("-"):
            yield f".{key}: {text[:80]!r} is no name", ""
        if by is OneShot.EFI and key in _ENTRIES and not _NUMBER.fullmatch(text):
            cure = "`efibootmgr` lists them: four hexadecimal digits, as in Boot0003."
            yield f".{key}: {text[:80]!r} is no number of a boot option", cure
    if allowed >= _ENTRIES and form.base == form.head:
        yield ": both sides have one boot entry", ""


class GuestForm(Form):
    """`[guest]`: the machine that is booted with the side's kernel for each trial."""

    modules: list[str] = []
    """Kernel modules to load, in this order, with parameters: "null_blk nr_devices=1"."""
    programs: list[str] = []
    """Programs of this machine that the command runs; busybox is always there."""
    prepare: str = ""
    """A shell command in the guest before the trial, not counted."""
    memory: str = "512 MiB"
    """Memory of the guest."""
    command_line: str = ""
    """Added to the kernel's command line."""
    operations: list[int]
    """What `{operations}` in the command stands for: in a short run, and in a long one."""
    untouched: Literal["note", "close"] = "note"
    """What becomes of a pass that executed no changed function: "note" it, or "close" the gate."""


def guest_of(form: GuestForm, source: Sized) -> Guest:
    """The machine that is booted for a trial."""
    if len(form.operations) != 2 or not 0 < form.operations[0] < form.operations[1]:
        why = f"{form.operations} is no short and no long run"
        cure = "Write two numbers, the second larger: operations = [2000, 6000]."
        raise source.refused(why, "guest", "operations", cure=cure)
    memory = int(source.quantity(form.memory, "B", "guest", "memory")) >> 20
    if not _LEAST_GUEST_MEMORY <= memory <= _MOST_MEMORY:
        limits = f"{_LEAST_GUEST_MEMORY} MiB to {_MOST_MEMORY >> 10} GiB"
        raise source.wrong(f"guest.memory must be {limits}.", "guest", "memory")
    for key in ("modules", "programs"):
        for one in getattr(form, key):
            if not one.strip() or not one.isprintable():
                raise source.refused(f"{one[:80]!r} is no name", "guest", key)
    if not form.command_line.isprintable():
        raise source.wrong("guest.command_line is not one line.", "guest", "command_line")
    return Guest(**form.as_fields() | {"memory": memory, "untouched": Untouched(form.untouched)})


def run_in_guest(guest: Guest) -> dict[str, object]:
    """What of it decides what is run, for a digest: what is made of a pass is no part of that."""
    return {key: value for key, value in asdict(guest).items() if key != "untouched"}
