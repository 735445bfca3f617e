"""Completion latency over percentiles; the tail is stretched, for that is where it hurts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gate.report.plots.axis import Axis, Chart, dots, labels, polyline, told_loss
from gate.report.wording import around
from gate.units import scale_of, significant

if TYPE_CHECKING:
    from gate.model import Latency, Quantile

LatencyPlot = Chart
_ENOUGH = 10
_LEAST_LEFT = 1e-12
"""Share of the samples beyond the last percentile that is told from the next."""
_EDGE = 0.04
_NAMED = (50.0, 99.0, 99.9, 90.0, 99.99, 99.999, 99.9999, 10.0)
"""Percentiles that are written below the curve, those that matter most first."""


def latency_plot(latency: Latency) -> LatencyPlot | None:
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
        return _EDGE + (1 - 2 * _EDGE) * (_depth(percentile) - low) / (high - low or 1.0)

    base = [
        (place(p.percentile), axis.y(p.base)) for p in points if p.base is not None and p.base > 0
    ]
    head = [
        (place(p.percentile), axis.y(p.head)) for p in points if p.head is not None and p.head > 0
    ]
    weak = [
        (place(p.percentile), axis.y(value))
        for p in points
        if p.beyond < _ENOUGH
        for value in (p.base, p.head)
        if value is not None and value > 0
    ]
    return Chart(
        title=f"{latency.kind} latency",
        told=around.latency(latency) or f"{latency.kind} latency: too few samples to tell",
        caption=f"{latency.kind} latency in {unit}, logarithmic, over percentile",
        y_ticks=axis.ticks(),
        x_ticks=labels([(place(p), f"p{p:g}") for p in _NAMED if low <= _depth(p) <= high]),
        base_line=polyline(base),
        base_dots=dots(base),
        head_line=polyline(head),
        head_dots=dots(head),
        weak_dots=dots(weak),
        weak=f"fewer than {_ENOUGH} samples beyond: single hiccups" if weak else "",
        lines="",
        marks="",
        marked="",
        columns=("percentile", f"base [{unit}]", f"head [{unit}]", "loss", "samples beyond"),
        rows=tuple(_row(one, factor) for one in points),
    )


def _usable(value: float | None) -> bool:
    return value is not None and value > 0 and math.isfinite(value)


def _depth(percentile: float) -> float:
    """How far out in the tail: 1 for p90, 2 for p99, 3 for p99.9."""
    return -math.log10(max(1 - percentile / 100, _LEAST_LEFT))


def _row(point: Quantile, factor: float) -> tuple[str, ...]:
    base, head = (
        significant(value / factor) if value is not None and _usable(value) else "?"
        for value in (point.base, point.head)
    )
    loss = None
    if point.base is not None and point.head is not None and "?" not in (base, head):
        loss = point.head / point.base - 1
    return f"{point.percentile:g}", base, head, told_loss(loss), f"{point.beyond:.0f}"
