"""The interval bar: a loss and its interval against the tolerance; numbers only, templates draw."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from gate.model import Better

if TYPE_CHECKING:
    from gate.model import Finding

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
