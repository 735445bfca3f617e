"""Which files processes open, as the kernel tells root: fanotify(7), on mounts of their own.

A process that is to be watched gets mounts of its own and marks them before it runs anything: what
it and all that it starts open is reported, and nothing that anybody else opens.
"""

from __future__ import annotations

import ctypes
import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

_LIBC = ctypes.CDLL(None, use_errno=True)
_NEW_MOUNTS = 0x00020000
_CLOEXEC, _NONBLOCK, _UNLIMITED_QUEUE = 0x1, 0x2, 0x10
_ADD, _ON_MOUNT = 0x1, 0x10
_OPEN, _OPEN_EXEC, _OVERFLOW = 0x20, 0x1000, 0x4000
_HERE = -100
_EVENT = struct.Struct("=IBBHQii")
_AT_ONCE = 64
"""Events that are read together: each comes with an open file."""


class NoTrace(Exception):
    """Files cannot be traced; the message says why."""


class OpenedFiles:
    """The files that processes open which have called `watch_self` before they ran anything."""

    def __init__(self, places: Sequence[Path]) -> None:
        """`places` are directories; all that is opened on their mounts is reported.

        Raises:
            NoTrace: the kernel does not let us.
        """
        self.paths: set[str] = set()
        self.overflowed = False
        self._places = [os.fsencode(place) for place in places]
        flags = _CLOEXEC | _NONBLOCK | _UNLIMITED_QUEUE
        self._handle = _LIBC.fanotify_init(flags, os.O_RDONLY | os.O_CLOEXEC | os.O_LARGEFILE)
        if self._handle < 0:
            raise NoTrace(f"fanotify: {os.strerror(ctypes.get_errno())}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def watch_self(self) -> None:
        """Give this process mounts of its own and report what is opened on them, or `OSError`."""
        self._demand(_LIBC.unshare(_NEW_MOUNTS))
        for place in self._places:
            mask = ctypes.c_uint64(_OPEN | _OPEN_EXEC)
            self._demand(_LIBC.fanotify_mark(self._handle, _ADD | _ON_MOUNT, mask, _HERE, place))

    def collect(self) -> None:
        """Take what was reported so far into `paths`; absolute, links followed."""
        while True:
            try:
                data = os.read(self._handle, _AT_ONCE * _EVENT.size)
            except BlockingIOError:
                return
            for at in range(0, len(data), _EVENT.size):
                *_, mask, file, _ = _EVENT.unpack_from(data, at)
                self.overflowed = self.overflowed or bool(mask & _OVERFLOW)
                if file >= 0:
                    with suppress(OSError):
                        self.paths.add(str(Path(f"/proc/self/fd/{file}").readlink()))
                    os.close(file)

    @staticmethod
    def _demand(result: int) -> None:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
