"""What counters gained in a window whose edges lie between two readings.

A window is known only after the fact (fio tells when it ended and how long it measured), and
readings are taken every so often. Work begins and stops at the very edges, so a straight line
between the two readings around an edge would blur it: at an edge the nearest reading is taken and
carried on at the rate that is seen beyond it, on its own side of the edge.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SLACK = 0.05
"""Seconds by which a window may stand out of its readings: clocks are read one after another."""
_RATE_OVER = 0.1
"""Seconds at least over which a rate is taken: a shorter stretch is mostly rounding."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A quantity that only grows, at the moments at which it was read."""

    times: Sequence[float]
    values: Sequence[float]

    def at(self, moment: float) -> float:
        """The quantity at a moment, between its readings."""
        times, values = self.times, self.values
        after = min(max(bisect_right(times, moment), 1), len(times) - 1)
        before = after - 1
        low, high = values[before], values[after]
        since, until = moment - times[before], times[after] - moment
        earlier, later = self._rate_until(before), self._rate_from(after)
        if earlier is not None and (since <= until or later is None):
            known = low + earlier * since
            if later is None:  # seen from afar: the reading close by bounds it
                known = max(known, high - self._steepest() * until)
        elif later is not None:
            known = high - later * until
            if earlier is None:
                known = min(known, low + self._steepest() * since)
        else:
            known = low + (high - low) * since / max(since + until, 1e-9)
        return min(max(known, low), high)

    def gained(self, start: float, end: float) -> float:
        """The gain in a window."""
        return self.at(end) - self.at(start)

    def _rate_until(self, index: int) -> float | None:
        """The rate before a reading."""
        for other in range(index - 1, -1, -1):
            if self.times[index] - self.times[other] >= _RATE_OVER:
                return self._rate(other, index)
        return None

    def _rate_from(self, index: int) -> float | None:
        """The rate after a reading."""
        for other in range(index + 1, len(self.times)):
            if self.times[other] - self.times[index] >= _RATE_OVER:
                return self._rate(index, other)
        return None

    def _steepest(self) -> float:
        """The highest rate that was seen anywhere."""
        last = len(self.times) - 1
        return max(self._rate(i, i + 1) for i in range(last) if self.times[i + 1] > self.times[i])

    def _rate(self, first: int, last: int) -> float:
        span = self.times[last] - self.times[first]
        return (self.values[last] - self.values[first]) / span
