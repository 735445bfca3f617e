"""Kernels of the distribution that set-up fetched: the oldest and the newest of its archive.

Every machine's archive has others, and what holds for one kernel need not hold for the next.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

_PLACE = Path(__file__).parents[2] / ".tools" / "kernel"


class Distributed(NamedTuple):
    """An unpacked kernel package."""

    place: Path

    @property
    def release(self):
        return next(self.place.glob("boot/vmlinuz-*")).name.removeprefix("vmlinuz-")


CLOUD = Distributed(_PLACE / "debian")
"""The oldest for clouds, with all of its modules."""
OLDEST, NEWEST = Distributed(_PLACE / "shared"), Distributed(_PLACE / "newest")
"""With the modules that a boot on this machine's root takes."""
OLDEST_AND_NEWEST = pytest.mark.parametrize(
    "kernel",
    [pytest.param(OLDEST, id="oldest"), pytest.param(NEWEST, id="newest", marks=pytest.mark.night)],
)
