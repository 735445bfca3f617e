"""The CPU bill of a trial's measured window, out of the looks at it.

Busy is what was not idle: window x processors - idle - iowait - steal. That is known to a tick,
while the tick's own samples of user, system, irq and softirq miss bursts of work that begin and
end between two ticks (measured: up to 35 % of them at queue depth 1).

A guest's processor that waits to wake up is idle and stolen at once, and both are counted
(measured: up to 0.4 of 2.7 s). So what is missing to the tick's samples is given back, as far as
the hypervisor took time at all.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.harness.base import TrialFailed
from gate.host.accounting import FIELDS, TICK, idle, parsed
from gate.measure.window import SLACK, Curve
from gate.model import Contexts, Counters, CpuBill, Owners

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.harness.base import WorkDone
    from gate.host.accounting import Reading
    from gate.measure.accounting import Meter
    from gate.model import IdleReference

_SAMPLED = tuple(FIELDS.index(name) for name in ("user", "nice", "system", "irq", "softirq"))
_STEAL = FIELDS.index("steal")
SOURCE = "time that the processors were not idle (/proc/stat)"


def make_bill(meter: Meter, work: WorkDone, reference: IdleReference) -> CpuBill:
    """What the measured window cost.

    Raises:
        TrialFailed: the window cannot be placed, or processors came or went.
    """
    readings = [parsed(look.stat) for look in meter.looks]
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
            **{name: gains.of(index) for index, name in enumerate(FIELDS) if name != "idle"}
        ),
        per_cpu=tuple(gains.per_cpu()),
        owners=_owners(meter, alive.busy()),
        switches=gains.switches(),
        counters=gains.counters(),
        energy=gains.energy(),
        source=f"{SOURCE}, {len(readings)} readings; own share by wait4",
        resolution=gains.resolution(),
    )


def _owners(meter: Meter, busy: float) -> Owners:
    own = meter.used
    told = (own.user + own.system if own else 0.0) + meter.background
    told += sum(meter.threads.values())
    return Owners(
        own_user=own.user if own else 0.0,
        own_system=own.system if own else 0.0,
        background=meter.background,
        kthreads=meter.threads,
        rest=max(busy - told, 0.0),
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


def _refuse_hotplug(readings: list[Reading]) -> None:
    for one in readings:
        if one.each.keys() != readings[0].each.keys():
            raise TrialFailed(
                f"processors came or went during the trial ({len(readings[0].each)}, then "
                f"{len(one.each)} online): what it cost cannot be told"
            )


@dataclass(frozen=True, slots=True)
class Gains:
    """What every figure gained in a window."""

    meter: Meter
    readings: list[Reading]
    start: float
    end: float

    def _gain(self, values: list[float]) -> float:
        times = [one.at for one in self.readings]
        return max(Curve(times, values).gained(self.start, self.end), 0.0)

    def of(self, index: int) -> float:
        """One figure of all processors."""
        return self._gain([one.total[index] for one in self.readings])

    def busy(self) -> float:
        """Seconds of all processors that were not idle."""
        return self._worked([one.total for one in self.readings], len(self.readings[0].each))

    def per_cpu(self) -> Iterator[float]:
        """The same of each processor."""
        for name in self.readings[0].each:
            yield self._worked([one.each[name] for one in self.readings], 1)

    def _worked(self, rows: list[tuple[float, ...]], processors: int) -> float:
        """Seconds of `processors`, whose figures are `rows`, that were not idle."""
        quiet = self._gain([idle(row) for row in rows])
        known = max((self.end - self.start) * processors - quiet, 0.0)
        stolen = self._gain([row[_STEAL] for row in rows])
        sampled = sum(self._gain([row[index] for row in rows]) for index in _SAMPLED)
        return known + min(max(sampled - known, 0.0), stolen)

    def switches(self) -> float:
        """Context switches."""
        return self._gain([one.switches for one in self.readings])

    def counters(self) -> Counters | None:
        """Events, where they are counted."""
        if not self.meter.sources.counters:
            return None
        looks = self.meter.looks
        found = [self._gain([look.counters[i] for look in looks]) for i in range(4)]
        return Counters(
            cycles_user=found[0],
            cycles_kernel=found[1],
            instructions_user=found[2],
            instructions_kernel=found[3],
        )

    def energy(self) -> float | None:
        """Joule, where they are counted."""
        source, looks = self.meter.sources.energy, self.meter.looks
        if source is None:
            return None
        steps = [source.used(a.energy, b.energy) for a, b in itertools.pairwise(looks)]
        sums = [0.0]
        for step in steps:
            sums.append(sums[-1] + step)
        return self._gain(sums)

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
