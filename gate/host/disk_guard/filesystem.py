"""A file system of our own on an allowed device: made, mounted where only we see it, wiped.

It is mounted in a mount namespace of this process and its children, so that a gate that dies
leaves no mount behind. What it leaves is the signature on the device: its UUID is written down
before the file system is made, so that the next start knows it for ours and for nobody's data.
"""

from __future__ import annotations

import ctypes
import json
import os
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.errors import InputError, MeasureError
from gate.formats import disk
from gate.host.journal import state_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_CLONE_NEWNS, _MS_REC, _MS_SLAVE = 0x00020000, 0x4000, 0x80000
_LIBC = ctypes.CDLL(None, use_errno=True)
_JOURNAL = "filesystems.json"
_MAKE = {
    # Whatever is initialised later would be initialised while something is measured.
    "ext4": ("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", "-U"),
    "xfs": ("mkfs.xfs", "-q", "-f", "-m"),
    "btrfs": ("mkfs.btrfs", "-q", "-f", "-U"),
}
_KEPT = 100
"""UUIDs remembered, newest first."""


def ours(state: Path | None = None) -> frozenset[str]:
    """UUIDs of file systems that the gate made and has perhaps not wiped; devices that it writes.

    Raises:
        InputError: the record of them cannot be read.
    """
    place = state or state_directory()
    return frozenset((*_read(place), *_written(place)))


def note_writing(state: Path, by_id: str) -> None:
    """Write down that the gate writes a device: what a killed one leaves there is its own."""
    _remember(state, _read(state), sorted({*_written(state), by_id}))


def forget_writing(state: Path, by_id: str) -> None:
    """The device carries the gate's label again."""
    _remember(state, _read(state), [one for one in _written(state) if one != by_id])


def _read(state: Path) -> list[str]:
    return _journal(state)["made"]


def _written(state: Path) -> list[str]:
    return _journal(state)["writing"]


def _journal(state: Path) -> dict[str, list[str]]:
    path = state / _JOURNAL
    if disk.is_absent(path):
        return {"made": [], "writing": []}
    try:
        found = json.loads(disk.read_text(path, "profile"))
        made = [str(uuid.UUID(one)) for one in found["made"]]
        return {"made": made, "writing": [str(one) for one in found.get("writing", [])]}
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(
            "G259",
            "the record of the file systems that the gate made is spoilt.",
            cure="Look at the devices of your allow-list, wipe those that may be wiped "
            "(wipefs --all DEVICE), and remove the file.",
            place=str(path),
        ) from error


def _remember(state: Path, made: Sequence[str], writing: Sequence[str] | None = None) -> None:
    writes = _written(state) if writing is None else list(writing)
    data = {"schema": 1, "made": list(made)[:_KEPT], "writing": writes}
    disk.write_text(state / _JOURNAL, json.dumps(data) + "\n")


@dataclass(slots=True)
class FileSystem:
    """One that is ours, on one device, mounted at one place."""

    kind: str
    device: str
    place: Path
    run: Callable[[Sequence[str]], None]
    """Runs a program to its end; raises MeasureError if it fails."""
    check: Callable[[], object]
    """Looks again whether the device may be written; raises InputError if not."""
    state: Path
    uuid: str = ""
    mounted: bool = False

    def make(self) -> None:
        """Make it anew, and mount it.

        Raises:
            InputError: the device may not be written any more.
            MeasureError: it cannot be made or mounted.
        """
        self.unmount()
        self.check()
        before, self.uuid = self.uuid, str(uuid.uuid4())
        _remember(self.state, [self.uuid, *_read(self.state)])
        name = f"uuid={self.uuid}" if self.kind == "xfs" else self.uuid
        self.run((*_MAKE[self.kind], name, self.device))
        _remember(self.state, [one for one in _read(self.state) if one != before])
        self.mount()

    def mount(self) -> None:
        """Mount it; what it holds stays.

        Raises:
            InputError: the device may not be used any more.
            MeasureError: it cannot be mounted.
        """
        self.check()
        self.run(("mount", "-t", self.kind, "-o", "nosuid,nodev", self.device, str(self.place)))
        self.mounted = True

    def unmount(self) -> None:
        """Unmount it, if it is mounted.

        Raises:
            MeasureError: something still uses it.
        """
        if self.mounted:
            self.run(("umount", str(self.place)))
            self.mounted = False

    def wipe(self) -> None:
        """Leave the device as empty as it was found.

        Raises:
            MeasureError: it cannot be wiped; the UUID stays written down.
        """
        self.unmount()
        if not self.uuid:
            return
        self.check()  # what stands there must still be ours, or nothing
        self.run(("wipefs", "--all", "--quiet", self.device))
        _remember(self.state, [one for one in _read(self.state) if one != self.uuid])
        self.uuid = ""


def enter_own_mounts() -> None:
    """From here on, mounts of this process are seen by it and its children only.

    There is no way back, and none is needed: mounts made outside still reach us.

    Raises:
        MeasureError: G256, this needs root.
    """
    if _LIBC.unshare(_CLONE_NEWNS) or _LIBC.mount(
        b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_SLAVE), None
    ):
        why = os.strerror(ctypes.get_errno())
        raise MeasureError(
            "G256",
            f"a device cannot be mounted here: {why}.",
            cure="Run the gate as root, outside a container without CAP_SYS_ADMIN.",
        )
