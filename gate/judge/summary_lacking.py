"""A row whose noise nobody printed: what is lacking, and how many trials would decide it."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from gate.stats.printed import sittings_differ
from gate.stats.summary import known_spread
from gate.stats.summary_logs import assumed_to_decide

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Figures, Summary, SummaryRow

_ASSUMED = (0.02, 0.05)
"""Trial-to-trial spreads assumed for want of better ones: of a quiet machine, of a usual one."""


def lacking(row: SummaryRow) -> str:
    """What is lacking to know the noise of both sides, as part of a sentence."""
    base, head = (_lacks(row, side) for side in range(2))
    if base == head:
        return f"each side is {base}"
    sides = (("the base side", base), ("the head side", head))
    return " and ".join(f"{side} is {lack}" for side, lack in sides if lack)


def _lacks(row: SummaryRow, side: int) -> str:
    """What a side lacks; of a group what the first point lacks that does."""
    if any(one.sittings for one in row.sides):
        return _lack(row.sides[side]) if row.sides[side].sittings else ""
    points = row.points or (row,)
    lacks = [_lack(point.sides[side]) for point in points]
    found = [lack for lack in lacks if lack]
    if not found:
        return ""
    return found[0] if len(found) == len(lacks) else f"at some points {found[0]}"


def _lack(side: Figures) -> str:
    if side.sittings:
        same = f"of {len(side.sittings)} sittings that agree in every digit (a coarse clock?)"
        return "" if sittings_differ(side) else same
    if side.trials == 1:
        return "of one trial"
    if side.sd is None:
        return "printed without a spread"
    return "" if side.sd else "printed with a spread of zero (a coarse clock, or rounding)"


def what_would_decide(summary: Summary, row: SummaryRow, alpha: float, beta: float) -> str:
    """`with a trial-to-trial spread of 2 %, 4 trials a side would decide; with 5 %, 9`."""
    said = []
    for spread, whence in _spreads(summary, row):
        needed = assumed_to_decide(row, summary.mean, spread, alpha, beta)
        said.append((f"{spread * 100:.2g} %{whence}", needed))
    (first, trials), *more = said
    begin = f"{'no number of' if trials is None else trials} trials a side would decide"
    rest = (f"with {shown}, {needed or 'none'}" for shown, needed in more)
    return "; ".join([f"with a trial-to-trial spread of {first}, {begin}", *rest])


def _spreads(summary: Summary, row: SummaryRow) -> Iterator[tuple[float, str]]:
    """The spreads assumed, and what other rows of the metric show, where they show any."""
    for spread in _ASSUMED:
        yield spread, ""
    metric = row.metric.derived.of if row.metric.derived else row.metric.name
    rows = [one for one in summary.rows if one.metric.name == metric and known_spread(one)]
    seen = [(side.sd or 0.0) / side.mean for one in rows for side in one.sides]
    if seen:
        yield median(seen), ", the median of this metric's other rows"
