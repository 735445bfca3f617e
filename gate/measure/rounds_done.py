"""The rounds that a load's loop has written down: when each ended, and whether one failed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.harness.base import TrialFailed
from gate.harness.process import export

if TYPE_CHECKING:
    from pathlib import Path

_TICK = 0.01
"""Seconds: what the clock that the loop reads can tell."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Moments on the clock since boot."""

    started: float
    ends: tuple[float, ...]
    """Of rounds that ended well, in order."""
    died: float | None = None
    """When a round failed, which ends the loop."""

    def during(self, begin: float, end: float) -> tuple[int, float, float] | None:
        """Rounds that ended in a window, how many per second, and the resolution of that.

        The rate is over whole rounds: from the last end before the window to the last in it. None
        where none ended in it.
        """
        inside = [one for one in self.ends if begin <= one <= end]
        if not inside:
            return None
        before = max((one for one in self.ends if one < inside[0]), default=self.started)
        lasted = max(inside[-1] - before, _TICK)
        rate = len(inside) / lasted
        return len(inside), rate, rate * _TICK / lasted


def read_rounds_done(path: Path, started: float) -> Rounds:
    """Read what the loop wrote; nothing yet is no rounds.

    Raises:
        TrialFailed: somebody else wrote into it.
    """
    if not path.exists():
        return Rounds(started, ())
    ends: list[float] = []
    died = None
    whole, _, _ = export(path, "the background load", empty=True).rpartition("\n")
    for line in whole.splitlines():
        fields = line.split()
        try:
            moment = float(fields[0])
        except (ValueError, IndexError):
            raise TrialFailed("the background load's record of its rounds is spoilt") from None
        if not math.isfinite(moment) or (ends and moment < ends[-1]):
            raise TrialFailed("the background load's record of its rounds is spoilt")
        if len(fields) > 1:
            died = moment
        else:
            ends.append(moment)
    return Rounds(started, tuple(ends), died)
