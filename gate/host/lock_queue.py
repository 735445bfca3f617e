"""The queue at a measuring lock: first come, first served.

Whoever waits holds a number: the kernel's own lock on one byte, behind all that are locked, of a
file that stays empty. It ends with its holder, however that went, so nobody gone is waited for, and
there is no text of others to be believed.

One that is stopped keeps its number and does not take its turn; neither does somebody who locks
numbers to annoy. So numbers only order those who want the lock: one that finds it free for as long
as those before it have to take it (`_TO_TAKE` seconds each, `_LONGEST` at most) passes them.
"""

from __future__ import annotations

import fcntl
import os
import struct
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gate.formats.disk import is_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_FLOCK = "hhqqi"
"""struct flock: kind, origin, first byte, bytes (0: to the end of all files), process."""
_END = 1 << 62
"""No number is as high; what somebody locks above is nobody's turn."""
_MOST = 500
"""As many are counted; looking costs two system calls for each."""
_TO_TAKE, _LONGEST = 5.0, 30.0
_NEXT, _LATER = 0.2, 1.0
"""Seconds between two looks of the first two and of all others; in between they sleep."""


class LockQueue:
    """Those who wait for one measuring lock, and the place of this process among them."""

    def __init__(self, handle: int | None) -> None:
        """`handle` is the open file of the numbers; without one there is no order."""
        self._handle = handle
        self._number: int | None = None
        self._free: tuple[float, int] | None = None
        """Since when the lock is free, and how many were before us all that time."""

    def length(self) -> int:
        """How many others wait."""
        return self._others(0, _END)

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Inside, this process waits behind everybody who did before it."""
        self._free, self._number = None, self._take_number()
        try:
            yield
        finally:
            if self._number is not None and self._handle is not None:
                self._set(fcntl.F_UNLCK, self._number)
            self._number = None

    def place(self) -> int:
        """1 is next; also where there is no order to be had."""
        return 1 + self._others(0, _END if self._number is None else self._number)

    def look_again_in(self) -> float:
        """Seconds until this process need look again."""
        return _NEXT if self.place() <= 2 else _LATER

    def is_my_turn(self, *, free: bool) -> bool:
        """Whether this process may take the lock; `free` is what it saw of it now."""
        if not free:
            self._free = None
            return False
        now, ahead = time.monotonic(), self.place() - 1
        if self._free is None or self._free[1] != ahead:  # one of them had a turn too short to see
            self._free = now, ahead
        return now - self._free[0] >= min(ahead * _TO_TAKE, _LONGEST)

    def _take_number(self) -> int | None:
        """The first number behind all that are taken; None where none can be had."""
        if self._handle is None:
            return None
        number = 0
        while number < _END:
            if (other := self._conflict(number, _END)) is not None:
                number = other[1]
            elif self._set(fcntl.F_WRLCK, number):
                return number
        return None

    def _others(self, low: int, high: int) -> int:
        """How many locks of others there are between two numbers."""
        count, ranges = 0, [(low, high)]
        while ranges and count < _MOST:
            low, high = ranges.pop()
            if low < high and (other := self._conflict(low, high)) is not None:
                count += 1
                ranges += [(low, other[0]), (other[1], high)]
        return count

    def _conflict(self, low: int, high: int) -> tuple[int, int] | None:
        """One lock of another process that holds a number from `low` up to below `high`."""
        if self._handle is None:
            return None
        asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, low, high - low, 0)
        try:
            answer = fcntl.fcntl(self._handle, fcntl.F_OFD_GETLK, asked)
        except OSError:  # a file system without such locks
            self._handle = None
            return None
        kind, _, first, count, _ = struct.unpack_from(_FLOCK, answer)
        return None if kind == fcntl.F_UNLCK else (first, first + count if count else _END)

    def _set(self, kind: int, number: int) -> bool:
        """Lock or free a number; False where another process was faster, or it cannot be."""
        if self._handle is None:
            return False
        asked = struct.pack(_FLOCK, kind, os.SEEK_SET, number, 1, 0)
        try:
            fcntl.fcntl(self._handle, fcntl.F_OFD_SETLK, asked)
        except BlockingIOError:
            return False
        except OSError:
            self._handle = None
            return False
        return True


@contextmanager
def queue_beside(place: Path, opener: Callable[[Path], int]) -> Iterator[LockQueue]:
    """The queue of the lock at `place`; one without order where its file cannot be made.

    `opener` opens or makes a file for all users.

    Raises:
        OSError: there is something else at the place of its file.
    """
    file = place.with_name(f"{place.name}.queue")
    try:
        handle = opener(file)
    except OSError:
        if not is_missing(file):
            raise
        yield LockQueue(None)
        return
    try:
        yield LockQueue(handle)
    finally:
        os.close(handle)
