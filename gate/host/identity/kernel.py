"""The kernel that runs here: its build, what it was booted with, and how it was configured.

Whether this machine is one that the gate booted, emulated: its clock counts instructions.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gate.host.identity.facts import short
from gate.host.identity.facts_epoch import COMMAND_LINE, normal_command_line
from gate.linux.machine import LinuxMachine, ThisMachine, line
from gate.model import BY_INSTRUCTIONS, CLOCK, Kernel
from gate.model.kernel_config import options_in, public_options

if TYPE_CHECKING:
    from collections.abc import Iterator


RELEASE = "/proc/sys/kernel/osrelease"
VERSION = "/proc/sys/kernel/version"
NOTES = "/sys/kernel/notes"
CONFIG = "/proc/config.gz"
"""There where the kernel was built to tell it, and its module `configs` is loaded."""
_LARGEST_CONFIG = 4 << 20
"""Bytes; a distribution's is 300 kB."""
_LONGEST_LINE = 2000
"""Characters of a command line that are kept."""
_GZIP = 31
"""What zlib calls a stream with gzip's own head."""
_HEAD = struct.Struct("=III")
"""Of a note: length of its name, length of its content, kind; as the processor writes them."""
_BUILD_ID = (b"GNU\0", 3)
_LONGEST_ID = 64


class RawMachine(LinuxMachine, Protocol):
    """A machine whose files need not be text."""

    def data(self, path: str) -> bytes:
        """A file's bytes; none where it cannot be read."""
        ...


def read_kernel(machine: RawMachine | None = None) -> Kernel | None:
    """What the kernel of this machine tells of itself; None where it does not tell its release.

    What names one machine or a person, or may be a secret, is left out of its words and options.
    Only out of files that everybody may read. It takes some milliseconds.
    """
    machine = machine or ThisMachine()
    release = line(machine, RELEASE)
    if not release:
        return None
    return Kernel(
        release=short(release),
        version=short(line(machine, VERSION)),
        build_id=_build_id(machine.data(NOTES)),
        command_line=_plain(normal_command_line(machine.text(COMMAND_LINE)))[:_LONGEST_LINE],
        config=public_options(options_in(_config(machine, release).splitlines())),
    )


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _config(machine: RawMachine, release: str) -> str:
    """The configuration's text, from the kernel itself or else from beside its image."""
    told = _unpacked(machine.data(CONFIG))
    if told or "/" in release:
        return told
    return machine.text(f"/boot/config-{release}")


def _unpacked(packed: bytes) -> str:
    """The text of a gzip stream, up to a cap; empty where it is none."""
    try:
        raw = zlib.decompressobj(_GZIP).decompress(packed, _LARGEST_CONFIG)
    except zlib.error:
        return ""
    return raw.decode("utf-8", "replace")


def _build_id(notes: bytes) -> str:
    """The build id among ELF notes, in hexadecimal; empty where there is none."""
    found = (content for *kind, content in _notes(notes) if tuple(kind) == _BUILD_ID)
    return next((one.hex() for one in found if 0 < len(one) <= _LONGEST_ID), "")


def _notes(notes: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    """Name, kind and content of each whole note; both are padded to four bytes."""
    place = 0
    while place + _HEAD.size <= len(notes):
        named, held, kind = _HEAD.unpack_from(notes, place)
        name = place + _HEAD.size
        content = name + _padded(named)
        if content + held > len(notes):
            return
        yield notes[name : name + named], kind, notes[content : content + held]
        place = content + _padded(held)


def _padded(length: int) -> int:
    return (length + 3) & ~3


WORD = "driftgate.clock=instructions"
"""Among the words that such a kernel was booted with."""
_CMDLINE = Path("/proc/cmdline")


def guest_clock() -> dict[str, str]:
    """What it has for a clock, among the tools of a session; empty on any other machine."""
    try:
        words = _CMDLINE.read_text("utf-8", "replace").split()
    except OSError:
        return {}
    return {CLOCK: BY_INSTRUCTIONS} if WORD in words else {}


def guest_notes() -> tuple[str, ...]:
    """What a reader must know of everything that is measured on it."""
    if not guest_clock():
        return ()
    return ("measured in an emulated machine: its time is 8 ns for each instruction, not time",)
