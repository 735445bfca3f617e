"""Whether the host is what it was: controls that moved, trials that scatter as never before."""

from __future__ import annotations

from statistics import median, stdev
from typing import TYPE_CHECKING

from gate.judge.comparable import Refusal
from gate.judge.noises import key_of
from gate.model import Role
from gate.stats.costs import ratio, usable
from gate.stats.scatter import unusual_scatter
from gate.stats.screen import centre
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.judge.noises import Key
    from gate.judge.series import Series
    from gate.stats.noise import Noise

_CONTROL_FLOOR = 0.02
"""A control that moved by less than this (log) never condemns a host."""
_CONTROL_ERRORS = 6.0
"""Nor does one within this many standard errors: only gross failures of the host count."""


def moved_control(every: Sequence[Series], noises: Mapping[Key, Noise]) -> Refusal | None:
    """The first control benchmark whose level left its accepted range, either way."""
    for series in every:
        noise = noises.get(key_of(series))
        gates = series.metric.role is Role.GATE
        if not (series.control and gates and noise and usable(series.head)):
            continue
        loss = median(series.costs) - centre(series.reference.sessions)
        if abs(loss) > max(_CONTROL_FLOOR, _CONTROL_ERRORS * noise.error(len(series.head))):
            return Refusal("G035", f"the control {series.label} moved by {percent(ratio(loss))}")
    return None


def unsteady(every: Sequence[Series], noises: Mapping[Key, Noise]) -> Refusal | None:
    """Trials that scatter far more than in the accepted sessions, over most of the profile."""
    times = [
        stdev(series.costs) / noise.within
        for series in every
        if series.metric.role is Role.GATE
        and len(series.head) > 1
        and usable(series.head)
        and (noise := noises.get(key_of(series)))
        and noise.within > 0
    ]
    scatter = unusual_scatter(times)
    if scatter is None:
        return None
    return Refusal(
        "G039",
        f"trials scatter {scatter:.0f} times as much as in the accepted sessions, over most of "
        f"{len(times)} metrics",
    )
