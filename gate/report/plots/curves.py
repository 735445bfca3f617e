"""Charts of base and head over something: a swept parameter, or the percentiles of latency."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from gate.model import Better, Verdict
from gate.report.plots.axis import Axis, Tick, dots, labels, loss_text, polyline
from gate.report.wording import around
from gate.text import shorten
from gate.units import scale_of, significant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gate.model import Latency, Quantile, Sweep, SweepPoint

_LOG_FROM = 8.0
"""A parameter that spans as much is drawn over its logarithm."""
_LONGEST_PLACE = 14
_MOST_PLACES = 9
_WIDE = 600.0
"""Pixels that it has on anything but a phone."""
_FLAT = 0.5
"""A curve whose smallest value is above this part of the largest need not begin at zero."""
_ENOUGH = 10
_LEAST_LEFT = 1e-12
"""Smallest share of the samples beyond a percentile that is drawn apart from the next."""
_SWEEP_EDGE, _LATENCY_EDGE = 0.05, 0.04
_LABELS = (50.0, 99.0, 99.9, 90.0, 99.99, 99.999, 99.9999, 10.0)
"""Percentiles that are written below the curve, those that matter most first."""


class Chart(NamedTuple):
    """What a chart draws, and the table of the same numbers beneath it."""

    title: str
    """Of the table beneath."""
    result: str
    """In a sentence."""
    caption: str
    """Of the axes: metric, unit, direction, parameter."""
    y_ticks: tuple[Tick, ...]
    x_ticks: tuple[Tick, ...]
    base_line: str
    base_dots: str
    head_line: str
    head_dots: str
    weak_dots: str = ""
    """Places of little weight, drawn hollow."""
    weak: str = ""
    """What these are."""
    lines: str = ""
    """Upright lines between stretches of the chart."""
    marks: str = ""
    """Rings about dots that mean more."""
    marked: str = ""
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


def sweep_plot(sweep: Sweep, *, watched: bool = False) -> Chart | None:
    """The chart of a sweep; None where fewer than two points have a value that can be drawn.

    `watched` says that its metric closes nothing.
    """
    base, head = ([getattr(one, side) for one in sweep.points] for side in ("base", "head"))
    values = [v for v in (*base, *head) if v is not None and math.isfinite(v)]
    if len(values) < 2:
        return None
    factor, unit = scale_of(tuple(values), sweep.unit)
    axis = Axis(values, factor, zero=min(values) < _FLAT * max(values))
    if not axis.usable:
        return None
    names = [point.place for point in sweep.points]
    places = _places(names)
    regressed = [
        v if point.verdict is Verdict.REGRESSED else None
        for point, v in zip(sweep.points, head, strict=True)
    ]
    _, marks = _line_and_dots(places, regressed, axis)
    base_line, base_dots = _line_and_dots(places, base, axis)
    head_line, head_dots = _line_and_dots(places, head, axis)
    shown = [(places[n], shorten(names[n], _LONGEST_PLACE)) for n in _evenly(len(places))]
    measured = f"{sweep.metric}{f' in {unit}' if unit else ''}, {sweep.better.value} is better"
    sides = (f"{side}{f' [{unit}]' if unit else ''}" for side in ("base", "head"))
    return Chart(
        title=f"{sweep.metric} over {sweep.parameter}",
        result=_sweep_result(sweep, " (watched)" if watched else ""),
        caption=f"{measured}, over {sweep.parameter}",
        y_ticks=axis.ticks(),
        x_ticks=labels(shown, wide=_WIDE),
        base_line=base_line,
        base_dots=base_dots,
        head_line=head_line,
        head_dots=head_dots,
        marks=marks,
        marked="regressed" if marks else "",
        columns=(sweep.parameter, *sides, "loss", "verdict"),
        rows=tuple(_sweep_row(point, factor, sweep.better) for point in sweep.points),
    )


def _sweep_result(sweep: Sweep, watched: str) -> str:
    """What the curve did, and the points that did not pass, by verdict, worst first."""
    parts = [around.shape(sweep) or f"{sweep.metric}: the curve kept its shape"]
    for verdict in reversed(Verdict):
        places = [one.place for one in sweep.points if one.verdict is verdict]
        if places and verdict is not Verdict.PASSED:
            more = len(places) - _MOST_PLACES
            names = ", ".join(shorten(place, _LONGEST_PLACE) for place in places[:_MOST_PLACES])
            also = f" and {more} more" if more > 0 else ""
            parts.append(f"{verdict.value}{watched} at {names}{also}")
    return "; ".join(parts)


def _line_and_dots(
    places: Iterable[float], values: Iterable[float | None], axis: Axis
) -> tuple[str, str]:
    """A line that is broken where a point has no value, and the dots on it."""
    parts: list[list[tuple[float, str]]] = [[]]
    for x, value in zip(places, values, strict=True):
        if value is None or not math.isfinite(value):
            parts.append([])
        else:
            parts[-1].append((x, axis.y(value)))
    return "".join(map(polyline, parts)), "".join(map(dots, parts))


def _evenly(count: int) -> list[int]:
    """Points in such an order that the first so many of them lie evenly."""
    strides = [2**power for power in range(count.bit_length(), -1, -1)]
    return [*dict.fromkeys(n for stride in strides for n in range(0, count, stride))]


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
    return [_SWEEP_EDGE + (1 - 2 * _SWEEP_EDGE) * (n - low) / span for n in numbers]


def _sweep_row(point: SweepPoint, factor: float, better: Better) -> tuple[str, ...]:
    base, head = (
        "?" if value is None else significant(value / factor) for value in (point.base, point.head)
    )
    loss = None
    if point.base and point.head and point.base > 0 and point.head > 0:
        over, under = (point.head, point.base)[:: 1 if better is Better.LOWER else -1]
        loss = over / under - 1
    return point.place, base, head, loss_text(loss), point.verdict.value


def latency_plot(latency: Latency) -> Chart | None:
    """The chart of a latency curve; None where fewer than two points can be drawn."""
    points = [one for one in latency.points if _usable(one.base) or _usable(one.head)]
    values = [v for one in points for v in (one.base, one.head) if v is not None and _usable(v)]
    if len(points) < 2:
        return None
    factor, unit = scale_of(tuple(values), "s")
    axis = Axis(values, factor, log=True)
    if not axis.usable:
        return None
    low, high = _depth(points[0].percentile), _depth(points[-1].percentile)

    def place(percentile: float) -> float:
        share = (_depth(percentile) - low) / (high - low or 1.0)
        return _LATENCY_EDGE + (1 - 2 * _LATENCY_EDGE) * share

    def drawn(side: str, *, weak: bool = False) -> list[tuple[float, str]]:
        return [
            (place(one.percentile), axis.y(value))
            for one in points
            if (value := getattr(one, side)) is not None and value > 0
            if not weak or one.beyond < _ENOUGH
        ]

    weak = dots([*drawn("base", weak=True), *drawn("head", weak=True)])
    return Chart(
        title=f"{latency.kind} latency",
        result=around.latency(latency) or f"{latency.kind} latency: too few samples to say",
        caption=f"{latency.kind} latency in {unit}, logarithmic, over percentile",
        y_ticks=axis.ticks(),
        x_ticks=labels([(place(p), f"p{p:g}") for p in _LABELS if low <= _depth(p) <= high]),
        base_line=polyline(drawn("base")),
        base_dots=dots(drawn("base")),
        head_line=polyline(drawn("head")),
        head_dots=dots(drawn("head")),
        weak_dots=weak,
        weak=f"fewer than {_ENOUGH} samples beyond: single hiccups" if weak else "",
        columns=("percentile", f"base [{unit}]", f"head [{unit}]", "loss", "samples beyond"),
        rows=tuple(_latency_row(one, factor) for one in points),
    )


def _usable(value: float | None) -> bool:
    return value is not None and value > 0 and math.isfinite(value)


def _depth(percentile: float) -> float:
    """How far out in the tail: 1 for p90, 2 for p99, 3 for p99.9."""
    return -math.log10(max(1 - percentile / 100, _LEAST_LEFT))


def _latency_row(point: Quantile, factor: float) -> tuple[str, ...]:
    base, head = (
        significant(value / factor) if value is not None and _usable(value) else "?"
        for value in (point.base, point.head)
    )
    loss = None
    if point.base is not None and point.head is not None and "?" not in (base, head):
        loss = point.head / point.base - 1
    return f"{point.percentile:g}", base, head, loss_text(loss), f"{point.beyond:.0f}"
