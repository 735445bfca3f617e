"""How long tasks waited for a resource, as the kernel sums it (PSI)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.host.machine import Machine

_TOTAL = re.compile(r"^some .*\btotal=(\d+)", re.MULTILINE)
_MICRO = 1e-6


def waited_for_memory(machine: Machine) -> float | None:
    """As `waited_for`."""
    return waited_for(machine, "memory")


def waited_for(machine: Machine, what: str) -> float | None:
    """Seconds since boot in which some task waited for `cpu`, `io` or `memory`.

    None where the kernel does not tell.
    """
    found = _TOTAL.search(machine.text(f"/proc/pressure/{what}"))
    return int(found[1]) * _MICRO if found else None
