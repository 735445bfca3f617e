"""A summary's metrics: those that are printed, and those taken of groups of its rows.

A group is rows that differ in one parameter alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from gate.model import ALONE, LOADED, Better, Derived, Figures, Metric, SummaryRow, Take
from gate.model.metric import LEAST_POINTS, take_of
from gate.units import in_base, parse_percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.formats.published.summary_form import SummaryMetricForm, SummarySource


_TOLERANCES = (0.001, 5.0)


def metrics(source: SummarySource) -> dict[str, Metric]:
    """Every metric of the file by its name."""
    printed = {
        name: _printed(source, name, form)
        for name, form in source.form.metric.items()
        if _is_printed(source, name, form)
    }
    return {
        name: printed.get(name) or _derived(source, name, form, printed)
        for name, form in source.form.metric.items()
    }


def _is_printed(source: SummarySource, name: str, form: SummaryMetricForm) -> bool:
    """Whether its figures stand in the file; a metric of groups must say all of what it takes."""
    source.check_name(name, "metric", name)
    given = {"of": form.of, "over": form.over, "take": form.take}
    lacking = [key for key, value in given.items() if value is None]
    if lacking and len(lacking) < len(given):
        present = next(key for key in given if key not in lacking)
        cure = 'A group\'s metric is made by of = "iops", over = "iodepth", take = "scaling".'
        what = f"needs {' and '.join(lacking)} beside it"
        raise source.wrong(what, "metric", name, present, cure=cure)
    return bool(lacking)


def _printed(source: SummarySource, name: str, form: SummaryMetricForm) -> Metric:
    if form.unit is None or form.better is None:
        key = "unit" if form.unit is None else "better"
        cure = "`gate schema summary` prints the format."
        raise source.wrong("is required", "metric", name, key, cure=cure)
    try:
        unit, _ = in_base(form.unit)
    except ValueError as error:
        cure = "Write the unit in which the source prints it."
        raise source.wrong(str(error), "metric", name, "unit", cure=cure) from error
    return _metric(source, name, form, unit, form.better, None)


def _derived(
    source: SummarySource, name: str, form: SummaryMetricForm, printed: dict[str, Metric]
) -> Metric:
    """A metric of groups: direction of its points, unit as well where it is their mean."""
    for key in ("unit", "better"):
        if getattr(form, key) is not None:
            cure = "Leave it out: it follows from `of` and `take`."
            raise source.wrong("has no meaning for a group", "metric", name, key, cure=cure)
    of, take = printed.get(str(form.of)), Take(str(form.take))
    if of is None:
        cure = f"Use one of these: {', '.join(printed)[:200] or 'none yet'}."
        what = f"no printed metric is called {str(form.of)[:80]!r}"
        raise source.wrong(what, "metric", name, "of", cure=cure)
    if take is Take.KNEE and of.better is not Better.HIGHER:
        cure = "Take the scaling of it, or the knee of a rate."
        what = f"{of.name} is better when lower, so that it has no knee"
        raise source.wrong(what, "metric", name, "take", cure=cure)
    source.check_name(str(form.over), "metric", name, "over")
    derived = Derived(of=of.name, over=str(form.over), take=take)
    unit = of.unit if take is Take.GEOMEAN else "1"
    return _metric(source, name, form, unit, of.better, derived)


def _metric(
    source: SummarySource,
    name: str,
    form: SummaryMetricForm,
    unit: str,
    better: Better,
    derived: Derived | None,
) -> Metric:
    tolerance = _percent(source, form.tolerance, "metric", name, "tolerance")
    if not _TOLERANCES[0] <= tolerance <= _TOLERANCES[1]:
        cure = "Write what may not get in, for example 5%."
        what = "must lie between 0.1% and 500%"
        raise source.wrong(what, "metric", name, "tolerance", cure=cure)
    negligible = None
    if form.negligible is not None:
        negligible = _percent(source, form.negligible, "metric", name, "negligible")
        if negligible > tolerance / 2:
            cure = "Make it smaller, or leave it out: a fifth of the tolerance."
            what = "must be at most half the tolerance"
            raise source.wrong(what, "metric", name, "negligible", cure=cure)
    return Metric(
        name=name,
        unit=unit,
        better=better,
        role=form.role,
        tolerance=tolerance,
        negligible=negligible,
        derived=derived,
    )


def _percent(source: SummarySource, text: str, *path: str) -> float:
    try:
        return parse_percent(text)
    except ValueError as error:
        raise source.wrong(str(error), *path, cure="Mend this line.") from error


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
    """A row for each metric of groups and each combination of the other parameters."""
    for metric in metrics.values():
        if metric.derived is None:
            continue
        found = _members_of(points, metric.derived)
        if not found:
            of, over = metric.derived.of, metric.derived.over
            cure = f"Give its rows params = {{ {over} = ... }}."
            what = f"no row of {of[:80]} has this parameter"
            raise source.wrong(what, "metric", metric.name, "over", cure=cure)
        for name, members in found.items():
            _check(source, name, members, metric.derived)
            yield _group(name, members, metric, metric.derived)


def _members_of(points: Sequence[Point], derived: Derived) -> dict[str, list[Point]]:
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
