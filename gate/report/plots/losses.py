"""Losses drawn against no loss, the negligible loss and the tolerance.

The interval of a finding, as a plot and as a bar in a table; the loss of each pair.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from gate.model import Better
from gate.report.plots.numbers import pair_losses
from gate.report.plots.picture import (
    Axis,
    Label,
    Plot,
    Tick,
    across,
    dots,
    grid,
    looks,
    per_cent,
    strokes,
)
from gate.report.wording import words
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Finding
    from gate.report.plots.picture import Looks

_MARGIN = 0.04
_ZERO, _TOLERANCE = 0.25, 0.72
"""Room for names: as much of the axis right of no loss is kept free left of it, and the tolerance
stands no further right."""
_LARGEST = 1e6
_TENFOLD, _DIGITS = 10.0, 5
_BESIDE = 0.5
"""Part of the axis that is kept free beside an interval for the figure of its end."""


def interval_plot(finding: Finding) -> Plot | None:
    """The plot of a finding's loss, 40 high; None where it has none that can be drawn."""
    tolerance = finding.tolerance_used or finding.tolerance
    known = (finding.loss, finding.loss_low, finding.loss_high)
    ends = [v for v in known if v is not None]
    if finding.loss is None or not all(abs(v) <= _LARGEST for v in (*ends, tolerance)):
        return None
    if tolerance <= 0:
        return None
    low, high = _axis_ends(ends, tolerance)

    def share(loss: float) -> float:
        return _MARGIN + (1 - 2 * _MARGIN) * (min(max(loss, low), high) - low) / (high - low)

    begin = share(low if finding.loss_low is None else finding.loss_low)
    end = share(high if finding.loss_high is None else finding.loss_high)
    slight = f"M{across(share(finding.negligible))} 0v40"
    slight = slight if 0 < finding.negligible < high else ""
    negligible = f"negligible {percent(finding.negligible, signed=False)}"
    confidence = f" at {words.confidence(finding)}" if words.confidence(finding) else ""
    span = words.interval(finding)
    return Plot(
        kind="interval",
        result=f"loss {percent(finding.loss)}{f', interval {span}{confidence}' if span else ''}, "
        f"tolerance {words.tolerance(finding)}",
        caption=negligible,
        strokes=looks(
            ("beyond", f"M{across(share(tolerance))} 0H1000V40H{across(share(tolerance))}z"),
            ("zero", f"M{across(share(0.0))} 0v40"),
            ("slight", slight),
            ("edge", f"M{across(share(tolerance))} 0v40"),
            ("span", _capped(finding, across(begin), across(end))),
            ("point", f"M{across(share(finding.loss))} 20h0"),
        ),
        keys=looks(("slight", slight and negligible)),
        texts=_interval_texts(finding, share(0.0), share(tolerance), (begin, end)),
    )


def _capped(finding: Finding, low: str, high: str) -> str:
    """The stroke of the interval: a cap at each end that the data give."""
    caps = f"M{low} 12v16" * (finding.loss_low is not None)
    caps += f"M{high} 12v16" * (finding.loss_high is not None)
    return f"M{low} 20H{high}{caps}"


def _interval_texts(
    finding: Finding, zero: float, limit: float, ends: tuple[float, float]
) -> tuple[Label, ...]:
    tolerance = finding.tolerance_used or finding.tolerance
    texts = (
        Label(per_cent(zero), 14, "no loss", "last"),
        Label(per_cent(limit), 14, "tolerance", "first"),
        Label(per_cent(limit), 75, percent(tolerance, signed=False), "first quiet"),
        Label(per_cent(ends[0]), 44, _end(finding.loss_low), "end last"),
        Label(per_cent(ends[1]), 44, _end(finding.loss_high), "end first"),
    )
    return tuple(one for one in texts if one.text)


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
    """Places in per cent of the bar's length, which runs from -2 to +3 of the row's tolerances.

    So no loss and the tolerance line up from row to row, at 40 and 60, where the page draws them.
    """

    low: float
    high: float
    point: float | None
    """The loss itself; absent when it lies beyond an end."""
    cut_low: bool
    """The interval goes on beyond the left end."""
    cut_high: bool


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
_INTERVAL_AT = 0.9
_WHISKER = 0.02
_LEVELS = (
    *(("zero", "no loss"), ("slight", "negligible")),
    *(("limit", "tolerance"), ("medians", "median")),
)


def pairs_plot(finding: Finding) -> Plot | None:
    """A dot for each pair, worse ones above; None where no pair has a ratio."""
    losses = pair_losses(finding)
    if not losses:
        return None
    tolerance = finding.tolerance_used or finding.tolerance
    values = [*(loss for _, loss in losses), 0.0, tolerance]
    known = [v for v in (finding.loss_low, finding.loss_high) if _near(v, values)]
    ends = known if len(known) == 2 and finding.loss is not None else []
    axis = Axis([*values, *ends], (0.01, "%"))
    if not axis.usable:
        return None
    step = (_RIGHT - _LEFT) / len(losses)
    places = [_LEFT + step * (n + 0.5) for n in range(len(losses))]
    drawn = [(loss, (x, axis.y(loss))) for x, (_, loss) in zip(places, losses, strict=True)]
    worse, better = (dots([at for loss, at in drawn if (loss > 0) is so]) for so in (True, False))
    count = words.count_of(len(losses), "pair")
    beyond, any_loss = (sum(loss > least for loss, _ in drawn) for least in (tolerance, 0))
    numbered = {losses[n][0]: places[n] for n in (0, -1)}
    levels = [("zero", 0.0), ("slight", finding.negligible), ("limit", tolerance)]
    middle = axis.y(median(loss for loss, _ in drawn))
    return Plot(
        kind="pairs",
        result=f"head is worse in {any_loss} of {count}, beyond the tolerance in {beyond}",
        y_ticks=axis.ticks(),
        strokes=strokes(
            ("grid", grid(axis.ticks())),
            *((look, f"M0 {axis.y(loss)}H1000") for look, loss in levels),
            ("medians", f"M{across(_LEFT)} {middle}H{across(_RIGHT)}"),
            ("head", worse),
            ("base", better),
        )
        + _interval_beside(finding, ends, axis),
        keys=looks(
            ("head", worse and "head worse"), ("base", better and "head no worse"), *_LEVELS
        ),
        x_ticks=tuple(Tick(per_cent(x), str(number)) for number, x in numbered.items()),
        x_name="pair",
        texts=(Label("100%", 167, "interval", "last"),) if ends else (),
    )


def _near(value: float | None, losses: Sequence[float]) -> TypeGuard[float]:
    """Whether an end of an interval can be drawn without making the pairs look all alike."""
    if value is None or not math.isfinite(value):
        return False
    span = max(losses) - min(losses)
    return min(losses) - span <= value <= max(losses) + span


def _interval_beside(finding: Finding, ends: Sequence[float], axis: Axis) -> Looks:
    if not ends or finding.loss is None:
        return ()
    low, high = map(axis.y, ends)
    left, middle, right = (across(_INTERVAL_AT + x) for x in (-_WHISKER, 0.0, _WHISKER))
    span = f"M{middle} {low}V{high}M{left} {low}H{right}M{left} {high}H{right}"
    return ("span", span), ("point", dots([(_INTERVAL_AT, axis.y(finding.loss))]))
