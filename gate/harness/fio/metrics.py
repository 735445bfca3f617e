"""A checked fio document -> metric values in base units, and latencies as curves."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from gate.errors import TrialFailed
from gate.formats.profile.metric_kinds import FIO_KINDS, FIO_PERCENTILES, FIO_SIDES
from gate.harness.base import WorkDone
from gate.harness.fio.output import MIXED
from gate.model import Percentiles, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.harness.fio.output import FioDocument, FioSide


def fio_values(document: FioDocument) -> tuple[tuple[Value, ...], dict[str, str]]:
    """Give the values, and for each metric that is lacking the reason and the cure.

    Raises:
        TrialFailed: the totals are not positive.
    """
    busy, table = document.sides, _Table()
    table.rates("", busy)
    kinds = {side.side for side in busy}
    if len(kinds) == 1:
        table.latencies("", busy)
    else:
        names = " and ".join(sorted(kinds))
        table.lack("clat", f"the job {names}s; ask for read_clat_... or write_clat_... instead")
    for side in FIO_SIDES:
        own = [one for one in busy if one.side == side]
        if own:
            table.rates(f"{side}_", own)
            table.latencies(f"{side}_", own)
        else:
            why = f"the job did no {side}s: take the metric out of the profile, or correct the job"
            if MIXED in kinds:
                why = "unified_rw_reporting hides it: remove that option"
            table.lack(side, why)
    return tuple(table.values), table.missing


def fio_work(document: FioDocument) -> WorkDone | None:
    """What was completed in the measured window; nothing where fio does not place it in time."""
    seconds = max(side.runtime for side in document.sides)
    if document.ended is None or seconds <= 0:
        return None
    return WorkDone(
        ended=document.ended,
        seconds=seconds,
        operations=sum(side.ios for side in document.sides),
        transferred=sum(side.transferred for side in document.sides),
    )


class _Table:
    """Values found so far, and why others are not there."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.missing: dict[str, str] = {}

    def lack(self, prefix: str, why: str) -> None:
        """Give one reason for every metric whose name begins with `prefix`."""
        names = (name for name in FIO_KINDS if name.startswith(f"{prefix}_"))
        self.missing.update(dict.fromkeys(names, why))

    def rates(self, prefix: str, sides: Sequence[FioSide]) -> None:
        """Rates of concurrent jobs add up."""
        samples = sum(side.ios for side in sides)
        iops, bandwidth = sum(one.iops for one in sides), sum(one.bandwidth for one in sides)
        for name, total in (("iops", iops), ("throughput", bandwidth)):
            if total <= 0:
                raise TrialFailed(f"fio counted {samples} I/Os but gives {prefix}{name} = 0")
            self.values.append(Value(metric=f"{prefix}{name}", value=total, samples=samples))

    def latencies(self, prefix: str, sides: Sequence[FioSide]) -> None:
        """Merge means by weight; percentiles of several jobs cannot be merged."""
        samples = sum(side.clat_count for side in sides)
        if min(side.clat_count for side in sides) == 0:
            why = "fio took no completion latencies: remove gtod_reduce and disable_clat"
            self.lack(f"{prefix}clat", why)
            return
        if len(sides) > 1 and not prefix:
            why = "several job entries did I/O: add group_reporting=1 to [global]"
            self.lack("clat", why)
            return
        mean = sum(side.clat_mean * side.clat_count for side in sides) / samples
        self._latency(f"{prefix}clat_mean", mean, samples)
        for name, point in FIO_PERCENTILES.items():
            metric = f"{prefix}clat_{name}"
            if len(sides) > 1:
                self.missing[metric] = (
                    "percentiles of several job entries cannot be merged: "
                    "add group_reporting=1 to [global]"
                )
                continue
            value = sides[0].percentiles.get(f"{float(point):.6f}")
            if value is None:
                self.missing[metric] = (
                    f"fio was not asked for that percentile: add {point} to percentile_list, "
                    "and keep clat_percentiles on"
                )
            else:
                self._latency(metric, value, samples)

    def _latency(self, metric: str, value: float, samples: int) -> None:
        if value > 0:
            self.values.append(Value(metric=metric, value=value, samples=samples))
        else:
            self.missing[metric] = "fio gives 0: it is below the clock's resolution"


_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]+)?")
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
    found = []
    for kind in (*FIO_SIDES, MIXED):
        own = [one for one in document.sides if one.side == kind]
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
        if _PERCENT.fullmatch(point) and 0 < float(point) < 100 and seconds > 0
    )
    if len(points) > _MOST_POINTS:
        raise TrialFailed(f"fio gives {len(points)} percentiles, and it knows {_MOST_POINTS}")
    if len({point for point, _ in points}) < len(points):
        raise TrialFailed(f"fio gives a percentile of {side.side} twice")
    if any(before > after for (_, before), (_, after) in pairwise(points)):
        raise TrialFailed(f"fio's completion latencies of {side.side} fall over their percentiles")
    return tuple(points)
