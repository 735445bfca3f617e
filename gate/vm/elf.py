"""Object files and modules for x86-64: sections, symbols and what the linker is to fill in.

Only relocatable ELF files are read (gABI, "Object Files"), with their offsets bounded by the file.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

_SYMBOLS, _RELOCATIONS = 2, 4
_RESERVED = 0xFF00
"""Section numbers from here on stand for something else than a section."""
_MOST = 1 << 20
"""Entries of a table that are read."""
EXECUTABLE = 0x4
STRINGS = 0x20
NOTYPE, OBJECT, FUNCTION, SECTION = 0, 1, 2, 3


class NotRead(Exception):
    """The bytes are no object file for x86-64; the message says why."""


class ElfSection(NamedTuple):
    """A section."""

    name: str
    kind: int
    flags: int
    content: bytes
    link: int
    info: int


class Symbol(NamedTuple):
    """A symbol that lies in a section, or in none (`section` is 0)."""

    name: str
    kind: int
    local: bool
    section: int
    value: int
    size: int


class Relocation(NamedTuple):
    """A place that the linker is to fill in."""

    offset: int
    kind: int
    symbol: int
    addend: int


class Object:
    """What a relocatable file holds."""

    def __init__(self, content: bytes) -> None:
        """Read it, or `NotRead`: it is another kind of file, or cut off."""
        if content[:6] != b"\x7fELF\x02\x01" or content[16:20] != b"\x01\0\x3e\0":
            raise NotRead("it is no object file for x86-64")
        try:
            self.parts = _parts(content)
            self.symbols = self._symbols()
            self.references = self._references()
        except (struct.error, IndexError, ValueError) as error:
            raise NotRead(f"it is cut off or broken: {error}") from error

    def _symbols(self) -> list[Symbol]:
        table = next((part for part in self.parts if part.kind == _SYMBOLS), None)
        if table is None:
            return []
        names = self.parts[table.link].content
        found = []
        for at in range(0, min(len(table.content), 24 * _MOST), 24):
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", table.content, at)
            where = section if section < _RESERVED else 0
            found.append(Symbol(_text(names, name), info & 0xF, not info >> 4, where, value, size))
        return found

    def _references(self) -> dict[int, list[Relocation]]:
        found: dict[int, list[Relocation]] = {}
        for part in self.parts:
            if part.kind == _RELOCATIONS:
                rows = struct.iter_unpack("<QQq", part.content[: len(part.content) // 24 * 24])
                found[part.info] = sorted(
                    Relocation(offset, info & 0xFFFFFFFF, info >> 32, addend)
                    for offset, info, addend in rows
                )
        return found


def _parts(content: bytes) -> list[ElfSection]:
    (table,) = struct.unpack_from("<Q", content, 0x28)
    size, count, names = struct.unpack_from("<HHH", content, 0x3A)
    rows = [
        struct.unpack_from("<IIQQQQII", content, table + number * size) for number in range(count)
    ]
    texts = content[rows[names][4] : rows[names][4] + rows[names][5]]
    found = []
    for name, kind, flags, _, offset, length, link, info in rows:
        inside = b"" if kind == 8 else content[offset : offset + length]
        if kind not in {0, 8} and len(inside) != length:
            raise ValueError(f"section {_text(texts, name)} reaches behind its end")
        found.append(ElfSection(_text(texts, name), kind, flags, inside, link, info))
    return found


def _text(table: bytes, at: int) -> str:
    end = table.find(b"\0", at)
    return table[at : end if end >= 0 else len(table)].decode("utf-8", "replace")
