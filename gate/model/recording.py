"""Recordings: sessions of series in which nothing was changed, for judging decision rules."""

from __future__ import annotations

from dataclasses import dataclass

from gate.model.metric import Better


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSeries:
    """One series, sitting by sitting."""

    name: str
    better: Better
    sessions: dict[int, tuple[float, ...]]
    """Values of each session in run order, by session number; numbers are in order of time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The series of one machine."""

    name: str
    """The file's name, for tables."""
    series: tuple[RecordedSeries, ...]
    """Sorted by name."""
