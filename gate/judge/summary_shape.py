"""A row of a summary in words: of what it is made, and how its error was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Better, Take
from gate.units import percent, show, show_pair, significant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Figures, Summary, SummaryRow
    from gate.stats.summary import Compared

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


def whence(summary: Summary, row: SummaryRow, seen: Compared) -> str:
    """Where standard error and quantile come from."""
    error, slack = (percent(one, signed=False) for one in (seen.error, seen.slack))
    rest = (
        f"standard error of the loss {error}, Student's t with {seen.freedom} degrees of freedom, "
        f"and up to {slack} more for the digits printed"
    )
    if seen.spread is not None:
        spread = percent(seen.spread, signed=False)
        sides = " and ".join(f"{name} {_listed(row, side)}" for name, side in _sides(row))
        return f"{sides}; the spread between sittings is {spread}; {rest}"
    kind = f"{summary.mean.value} means of {row.base.trials} and {row.head.trials} trials"
    if row.points:
        kind += ", the points' errors taken together by the delta method"
    return f"{kind}; {rest}"


def _sides(row: SummaryRow) -> tuple[tuple[str, Figures], ...]:
    return (("base", row.base), ("head", row.head))


def _listed(row: SummaryRow, side: Figures) -> str:
    if not side.sittings:
        return f"a single figure, {show(side.mean, row.metric.unit)}"
    shown = [show(one.mean, row.metric.unit) for one in side.sittings[:_MANY]]
    more = ", ..." if len(side.sittings) > _MANY else ""
    return f"{len(side.sittings)} sittings ({', '.join(shown)}{more})"
