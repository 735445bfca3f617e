"""One knob of the kernel: read in one spelling, and turned.

The spelling is that of the selected value (`always [madvise] never` is `madvise`), so that values
read at different times can be compared as texts. A swap is a knob too: `on auto`, `on 5`, `off`.
"""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING

from gate.host.identity.facts import bracketed
from gate.linux.cpu_list import cpu_list_text, cpus_mask, cpus_of, mask_cpus
from gate.linux.machine import line
from gate.linux.mounts import unescape

if TYPE_CHECKING:
    from gate.linux.machine import LinuxMachine

SWAP = "swap"
"""The setting whose knobs are no files but system calls."""
OFF = "off"
_AUTO = "auto"
_PREFER = 0x8000
_PRIORITIES = 0x7FFF
_SWAP_COLUMNS = 5


def value_at(machine: LinuxMachine, setting: str, path: str) -> str:
    """What a knob is set to now; empty where it is not there or makes no sense."""
    if setting == SWAP:
        return swaps(machine).get(path, OFF)
    text = line(machine, path)
    try:
        if path.endswith("_affinity_list"):
            return cpu_list_text(cpus_of(text))
        if path.endswith("_affinity"):
            return cpus_mask(mask_cpus(text))
    except ValueError:
        return ""
    return bracketed(text)


def swaps(machine: LinuxMachine) -> dict[str, str]:
    """Every active swap: its path -> `on` and its priority, which the kernel chose if negative.

    In the order in which they have to be switched on again: the kernel gives the first one without
    a priority -2, the next one -3.
    """
    known = [(path, row[-1]) for path, row in _swap_rows(machine).items()]
    known.sort(key=lambda one: int(one[1][1:]) if one[1].startswith("-") else 0)
    return {path: f"on {_AUTO if at.startswith('-') else at}" for path, at in known}


def swapped_bytes(machine: LinuxMachine) -> dict[str, int]:
    """Bytes that lie in each active swap."""
    return {path: int(used) << 10 for path, (*_, used, _priority) in _swap_rows(machine).items()}


def _swap_rows(machine: LinuxMachine) -> dict[str, list[str]]:
    """Kind, size, kilobytes used and priority of each swap, by path."""
    rows = [row.split() for row in machine.text("/proc/swaps").splitlines()[1:]]
    return {unescape(row[0]): row[1:_SWAP_COLUMNS] for row in rows if len(row) >= _SWAP_COLUMNS}


def turn(setting: str, path: str, value: str) -> None:
    """Set a knob of this machine.

    Raises:
        OSError: the kernel refused.
    """
    if setting == SWAP:
        _turn_swap(path, value)
        return
    # Never created: where the kernel has no such knob, there must not be a file of ours. One write
    # and no truncation before it: no moment at which the knob would read as empty.
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(handle, f"{value}\n".encode())
    finally:
        os.close(handle)


def _turn_swap(path: str, value: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if value == OFF:
        failed = libc.swapoff(os.fsencode(path))
    else:
        priority = value.removeprefix("on ")
        flags = 0 if priority == _AUTO else _PREFER | int(priority) & _PRIORITIES
        failed = libc.swapon(os.fsencode(path), flags)
    if failed:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
