"""Fixed work that only the host can make faster or slower: the controls and the noise probe.

No change under test can reach the controls. When one of them takes longer or shorter than it did in
the accepted sessions, the host moved. They are run while no trial is, so that only the machine can
be the cause: its clock, its memory, who else is on it. Each runs in a forked child, so that the
gate's own process stays small. It repeats one short piece of work and gives the median piece times
the number of pieces: a piece that was preempted does not count, a slower clock and a busy memory
bus slow down all of them.

The noise probe repeats such work until it takes as long as a trial, and gives the seconds on the
wall: what a trial of a user meets (preemption, page faults, the clock that moves) it meets too. Its
file piece overwrites blocks in the work directory and asks after each that it is on the disk.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import signal
import struct
import time
from contextlib import suppress
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Work = Callable[[int], "ProbeRun"]

_PIECES = 16
_BLOCK = bytes(range(256)) * 256
"""64 KiB: it stays in the second-level cache, so that the processor alone sets the pace."""
_ROUNDS = 64
"""Times the block is hashed in a piece: 4 MiB, 2 ms at 2 GB/s."""
_BUFFER = 32 << 20
"""Bytes of each of the two buffers: more than a processor's share of its last-level cache."""
_PAGE = 1 << 20
AIM = 0.4
"""Seconds that a trial is to take."""
FILE = "file"
BLOCK = 4096
_BLOCKS = 1024
_STRIDE = 389
"""Blocks are written in an order that no disk takes for a sequence; prime to their number."""
_MOST_WRITES = 16384
"""64 MiB a trial: a drive that says at once that all is written is not worn for it."""
_MOST_REPEATS = 1000
_ROOM = 64 << 20
_SURE = AIM / 4
"""A run of this many seconds shows how long more of the same will take."""


def _spin() -> float:
    """A fixed number of SHA-256 rounds: the pace of one processor."""

    def piece() -> None:
        digest = hashlib.sha256(usedforsecurity=False)
        for _ in range(_ROUNDS):
            digest.update(_BLOCK)
        digest.digest()

    return _paced(piece)


def _copy() -> float:
    """Copies of a fixed number of bytes, which no cache can hold."""
    first, second = _memory(), _memory()

    def piece() -> None:
        second[:] = first

    return _paced(piece)


def _paced(piece: Callable[[], None]) -> float:
    """The total of some pieces by their median."""
    seconds = []
    for _ in range(_PIECES):
        began = _clock()
        piece()
        seconds.append(_clock() - began)
    return median(seconds) * _PIECES


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


def _clock() -> float:
    """Not bent by the daemon that sets the clock."""
    return time.clock_gettime(time.CLOCK_MONOTONIC_RAW)


def _in_child(work: Callable[[], float]) -> float:
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
        answer = os.read(ours, struct.calcsize("d"))
    finally:
        os.close(ours)
        os.kill(child, signal.SIGKILL)  # it has answered, or we were interrupted
        os.waitpid(child, 0)
    if len(answer) != struct.calcsize("d"):
        message = "a control was killed before it gave its time"
        raise ChildProcessError(message)
    return float(struct.unpack("d", answer)[0])


CONTROLS: dict[str, Callable[[], float]] = {
    "cpu-spin": partial(_in_child, _spin),
    "memory-copy": partial(_in_child, _copy),
}
"""Name -> runs it once and gives its seconds, 30 to 60 ms on a usual machine.

Raises OSError where the child could not be made, or was killed.
"""


class ProbeRun(NamedTuple):
    """One run of a piece of work."""

    seconds: float
    written: int = 0
    """Bytes given to the file system."""


class ProbeWork(NamedTuple):
    """How much work makes a trial."""

    repeats: int
    written: int
    """Bytes that finding it out has cost."""


def pieces(directory: Path) -> Mapping[str, Work]:
    """The pieces of work by name, in the order in which they take turns.

    Raises:
        InputError: G244, the directory has no room for the file.
    """
    free = os.statvfs(directory)
    if free.f_bavail * free.f_frsize < _ROOM:
        raise InputError(
            "G244",
            "the noise probe needs 64 MiB of room.",
            cure="Free some, or name another directory with --work DIR.",
            place=str(directory),
        )
    return {
        "CPU": partial(_repeat, CONTROLS["cpu-spin"]),
        "memory": partial(_repeat, CONTROLS["memory-copy"]),
        FILE: partial(write_blocks, directory / "probe"),
    }


def _repeat(control: Callable[[], float], times: int) -> ProbeRun:
    began = _clock()
    for _ in range(times):
        control()
    return ProbeRun(_clock() - began)


def write_blocks(path: Path, times: int) -> ProbeRun:
    """Do so many writes of 4 KiB into a fresh file, each on the disk before the next.

    The file is laid out before the clock starts, which counts as written too, and removed after it
    stopped.

    Raises:
        OSError: it cannot be written.
    """
    block = hashlib.shake_128(b"driftgate").digest(BLOCK)  # nothing that a drive could compress
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        written = os.write(file, block * _BLOCKS)
        os.fsync(file)
        began = _clock()
        for turn in range(times):
            written += os.pwrite(file, block, turn * _STRIDE % _BLOCKS * BLOCK)
            os.fdatasync(file)
        return ProbeRun(_clock() - began, written)
    finally:
        os.close(file)
        path.unlink(missing_ok=True)


def calibrate_repetitions(name: str, run: Work) -> ProbeWork:
    """How often a piece's part must be repeated for a trial to take about 0.4 s."""
    most = _MOST_WRITES if name == FILE else _MOST_REPEATS
    times, written = 1, 0
    while times < most:
        ran = run(times)
        written += ran.written
        if ran.seconds >= _SURE:
            return ProbeWork(max(1, min(most, round(times * AIM / ran.seconds))), written)
        times = min(most, times * 4)
    return ProbeWork(times, written)
