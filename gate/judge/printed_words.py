"""A row of a summary in words: of what it is made, how its error was found, what it lacks."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from gate.model import Better, Take
from gate.stats.summary import known_spread
from gate.stats.summary_logs import assumed_to_decide, sittings_differ
from gate.units import percent, show, show_pair, significant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Figures, Summary, SummaryRow
    from gate.stats.summary import MeanRatio


_MANY = 10
"""Points or sittings up to which each one is listed."""


def shape(row: SummaryRow) -> str:
    """What a group takes of its points, before the loss of it; empty for any other row."""
    derived = row.metric.derived
    if derived is None:
        return ""
    if derived.take is Take.GEOMEAN:
        return f"geometric mean of {derived.of} over {len(row.points)} values of {derived.over}: "
    if derived.take is Take.KNEE:
        base, head = (significant(side.mean) for side in row.sides)
        return f"{derived.of} reaches 9/10 at {derived.over} {base} (base), {head} (head): "
    base, head = (f"{significant(side.mean)}-fold" for side in row.sides)
    ends = f"{derived.over}={row.places[0]} to {row.places[-1]}"
    return f"{derived.of} from {ends} is {base} at base, {head} at head: "


def itself(row: SummaryRow) -> str:
    """Of a rate what it gains itself, as publications tell it: its loss is that of the time."""
    if row.metric.better is Better.LOWER or row.base.mean == row.head.mean:
        return ""
    return f" ({percent(row.head.mean / row.base.mean - 1)} in the figure itself)"


def printed_as(row: SummaryRow) -> Iterator[str]:
    """What is compared: the ratio as publications print it, and what a group is made of."""
    factor = row.head.mean / row.base.mean
    yield f"head / base is {significant(factor)} ({percent(factor - 1)})"
    derived = row.metric.derived
    if derived is None:
        return
    points = [
        f"{place}: {show_pair(point.base.mean, point.head.mean, point.metric.unit)}"
        for place, point in zip(row.places, row.points, strict=True)
    ]
    if len(points) > _MANY:
        points = [*points[: _MANY - 1], "...", points[-1]]
    yield f"{derived.take.value} of {derived.of} over {derived.over}, {', '.join(points)}"


def whence(summary: Summary, row: SummaryRow, seen: MeanRatio) -> str:
    """Where standard error and quantile come from."""
    error, slack = (percent(one, signed=False) for one in (seen.error, seen.slack))
    rest = (
        f"standard error of the loss {error}, Student's t with {seen.freedom} degrees of freedom, "
        f"and up to {slack} more for the digits printed"
    )
    if seen.spread is not None:
        spread = percent(seen.spread, signed=False)
        base, head = (_listed(row, side) for side in row.sides)
        return f"base {base} and head {head}; the spread between sittings is {spread}; {rest}"
    kind = f"{summary.mean.value} means of {row.base.trials} and {row.head.trials} trials"
    if row.points:
        kind += ", the points' errors taken together by the delta method"
    return f"{kind}; {rest}"


def _listed(row: SummaryRow, side: Figures) -> str:
    if not side.sittings:
        return f"a single figure, {show(side.mean, row.metric.unit)}"
    shown = [show(one.mean, row.metric.unit) for one in side.sittings[:_MANY]]
    more = ", ..." if len(side.sittings) > _MANY else ""
    return f"{len(side.sittings)} sittings ({', '.join(shown)}{more})"


_ASSUMED = (0.02, 0.05)
"""Trial-to-trial spreads assumed for want of better ones: of a quiet machine, of a usual one."""


def missing_evidence(row: SummaryRow) -> str:
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
    spreads = []
    for spread, whence in _spreads(summary, row):
        needed = assumed_to_decide(row, summary.mean, spread, alpha, beta)
        spreads.append((f"{spread * 100:.2g} %{whence}", needed))
    (first, trials), *more = spreads
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
