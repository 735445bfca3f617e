"""Cycles and instructions of all processors, counted by the hardware through perf_event_open.

The counters are files of this process, so nothing of them outlives it, and they are read in the
same moment as everything else. The program `perf` is not needed.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_SYSCALL = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319, "s390x": 331}
_LIBC = ctypes.CDLL(None, use_errno=True)
_ATTRIBUTES = struct.Struct("<IIQQQQQ IIQQ")
"""perf_event_attr as of Linux 2.6.33 (PERF_ATTR_SIZE_VER1): later fields are zero."""
_READ = struct.Struct("<QQQ")
_WITH_TIMES = 1 | 2
_EXCLUDE_USER, _EXCLUDE_KERNEL, _EXCLUDE_HV = 1 << 4, 1 << 5, 1 << 6
_CLOEXEC = 8
_HARDWARE, _CYCLES, _INSTRUCTIONS = 0, 0, 1


@dataclass(frozen=True, slots=True)
class Event:
    """What is counted, in which part of the machine."""

    kind: int
    number: int
    user: bool

    @property
    def flags(self) -> int:
        """The bits that exclude the other part."""
        return (_EXCLUDE_KERNEL if self.user else _EXCLUDE_USER) | _EXCLUDE_HV


EVENTS = (
    Event(_HARDWARE, _CYCLES, user=True),
    Event(_HARDWARE, _CYCLES, user=False),
    Event(_HARDWARE, _INSTRUCTIONS, user=True),
    Event(_HARDWARE, _INSTRUCTIONS, user=False),
)
"""Cycles in user space and in the kernel, then instructions likewise."""


class NoCounters(Exception):
    """Nothing is counted here; the message says why, in half a sentence."""


class CounterFiles:
    """One open counter for each event on each processor."""

    def __init__(self, events: tuple[Event, ...] = EVENTS) -> None:
        """Open them all, and see that they count.

        Raises:
            NoCounters: they cannot be opened, or do not count.
        """
        self._events = events
        self._files: list[tuple[int, ...]] = []
        try:
            for cpu in online():
                self._files.append(tuple(_opened(event, cpu) for event in events))
        except NoCounters:
            self.close()
            raise

    def close(self) -> None:
        """Stop counting."""
        for file in (one for files in self._files for one in files):
            with suppress(OSError):
                os.close(file)
        self._files = []

    def __del__(self) -> None:
        self.close()

    def look(self) -> tuple[float, ...]:
        """Each event's count so far, all processors.

        Where counters take turns, each is scaled to the whole time, as perf stat does it.
        """
        counts = [0.0] * len(self._events)
        for files in self._files:
            for index, file in enumerate(files):
                value, enabled, running = _READ.unpack(os.read(file, _READ.size))
                counts[index] += value * enabled / running if running else 0.0
        return tuple(counts)


def online() -> list[int]:
    """Processors that are there and switched on."""
    text = Path("/sys/devices/system/cpu/online").read_text("ascii").strip()
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def _opened(event: Event, cpu: int) -> int:
    file = opened_raw(event.kind, cpu, number=event.number, reads=_WITH_TIMES, flags=event.flags)
    if file >= 0:
        return file
    raise NoCounters(_why(-file))


def opened_raw(
    kind: int, cpu: int, *, number: int = 0, reads: int = 0, flags: int = 0, pointer: int = 0
) -> int:
    """A counter of a whole processor that counts at once: its file, or the error's number below 0.

    `pointer` is the address of a name, for kinds of events that have one.

    Raises:
        NoCounters: nobody knows how to ask this kind of machine.
    """
    machine = os.uname().machine
    call = _SYSCALL.get(machine)
    if call is None:
        raise NoCounters(f"the gate does not know how to count on {machine}")
    attributes = _ATTRIBUTES.pack(
        kind, _ATTRIBUTES.size, number, 0, 0, reads, flags, 0, 0, pointer, 0
    )
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    file = _LIBC.syscall(
        ctypes.c_long(call), buffer, -1, ctypes.c_int(cpu), -1, ctypes.c_ulong(_CLOEXEC)
    )
    return int(file) if file >= 0 else -ctypes.get_errno()


def _why(error: int, paranoid: Path = Path("/proc/sys/kernel/perf_event_paranoid")) -> str:
    if error in {errno.EACCES, errno.EPERM}:
        try:
            level = paranoid.read_text("ascii").strip()
        except OSError:
            level = "unknown"
        return (
            f"the kernel lets only root count the whole machine (perf_event_paranoid = {level}): "
            "set it to 0, or give CAP_PERFMON"
        )
    if error == errno.ENOSYS:
        return "this kernel, or the container, has no perf_event_open"
    if error in {errno.ENOENT, errno.EOPNOTSUPP, errno.ENODEV, errno.EINVAL}:
        return "perf offers no cycle counter on this machine"
    return f"perf_event_open failed: {os.strerror(error)}"
