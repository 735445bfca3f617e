"""A series over its accepted sessions, epoch by epoch, and the head at its end."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.report import words_around
from gate.report.clean import shorten
from gate.report.plots.axis import Axis, Tick, across, dots, labels, polyline
from gate.report.plots.chart import Chart
from gate.units import scale_of, significant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gate.model import Accepted, Finding

HistoryPlot = Chart
_EDGE = 0.04
_LONGEST, _LONGEST_METRIC = 120, 60
_DAY, _COMMIT = 10, 10


class _Point(NamedTuple):
    session: str
    epoch: int
    value: float


def history_plot(
    finding: Finding, accepted: Mapping[tuple[str, str], Accepted]
) -> HistoryPlot | None:
    """The chart of a finding's history; None where fewer than two levels can be drawn."""
    points = _points(finding)
    head = finding.head_value
    values = [point.value for point in points]
    if head is not None and math.isfinite(head):
        values.append(head)
    if not points or len(values) < 2:  # noqa: PLR2004 - a history
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
    ends = [*starts[1:], len(points)]
    lines = [drawn[begin:end] for begin, end in zip(starts, ends, strict=True)]
    at_head = [(places[-1], axis.y(head))] if len(values) > len(points) and head is not None else []
    return Chart(
        title=f"{metric} over accepted sessions",
        told=words_around.history(finding, accepted) or "no accepted session",
        caption=f"{metric}{f' in {unit}' if unit else ''}, "
        f"{finding.better.value} is better, over accepted sessions",
        y_ticks=axis.ticks(),
        x_ticks=_numbered(points, starts, places),
        base_line="".join(polyline(line) for line in lines),
        base_dots=dots(drawn),
        head_line="",
        head_dots=dots(at_head),
        weak_dots="",
        weak="",
        lines="".join(f"M{across(places[n] - step / 2)} 0V150" for n in starts[1:]),
        marks=dots([drawn[n] for n in starts if points[n].epoch]),
        marked="anchor of an epoch" if any(point.epoch for point in points) else "",
        x_name="epoch" if any(point.epoch for point in points) else "",
        at_end=f"head {at_end}" if at_head else "",
        days=_days(finding.profile, points, accepted),
        columns=(
            *("session", "day", "epoch", f"median{f' [{unit}]' if unit else ''}"),
            *("commit", "accepted"),
        ),
        rows=(
            *_rows(finding.profile, points, accepted, factor),
            *((("head", "", "", at_end, "", ""),) if at_head else ()),
        ),
    )


def _days(
    profile: str, points: Sequence[_Point], accepted: Mapping[tuple[str, str], Accepted]
) -> tuple[str, ...]:
    """Of the first and the last accepted session; none where one of them is not told."""
    ends = (accepted.get((profile, one.session)) for one in (points[0], points[-1]))
    days = tuple(one.started[:_DAY] if one else "" for one in ends)
    return days if all(days) and len(points) > 1 else ()


def _rows(
    profile: str,
    points: Sequence[_Point],
    accepted: Mapping[tuple[str, str], Accepted],
    factor: float,
) -> Iterator[tuple[str, ...]]:
    """Each session; why it was accepted is told where it is not as for the one before."""
    before = ""
    for point in points:
        one = accepted.get((profile, point.session))
        why = f"by {one.by}: {one.reason}" if one else ""
        moved = f"moved: {', '.join(one.moved)}" if one and one.moved else ""
        yield (
            shorten(point.session, _LONGEST),
            one.started[:_DAY] if one else "",
            str(point.epoch or ""),
            significant(point.value / factor),
            one.commit[:_COMMIT] if one else "",
            "; ".join(filter(None, (why if why != before else "", moved))),
        )
        before = why


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


def _numbered(
    points: Sequence[_Point], starts: Sequence[int], places: Sequence[float]
) -> tuple[Tick, ...]:
    """The epochs' numbers where each began; the newest first to find room."""
    return labels([(places[n], str(points[n].epoch)) for n in reversed(starts) if points[n].epoch])
