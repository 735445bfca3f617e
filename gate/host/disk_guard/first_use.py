"""Whose is what a device holds, where no signature tells? Blank, the gate's own, or somebody's.

The gate's label stands at both ends of a device that was blank, or given to be erased, before the
gate wrote it. Whoever uses the device for something else writes over at least one of them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gate.host.disk_guard.content import size_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_MIB = 1 << 20
_LABEL = b"driftgate: the gate measures on this device, and overwrites it. ".ljust(64) * 64
_WHOLE = 1 << 30
"""Bytes; up to there a device is read whole."""
_PLACES, _PIECE = 1024, 64 << 10
"""In how many places a larger one is looked at, and how many bytes of each."""
_EXT_MAGIC, _EXT_AT = b"\x53\xef", 56
_EXT_BLOCKS = (1024, 2048, 4096, 65536)
_EXT_GROUPS = (1, 3, 5, 7, 9, 25, 27, 49)
"""Block groups whose first block is a copy of the superblock: 1 and powers of 3, 5 and 7."""


def is_labelled(handle: int) -> bool:
    """Whether the gate's label stands at both ends."""
    length = len(_LABEL)
    return all(os.pread(handle, length, at) == _LABEL for at in (0, size_of(handle) - length))


def write_label(handle: int) -> None:
    """Write it, and see that it is on the device; or OSError. One that is blank may stay so."""
    if not content(handle):
        return
    for at in (0, size_of(handle) - len(_LABEL)):
        os.pwrite(handle, _LABEL, at)
    os.fsync(handle)


def content(handle: int) -> str:
    """What was found where nothing should be; empty for a blank device."""
    size = size_of(handle)
    for block in _EXT_BLOCKS:
        for group in _EXT_GROUPS:
            at = group * block * block * 8 + (1024 if block == 1024 else 0)
            if at < size and os.pread(handle, 2, at + _EXT_AT) == _EXT_MAGIC:
                return "a spare superblock of ext2, ext3 or ext4"
    nothing = bytes(_MIB)
    blank = all(
        (piece := os.pread(handle, count, at)) == nothing[: len(piece)]
        for at, count in _pieces(size)
    )
    return "" if blank else "data that no signature belongs to"


def looked_at(size: int) -> str:
    """How much of a device of that size was looked at, in words."""
    if size <= _WHOLE:
        return "all of it was read"
    return (
        f"its ends and {_PLACES:,} places between them were read, and what lies elsewhere was not"
    )


def _pieces(size: int) -> Iterator[tuple[int, int]]:
    """Place and bytes of each look."""
    yield 0, _MIB
    yield max(size - _MIB, 0), _MIB
    if size <= _WHOLE:
        yield from ((at, _MIB) for at in range(_MIB, size, _MIB))
    else:
        step = size // _PLACES
        yield from ((at // 4096 * 4096, _PIECE) for at in range(step // 2, size - _PIECE, step))
