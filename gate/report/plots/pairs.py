"""The loss that each pair of base and head shows, in the order of the pairs."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from gate.model import Better
from gate.report.plots.axis import Axis, Tick, across, dots, per_cent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Finding

_EDGE = 0.03
_RIGHT = 0.76
"""Where the pairs end."""
_INTERVAL = 0.9
_WHISKER = 0.02


class PairsPlot(NamedTuple):
    """A dot for each pair, worse ones above."""

    told: str
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
    step = (_RIGHT - _EDGE) / len(losses)
    places = [_EDGE + step * (n + 0.5) for n in range(len(losses))]
    drawn = [(loss, (x, axis.y(loss))) for x, (_, loss) in zip(places, losses, strict=True)]
    above = sum(loss > tolerance for _, loss in losses)
    worse = sum(loss > 0 for _, loss in losses)
    count = f"{len(losses)} pair{'s' if len(losses) != 1 else ''}"
    return PairsPlot(
        told=f"head is worse in {worse} of {count}, beyond the tolerance in {above}",
        y_ticks=axis.ticks(),
        zero=axis.y(0.0),
        negligible=axis.y(finding.negligible),
        limit=axis.y(tolerance),
        worse=dots([place for loss, place in drawn if loss > 0]),
        better=dots([place for loss, place in drawn if loss <= 0]),
        middle=f"M{across(_EDGE)} {axis.y(median(loss for _, loss in losses))}H{across(_RIGHT)}",
        span=_span(ends, axis),
        point=dots([(_INTERVAL, axis.y(finding.loss))])
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


def _span(ends: Sequence[float], axis: Axis) -> str:
    if not ends:
        return ""
    low, high = axis.y(ends[0]), axis.y(ends[1])
    left, middle, right = (across(_INTERVAL + x) for x in (-_WHISKER, 0.0, _WHISKER))
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
