"""The disk guard: a block device may be written only if this finds nothing against it.

The device must be one that the machine's owner gave to the gate, by the name that stays with the
drive. It is then claimed for ourselves, as a mount would claim it, and looked at while nobody
else can take it: whoever mounts it, swaps to it or builds an array of it makes the claim fail,
whether or not we can see them.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.host.disk_guard.content import (
    is_read_only,
    opened_by_others,
    sequence_of,
    signatures,
    size_of,
)
from gate.host.disk_guard.first_use import content, is_labelled, looked_at
from gate.host.disk_guard.uses import Reason, reasons
from gate.linux.block import chain, name_of_number, name_of_path, number_of
from gate.linux.machine import ThisMachine, line
from gate.units import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.linux.machine import LinuxMachine
    from gate.model import AllowedDevice

_PATIENCE, _PAUSE = 2.0, 0.1
"""Seconds that others, such as udev after a change, have to let go of the device."""
_MOST_SHOWN = 3
_BY_ID = "/dev/disk/by-id/"
_LISTED = "/etc/driftgate/devices.toml"
_CHANGED = "it became another device since it was looked at"
LOST = "it holds {}, which will be lost: its owner wrote `erase = true`"
UNSEEN = "a process is not to be seen that has it in a ring of io_uring which is busy or closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A block device that may be written: nothing was found against it."""

    allowed: AllowedDevice
    path: str
    """`/dev/nvme1n1`, no link."""
    name: str
    """The kernel's name."""
    number: str
    """`major:minor`."""
    sequence: str
    """The kernel's running number of disks; empty before Linux 5.15."""
    size: int = 0
    """Bytes."""
    least: int = 0
    """Bytes that are needed."""
    ours: frozenset[str] = frozenset()
    """UUIDs of file systems that may be on it, because the gate made them; and its own name, if
    the gate began to write it and was killed."""
    notes: tuple[str, ...] = ()
    """What its owner should know before it is written."""


def check_device(
    machine: LinuxMachine, allowed: AllowedDevice, *, least: int, ours: frozenset[str] = frozenset()
) -> Device:
    """Look at an allowed device from every side, and let it go again.

    `least` is the bytes that are needed, `ours` the UUIDs of file systems that the gate made.

    Raises:
        InputError: G250 to G253, it must not be written; the message says why.
    """
    device = examine_device(machine, allowed)
    with _claimed(device, os.O_RDONLY) as handle:
        return _looked_at(machine, replace(device, least=least, ours=ours), handle)


@contextmanager
def hold_device(device: Device) -> Iterator[int]:
    """Keep a device from everybody else while it is measured, checked once more under the claim.

    Gives a handle to read and write it. While it is held nobody can mount it, and its name and
    number go to no other drive.

    Raises:
        InputError: as `check_device`; G250 also where it became another device meanwhile.
    """
    machine = ThisMachine()
    now = examine_device(machine, device.allowed)
    demand_same(device, now)
    with _claimed(now, os.O_RDWR) as handle:
        _looked_at(machine, replace(now, least=device.least, ours=device.ours), handle)
        yield handle
        demand_same(device, examine_device(machine, device.allowed, ourselves=True))


def examine_device(
    machine: LinuxMachine, allowed: AllowedDevice, *, ourselves: bool = False
) -> Device:
    """The device behind an allowed name, if /sys and /proc hold nothing against it.

    With `ourselves` only what it is matters, not who uses it: we do.

    Raises:
        InputError: G250 to G253.
    """
    real = machine.real(allowed.by_id) if allowed.by_id.startswith(_BY_ID) else ""
    if not real:
        raise refuse_device(allowed, "", _missing("no such device is here"))
    name = name_of_path(machine, real)
    number = number_of(machine, name) if name else ""
    if not number:
        raise refuse_device(
            allowed, real, _missing("it leads to something that is no block device")
        )
    rows = machine.text(f"/sys/dev/block/{number}/uevent").splitlines()
    kernel_name = dict(row.partition("=")[::2] for row in rows).get("DEVNAME", "")
    named_so = kernel_name in {real.removeprefix("/dev/"), ""}
    if name_of_number(machine, number) != name or not named_so:
        why = f"the kernel calls device {number} {kernel_name}"
        raise refuse_device(allowed, real, _missing(why))
    against = () if ourselves else tuple(reasons(machine, chain(machine, name)))
    if against:
        raise refuse_device(allowed, real, *against)
    sequence = line(machine, f"/sys/dev/block/{number}/diskseq")
    return Device(allowed=allowed, path=real, name=name, number=number, sequence=sequence)


def _missing(why: str) -> Reason:
    return Reason("G250", why, "`ls -l /dev/disk/by-id` lists this machine's drives.")


def refuse_device(allowed: AllowedDevice, real: str, *against: Reason) -> InputError:
    """The error that says everything that was found against a device."""
    shown = [one.why for one in against[:_MOST_SHOWN]]
    more = [f"and {len(against) - len(shown)} more reasons"] if len(against) > len(shown) else []
    where = f" ({real})" if real else ""
    return InputError(
        against[0].code,
        f"the device {allowed.name}{where} must not be written: {'; '.join([*shown, *more])}.",
        cure=against[0].cure,
        place=allowed.by_id,
    )


@contextmanager
def _claimed(device: Device, mode: int) -> Iterator[int]:
    """The device, claimed for us alone."""
    if os.geteuid() != 0:
        why = "only root can see whether somebody else uses it"
        refusal = Reason("G253", why, "Run the gate as root.")
        raise refuse_device(device.allowed, device.path, refusal)
    handle = _patiently(device, lambda: _open(device, mode))
    try:
        # udev leaves a device alone that somebody has locked, and does not disturb the trials.
        _patiently(device, lambda: _lock(handle))
        yield handle
    finally:
        os.close(handle)


def _open(device: Device, mode: int) -> int | Reason:
    try:
        handle = os.open(device.path, mode | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        busy = error.errno == errno.EBUSY
        why = "it is in use: the kernel refuses to claim it" if busy else (error.strerror or "")
        cure = "Find out who mounts it, swaps to it or has built an array or a volume of it."
        return Reason("G251" if busy else "G253", why, cure)
    seen = os.fstat(handle)
    number = f"{os.major(seen.st_rdev)}:{os.minor(seen.st_rdev)}"
    if stat.S_ISBLK(seen.st_mode) and number == device.number:
        return handle
    os.close(handle)
    return _missing(f"{device.path} is not block device {device.number}")


def _lock(handle: int) -> int | Reason:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return Reason("G251", "another program has locked it", "Wait for that program to end.")
    return handle


def _patiently(device: Device, attempt: Callable[[], int | Reason]) -> int:
    """What an attempt gives within our patience; a reason that stays is raised."""
    until = time.monotonic() + _PATIENCE
    while isinstance(found := attempt(), Reason):
        if found.code != "G251" or time.monotonic() > until:
            raise refuse_device(device.allowed, device.path, found)
        time.sleep(_PAUSE)
    return found


def _looked_at(machine: LinuxMachine, device: Device, handle: int) -> Device:
    """The claimed device with its size, if nothing of it speaks against writing."""
    number = os.fstat(handle).st_rdev
    _patiently(device, lambda: next(opened_by_others(number), 0))
    size, sequence = size_of(handle), sequence_of(handle)
    against = list(_unfit(handle, size, device.least))
    against += [] if against else list(signatures(device.path, handle, device.ours))
    if against:
        raise refuse_device(device.allowed, device.path, *against)
    if sequence and device.sequence and sequence != device.sequence:
        raise refuse_device(device.allowed, device.path, _missing(_CHANGED))
    # Once more under the claim: what was looked at must be what was opened.
    demand_same(device, examine_device(machine, device.allowed))
    return replace(device, size=size, notes=tuple(_first_use(device, handle, size)))


def _first_use(device: Device, handle: int, size: int) -> Iterator[str]:
    """What is told before the gate writes a device that is not its own yet.

    Raises:
        InputError: G252, it holds something, and its owner has not said that it may go.
    """
    if device.allowed.by_id in device.ours or is_labelled(handle):
        return
    found = content(handle)
    if found and not device.allowed.erase:
        cure = f"Look what it is. If it may go: `erase = true` below [device.{device.allowed.name}]"
        held = Reason("G252", f"it holds {found}", f"{cure} in {_LISTED}, or blkdiscard.")
        raise refuse_device(device.allowed, device.path, held)
    yield LOST.format(found) if found else f"first write to it: it is blank ({looked_at(size)})"
    yield UNSEEN


def _unfit(handle: int, size: int, least: int) -> Iterator[Reason]:
    if is_read_only(handle):
        yield Reason("G253", "it is read-only", "Name a device that may be written.")
    if size < max(least, 1):
        needed = f"it has {show(float(size), 'B')}, and {show(float(least), 'B')} are needed"
        yield Reason("G253", needed, "Name a larger device.")


def demand_same(before: Device, now: Device) -> None:
    """Refuse a device that is not the one that was looked at before.

    Raises:
        InputError: G250.
    """
    if (before.path, before.number, before.sequence) != (now.path, now.number, now.sequence):
        raise refuse_device(before.allowed, now.path, _missing(_CHANGED))
