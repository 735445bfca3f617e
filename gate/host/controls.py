"""The built-in controls: fixed work that no change under test can reach.

When one of them takes longer or shorter than it did in the accepted sessions, the host moved.
They are run while no trial is, so that only the machine can be the cause: its clock, its memory,
who else is on it.

Each runs in a forked child, so that the gate's own process stays small. It repeats one short piece
of work and gives the median piece times the number of pieces: a piece that was preempted does not
count, a slower clock and a busy memory bus slow down all of them.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import signal
import struct
import time
from contextlib import suppress
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PIECES = 16
_BLOCK = bytes(range(256)) * 256
"""64 KiB: it stays in the second-level cache, so that the processor alone sets the pace."""
_ROUNDS = 64
"""Times the block is hashed in a piece: 4 MiB, 2 ms at 2 GB/s."""
_BUFFER = 32 << 20
"""Bytes of each of the two buffers: more than a processor's share of its last-level cache."""
_PAGE = 1 << 20


def cpu_spin() -> float:
    """Seconds that a fixed number of SHA-256 rounds takes: the pace of one processor.

    Raises:
        OSError: the child could not be made, or was killed.
    """
    return _apart(_spin)


def memory_copy() -> float:
    """Seconds that copying a fixed number of bytes takes, which no cache can hold.

    Raises:
        OSError: the child could not be made, or was killed.
    """
    return _apart(_copy)


CONTROLS: dict[str, Callable[[], float]] = {"cpu-spin": cpu_spin, "memory-copy": memory_copy}
"""Name -> runs it once and gives its seconds, 30 to 60 ms on a usual machine."""


def _spin() -> float:
    def pieces() -> Iterator[float]:
        for _ in range(_PIECES):
            began = _clock()
            digest = hashlib.sha256(usedforsecurity=False)
            for _ in range(_ROUNDS):
                digest.update(_BLOCK)
            digest.digest()
            yield _clock() - began

    return _whole(pieces())


def _copy() -> float:
    first, second = _memory(), _memory()

    def pieces() -> Iterator[float]:
        for _ in range(_PIECES):
            began = _clock()
            second[:] = first
            yield _clock() - began

    return _whole(pieces())


def _memory() -> memoryview:
    """A buffer whose every page is there.

    Of small pages: whether there are huge ones depends on how scattered the memory is.
    """
    area = mmap.mmap(-1, _BUFFER, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(OSError):  # a kernel without huge pages
        area.madvise(mmap.MADV_NOHUGEPAGE)
    view = memoryview(area)
    for place in range(0, _BUFFER, _PAGE):
        view[place : place + _PAGE] = b"\x01" * _PAGE
    return view


def _whole(pieces: Iterator[float]) -> float:
    return median(list(pieces)) * _PIECES


def _clock() -> float:
    """Not bent by the daemon that sets the clock."""
    return time.clock_gettime(time.CLOCK_MONOTONIC_RAW)


def _apart(work: Callable[[], float]) -> float:
    """What a forked child says of its own work; with it goes all the memory that it took."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` wants it
                    signal.signal(number, signal.SIG_DFL)
            os.write(theirs, struct.pack("d", work()))
        finally:
            os._exit(0)  # nothing of the parent's may be flushed or tidied up twice
    try:
        os.close(theirs)
        told = os.read(ours, struct.calcsize("d"))
    finally:
        os.close(ours)
        os.kill(child, signal.SIGKILL)  # it has told all, or we were interrupted
        os.waitpid(child, 0)
    if len(told) != struct.calcsize("d"):
        message = "a control was killed before it could tell its time"
        raise ChildProcessError(message)
    return float(struct.unpack("d", told)[0])
