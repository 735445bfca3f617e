"""Functions of two builds, compared by their machine code and not by where they lie.

Two functions are the same code when their bytes are, but for what depends on addresses alone: what
the linker fills in is compared by the name that it stands for, and a jump or a call that the
assembler has filled in already by the function that it reaches.
"""

from __future__ import annotations

import bisect
import re
from typing import NamedTuple

from gate.vm.elf import EXECUTABLE, FUNCTION, NOTYPE, OBJECT, SECTION, STRINGS, Object, Symbol
from gate.vm.symbols import whole

_RELATIVE = frozenset({2, 4, 9, 41, 42})
"""R_X86_64_PC32, PLT32 and the GOT's: filled in relative to the next instruction."""
_WIDE = frozenset({1, 24})
"""R_X86_64_64 and PC64: eight bytes; the others fill in four."""
_PADDING = ("__pfx_", "__cfi_")
"""Symbols of what lies before a function."""
_FILLING = re.compile(
    rb"(?:\x66*\x2e?\x0f\x1f(?:\0|\x40\0|\x44\0\0|\x80\0{4}|\x84\0{5}))*(?:\x66*\x90)?"
)
"""What the assembler fills up with: instructions of several bytes that do nothing."""
_LONGEST_PADDING, _ROUND = 16, 8
_NUMBER = re.compile(r"\.\d+$")
"""What the compiler appends to keep local variables of the same name apart."""


Names = tuple[tuple[int, int, frozenset[str]], ...]


class Function(NamedTuple):
    """A function's code."""

    section: str
    body: bytes
    """Zero where the linker fills in."""
    names: Names
    """What it fills in: offset, kind, and what it may stand for."""
    jumps: Jumps


class Jumps(NamedTuple):
    """What a jump inside the section may reach."""

    start: int
    starts: tuple[int, ...]
    called: tuple[str, ...]

    def target(self, to: int) -> str:
        """The function that a jump goes to, counted from this one's start, and where in it."""
        at = self.start + to
        number = bisect.bisect_right(self.starts, at) - 1
        return f"{self.called[number]}+{at - self.starts[number]}" if number >= 0 else str(at)


def functions_of(content: bytes) -> dict[str, list[Function]]:
    """The functions of an object file or a module (or `NotRead`) by name; some share theirs."""
    file = Object(content)
    found: dict[str, list[Function]] = {}
    for number, part in enumerate(file.parts):
        if part.flags & EXECUTABLE and part.content:
            for name, one in _in_section(file, number):
                found.setdefault(name, []).append(one)
    return found


def differing_functions(base: bytes, head: bytes) -> dict[str, str]:
    """Functions that differ between two object files or modules: `changed`, `added`, `removed`.

    A file without a byte has none; one that is no such file is `NotRead`.
    """
    before, after = (functions_of(one) if one else {} for one in (base, head))
    there = [{whole(name) for name in side} for side in (before, after)]
    found = {}
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, []), after.get(name, [])
        if len(old) != len(new) or not all(map(_same, old, new)):
            plain = whole(name)
            how = "added" if plain in there[1] else "removed"
            found[plain] = "changed" if all(plain in side for side in there) else how
    return found


def _in_section(file: Object, number: int) -> list[tuple[str, Function]]:
    part = file.parts[number]
    inside = sorted(
        (one.value, not one.local, one.name, one.size)
        for one in file.symbols
        if one.section == number
        and one.kind in {FUNCTION, NOTYPE}
        and not one.name.startswith((".L", *_PADDING))
        and one.name
    )
    # Of several names for one function the first counts: the compiler's before an alias.
    first = {value: (name, size) for value, _, name, size in reversed(inside)}
    starts = tuple(sorted(first))
    jumps = Jumps(0, starts, tuple(first[value][0] for value in starts))
    references = file.references.get(number, [])
    found = []
    for value, (name, size) in sorted(first.items()):
        later = bisect.bisect_right(starts, value)
        # Code written in assembly may not say where it ends: it goes on to the next.
        end = value + size if size else (*starts, len(part.content))[later]
        body = bytearray(part.content[value:end])
        names = []
        low = bisect.bisect_left(references, (value,))
        for one in references[low : bisect.bisect_left(references, (end,))]:
            at, width = one.offset - value, 8 if one.kind in _WIDE else 4
            body[at : at + width] = bytes(len(body[at : at + width]))
            names.append((at, one.kind, _meant(file, one.symbol, one.kind, one.addend)))
        found.append(
            (name, Function(part.name, bytes(body), tuple(names), jumps._replace(start=value)))
        )
    return found


def _meant(file: Object, number: int, kind: int, addend: int) -> frozenset[str]:
    """The names that a reference may stand for, wherever its target lies in the section.

    There are several where a variable without a size (the key of a lock that nobody checks) has
    the address of the next one.
    """
    symbol = file.symbols[number]
    if symbol.kind != SECTION and not symbol.section:
        return frozenset({f"{symbol.name}{addend:+d}"})
    part = file.parts[symbol.section]
    at = symbol.value + addend + (4 if kind in _RELATIVE else 0)
    if symbol.kind != SECTION and not symbol.name.startswith(".L"):
        return frozenset({f"{_name_of(symbol)}{addend:+d}"})
    if part.flags & STRINGS:
        return frozenset({f"text {part.content[at : part.content.find(bytes(1), at)]!r}"})
    wanted = {FUNCTION} if part.flags & EXECUTABLE else {OBJECT}
    same = (one for one in file.symbols if one.section == symbol.section and one.kind in wanted)
    around = [one for one in same if one.value <= at]
    start = max((one.value for one in around), default=0)
    last = [one for one in around if one.value == start]
    if all(0 < one.size < at - start for one in last):
        return frozenset({part.name})  # constants and tables without a name
    return frozenset(f"{_name_of(one)}+{at - start}" for one in last)


def _alike(some: Names, others: Names) -> bool:
    """Whether both may stand for the same, each in its place."""
    return len(some) == len(others) and all(
        one[:2] == other[:2] and one[2] & other[2] for one, other in zip(some, others, strict=True)
    )


def _name_of(symbol: Symbol) -> str:
    return _NUMBER.sub("", symbol.name) if symbol.local else symbol.name


def _same(one: Function, other: Function) -> bool:
    if one.section != other.section:
        return False
    if one.body == other.body:
        return _alike(one.names, other.names)
    return _Walk(one, other).same()


class _Walk:
    """Two bodies side by side, over jumps that reach the same place by another distance.

    The assembler fills in a jump to a local function of the same section, by one byte or by four,
    as near as it is; the latter moves what stands behind it.
    """

    def __init__(self, one: Function, other: Function) -> None:
        self._both = one, other
        self._moves = [(0, 0)]
        """Where the distance between both changes: offset in the first, and what it then is."""
        self._inside: list[tuple[int, int]] = []
        """Where jumps inside the functions go to, on each side."""

    def same(self) -> bool:
        """Whether nothing else differs."""
        one, other = self._both
        at, there = 0, 0
        while at < len(one.body) and there < len(other.body):
            if one.body[at] == other.body[there]:
                at, there = at + 1, there + 1
                continue
            after = self._behind_jump(at, there) or self._behind_padding(at, there)
            if after is None:
                return False
            at, there = after
            if there - at != self._moves[-1][1]:
                self._moves.append((at, there - at))
        return (
            (at, there) == (len(one.body), len(other.body))
            and all(self._moved(near) == far for near, far in self._inside)
            and _alike(
                tuple((self._moved(where), kind, name) for where, kind, name in one.names),
                other.names,
            )
        )

    def _moved(self, at: int) -> int:
        return at + next(by for start, by in reversed(self._moves) if start <= at)

    def _behind_jump(self, at: int, there: int) -> tuple[int, int] | None:
        """The ends of two jumps to the same place whose bytes differ here; None without them."""
        one, other = self._both
        for back in range(6):
            near, far = _jump(one, at - back), _jump(other, there - back)
            if near is None or far is None or near.kind != far.kind:
                continue
            if near.end <= at or far.end <= there:
                continue
            inside = near.to in range(len(one.body) + 1), far.to in range(len(other.body) + 1)
            if all(inside):
                self._inside.append((near.to, far.to))
                return near.end, far.end
            if not any(inside) and one.jumps.target(near.to) == other.jumps.target(far.to):
                return near.end, far.end
        return None

    def _behind_padding(self, at: int, there: int) -> tuple[int, int] | None:
        """The ends of two stretches of padding of which one or both lie here; None without."""
        one, other = self._both
        for back in range(min(_LONGEST_PADDING, at + 1, there + 1)):
            near, far = _end_of_padding(one, at - back), _end_of_padding(other, there - back)
            if near >= at and far >= there and (near, far) != (at, there):
                return near, far
        return None


def _end_of_padding(side: Function, at: int) -> int:
    """The end of the padding, perhaps empty, that begins at `at`; -1 if it is no round address."""
    found = _FILLING.match(side.body, at)
    end = found.end() if found else at
    round_up = (side.jumps.start + end) % _ROUND == 0 and end - at < _LONGEST_PADDING
    return end if round_up else -1


class _Jump(NamedTuple):
    """A jump or call: where it ends and goes to, and which instruction it is."""

    end: int
    to: int
    kind: int


def _jump(side: Function, at: int) -> _Jump | None:
    body = side.body[at : at + 6] if at >= 0 else b""
    if not body:
        return None
    first, second = body[0], body[1] if len(body) > 1 else 0
    if first == 0xEB or first & 0xF0 == 0x70:
        start, width, kind = 1, 1, first
    elif first in {0xE8, 0xE9}:
        start, width, kind = 1, 4, 0xEB if first == 0xE9 else first
    elif first == 0x0F and second & 0xF0 == 0x80:
        start, width, kind = 2, 4, second - 0x10
    else:
        return None
    if len(body) < start + width:
        return None
    distance = int.from_bytes(body[start : start + width], "little", signed=True)
    end = at + start + width
    return _Jump(end, end + distance, kind)
