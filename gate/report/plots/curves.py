"""Charts of base and head: over a swept parameter, percentiles of latency, accepted sessions."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.model import Better, Level, Verdict
from gate.report.plots.numbers import accepted_values, loss_text, relative_loss
from gate.report.plots.picture import (
    Axis,
    Label,
    Plot,
    Table,
    across,
    dots,
    grid,
    labels,
    looks,
    per_cent,
    polyline,
    strokes,
)
from gate.report.wording import around
from gate.text import shorten
from gate.units import scale_of, significant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gate.model import Accepted, Evidence, Finding, Latency, Sweep

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
_SWEEP_EDGE, _LATENCY_EDGE, _HISTORY_EDGE = 0.05, 0.04, 0.04
_LABELS = (50.0, 99.0, 99.9, 90.0, 99.99, 99.999, 99.9999, 10.0)
"""Percentiles that are written below the curve, those that matter most first."""
_LONGEST_METRIC = 60
_DAY = 10
_APART = 0.76
"""Share across from which the last day has room beside the first in the narrowest plot."""
_NAMES = {"history": ("accepted", "anchor of an epoch")}
"""What the base and the rings of a chart are; else base, and what regressed."""


class CurvePaths(NamedTuple):
    """One side's values over something."""

    line: str
    dots: str


def chart(
    kind: str,
    axis: Axis,
    base: CurvePaths,
    head: CurvePaths,
    *,
    rules: str = "",
    marks: str = "",
    weak: str = "",
) -> Plot:
    """Both curves on their grid, without words and without what stands below.

    `rules` are upright lines between stretches, `marks` rings about dots that mean more, `weak`
    dots of little weight, which are drawn hollow.
    """
    of_base, of_marks = _NAMES.get(kind, ("base", "regressed"))
    return Plot(
        kind=kind,
        y_ticks=axis.ticks(),
        strokes=strokes(
            *(("grid", grid(axis.ticks())), ("rule", rules)),
            *(("base-curve", base.line), ("head-curve", head.line)),
            *(("mark", marks), ("base", base.dots), ("head", head.dots), ("hole", weak)),
        ),
        keys=looks(
            *(("base", base.dots and of_base), ("head", head.dots and "head")),
            ("weak", weak and f"fewer than {_ENOUGH} samples beyond: single hiccups"),
            ("mark", marks and of_marks),
        ),
    )


def sweep_plot(sweep: Sweep, *, watched: bool = False) -> Plot | None:
    """The chart of a sweep, of a metric that is only watched, too; None without two values."""
    values = [[getattr(one, side) for one in sweep.points] for side in ("base", "head")]
    known = tuple(v for v in (*values[0], *values[1]) if v is not None and math.isfinite(v))
    if len(known) < 2:
        return None
    axis = Axis(known, scale_of(known, sweep.unit), zero=min(known) < _FLAT * max(known))
    if not axis.usable:
        return None
    names = [point.place for point in sweep.points]
    places = _places(names)
    proven = [one.head if one.verdict is Verdict.REGRESSED else None for one in sweep.points]
    base, head, rings = (_curve(zip(places, side, strict=True), axis) for side in (*values, proven))
    shown = [(places[n], shorten(names[n], _LONGEST_PLACE)) for n in _evenly(len(places))]
    sides = (f"{side} [{axis.unit}]" if axis.unit else side for side in ("base", "head"))
    way = f"{sweep.better.value} is better, over {sweep.parameter}"
    rows = (
        (one.place, *_cells(one.base, one.head, axis, sweep.better), one.verdict.value)
        for one in sweep.points
    )
    return chart("sweep", axis, base, head, marks=rings.dots)._replace(
        result=_sweep_result(sweep, " (watched)" if watched else ""),
        caption=f"{axis.named(sweep.metric)}, {way}",
        x_ticks=labels(shown, wide=_WIDE),
        table=Table(
            f"{sweep.metric} over {sweep.parameter}, in numbers",
            (sweep.parameter, *sides, "loss", "verdict"),
            tuple(rows),
        ),
    )


def _sweep_result(sweep: Sweep, watched: str) -> str:
    parts = [around.shape(sweep) or f"{sweep.metric}: the curve kept its shape"]
    for verdict in reversed(Verdict):
        places = [one.place for one in sweep.points if one.verdict is verdict]
        if places and verdict is not Verdict.PASSED:
            more = len(places) - _MOST_PLACES
            names = ", ".join(shorten(place, _LONGEST_PLACE) for place in places[:_MOST_PLACES])
            also = f" and {more} more" if more > 0 else ""
            parts.append(f"{verdict.value}{watched} at {names}{also}")
    return "; ".join(parts)


def _curve(points: Iterable[tuple[float, float | None]], axis: Axis) -> CurvePaths:
    """A line through places across and values, broken where there is none, and the dots on it."""
    parts: list[list[tuple[float, str]]] = [[]]
    for x, value in points:
        if value is None or not math.isfinite(value):
            parts.append([])
        else:
            parts[-1].append((x, axis.y(value)))
    return CurvePaths("".join(map(polyline, parts)), "".join(map(dots, parts)))


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


def _cells(base: float | None, head: float | None, axis: Axis, better: Better) -> tuple[str, ...]:
    shown = ("?" if one is None else significant(one / axis.factor) for one in (base, head))
    return *shown, loss_text(relative_loss(base, head, better))


def latency_plot(latency: Latency) -> Plot | None:
    """The chart of a latency curve; None where fewer than two points can be drawn."""
    every = [(one, (_positive(one.base), _positive(one.head))) for one in latency.points]
    points = [(one, sides) for one, sides in every if sides != (None, None)]
    values = tuple(v for _, sides in points for v in sides if v is not None)
    if len(points) < 2:
        return None
    axis = Axis(values, scale_of(values, "s"), log=True)
    if not axis.usable:
        return None
    low, high = (_depth(points[n][0].percentile) for n in (0, -1))

    def place(percentile: float) -> float:
        share = (_depth(percentile) - low) / (high - low or 1.0)
        return _LATENCY_EDGE + (1 - 2 * _LATENCY_EDGE) * share

    def drawn(side: int, most: float = math.inf) -> CurvePaths:
        found = [(one, sides[side]) for one, sides in points if one.beyond < most]
        return _curve([(place(one.percentile), v) for one, v in found if v is not None], axis)

    weak = drawn(0, _ENOUGH).dots + drawn(1, _ENOUGH).dots
    rows = (
        (f"{one.percentile:g}", *_cells(*sides, axis, Better.LOWER), f"{one.beyond:.0f}")
        for one, sides in points
    )
    name = f"{latency.kind} latency"
    return chart("latency", axis, drawn(0), drawn(1), weak=weak)._replace(
        result=around.latency(latency) or f"{name}: too few samples to say",
        caption=f"{axis.named(name)}, logarithmic, over percentile",
        x_ticks=labels([(place(p), f"p{p:g}") for p in _LABELS if low <= _depth(p) <= high]),
        table=Table(
            f"{name}, in numbers",
            ("percentile", f"base [{axis.unit}]", f"head [{axis.unit}]", "loss", "samples beyond"),
            tuple(rows),
        ),
    )


def _positive(value: float | None) -> float | None:
    return value if value is not None and value > 0 and math.isfinite(value) else None


def _depth(percentile: float) -> float:
    """How far out in the tail: 1 for p90, 2 for p99, 3 for p99.9."""
    return -math.log10(max(1 - percentile / 100, _LEAST_LEFT))


def history_plot(finding: Finding, accepted: Mapping[tuple[str, str], Accepted]) -> Plot | None:
    """A series over its accepted sessions, epoch by epoch, and the head at its end.

    None where fewer than two levels can be drawn.
    """
    levels, value = _levels(finding.evidence), finding.head_value
    head = [value] if value is not None and math.isfinite(value) else []
    values = (*(one.value for one in levels), *head)
    if not levels or len(values) < 2:
        return None
    axis = Axis(values, scale_of(values, finding.unit))
    if not axis.usable:
        return None
    step = (1 - 2 * _HISTORY_EDGE) / len(levels)
    places = [_HISTORY_EDGE + step * n for n in range(len(levels) + 1)]
    starts = [n for n, one in enumerate(levels) if not n or levels[n - 1].epoch != one.epoch]
    anchors = [n for n in starts if levels[n].epoch]
    breaks = [(None, one.value) if n in starts else (one.value,) for n, one in enumerate(levels)]
    steps = [(x, v) for x, some in zip(places, breaks, strict=False) for v in some]
    texts = _days(finding.profile, levels, places, accepted)
    if head:
        end = f"head {significant(head[0] / axis.factor)}"
        texts = (*texts, Label("100%", 197 if len(texts) > 1 else 182, end, "last"))
    metric = axis.named(shorten(finding.metric, _LONGEST_METRIC))
    return chart(
        "history",
        axis,
        _curve(steps, axis),
        _curve([(places[-1], one) for one in head], axis),
        rules="".join(f"M{across(places[n] - step / 2)} 0V150" for n in starts[1:]),
        marks=_curve([(places[n], levels[n].value) for n in anchors], axis).dots,
    )._replace(
        result=around.history(finding, accepted) or "no accepted session",
        caption=f"{metric}, {finding.better.value} is better, over accepted sessions",
        # The newest first to find room.
        x_ticks=labels([(places[n], str(levels[n].epoch)) for n in reversed(anchors)]),
        x_name="epoch" if anchors else "",
        texts=texts,
    )


def _levels(seen: Evidence) -> list[Level]:
    current = (
        Level(session=name, epoch=seen.epoch, value=median(values))
        for name, values in accepted_values(seen)
        if values
    )
    return [one for one in (*seen.earlier, *current) if math.isfinite(one.value)]


def _days(
    profile: str,
    levels: Sequence[Level],
    places: Sequence[float],
    accepted: Mapping[tuple[str, str], Accepted],
) -> tuple[Label, ...]:
    """Of the first and the last accepted session, each below it; none where one is not known."""
    ends = (accepted.get((profile, one.session)) for one in (levels[0], levels[-1]))
    first, last = (one.started[:_DAY] if one else "" for one in ends)
    if not first or not last:
        return ()
    at = places[len(levels) - 1]
    if first == last or at < _APART:
        days = first if first == last else f"{first} to {last}"
        return (Label("0", 182, days, "quiet first"),)
    return Label("0", 182, first, "quiet first"), Label(per_cent(at), 182, last, "quiet last")
