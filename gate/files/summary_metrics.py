"""A summary's metrics: those that are printed, and those that groups take of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Better, Derived, Metric, Take
from gate.units import in_base, parse_percent

if TYPE_CHECKING:
    from gate.files.summary_form import SummaryMetricForm
    from gate.files.summary_source import SummarySource

_TOLERANCES = (0.001, 5.0)


def metrics(source: SummarySource) -> dict[str, Metric]:
    """Every metric of the file by its name.

    Raises:
        InputError: a key that is missing or has no business there, an unknown unit or metric, a
            percentage that is none or out of range.
    """
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
