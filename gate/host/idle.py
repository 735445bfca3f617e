"""Whether the machine has time to spare: the share of its processors' time that is used."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

SAMPLE = 1.0
"""Seconds that a look at the processors takes."""
_IDLE = slice(3, 5)
"""Columns of /proc/stat that are no work: idle and iowait."""


class Ticks(NamedTuple):
    """Clock ticks of all processors since boot."""

    busy: int
    total: int


def ticks(root: Path = Path("/")) -> Ticks:
    """Ticks so far; zeros where the kernel does not tell."""
    try:
        first = (root / "proc/stat").read_text(encoding="ascii").partition("\n")[0]
        numbers = [int(word) for word in first.split()[1:9]]
    except (OSError, ValueError):
        return Ticks(0, 0)
    return Ticks(sum(numbers) - sum(numbers[_IDLE]), sum(numbers))


def busy_share(before: Ticks, after: Ticks) -> float:
    """The share of the time between two looks that was used; 0 where nothing is known."""
    passed = after.total - before.total
    return (after.busy - before.busy) / passed if passed > 0 else 0.0


def busy_now() -> float:
    """The share of the processors' time that is used now; looks for a second."""
    before = ticks()
    time.sleep(SAMPLE)
    return busy_share(before, ticks())
