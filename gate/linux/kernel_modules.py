"""Modules of the running kernel, and the build-id by which a kernel or a module proves what it is.

Read from /proc/modules, /sys/module, and the ELF notes (elf(5)) of a file.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gate.linux.machine import ThisMachine, line

if TYPE_CHECKING:
    from collections.abc import Iterator

_BUILD_ID = 3
_GNU = b"GNU\0"
_XEN_ENTRY = struct.pack("<I", 18) + b"Xen\0"
"""XEN_ELFNOTE_PHYS32_ENTRY: the note that says where a kernel is entered by PVH."""
_MOST_SECTIONS = 65_536
_NOTE_SECTION = 7
_LONGEST_ID = 64


def build_id_in(notes: bytes, order: str = "=") -> str:
    """The build-id among notes as /sys/kernel/notes gives them, as hex digits; empty for none.

    The running kernel writes its numbers as the processor does, a file by its own byte `order`.
    """
    at = 0
    while at + 12 <= len(notes):
        named, described, kind = struct.unpack_from(f"{order}III", notes, at)
        name_at = at + 12
        content = name_at + -(-named // 4) * 4
        at = content + -(-described // 4) * 4
        if content + described > len(notes):
            break
        named_gnu = notes[name_at : name_at + named] == _GNU
        if kind == _BUILD_ID and named_gnu and 0 < described <= _LONGEST_ID:
            return notes[content : content + described].hex()
    return ""


def build_id_of(elf: bytes) -> str:
    """The build-id of a 64-bit little-endian ELF file; empty for none or another file."""
    return next(filter(None, (build_id_in(notes, "<") for notes in _note_sections(elf))), "")


def enters_unpacked(elf: bytes) -> bool:
    """Whether a kernel can be entered as it is, by PVH; otherwise its packed image is booted."""
    return any(_XEN_ENTRY in notes for notes in _note_sections(elf))


def _note_sections(elf: bytes) -> Iterator[bytes]:
    if elf[:6] != b"\x7fELF\x02\x01" or len(elf) < 64:
        return
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    size, count = struct.unpack_from("<HH", elf, 0x3A)
    for number in range(min(count, _MOST_SECTIONS)):
        at = table + number * size
        if at + 64 > len(elf):
            return
        kind, _flags, _address, offset, length = struct.unpack_from("<IQQQQ", elf, at + 4)
        if kind == _NOTE_SECTION and offset + length <= len(elf):
            yield elf[offset : offset + length]


PROC = Path("/proc/modules")
SYS = Path("/sys/module")
_DIED = 1 << 7
"""Bit of /proc/sys/kernel/tainted: the kernel died in an oops once."""


class LoadedModule(NamedTuple):
    """One module that is loaded."""

    build_id: str
    srcversion: str
    """Empty where the module was built without one."""
    entry: int
    """Number of its directory in /sys: another one after it was loaded again."""


def loads_modules() -> bool:
    """Whether this kernel can load any."""
    return PROC.exists()


def loaded_names() -> frozenset[str]:
    """Names of all loaded modules, with underscores; empty where the kernel has no modules."""
    return frozenset(row.split()[0] for row in ThisMachine().text(str(PROC)).splitlines() if row)


def loaded_module(name: str) -> LoadedModule | None:
    """A loaded module; None where there is none, or where the kernel has it built in."""
    place = SYS / name
    try:
        if (place / "initstate").read_text("ascii").strip() != "live":
            return None
        return LoadedModule(
            build_id=build_id_in((place / "notes" / ".note.gnu.build-id").read_bytes()),
            srcversion=line(ThisMachine(), str(place / "srcversion")),
            entry=place.stat().st_ino,
        )
    except OSError:
        return None


def kernel_had_oops() -> bool:
    """Whether this kernel had an oops since it was booted."""
    flags = line(ThisMachine(), "/proc/sys/kernel/tainted")
    return flags.isdecimal() and bool(int(flags) & _DIED)
