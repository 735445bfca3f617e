"""What perf_event_open counts on all processors: cycles, instructions, calls of kernel functions.

The counters are files of this process, so nothing of them outlives it, however it ends. The program
`perf` is not needed. Calls are counted by events of the kernel's own type `kprobe`, so that nothing
is written into tracefs; each call costs the trap of its probe: what is measured meanwhile is no
measurement.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.linux.cpu_list import cpus_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_SYSCALL = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319, "s390x": 331}
_LIBC = ctypes.CDLL(None, use_errno=True)
_ATTRIBUTES = struct.Struct("<IIQQQQQ IIQQ")
"""perf_event_attr as of Linux 2.6.33 (PERF_ATTR_SIZE_VER1): later fields are zero."""
_READ = struct.Struct("<QQQ")
_WITH_TIMES = 1 | 2
_EXCLUDE_USER, _EXCLUDE_KERNEL, _EXCLUDE_HV = 1 << 4, 1 << 5, 1 << 6
_CLOEXEC = 8
_HARDWARE, _CYCLES, _INSTRUCTIONS = 0, 0, 1
_KPROBE_TYPE = Path("/sys/bus/event_source/devices/kprobe/type")
_SYMBOLS = Path("/proc/kallsyms")
_NO_PROBE = {
    errno.ENOENT: "this kernel has no such function",
    errno.EADDRNOTAVAIL: "several functions have the name",
    errno.EINVAL: "the kernel allows no probe there",
}


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


EVENTS = tuple(
    Event(_HARDWARE, number, user=user)
    for number in (_CYCLES, _INSTRUCTIONS)
    for user in (True, False)
)
"""Cycles in user space and in the kernel, then instructions likewise."""


class NoCounters(Exception):
    """Nothing is counted here; the message says why, in half a sentence."""


class _Counters:
    """Open counters, which stop when they are closed or nobody has them any more."""

    def __init__(self) -> None:
        self._files: dict[Any, list[int]] = {}
        """By processor, or by function."""

    def close(self) -> None:
        """Stop counting."""
        for file in (one for files in self._files.values() for one in files):
            with suppress(OSError):
                os.close(file)
        self._files = {}

    def __del__(self) -> None:
        self.close()


class CounterFiles(_Counters):
    """One open counter for each event on each processor."""

    def __init__(self, events: tuple[Event, ...] = EVENTS) -> None:
        """Open them all, and see that they count.

        Raises:
            NoCounters: they cannot be opened, or do not count.
        """
        super().__init__()
        self._events = events
        for cpu in online():
            for one in events:
                file = open_counter(
                    one.kind, cpu, number=one.number, reads=_WITH_TIMES, flags=one.flags
                )
                if file < 0:
                    raise NoCounters(_why(-file))
                self._files.setdefault(cpu, []).append(file)

    def look(self) -> tuple[float, ...]:
        """Each event's count so far, all processors.

        Where counters take turns, each is scaled to the whole time, as perf stat does it.
        """
        counts = [0.0] * len(self._events)
        for files in self._files.values():
            for index, file in enumerate(files):
                value, enabled, running = _READ.unpack(os.read(file, _READ.size))
                counts[index] += value * enabled / running if running else 0.0
        return tuple(counts)


def online() -> list[int]:
    """Processors that are there and switched on."""
    return sorted(cpus_of(Path("/sys/devices/system/cpu/online").read_text("ascii")))


def open_counter(
    kind: int,
    cpu: int,
    *,
    number: int = 0,
    reads: int = 0,
    flags: int = 0,
    pointer: int = 0,
    address: int = 0,
) -> int:
    """A counter of a whole processor that counts at once: its file, or the error's number below 0.

    `pointer` is the address of a name, for kinds of events that have one, `address` the place in
    the kernel where there is no name.

    Raises:
        NoCounters: nobody knows how to ask this kind of machine.
    """
    machine = os.uname().machine
    call = _SYSCALL.get(machine)
    if call is None:
        raise NoCounters(f"the gate does not know how to count on {machine}")
    attributes = _ATTRIBUTES.pack(
        kind, _ATTRIBUTES.size, number, 0, 0, reads, flags, 0, 0, pointer, address
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


class CallCounts(_Counters):
    """Counts calls of functions, named as /proc/kallsyms does: `vfs_read`, `submit [driver]`.

    `missing` says of those that cannot be counted why.

    Raises:
        NoCounters: this kernel counts no calls at all.
    """

    def __init__(self, functions: Iterable[str]) -> None:
        super().__init__()
        self.missing: dict[str, str] = {}
        try:
            kind = int(_KPROBE_TYPE.read_text("ascii"))
        except (OSError, ValueError):
            message = "this kernel counts no calls (CONFIG_KPROBE_EVENTS)"
            raise NoCounters(message) from None
        wanted = list(functions)
        places = _places({*wanted})
        several = {name for name, found in places.items() if len(found) > 1}
        self.missing |= {name: _NO_PROBE[errno.EADDRNOTAVAIL] for name in wanted if name in several}
        for name in wanted:
            if name not in several:
                self._probe(kind, name, *places.get(name, ()))

    def calls(self) -> dict[str, int]:
        """Calls so far of each function that is counted, on all processors."""
        return {
            name: sum(int.from_bytes(os.read(file, 8), "little") for file in files)
            for name, files in self._files.items()
        }

    def _probe(self, kind: int, name: str, address: int = 0) -> None:
        symbol = ctypes.create_string_buffer(_symbol(name).encode())
        for cpu in online():
            file = open_counter(kind, cpu, pointer=ctypes.addressof(symbol))
            if file == -errno.ENOENT and address:
                # Linux 6.7 to 6.10 find no function of a module by its name.
                file = open_counter(kind, cpu, address=address)
            if file < 0:
                self.missing[name] = _NO_PROBE.get(-file, os.strerror(-file))
                for one in self._files.pop(name, []):
                    os.close(one)
                return
            self._files.setdefault(name, []).append(file)


def _places(wanted: set[str]) -> dict[str, list[int]]:
    """Addresses by name; of two with one name kernels before 6.7 would count the first alone."""
    places: dict[str, list[int]] = {}
    with suppress(OSError), _SYMBOLS.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            address, _, *words = line.split()
            if (name := " ".join(words)) in wanted:
                places.setdefault(name, []).append(int(address, 16))
    return places


def _symbol(name: str) -> str:
    """`submit [driver]` as the kernel takes it: `driver:submit`."""
    function, _, module = name.partition(" ")
    return f"{module.strip('[]')}:{function}" if module else function
