"""How long tasks waited for memory, as the kernel sums it (PSI)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.host.machine import Machine

MEMORY = "/proc/pressure/memory"
_TOTAL = re.compile(r"^some .*\btotal=(\d+)", re.MULTILINE)
_MICRO = 1e-6


def waited_for_memory(machine: Machine) -> float | None:
    """Seconds since boot in which some task waited; None where the kernel does not tell."""
    found = _TOTAL.search(machine.text(MEMORY))
    return int(found[1]) * _MICRO if found else None
