"""Fixed pieces of work whose only reason to differ from trial to trial is the host.

Each is a function of how often its smallest part is repeated, and gives the bytes that it wrote and
the seconds by the clock on the wall: what a trial of a user meets (preemption, page faults, the
clock that moves) it meets too. The processor and memory pieces are the built-in controls; the file
piece overwrites blocks in the work directory and asks after each that it is on the disk.
"""

from __future__ import annotations

import hashlib
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from gate.errors import InputError
from gate.host.controls import CONTROLS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Work = Callable[[int], "ProbeRun"]

AIM = 0.4
"""Seconds that a trial is to take."""
_NAMES = {"CPU": "cpu-spin", "memory": "memory-copy"}
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
"""A run of this many seconds tells how long more of the same will take."""


class ProbeRun(NamedTuple):
    """One run of a piece of work."""

    seconds: float
    written: int = 0
    """Bytes given to the file system."""


class Calibrated(NamedTuple):
    """How much work makes a trial."""

    repeats: int
    written: int
    """Bytes that finding it out has cost."""


def pieces(directory: Path) -> Mapping[str, Work]:
    """The pieces of work by name, in the order in which they take turns.

    Raises:
        InputError: G244, the directory has no room for the file.
    """
    found = {name: _repeated(CONTROLS[control]) for name, control in _NAMES.items()}
    return {**found, FILE: _file_work(directory)}


def _repeated(control: Callable[[], float]) -> Work:
    def run(times: int) -> ProbeRun:
        began = _clock()
        for _ in range(times):
            control()
        return ProbeRun(_clock() - began)

    return run


def _file_work(directory: Path) -> Work:
    free = os.statvfs(directory)
    if free.f_bavail * free.f_frsize < _ROOM:
        raise InputError(
            "G244",
            "the noise probe needs 64 MiB of room.",
            cure="Free some, or name another directory with --work DIR.",
            place=str(directory),
        )
    path = directory / "probe"

    def run(times: int) -> ProbeRun:
        return write_blocks(path, times)

    return run


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


def calibrate_repetitions(name: str, run: Work) -> Calibrated:
    """How often a piece's part must be repeated for a trial to take about 0.4 s."""
    most = _MOST_WRITES if name == FILE else _MOST_REPEATS
    times, written = 1, 0
    while times < most:
        ran = run(times)
        written += ran.written
        if ran.seconds >= _SURE:
            return Calibrated(max(1, min(most, round(times * AIM / ran.seconds))), written)
        times = min(most, times * 4)
    return Calibrated(times, written)


def _clock() -> float:
    """Not bent by the daemon that sets the clock."""
    return time.clock_gettime(time.CLOCK_MONOTONIC_RAW)
