"""What counters gained in a window whose edges lie between two readings.

A window is known only after the fact (fio tells when it ended and how long it measured), and
readings are taken every so often. Work begins and stops at the very edges, so a straight line
between the two readings around an edge would blur it. What lies between an edge and the nearest
reading inside the window is taken to have gone on as it did between the readings inside.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SLACK = 0.05
"""Seconds by which a window may stand out of its readings: clocks are read one after another."""
_TAIL = 0.06
"""Seconds before a window's end that may be idle already: fio stamps its end some 40 ms late."""
_RATE_OVER = 0.15
"""Seconds at least over which a rate is taken: a shorter stretch is mostly rounding."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A quantity that only grows, at the moments at which it was read."""

    times: Sequence[float]
    values: Sequence[float]

    def at(self, moment: float) -> float:
        """The quantity at a moment, on a straight line between the readings around it."""
        times, values = self.times, self.values
        after = min(max(bisect_right(times, moment), 1), len(times) - 1)
        low, high = values[after - 1], values[after]
        since, until = moment - times[after - 1], times[after] - moment
        return min(max(low + (high - low) * since / max(since + until, 1e-9), low), high)

    def gained(self, start: float, end: float) -> float:
        """The gain in a window.

        With too few readings inside for a rate, that of straight lines.
        """
        times, values = self.times, self.values
        first, last = self._inside(start, end)
        stretch = self.stretch(start, end)
        if last <= first or stretch == 1.0:
            return self.at(end) - self.at(start)
        # Never more than the readings around the window allow.
        before, after = max(first - 1, 0), min(bisect_left(times, end), len(times) - 1)
        return min((values[last] - values[first]) * stretch, values[after] - values[before])

    def stretch(self, start: float, end: float) -> float:
        """By how much the window is longer than its readings: so much do their errors grow."""
        first, last = self._inside(start, end)
        span = self.times[last] - self.times[first] if last > first else 0.0
        return (end - start) / span if span >= _RATE_OVER else 1.0

    def doubt(self, start: float, end: float) -> float:
        """Half of what the gain may be off by where no rate is known inside; else 0."""
        times, values = self.times, self.values
        if self.stretch(start, end) != 1.0 or (start <= times[0] and end >= times[-1]):
            return 0.0
        first, last = bisect_left(times, start), bisect_right(times, end) - 1
        before, after = max(first - 1, 0), min(last + 1, len(times) - 1)
        surely = values[last] - values[first] if last > first else 0.0
        return (values[after] - values[before] - surely) / 2

    def _inside(self, start: float, end: float) -> tuple[int, int]:
        """The first and the last reading that surely lie in the window."""
        tail = _TAIL if end < self.times[-1] else 0.0
        return bisect_left(self.times, start), bisect_right(self.times, end - tail) - 1
