"""A loss and its interval against zero, the negligible loss and the tolerance, with figures.

The interval bar: a loss and its interval against the tolerance; numbers only, templates draw.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from gate.model import Better
from gate.report.plots.axis import Tick, across, per_cent
from gate.report.wording import words
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


_FROM, _TO = -2.0, 3.0


class Bar(NamedTuple):
    """Places in per cent of the bar's length, which runs from -2 to +3 tolerances.

    The scale is the row's own tolerance, so zero and tolerance line up from row to row.
    """

    low: float
    high: float
    point: float | None
    """The loss itself; absent when it lies beyond an end."""
    cut_low: bool
    """The interval goes on beyond the left end."""
    cut_high: bool


ZERO = 40.0
"""Place of a loss of nothing."""
LIMIT = 60.0
"""Place of the tolerance."""


def limit_of(finding: Finding) -> float | None:
    """The value at which the loss equals the tolerance judged by."""
    worse = 1 + (finding.tolerance_used or finding.tolerance)
    if not finding.base_value or worse == 1 or worse <= 0:
        return None
    return finding.base_value * (worse if finding.better is Better.LOWER else 1 / worse)


def interval_bar(finding: Finding) -> Bar | None:
    """The bar of a finding, or None where it has no loss."""
    tolerance = finding.tolerance_used or finding.tolerance
    if finding.loss is None or not math.isfinite(finding.loss) or tolerance <= 0:
        return None
    point = finding.loss / tolerance
    low = _FROM if finding.loss_low is None else finding.loss_low / tolerance
    high = _TO if finding.loss_high is None else finding.loss_high / tolerance
    return Bar(
        low=_across(low),
        high=_across(high),
        point=_across(point) if _FROM <= point <= _TO else None,
        cut_low=low < _FROM or finding.loss_low is None,
        cut_high=high > _TO or finding.loss_high is None,
    )


def _across(multiple: float) -> float:
    inside = min(max(multiple, _FROM), _TO)
    return round((inside - _FROM) / (_TO - _FROM) * 100, 1)
