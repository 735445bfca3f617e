"""The CPU bill of a trial's measured window, out of the looks at it.

Busy is what was not idle: window x processors - idle - iowait - steal. That is known to a tick,
while the tick's own samples of user, system, irq and softirq miss bursts of work that begin and
end between two ticks (measured: up to 35 % of them at queue depth 1).

A guest's processor that waits to wake up is idle and stolen at once, and both are counted
(measured: up to 0.4 of 2.7 s). So what is missing to the tick's samples is given back, as far as
the hypervisor took time at all.

A window is known only after the fact (fio reports when it ended and how long it measured), and
its edges lie between two readings. Work begins and stops at the very edges, so a straight line
between the two readings around an edge would blur it. What lies between an edge and the nearest
reading inside the window is taken to have gone on as it did between the readings inside.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.errors import TrialFailed
from gate.linux.proc_stat import FIELDS, TICK, idle, parse_proc_stat
from gate.model import Contexts, Counters, CpuBill, Owners

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.harness.base import WorkDone
    from gate.linux.proc_stat import CpuTimes
    from gate.measure.cpu.samples import Meter
    from gate.model import IdleReference


SLACK = 0.05
"""Seconds by which a window may stand out of its readings: clocks are read one after another."""
_TAIL = 0.06
"""Seconds before a window's end that may be idle already: fio stamps its end some 40 ms late."""
_RATE_OVER = 0.15
"""Seconds at least over which a rate is taken: a shorter stretch is mostly rounding."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A quantity that only grows, at the moments at which it was read."""

    times: Sequence[float]
    values: Sequence[float]

    def at(self, moment: float) -> float:
        """The quantity at a moment, on a straight line between the readings around it."""
        times, values = self.times, self.values
        after = min(max(bisect_right(times, moment), 1), len(times) - 1)
        low, high = values[after - 1], values[after]
        since, until = moment - times[after - 1], times[after] - moment
        return min(max(low + (high - low) * since / max(since + until, 1e-9), low), high)

    def gained(self, start: float, end: float) -> float:
        """The gain in a window; with too few readings inside for a rate, that of straight lines."""
        times, values = self.times, self.values
        first, last = self._inside(start, end)
        stretch = self.stretch(start, end)
        if last <= first or stretch == 1.0:
            return self.at(end) - self.at(start)
        # Never more than the readings around the window allow.
        before, after = max(first - 1, 0), min(bisect_left(times, end), len(times) - 1)
        return min((values[last] - values[first]) * stretch, values[after] - values[before])

    def stretch(self, start: float, end: float) -> float:
        """By how much the window is longer than its readings: so much do their errors grow."""
        first, last = self._inside(start, end)
        span = self.times[last] - self.times[first] if last > first else 0.0
        return (end - start) / span if span >= _RATE_OVER else 1.0

    def doubt(self, start: float, end: float) -> float:
        """Half of what the gain may be off by where no rate is known inside; else 0."""
        times, values = self.times, self.values
        if self.stretch(start, end) != 1.0 or (start <= times[0] and end >= times[-1]):
            return 0.0
        first, last = bisect_left(times, start), bisect_right(times, end) - 1
        before, after = max(first - 1, 0), min(last + 1, len(times) - 1)
        surely = values[last] - values[first] if last > first else 0.0
        return (values[after] - values[before] - surely) / 2

    def _inside(self, start: float, end: float) -> tuple[int, int]:
        """The first and the last reading that surely lie in the window."""
        tail = _TAIL if end < self.times[-1] else 0.0
        return bisect_left(self.times, start), bisect_right(self.times, end - tail) - 1


_SAMPLED = tuple(FIELDS.index(name) for name in ("user", "nice", "system", "irq", "softirq"))
_STEAL = FIELDS.index("steal")
SOURCE = "time that the processors were not idle (/proc/stat)"


def make_bill(meter: Meter, work: WorkDone, reference: IdleReference) -> CpuBill:
    """What the measured window cost; one out of place, or a lost processor, fails the trial."""
    readings = [parse_proc_stat(look.stat) for look in meter.looks]
    first, last = readings[0].at, readings[-1].at
    start, end = _edges(work, first, last, meter.wall)
    _refuse_hotplug(readings)
    gains = Gains(meter, readings, start, end)
    alive = Gains(meter, readings, first, last)
    return CpuBill(
        window=end - start,
        life=last - first,
        operations=work.operations,
        transferred=work.transferred,
        busy=gains.busy(),
        idle_reference=reference.busy * (end - start),
        contexts=Contexts(
            **{
                name: gains.gain([one.total[index] for one in readings])
                for index, name in enumerate(FIELDS)
                if name != "idle"
            }
        ),
        per_cpu=tuple(gains.per_cpu()),
        owners=_owners(meter, alive.busy()),
        switches=gains.gain([one.switches for one in readings]),
        counters=gains.counters(),
        energy=gains.energy(),
        source=f"{SOURCE}, {len(readings)} readings; own share by wait4",
        resolution=gains.resolution(),
    )


def _owners(meter: Meter, busy: float) -> Owners:
    own = meter.used
    known = (own.user + own.system if own else 0.0) + meter.background
    known += sum(meter.threads.values())
    return Owners(
        own_user=own.user if own else 0.0,
        own_system=own.system if own else 0.0,
        background=meter.background,
        kthreads=meter.threads,
        rest=max(busy - known, 0.0),
    )


def _edges(work: WorkDone, first: float, last: float, wall: float) -> tuple[float, float]:
    """The window on the monotonic clock."""
    if work.ended is None or work.seconds is None:
        return first, last
    end = work.ended - wall
    start = end - work.seconds
    if start < first - SLACK or end > last + SLACK:
        raise TrialFailed(
            f"the measured window ({start - first:.2f} s to {end - first:.2f} s) does not lie "
            f"in the life of its process ({last - first:.2f} s): was the clock set meanwhile?"
        )
    return max(start, first), min(end, last)


def _refuse_hotplug(readings: list[CpuTimes]) -> None:
    for one in readings:
        if one.each.keys() != readings[0].each.keys():
            raise TrialFailed(
                f"processors came or went during the trial ({len(readings[0].each)}, then "
                f"{len(one.each)} online): what it cost is unknown"
            )


@dataclass(frozen=True, slots=True)
class Gains:
    """What every figure gained in a window."""

    meter: Meter
    readings: list[CpuTimes]
    start: float
    end: float

    def gain(self, values: list[float]) -> float:
        """Of one figure, by its value in each reading."""
        times = [one.at for one in self.readings]
        return max(Curve(times, values).gained(self.start, self.end), 0.0)

    def busy(self) -> float:
        """Seconds of all processors that were not idle."""
        return self._worked([one.total for one in self.readings], len(self.readings[0].each))

    def per_cpu(self) -> Iterator[float]:
        """The same of each processor."""
        for name in self.readings[0].each:
            yield self._worked([one.each[name] for one in self.readings], 1)

    def _worked(self, rows: list[tuple[float, ...]], processors: int) -> float:
        """Seconds of `processors`, whose figures are `rows`, that were not idle."""
        quiet = self.gain([idle(row) for row in rows])
        known = max((self.end - self.start) * processors - quiet, 0.0)
        stolen = self.gain([row[_STEAL] for row in rows])
        sampled = sum(self.gain([row[index] for row in rows]) for index in _SAMPLED)
        return known + min(max(sampled - known, 0.0), stolen)

    def counters(self) -> Counters | None:
        """Events, where they are counted."""
        if not self.meter.sources.counters:
            return None
        names = ("cycles_user", "cycles_kernel", "instructions_user", "instructions_kernel")
        rows = zip(*(look.counters for look in self.meter.looks), strict=True)
        return Counters(**{name: self.gain([*row]) for name, row in zip(names, rows, strict=True)})

    def energy(self) -> float | None:
        """Joule, where they are counted."""
        source, looks = self.meter.sources.energy, self.meter.looks
        if source is None:
            return None
        steps = (source.used(a.energy, b.energy) for a, b in itertools.pairwise(looks))
        return self.gain(list(itertools.accumulate(steps, initial=0.0)))

    def resolution(self) -> float:
        """A tick for each figure of the idle time that moved: each is rounded on its own.

        With too few readings for the window's own rate also what the edges leave in doubt.
        """
        times = [one.at for one in self.readings]
        stretch = Curve(times, times).stretch(self.start, self.end)
        moved = [
            self.readings[0].total[index] != self.readings[-1].total[index] for index in (3, 4, 7)
        ]
        processors = len(self.readings[0].each)
        busy = [(one.at - times[0]) * processors - idle(one.total) for one in self.readings]
        doubt = Curve(times, busy).doubt(self.start, self.end)
        return TICK * max(sum(moved), 1) * max(stretch, 1.0) + max(doubt, 0.0)
