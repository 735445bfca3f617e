"""Calls of single functions of the kernel, counted by probes that are files of this process.

A probe is a perf event of the kernel's own type `kprobe`, so that nothing is written into tracefs,
and none outlives the process, however it ends. Each call costs the trap of its probe: what is
measured meanwhile is no measurement.
"""

from __future__ import annotations

import ctypes
import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gate.linux.perf_event import NoCounters, online, opened_raw

if TYPE_CHECKING:
    from collections.abc import Iterable

_TYPE = Path("/sys/bus/event_source/devices/kprobe/type")
_SYMBOLS = Path("/proc/kallsyms")
_WHY = {
    errno.ENOENT: "this kernel has no such function",
    errno.EADDRNOTAVAIL: "several functions have the name",
    errno.EINVAL: "the kernel allows no probe there",
}


class CallCounts:
    """Counts calls of functions, named as /proc/kallsyms does: `vfs_read`, `submit [driver]`.

    `missing` says of those that cannot be counted why.

    Raises:
        NoCounters: this kernel counts no calls at all.
    """

    def __init__(self, functions: Iterable[str]) -> None:
        self.missing: dict[str, str] = {}
        self._files: dict[str, list[int]] = {}
        try:
            kind = int(_TYPE.read_text("ascii"))
        except (OSError, ValueError):
            message = "this kernel counts no calls (CONFIG_KPROBE_EVENTS)"
            raise NoCounters(message) from None
        wanted = list(functions)
        several = _several({*wanted})
        self.missing |= {name: _WHY[errno.EADDRNOTAVAIL] for name in wanted if name in several}
        try:
            for name in wanted:
                if name not in several:
                    self._probe(kind, name)
        except NoCounters:
            self.close()
            raise

    def calls(self) -> dict[str, int]:
        """Calls so far of each function that is counted, on all processors."""
        return {
            name: sum(int.from_bytes(os.read(file, 8), "little") for file in files)
            for name, files in self._files.items()
        }

    def close(self) -> None:
        """Take the probes away."""
        for file in (one for files in self._files.values() for one in files):
            with suppress(OSError):
                os.close(file)
        self._files = {}

    def _probe(self, kind: int, name: str) -> None:
        symbol = ctypes.create_string_buffer(_symbol(name).encode())
        for cpu in online():
            file = opened_raw(kind, cpu, pointer=ctypes.addressof(symbol))
            if file < 0:
                self.missing[name] = _WHY.get(-file, os.strerror(-file))
                for one in self._files.pop(name, []):
                    os.close(one)
                return
            self._files.setdefault(name, []).append(file)


def _several(wanted: set[str]) -> set[str]:
    """Names that more than one function has: kernels before 6.7 would count the first alone."""
    seen: set[str] = set()
    several: set[str] = set()
    with suppress(OSError), _SYMBOLS.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name = " ".join(line.split()[2:])
            if name in wanted:
                (several if name in seen else seen).add(name)
    return several


def _symbol(name: str) -> str:
    """`submit [driver]` as the kernel takes it: `driver:submit`."""
    function, _, module = name.partition(" ")
    return f"{module.strip('[]')}:{function}" if module else function
