"""A summary's metrics: those that are printed, and those taken of groups of its rows.

A group is rows that differ in one parameter alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from gate.formats.profile.metrics import HOW_MADE, parts_given
from gate.formats.profile.points import EVERY, number_in, point_name
from gate.model import ALONE, LOADED, Better, Derived, Figures, Metric, SummaryRow, Take
from gate.model.metric import LEAST_POINTS, take_of
from gate.units import in_base

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.errors import InputError
    from gate.formats.document import Document
    from gate.formats.published.summary_form import SummaryForm, SummaryMetricForm

_LONGEST_NAME = 500


def check_name(document: Document, said: str, *path: str | int) -> None:
    """Refuse what cannot be shown."""
    if not said.strip() or not said.isprintable() or len(said) > _LONGEST_NAME:
        cure = f"Write one line of at most {_LONGEST_NAME} characters."
        raise document.refused(f"{said[:80]!r} is no printable text", *path, cure=cure)


def metrics(document: Document, form: SummaryForm) -> dict[str, Metric]:
    """Every metric of the file by its name."""
    readers = [_SummaryMetricReader(document, name, one) for name, one in form.metric.items()]
    printed = {one.name: one.printed() for one in readers if one.is_printed()}
    return {one.name: printed.get(one.name) or one.derived(printed) for one in readers}


class _SummaryMetricReader:
    """One metric on its way from form to model."""

    def __init__(self, document: Document, name: str, form: SummaryMetricForm) -> None:
        self.document, self.name, self.form = document, name, form

    def refused(self, why: str, key: str, cure: str) -> InputError:
        return self.document.refused(why, "metric", self.name, key, cure=cure)

    def is_printed(self) -> bool:
        """Whether its figures stand in the file; a group's must say all of what it takes."""
        check_name(self.document, self.name, "metric", self.name)
        present, lacking = parts_given(self.form)
        if present and lacking:
            why = f"needs {' and '.join(lacking)} beside it"
            raise self.refused(why, present[0], f"A group's metric is {HOW_MADE}")
        return bool(lacking)

    def printed(self) -> Metric:
        unit, better = self.form.unit, self.form.better
        if unit is None or better is None:
            cure = "`gate schema summary` prints the format."
            raise self.refused("is required", "unit" if unit is None else "better", cure)
        try:
            base, _ = in_base(unit)
        except ValueError as error:
            cure = "Write the unit in which the source prints it."
            raise self.refused(str(error), "unit", cure) from error
        return self.metric(base, better, None)

    def derived(self, printed: dict[str, Metric]) -> Metric:
        """A metric of groups: direction of its points, unit as well where it is their mean."""
        for key in ("unit", "better"):
            if getattr(self.form, key) is not None:
                cure = "Leave it out: it follows from `of` and `take`."
                raise self.refused("has no meaning for a group", key, cure)
        name, over, take = str(self.form.of), str(self.form.over), Take(str(self.form.take))
        of = printed.get(name)
        if of is None:
            cure = f"Use one of these: {', '.join(printed)[:200] or 'none yet'}."
            raise self.refused(f"no printed metric is called {name[:80]!r}", "of", cure)
        if take is Take.KNEE and of.better is not Better.HIGHER:
            why = f"{of.name} is better when lower, so that it has no knee"
            raise self.refused(why, "take", "Take the scaling of it, or the knee of a rate.")
        check_name(self.document, over, "metric", self.name, "over")
        unit = of.unit if take is Take.GEOMEAN else "1"
        return self.metric(unit, of.better, Derived(of=of.name, over=over, take=take))

    def metric(self, unit: str, better: Better, derived: Derived | None) -> Metric:
        tolerance, negligible = self.percent("tolerance"), None
        if not 0.001 <= tolerance <= 5:
            cure = "Write what may not get in, for example 5%."
            raise self.refused("must lie between 0.1% and 500%", "tolerance", cure)
        if self.form.negligible is not None:
            negligible = self.percent("negligible")
            if negligible > tolerance / 2:
                cure = "Make it smaller, or leave it out: a fifth of the tolerance."
                raise self.refused("must be at most half the tolerance", "negligible", cure)
        return Metric(
            name=self.name,
            unit=unit,
            better=better,
            role=self.form.role,
            tolerance=tolerance,
            negligible=negligible,
            derived=derived,
        )

    def percent(self, key: str) -> float:
        text = getattr(self.form, key)
        return self.document.percent(text, "metric", self.name, key, cure="Mend this line.")


_LOAD = "load"


@dataclass(frozen=True, slots=True)
class Point:
    """A row that may be a point of groups."""

    index: int
    """Its place in the file."""
    stem: str
    params: dict[str, str]
    row: SummaryRow


def groups(
    document: Document, points: Sequence[Point], metrics: dict[str, Metric]
) -> Iterator[SummaryRow]:
    """A row for each metric of groups and each combination of the other parameters."""
    for metric in metrics.values():
        if metric.derived is None:
            continue
        found = _members_of(points, metric.derived)
        if not found:
            of, over = metric.derived.of, metric.derived.over
            why = f"no row of {of[:80]} has this parameter"
            cure = f"Give its rows params = {{ {over} = ... }}."
            raise document.refused(why, "metric", metric.name, "over", cure=cure)
        for name, members in found.items():
            _check(document, name, members, metric.derived)
            yield _group(name, members, metric, metric.derived)


def _members_of(points: Sequence[Point], derived: Derived) -> dict[str, list[Point]]:
    """The points of each group by its name, in the order of the file."""
    found: dict[str, list[Point]] = {}
    for point in points:
        if point.row.metric.name == derived.of and derived.over in point.params:
            name = point_name(point.stem, point.params | {derived.over: EVERY})
            found.setdefault(name, []).append(point)
    return found


def _check(document: Document, name: str, members: Sequence[Point], derived: Derived) -> None:
    """A curve must have points enough, all of the same sittings, and for a knee rising places."""
    last, least = ("row", members[-1].index, "params"), LEAST_POINTS[derived.take]
    if len(members) < least:
        why = f"{name[:200]} has {len(members)} of the {least} points that {derived.take} needs"
        cure = "Add its other rows, or take the parameter out."
        raise document.refused(why, *last, cure=cure)
    for side in ("base", "head"):
        counts = [len(getattr(one.row, side).sittings) or 1 for one in members]
        odd = next((i for i, count in enumerate(counts) if count != counts[0]), 0)
        if odd:
            why = f"{counts[odd]} sittings, and {counts[0]} at the first point of {name[:200]}"
            cure = "Give every point of a group the same sittings, in the same order."
            raise document.refused(why, "row", members[odd].index, side, cure=cure)
    order = _disorder([one.params[derived.over] for one in members], derived)
    if order:
        why = f"{derived.take.value} over {derived.over} needs {order}"
        cure = "Write the rows in this order: turned round, a loss would look like a gain."
        raise document.refused(why, *last, cure=cure)


def _disorder(places: Sequence[str], derived: Derived) -> str:
    """What the places should be and are not; empty where they are in order.

    Words have an order only their author knows, but for those of `load`, which the gate gives.
    """
    if derived.take is Take.GEOMEAN:
        return ""
    if derived.over == _LOAD:
        return "" if list(places) == [ALONE, LOADED] else f"{ALONE}, then {LOADED}"
    numbers = [number_in(place) for place in places]
    if derived.take is Take.SCALING and any(math.isnan(number) for number in numbers):
        return ""
    least = [0.0] if derived.take is Take.KNEE else []
    rising = all(a < b for a, b in pairwise([*least, *numbers]))
    zero = " above zero" if derived.take is Take.KNEE else ""
    return "" if rising else f"rising numbers{zero}"


def _group(name: str, members: Sequence[Point], metric: Metric, derived: Derived) -> SummaryRow:
    rows = tuple(one.row for one in members)
    places = tuple(one.params[derived.over] for one in members)
    base, head = (
        _figures_of([row.sides[side] for row in rows], places, derived.take) for side in range(2)
    )
    return SummaryRow(
        benchmark=name, metric=metric, base=base, head=head, points=rows, places=places
    )


def _figures_of(points: Sequence[Figures], places: Sequence[str], take: Take) -> Figures:
    """What is taken of one side's points; of several sittings one by one, then their mean."""
    sittings = list(zip(*(point.sittings for point in points), strict=True))
    if sittings:
        return together([_figures_of(sitting, places, take) for sitting in sittings])
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
