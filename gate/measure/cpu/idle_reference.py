"""What the machine uses at rest, at the start of a sitting: it is taken off every trial's bill."""

from __future__ import annotations

import itertools
import time
from statistics import median
from typing import TYPE_CHECKING

from gate.linux.proc_stat import idle, parse_proc_stat
from gate.model import IdleReference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.linux.proc_stat import CpuTimes
    from gate.measure.cpu.samples import CpuSample, Sources
    from gate.measure.process.stop import Stop
    from gate.model import CpuBill

QUIET = 1.5
"""Seconds: short enough to need no word, long enough for a per cent of one processor."""
_SPANS = 5
"""The middle one of so many counts: a neighbour's short burst is not the machine at rest."""
_NOTED = 0.1
"""Processors: a smaller change at rest is the noise of any machine."""
_TENTH = 0.1
"""Of a trial's own cost: a change at rest that a verdict could rest on."""
_LOOKS, _APART = 6, 0.0033
"""Looks at each end of a span. A tick rounds each of them down at another phase, so that their
mean is known to a fraction of a tick."""


def measure_idle(sources: Sources, stop: Stop) -> IdleReference:
    """Look at the machine while nothing is measured.

    Raises:
        StopRequested: a signal came.
    """
    with stop.interruptible():
        ends = [_looks(sources)]
        for _ in range(_SPANS):
            time.sleep(QUIET / _SPANS)
            ends.append(_looks(sources))
    readings = [[parse_proc_stat(look.stat) for look in looks] for looks in ends]
    spans = [_busy(early, late) for early, late in itertools.pairwise(readings)]
    first, last = ends[0][-1], ends[-1][0]
    return IdleReference(
        seconds=last.stat.at - first.stat.at,
        busy=sorted(spans)[_SPANS // 2],
        energy=_power(sources, first, last),
    )


def changed_rest(before: IdleReference, after: IdleReference, bills: Sequence[CpuBill]) -> str:
    """Why the bills between two looks at rest must not be judged; empty where they may.

    What was taken off every bill was seen before the trials. Where the machine at rest uses another
    amount after them, nobody knows what it used in between.
    """
    costs = [bill.net / bill.window for bill in bills if bill.net > 0]
    moved = abs(after.busy - before.busy)
    if not costs or moved <= max(_NOTED, _TENTH * median(costs)):
        return ""
    return (
        f"the machine at rest used {before.busy:.2f} processors before the trials and "
        f"{after.busy:.2f} after them: their CPU cost may be off by {moved / median(costs):.0%}"
    )


def _looks(sources: Sources) -> list[CpuSample]:
    found = []
    for _ in range(_LOOKS):
        found.append(sources.look())
        time.sleep(_APART)
    return found


def _busy(early: Sequence[CpuTimes], late: Sequence[CpuTimes]) -> float:
    """CPU-seconds per second that were not idle."""
    seconds = (sum(one.at for one in late) - sum(one.at for one in early)) / _LOOKS
    quiet = sum(idle(one.total) for one in late) - sum(idle(one.total) for one in early)
    quiet /= _LOOKS
    return max(len(late[0].each) - quiet / seconds, 0.0)


def _power(sources: Sources, before: CpuSample, after: CpuSample) -> float | None:
    """Joule per second."""
    if sources.energy is None:
        return None
    used = sources.energy.used(before.energy, after.energy)
    return used / (after.stat.at - before.stat.at)
