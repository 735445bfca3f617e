"""A swept metric over its parameter, base and head in one picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gate.model import Verdict
from gate.report.plots.axis import Axis, Chart, dots, labels, polyline, told_loss
from gate.report.wording import around
from gate.text import shorten
from gate.units import scale_of, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Sweep, SweepPoint

SweepPlot = Chart
_LOG_FROM = 8.0
"""A parameter that spans as much is drawn over its logarithm."""
_EDGE = 0.05
_LONGEST = 14
_MOST_PLACES = 9
_WIDE = 600.0
"""Pixels that it has on anything but a phone."""
_FLAT = 0.5
"""A curve whose smallest value is above this part of the largest need not begin at zero."""


def sweep_plot(sweep: Sweep, *, watched: bool = False) -> SweepPlot | None:
    """The chart of a sweep; None where fewer than two points have a value that can be drawn.

    `watched` says that its metric closes nothing.
    """
    pairs = [(point.base, point.head) for point in sweep.points]
    values = [v for pair in pairs for v in pair if v is not None and math.isfinite(v)]
    if len(values) < 2:
        return None
    factor, unit = scale_of(tuple(values), sweep.unit)
    axis = Axis(values, factor, zero=min(values) < _FLAT * max(values))
    if not axis.usable:
        return None
    places = _places([point.place for point in sweep.points])
    base = _drawn(places, [point.base for point in sweep.points], axis)
    head = _drawn(places, [point.head for point in sweep.points], axis)
    bad = [
        (x, axis.y(point.head))
        for x, point in zip(places, sweep.points, strict=True)
        if point.verdict is Verdict.REGRESSED and point.head is not None
    ]
    measured = f"{sweep.metric}{f' in {unit}' if unit else ''}, {sweep.better.value} is better"
    return Chart(
        title=f"{sweep.metric} over {sweep.parameter}",
        told=_told(sweep, " (watched)" if watched else ""),
        caption=f"{measured}, over {sweep.parameter}",
        y_ticks=axis.ticks(),
        x_ticks=labels(
            [(places[n], shorten(sweep.points[n].place, _LONGEST)) for n in _spread(len(places))],
            wide=_WIDE,
        ),
        base_line=_curve(places, [point.base for point in sweep.points], axis),
        base_dots=dots(base),
        head_line=_curve(places, [point.head for point in sweep.points], axis),
        head_dots=dots(head),
        weak_dots="",
        weak="",
        lines="",
        marks=dots(bad),
        marked="regressed" if bad else "",
        columns=(sweep.parameter, f"base{_in(unit)}", f"head{_in(unit)}", "loss", "verdict"),
        rows=tuple(_row(point, factor, sweep) for point in sweep.points),
    )


def _told(sweep: Sweep, watched: str) -> str:
    """What the curve did, and the points that did not pass, by verdict, worst first."""
    told = [around.shape(sweep) or f"{sweep.metric}: the curve kept its shape"]
    for verdict in reversed(Verdict):
        places = [one.place for one in sweep.points if one.verdict is verdict]
        if places and verdict is not Verdict.PASSED:
            more = len(places) - _MOST_PLACES
            named = ", ".join(shorten(place, _LONGEST) for place in places[:_MOST_PLACES])
            told.append(
                f"{verdict.value}{watched} at {named}{f' and {more} more' if more > 0 else ''}"
            )
    return "; ".join(told)


def _curve(places: Sequence[float], values: Sequence[float | None], axis: Axis) -> str:
    """A line that is broken where a point has no value."""
    parts: list[list[tuple[float, str]]] = [[]]
    for x, value in zip(places, values, strict=True):
        if value is None or not math.isfinite(value):
            parts.append([])
        else:
            parts[-1].append((x, axis.y(value)))
    return "".join(map(polyline, parts))


def _spread(count: int) -> list[int]:
    """Points in such an order that the first so many of them lie evenly."""
    strides = [2**power for power in range(count.bit_length(), -1, -1)]
    return [*dict.fromkeys(n for stride in strides for n in range(0, count, stride))]


def _in(unit: str) -> str:
    return f" [{unit}]" if unit else ""


def _places(names: Sequence[str]) -> list[float]:
    """Where the points stand across: by number, by its logarithm, or one after the other."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        numbers = []
    fit = numbers and all(map(math.isfinite, numbers)) and min(numbers) < max(numbers)
    if not fit:
        numbers = [float(n) for n in range(len(names))]
    elif min(numbers) > 0 and max(numbers) / min(numbers) >= _LOG_FROM:
        numbers = [math.log(n) for n in numbers]
    low, span = min(numbers), max(numbers) - min(numbers) or 1.0
    return [_EDGE + (1 - 2 * _EDGE) * (n - low) / span for n in numbers]


def _drawn(
    places: Sequence[float], values: Sequence[float | None], axis: Axis
) -> list[tuple[float, str]]:
    return [
        (x, axis.y(value))
        for x, value in zip(places, values, strict=True)
        if value is not None and math.isfinite(value)
    ]


def _row(point: SweepPoint, factor: float, sweep: Sweep) -> tuple[str, ...]:
    base, head = (
        "?" if value is None else significant(value / factor) for value in (point.base, point.head)
    )
    loss = None
    if point.base and point.head and point.base > 0 and point.head > 0:
        better_lower = sweep.better.value == "lower"
        loss = (point.head / point.base if better_lower else point.base / point.head) - 1
    return point.place, base, head, told_loss(loss), point.verdict.value
