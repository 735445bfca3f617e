"""A checked fio document -> completion latencies as a curve over percentiles, for every kind."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from gate.harness.base import TrialFailed
from gate.harness.fio_output import MIXED, SIDES
from gate.model import Percentiles

if TYPE_CHECKING:
    from gate.harness.fio_output import FioDocument, FioSide

_PERCENT = re.compile(r"\d{1,3}(\.\d+)?")
_MOST_POINTS = 20
"""As many as fio takes in percentile_list."""


def fio_latencies(document: FioDocument) -> tuple[Percentiles, ...]:
    """The completion latencies that fio printed, by kind of I/O.

    fio prints those of `clat_ns` unless clat_percentiles=0; `lat_percentiles` and
    `slat_percentiles` add others, which hold the submission too and are not taken. Where several
    job entries did one kind of I/O there are none of it: percentiles cannot be merged.

    Raises:
        TrialFailed: they contradict themselves.
    """
    busy = [side for job in document.jobs for side in job.sides]
    found = []
    for kind in (*SIDES, MIXED):
        own = [one for one in busy if one.side == kind]
        points = _points(own[0]) if len(own) == 1 else ()
        if points:
            found.append(Percentiles(kind=kind, samples=own[0].clat_count, points=points))
    return tuple(found)


def _points(side: FioSide) -> tuple[tuple[float, float], ...]:
    """Percentile and latency of each point, ascending.

    The 100th is no percentile but the maximum, and a latency of 0 is below the clock's resolution.
    """
    if side.clat_count == 0:
        return ()
    points = sorted(
        (float(point), seconds)
        for point, seconds in side.percentiles.items()
        if _PERCENT.fullmatch(point) and 0 < float(point) < 100 and seconds > 0  # noqa: PLR2004
    )
    if len(points) > _MOST_POINTS:
        raise TrialFailed(f"fio gives {len(points)} percentiles, and it knows {_MOST_POINTS}")
    if any(before > after for (_, before), (_, after) in pairwise(points)):
        raise TrialFailed(f"fio's completion latencies of {side.side} fall over their percentiles")
    return tuple(points)
