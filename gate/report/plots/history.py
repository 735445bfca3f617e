"""A series over its accepted sessions, epoch by epoch, and the head at its end."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.report.plots.axis import Axis, Tick, across, dots, labels, per_cent, polyline
from gate.report.plots.curves import Chart
from gate.report.wording import around
from gate.text import shorten
from gate.units import scale_of, significant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.model import Accepted, Finding

_EDGE = 0.04
_LONGEST_METRIC = 60
_DAY = 10
_APART = 0.76
"""Share across from which the last day has room beside the first in the narrowest plot."""


class _Point(NamedTuple):
    session: str
    epoch: int
    value: float


def history_plot(finding: Finding, accepted: Mapping[tuple[str, str], Accepted]) -> Chart | None:
    """The chart of a finding's history; None where fewer than two levels can be drawn."""
    points = _points(finding)
    head = finding.head_value
    values = [point.value for point in points]
    if head is not None and math.isfinite(head):
        values.append(head)
    if not points or len(values) < 2:
        return None
    factor, unit = scale_of(tuple(values), finding.unit)
    axis = Axis(values, factor)
    if not axis.usable:
        return None
    metric = shorten(finding.metric, _LONGEST_METRIC)
    at_end = "" if head is None else significant(head / factor)
    step = (1 - 2 * _EDGE) / max(len(points), 1)
    places = [_EDGE + step * n for n in range(len(points) + 1)]
    starts = [n for n, point in enumerate(points) if not n or points[n - 1].epoch != point.epoch]
    drawn = [(x, axis.y(point.value)) for x, point in zip(places, points, strict=False)]
    ends, epochs = [*starts[1:], len(points)], any(point.epoch for point in points)
    lines = [drawn[begin:end] for begin, end in zip(starts, ends, strict=True)]
    at_head = [(places[-1], axis.y(head))] if len(values) > len(points) and head is not None else []
    return Chart(
        title=f"{metric} over accepted sessions",
        result=around.history(finding, accepted) or "no accepted session",
        caption=f"{metric}{f' in {unit}' if unit else ''}, "
        f"{finding.better.value} is better, over accepted sessions",
        y_ticks=axis.ticks(),
        x_ticks=_epoch_labels(points, starts, places),
        base_line="".join(polyline(line) for line in lines),
        base_dots=dots(drawn),
        head_line="",
        head_dots=dots(at_head),
        lines="".join(f"M{across(places[n] - step / 2)} 0V150" for n in starts[1:]),
        marks=dots([drawn[n] for n in starts if points[n].epoch]),
        marked="anchor of an epoch" if epochs else "",
        x_name="epoch" if epochs else "",
        at_end=f"head {at_end}" if at_head else "",
        days=_days(finding.profile, points, places, accepted),
    )


def _days(
    profile: str,
    points: Sequence[_Point],
    places: Sequence[float],
    accepted: Mapping[tuple[str, str], Accepted],
) -> tuple[Tick, ...]:
    """Of the first and the last accepted session, each below it; none where one is not known."""
    ends = (accepted.get((profile, one.session)) for one in (points[0], points[-1]))
    first, last = (one.started[:_DAY] if one else "" for one in ends)
    if not first or not last:
        return ()
    if first == last:
        return (Tick("0", first, "first"),)
    at = places[len(points) - 1]
    if at < _APART:
        return (Tick("0", f"{first} to {last}", "first"),)
    return Tick("0", first, "first"), Tick(per_cent(at), last, "last")


def _points(finding: Finding) -> list[_Point]:
    seen = finding.evidence
    names = (*seen.baseline_sessions, *("",) * len(seen.baseline))
    earlier = [_Point(one.session, one.epoch, one.value) for one in seen.earlier]
    current = [
        _Point(name, seen.epoch, median(values))
        for name, values in zip(names, seen.baseline, strict=False)
        if values
    ]
    return [point for point in (*earlier, *current) if math.isfinite(point.value)]


def _epoch_labels(
    points: Sequence[_Point], starts: Sequence[int], places: Sequence[float]
) -> tuple[Tick, ...]:
    """The epochs' numbers where each began; the newest first to find room."""
    return labels([(places[n], str(points[n].epoch)) for n in reversed(starts) if points[n].epoch])
