"""`/etc/driftgate/devices.toml`: the devices that this machine's owner gave to the gate.

Everything on such a device may be lost, so the file stands outside every repository, at one fixed
place that no option and no variable moves, and only root may have written it.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from pydantic import Field

from gate.errors import InputError
from gate.formats import names, toml
from gate.formats.document import Document, Form
from gate.model import AllowedDevice

DEVICES = Path("/etc/driftgate/devices.toml")
_LARGEST = 1 << 20
_BY_ID = re.compile(r"/dev/disk/by-id/[A-Za-z0-9][^/\s\x00-\x1f\x7f]*")
_PARTITION = re.compile(r"-part\d+$")
_CURE = "`ls -l /dev/disk/by-id` lists the names of this machine's drives."


class DeviceForm(Form):
    """`[device.NAME]`: a whole device whose content may be lost."""

    by_id: str
    """The drive, by the name that stays with it: "/dev/disk/by-id/nvme-..."; no partition."""
    endurance: str | None = None
    """What the drive is rated to take: "600 TB"."""
    erase: bool = False
    """Whether data on it that is not the gate's, and has no signature, may be overwritten."""


class DevicesForm(Form, title="driftgate devices"):
    """The devices that the gate may overwrite on this machine, and no other."""

    schema_number: int = Field(alias="schema")
    """Number of this format."""
    device: dict[str, DeviceForm] = {}
    """Device by the name that profiles call it."""


def read_devices(path: Path = DEVICES) -> tuple[AllowedDevice, ...]:
    """The allowed devices in the order of the file; none where there is no file.

    Raises:
        InputError: G249, somebody other than root may have written the file; G204, G206, G207,
            it is malformed.
    """
    raw = _trusted(path)
    if raw is None:
        return ()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("G203", "not UTF-8 text.", place=str(path)) from error
    data = toml.parse_toml(text, str(path))
    document = Document(data, text, str(path), schema="devices")
    document.check_schema()
    form = document.validate(DevicesForm)
    found = tuple(_device(name, one, document) for name, one in form.device.items())
    by_id = [one.by_id for one in found]
    for one in found:
        if by_id.count(one.by_id) > 1:
            why = "the same device stands there twice"
            raise document.refused(why, "device", one.name, "by_id", cure=_CURE)
    return found


def _trusted(path: Path) -> bytes | None:
    """The file's content, if nobody but root can have written it; None where there is no file.

    Each directory is opened below the one before, so that none can be exchanged after a look.
    """
    handle = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    place = Path("/")
    try:
        _demand_roots(handle, place)
        for name in path.absolute().parts[1:]:
            place /= name
            try:
                below = os.open(
                    name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=handle
                )
            except FileNotFoundError:
                return None
            except OSError as error:
                raise _distrust(place, _why(place, error)) from error
            os.close(handle)
            handle = below
            _demand_roots(handle, place)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise _distrust(place, "it is no plain file")
        with os.fdopen(os.dup(handle), "rb") as stream:
            raw = stream.read(_LARGEST + 1)
    finally:
        os.close(handle)
    if len(raw) > _LARGEST:
        raise _distrust(place, "it is larger than 1 MiB")
    return raw


def _why(place: Path, error: OSError) -> str:
    return "it is a link" if place.is_symlink() else (error.strerror or str(error))


def _demand_roots(handle: int, place: Path) -> None:
    seen = os.fstat(handle)
    if seen.st_uid != 0:
        raise _distrust(place, f"it belongs to user {seen.st_uid}, not to root")
    if seen.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _distrust(place, f"others than root may write it (mode {seen.st_mode & 0o7777:o})")


def _distrust(place: Path, why: str) -> InputError:
    message = f"the list of allowed devices cannot be trusted: {why}."
    cure = "Make root the owner of it and of the directories above: chown root:root, chmod go-w."
    return InputError("G249", message, cure=cure, place=str(place))


def _device(name: str, form: DeviceForm, document: Document) -> AllowedDevice:
    if not names.is_plain(name):
        why = f"device.{name[:80]}: {name[:80]!r} is no name for a device: {names.RULE}."
        raise document.wrong(why, "device", name, cure=_CURE)
    at, endurance = ("device", name), None
    if not _BY_ID.fullmatch(form.by_id):
        why = f"{form.by_id[:200]!r} is no name directly below /dev/disk/by-id/"
        raise document.refused(why, *at, "by_id", cure=_CURE)
    if _PARTITION.search(form.by_id):
        why = "a partition is not allowed, only a whole device: its table would be at risk"
        raise document.refused(why, *at, "by_id", cure=_CURE)
    if form.endurance is not None:
        endurance = document.quantity(form.endurance, "B", *at, "endurance", cure=_CURE)
        if endurance <= 0:
            raise document.refused("must be above zero", *at, "endurance", cure=_CURE)
    return AllowedDevice(name=name, by_id=form.by_id, endurance=endurance, erase=form.erase)
