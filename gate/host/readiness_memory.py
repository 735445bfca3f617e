"""Readiness of the memory: huge pages, swap, where things lie in it, and pages that move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.host.facts import chosen
from gate.host.readiness_ground import Check

if TYPE_CHECKING:
    from gate.host.readiness_ground import Ground
    from gate.model.readiness import Readiness

_THP = "/sys/kernel/mm/transparent_hugepage/enabled"
_KERNEL = "/proc/sys/kernel"
_HEAD = 1
"""Lines of /proc/swaps before the first one in use."""


def huge_pages(ground: Ground) -> Readiness:
    """Whether the kernel gives huge pages to those who did not ask."""
    check = Check(
        "thp",
        "madvise or never",
        "Whether a trial gets huge pages depends on how scattered the memory is when it starts.",
    )
    found = chosen(ground.line(_THP))
    if not found:
        return check.unknown("not told", ground.system("this kernel has no such setting"))
    if found in {"madvise", "never"}:
        return check.ok(found)
    cure = f"gate host tune thp -- COMMAND, or: echo madvise > {_THP}"
    return check.off(found, ground.system(cure))


def swap(ground: Ground) -> Readiness:
    """Whether memory may go to a disk."""
    check = Check("swap", "off", "A trial that waits for a page on a disk measures that disk.")
    rows = ground.machine.text("/proc/swaps").splitlines()
    if not rows:
        return check.unknown("not told", ground.system("/proc/swaps cannot be read"))
    areas = [row.split() for row in rows[_HEAD:] if len(row.split()) == len(rows[0].split())]
    if not areas:
        return check.ok("off")
    size, used = (sum(int(a[n]) for a in areas if a[n].isdecimal()) / 2**20 for n in (2, 3))
    value = f"on, {used:.1f} of {size:.1f} GiB used"
    return check.off(value, ground.system("gate host tune swap -- COMMAND, or: swapoff -a"))


def layout(ground: Ground) -> Readiness:
    """Whether every process lies elsewhere in its memory.

    Wanted on: where a program lies moves its speed, so that each trial should draw anew. Held
    still, one lucky place is measured in every trial, and a change that only moves code looks like
    a loss (Mytkowicz et al. 2009).
    """
    check = Check(
        "aslr",
        "2, everything placed anew in each process",
        "With one fixed layout, a change that only moves code looks like a loss in every trial.",
    )
    found = ground.line(f"{_KERNEL}/randomize_va_space")
    if not found:
        return check.unknown("not told", ground.system(f"{_KERNEL}/randomize_va_space is absent"))
    if found == "2":
        return check.ok(found)
    return check.off(found, ground.system("sysctl kernel.randomize_va_space=2"))


def balancing(ground: Ground) -> Readiness:
    """Whether the kernel moves pages between nodes."""
    check = Check(
        "numa_balancing",
        "off, or a single node",
        "The kernel unmaps and moves pages between nodes in the middle of a trial.",
    )
    nodes = [
        name
        for name in ground.machine.names("/sys/devices/system/node")
        if name.removeprefix("node").isdecimal()
    ]
    found = ground.line(f"{_KERNEL}/numa_balancing")
    if len(nodes) == 1:
        return check.ok(f"{_state(found)}, a single node")
    if not found:
        return check.unknown("not told", ground.system(f"{_KERNEL}/numa_balancing is absent"))
    value = f"{_state(found)}, {len(nodes) or 'unknown'} nodes"
    if found == "0":
        return check.ok(value)
    cure = "gate host tune numa_balancing -- COMMAND, or: sysctl kernel.numa_balancing=0"
    return check.off(value, ground.system(cure))


def _state(found: str) -> str:
    return {"": "not told", "0": "off"}.get(found, "on")
