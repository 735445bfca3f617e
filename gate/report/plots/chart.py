"""Curves of base and head over something: one shape for sweeps, latencies and histories."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gate.report.plots.axis import Tick


class Chart(NamedTuple):
    """What a chart draws, and the table of the same numbers beneath it."""

    title: str
    """Of the table beneath."""
    told: str
    """A sentence that says the result."""
    caption: str
    """Of the axes: metric, unit, direction, parameter."""
    y_ticks: tuple[Tick, ...]
    x_ticks: tuple[Tick, ...]
    base_line: str
    base_dots: str
    head_line: str
    head_dots: str
    weak_dots: str
    """Places that tell little, drawn hollow."""
    weak: str
    """What these are."""
    lines: str
    """Upright lines between stretches of the chart."""
    marks: str
    """Rings about dots that mean more."""
    marked: str
    """What these are."""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """Of the table beneath; a history's numbers stand with those of its finding."""
    x_name: str = ""
    """Before the texts below the picture."""
    days: tuple[Tick, ...] = ()
    """Of the first and of the last session of a history."""
    at_end: str = ""
    """What stands at the right end of a history."""
