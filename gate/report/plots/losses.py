"""Losses drawn against no loss, the negligible loss and the tolerance.

The interval of a finding, as a plot and as a bar in a table; the loss of each pair.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from gate.model import Better
from gate.report.plots.axis import Axis, Tick, across, dots, per_cent
from gate.report.wording import words
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Finding

_MARGIN = 0.04
_ZERO, _TOLERANCE = 0.25, 0.72
"""Room for names: as much of the axis right of no loss is kept free left of it, and the tolerance
stands no further right."""
_LARGEST = 1e6
_TENFOLD, _DIGITS = 10.0, 5
_BESIDE = 0.5
"""Part of the axis that is kept free beside an interval for the figure of its end."""


class IntervalPlot(NamedTuple):
    """Places across; texts in per cent."""

    result: str
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
    low, high = _axis_ends(ends, tolerance)

    def place(loss: float) -> float:
        return _MARGIN + (1 - 2 * _MARGIN) * (min(max(loss, low), high) - low) / (high - low)

    begin = low if finding.loss_low is None else finding.loss_low
    end = high if finding.loss_high is None else finding.loss_high
    confidence = f" at {words.confidence(finding)}" if words.confidence(finding) else ""
    span = words.interval(finding)
    return IntervalPlot(
        result=f"loss {percent(finding.loss)}{f', interval {span}{confidence}' if span else ''}, "
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


def _axis_ends(losses: Sequence[float], tolerance: float) -> tuple[float, float]:
    """Where the axis begins and ends, with room for the names and figures beside its marks."""
    low, high = min(*losses, -tolerance / 2), max(*losses, 1.6 * tolerance)
    room = (high - low) * _BESIDE
    high = max(high, max(losses) + room)
    low = min(low, min(losses) - room, -_ZERO * high)
    return low, max(high, low + (tolerance - low) / _TOLERANCE)


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


_LEFT = 0.03
_RIGHT = 0.76
"""Where the pairs end."""
_INTERVAL_AT = 0.9
_WHISKER = 0.02


class PairsPlot(NamedTuple):
    """A dot for each pair, worse ones above."""

    result: str
    y_ticks: tuple[Tick, ...]
    zero: str
    negligible: str
    limit: str
    worse: str
    better: str
    middle: str
    """Height of the median."""
    span: str
    """The interval of the finding, to the right of the pairs; empty where there is none."""
    point: str
    """Its loss."""
    numbers: tuple[Tick, ...]
    """First and last pair."""


def pairs_plot(finding: Finding) -> PairsPlot | None:
    """The plot of a finding's pairs; None where it has none of which a ratio can be formed."""
    losses = pair_losses(finding)
    if not losses:
        return None
    tolerance = finding.tolerance_used or finding.tolerance
    values = [*(loss for _, loss in losses), 0.0, tolerance]
    known = [v for v in (finding.loss_low, finding.loss_high) if _near(v, values)]
    ends = known if len(known) == 2 and finding.loss is not None else []
    axis = Axis([*values, *ends], 0.01)
    if not axis.usable:
        return None
    step = (_RIGHT - _LEFT) / len(losses)
    places = [_LEFT + step * (n + 0.5) for n in range(len(losses))]
    drawn = [(loss, (x, axis.y(loss))) for x, (_, loss) in zip(places, losses, strict=True)]
    above = sum(loss > tolerance for _, loss in losses)
    worse = sum(loss > 0 for _, loss in losses)
    count = f"{len(losses)} pair{'s' if len(losses) != 1 else ''}"
    return PairsPlot(
        result=f"head is worse in {worse} of {count}, beyond the tolerance in {above}",
        y_ticks=axis.ticks(),
        zero=axis.y(0.0),
        negligible=axis.y(finding.negligible),
        limit=axis.y(tolerance),
        worse=dots([place for loss, place in drawn if loss > 0]),
        better=dots([place for loss, place in drawn if loss <= 0]),
        middle=f"M{across(_LEFT)} {axis.y(median(loss for _, loss in losses))}H{across(_RIGHT)}",
        span=_whisker(ends, axis),
        point=dots([(_INTERVAL_AT, axis.y(finding.loss))])
        if ends and finding.loss is not None
        else "",
        numbers=tuple(
            Tick(per_cent(x), str(losses[n][0]))
            for n, x in dict.fromkeys([(0, places[0]), (len(losses) - 1, places[-1])])
        ),
    )


def _near(value: float | None, losses: Sequence[float]) -> TypeGuard[float]:
    """Whether an end of an interval can be drawn without making the pairs look all alike."""
    if value is None or not math.isfinite(value):
        return False
    span = max(losses) - min(losses)
    return min(losses) - span <= value <= max(losses) + span


def _whisker(ends: Sequence[float], axis: Axis) -> str:
    if not ends:
        return ""
    low, high = axis.y(ends[0]), axis.y(ends[1])
    left, middle, right = (across(_INTERVAL_AT + x) for x in (-_WHISKER, 0.0, _WHISKER))
    return f"M{middle} {low}V{high}M{left} {low}H{right}M{left} {high}H{right}"


def pair_losses(finding: Finding) -> list[tuple[int, float]]:
    """Number of the pair and its relative loss, positive = worse."""
    found = []
    seen = finding.evidence
    for number, (base, head) in enumerate(zip(seen.pairs_base, seen.pairs_head, strict=False), 1):
        over, under = (head, base) if finding.better is Better.LOWER else (base, head)
        if over > 0 and under > 0 and math.isfinite(over / under):
            found.append((number, over / under - 1))
    return found
