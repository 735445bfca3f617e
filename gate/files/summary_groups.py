"""Groups of a summary: rows that differ in one parameter alone, and what a metric takes of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from gate.model import ALONE, LOADED, Figures, SummaryRow, Take
from gate.model.curve import LEAST_POINTS, take_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.files.summary_source import SummarySource
    from gate.model import Derived, Metric

_EVERY = "*"
_LOAD = "load"


@dataclass(frozen=True, slots=True)
class Point:
    """A row that may be a point of groups."""

    index: int
    """Its place in the file."""
    stem: str
    params: dict[str, str]
    row: SummaryRow


def name_of(stem: str, params: dict[str, str]) -> str:
    """`chat[rooms=20]`, as a profile's points are called."""
    inside = ",".join(f"{key}={value}" for key, value in params.items())
    return f"{stem}[{inside}]" if inside else stem


def groups(
    source: SummarySource, points: Sequence[Point], metrics: dict[str, Metric]
) -> Iterator[SummaryRow]:
    """A row for each metric of groups and each combination of the other parameters.

    Raises:
        InputError: a metric without a group, a group of too few points or of points that do not
            fit together or stand in an order that turns the curve round.
    """
    for metric in metrics.values():
        if metric.derived is None:
            continue
        found = _found(points, metric.derived)
        if not found:
            of, over = metric.derived.of, metric.derived.over
            cure = f"Give its rows params = {{ {over} = ... }}."
            what = f"no row of {of[:80]} has this parameter"
            raise source.wrong(what, "metric", metric.name, "over", cure=cure)
        for name, members in found.items():
            _check(source, name, members, metric.derived)
            yield _group(name, members, metric, metric.derived)


def _found(points: Sequence[Point], derived: Derived) -> dict[str, list[Point]]:
    """The points of each group by its name, in the order of the file."""
    found: dict[str, list[Point]] = {}
    for point in points:
        if point.row.metric.name == derived.of and derived.over in point.params:
            name = name_of(point.stem, point.params | {derived.over: _EVERY})
            found.setdefault(name, []).append(point)
    return found


def _check(source: SummarySource, name: str, members: Sequence[Point], derived: Derived) -> None:
    """A curve must have points enough, all of the same sittings, and for a knee rising places."""
    at = ("row", members[-1].index)
    least = LEAST_POINTS[derived.take]
    if len(members) < least:
        cure = "Add its other rows, or take the parameter out."
        what = f"{name[:200]} has {len(members)} of the {least} points that {derived.take} needs"
        raise source.wrong(what, *at, "params", cure=cure)
    for side in ("base", "head"):
        counts = [len(getattr(one.row, side).sittings) or 1 for one in members]
        odd = next((i for i, count in enumerate(counts) if count != counts[0]), 0)
        if odd:
            cure = "Give every point of a group the same sittings, in the same order."
            what = f"{counts[odd]} sittings, and {counts[0]} at the first point of {name[:200]}"
            raise source.wrong(what, "row", members[odd].index, side, cure=cure)
    places = [one.params[derived.over] for one in members]
    wanted = _disorder(places, derived)
    if wanted:
        cure = "Write the rows in this order: turned round, a loss would look like a gain."
        what = f"{derived.take.value} over {derived.over} needs {wanted}"
        raise source.wrong(what, *at, "params", cure=cure)


def _disorder(places: Sequence[str], derived: Derived) -> str:
    """What the places should be and are not; empty where they are in order.

    Words have an order only their author knows, but for those of `load`, which the gate gives.
    """
    if derived.take is Take.GEOMEAN:
        return ""
    if derived.over == _LOAD:
        return "" if list(places) == [ALONE, LOADED] else f"{ALONE}, then {LOADED}"
    numbers = [_number(place) for place in places]
    if derived.take is Take.SCALING and any(math.isnan(number) for number in numbers):
        return ""
    least = [0.0] if derived.take is Take.KNEE else []
    rising = all(a < b for a, b in pairwise([*least, *numbers]))
    zero = " above zero" if derived.take is Take.KNEE else ""
    return "" if rising else f"rising numbers{zero}"


def _number(text: str) -> float:
    """The number; nan, which is above nothing, where it is none or has no end."""
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _group(name: str, members: Sequence[Point], metric: Metric, derived: Derived) -> SummaryRow:
    rows = tuple(one.row for one in members)
    places = tuple(one.params[derived.over] for one in members)
    base, head = (
        _taken([row.sides[side] for row in rows], places, derived.take) for side in range(2)
    )
    return SummaryRow(
        benchmark=name, metric=metric, base=base, head=head, points=rows, places=places
    )


def _taken(points: Sequence[Figures], places: Sequence[str], take: Take) -> Figures:
    """What is taken of one side's points; of several sittings one by one, then their mean."""
    sittings = list(zip(*(point.sittings for point in points), strict=True))
    if sittings:
        return together([_taken(sitting, places, take) for sitting in sittings])
    numbers = [float(place) for place in places] if take is Take.KNEE else []
    return Figures(
        mean=take_of(take, [point.mean for point in points], numbers),
        trials=min(point.trials for point in points),
    )


def together(sittings: Sequence[Figures]) -> Figures:
    """Several sittings as one side: their geometric mean."""
    return Figures(
        mean=math.exp(math.fsum(math.log(one.mean) for one in sittings) / len(sittings)),
        trials=sum(one.trials for one in sittings),
        sittings=tuple(sittings),
    )
