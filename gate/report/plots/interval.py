"""A loss and its interval against zero, the negligible loss and the tolerance, with figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gate.report import words
from gate.report.plots.axis import Tick, across, per_cent
from gate.units import percent

if TYPE_CHECKING:
    from gate.model import Finding

_EDGE = 0.04
_ZERO, _TOLERANCE = 0.25, 0.72
"""Room for names: as much of the axis right of no loss is kept free left of it, and the tolerance
stands no further right."""
_LARGEST = 1e6
_TENFOLD, _DIGITS = 10.0, 5
_ROOM = 0.5
"""Part of the axis that is kept free beside an interval for the figure of its end."""


class IntervalPlot(NamedTuple):
    """Places across; texts in per cent."""

    told: str
    zero: str
    negligible: str
    limit: str
    low: str
    high: str
    point: str
    zero_at: str
    """Where its name stands, in per cent; so the next."""
    limit_at: str
    tolerance: str
    ends: tuple[Tick, ...]
    """Beside the interval: its ends, the lower first; an open one has no text."""
    slight: str
    """The negligible loss, also where its mark is not drawn."""
    open_low: bool
    open_high: bool


def interval_plot(finding: Finding) -> IntervalPlot | None:
    """The plot of a finding's loss; None where it has none that can be drawn."""
    tolerance = finding.tolerance_used or finding.tolerance
    known = (finding.loss, finding.loss_low, finding.loss_high)
    ends = [v for v in known if v is not None]
    if finding.loss is None or not all(abs(v) <= _LARGEST for v in (*ends, tolerance)):
        return None
    if tolerance <= 0:
        return None
    low, high = min(*ends, -tolerance / 2), max(*ends, 1.6 * tolerance)
    room = (high - low) * _ROOM
    high = max(high, max(ends) + room)
    low = min(low, min(ends) - room, -_ZERO * high)
    high = max(high, low + (tolerance - low) / _TOLERANCE)

    def place(loss: float) -> float:
        return _EDGE + (1 - 2 * _EDGE) * (min(max(loss, low), high) - low) / (high - low)

    begin = low if finding.loss_low is None else finding.loss_low
    end = high if finding.loss_high is None else finding.loss_high
    confidence = f" at {words.confidence(finding)}" if words.confidence(finding) else ""
    span = words.interval(finding)
    return IntervalPlot(
        told=f"loss {percent(finding.loss)}{f', interval {span}{confidence}' if span else ''}, "
        f"tolerance {words.tolerance(finding)}",
        zero=across(place(0.0)),
        negligible=across(place(finding.negligible)) if 0 < finding.negligible < high else "",
        limit=across(place(tolerance)),
        low=across(place(begin)),
        high=across(place(end)),
        point=across(place(finding.loss)),
        zero_at=per_cent(place(0.0)),
        limit_at=per_cent(place(tolerance)),
        tolerance=percent(tolerance, signed=False),
        ends=(
            Tick(per_cent(place(begin)), _end(finding.loss_low)),
            Tick(per_cent(place(end)), _end(finding.loss_high)),
        ),
        slight=percent(finding.negligible, signed=False),
        open_low=finding.loss_low is None,
        open_high=finding.loss_high is None,
    )


def _end(loss: float | None) -> str:
    """A figure as short as it must be to stand beside a mark; the caption has it in full."""
    if loss is None:
        return ""
    if abs(loss) < _TENFOLD:
        return percent(loss)
    plain = f"{loss * 100:+.0f}"
    return f"{plain if len(plain) <= _DIGITS else f'{loss * 100:+.0e}'.replace('e+0', 'e')} %"
