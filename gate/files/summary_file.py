"""Summary files: the figures that a publication prints, with the digits they were printed in."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Self

from gate.errors import InputError
from gate.files import checked, disk, lines, names
from gate.files.summary_form import adapter
from gate.model import Figures, Metric, Summary, SummaryRow
from gate.units import in_base, parse_percent

if TYPE_CHECKING:
    from pathlib import Path

    from gate.files.summary_form import FiguresForm, RowForm, SummaryForm, SummaryMetricForm

_LONGEST_NAME = 500
_TOLERANCES = (0.001, 5.0)
_FARTHEST_APART = 1e6
_SMALLEST = 1e-30


class Printed(float):
    """A number that knows the text it was written as."""

    text: str

    def __new__(cls, text: str) -> Self:
        """The number in a piece of TOML."""
        made = super().__new__(cls, text)
        made.text = text
        return made


def read_summary(path: Path) -> Summary:
    """Read one summary file.

    Raises:
        InputError: anything wrong, with file and line.
    """
    text = disk.read_text(path, "summary")
    data = checked.parse_toml(text, str(path), parse_float=Printed)
    place = str(path)
    form = checked.validate(adapter(), data, text=text, place=place, kind="toml", schema="summary")
    return _Reader(path, text, form, data).summary()


class _Reader:
    """One file on its way from form to model; holds the place for messages."""

    def __init__(self, path: Path, text: str, form: SummaryForm, data: dict[str, Any]) -> None:
        self.path, self.text, self.form, self.data = path, text, form, data

    def summary(self) -> Summary:
        form = self.form
        if not names.is_plain(self.path.stem):
            raise InputError(
                "G206",
                "its findings could not be called so.",
                cure=f"Rename the file: {names.RULE}, and not {' or '.join(names.RESERVED)}.",
                place=str(self.path),
            )
        self.check_name(form.source, "source")
        self.check_name(form.side.base, "side", "base")
        self.check_name(form.side.head, "side", "head")
        metrics = {name: self.metric(name, one) for name, one in form.metric.items()}
        rows = tuple(self.row(i, one, metrics) for i, one in enumerate(form.row))
        self.check_rows(rows, metrics)
        return Summary(
            name=self.path.stem,
            source=form.source,
            mean=form.mean,
            base=form.side.base,
            head=form.side.head,
            rows=rows,
        )

    def wrong(self, message: str, *path: str | int, cure: str) -> InputError:
        key = ".".join(map(str, path))
        line = lines.toml_line(self.text, path)
        return InputError("G206", f"{key}: {message}.", cure=cure, place=f"{self.path}:{line}")

    def check_name(self, said: str, *path: str | int) -> None:
        if not said.strip() or not said.isprintable() or len(said) > _LONGEST_NAME:
            cure = f"Write one line of at most {_LONGEST_NAME} characters."
            raise self.wrong(f"{said[:80]!r} is no printable text", *path, cure=cure)

    def metric(self, name: str, form: SummaryMetricForm) -> Metric:
        self.check_name(name, "metric", name)
        try:
            unit, _ = in_base(form.unit)
        except ValueError as error:
            cure = "Write the unit in which the source prints it."
            raise self.wrong(str(error), "metric", name, "unit", cure=cure) from error
        tolerance = self.percent(form.tolerance, "metric", name, "tolerance")
        if not _TOLERANCES[0] <= tolerance <= _TOLERANCES[1]:
            cure = "Write what may not get in, for example 5%."
            what = "must lie between 0.1% and 500%"
            raise self.wrong(what, "metric", name, "tolerance", cure=cure)
        negligible = None
        if form.negligible is not None:
            negligible = self.percent(form.negligible, "metric", name, "negligible")
            if negligible > tolerance / 2:
                cure = "Make it smaller, or leave it out: a fifth of the tolerance."
                what = "must be at most half the tolerance"
                raise self.wrong(what, "metric", name, "negligible", cure=cure)
        return Metric(
            name=name,
            unit=unit,
            better=form.better,
            role=form.role,
            tolerance=tolerance,
            negligible=negligible,
        )

    def percent(self, text: str, *path: str) -> float:
        try:
            return parse_percent(text)
        except ValueError as error:
            raise self.wrong(str(error), *path, cure="Mend this line.") from error

    def row(self, index: int, form: RowForm, metrics: dict[str, Metric]) -> SummaryRow:
        self.check_name(form.benchmark, "row", index, "benchmark")
        metric = metrics.get(form.metric)
        if metric is None:
            what = f"there is no [metric] table {form.metric[:80]!r}"
            cure = f"Use one of these: {', '.join(metrics)[:200]}; or add the table."
            raise self.wrong(what, "row", index, "metric", cure=cure)
        base, head = (
            self.figures(one, self.form.metric[form.metric].unit, index, side)
            for side, one in (("base", form.base), ("head", form.head))
        )
        if not 1 / _FARTHEST_APART < head.mean / base.mean < _FARTHEST_APART:
            what = "base and head differ more than a millionfold"
            raise self.wrong(what, "row", index, "head", cure="Write both in the metric's unit.")
        return SummaryRow(benchmark=form.benchmark, metric=metric, base=base, head=head)

    def figures(self, form: FiguresForm, unit: str, index: int, side: str) -> Figures:
        _, factor = in_base(unit)
        if form.sd is not None and form.trials == 1:
            what = "one trial has no standard deviation"
            cure = "Leave sd out, or write of how many trials the mean is."
            raise self.wrong(what, "row", index, side, "sd", cure=cure)
        if form.mean * factor < _SMALLEST:
            what = "too small to be judged"
            raise self.wrong(what, "row", index, side, "mean", cure="Write it in a smaller unit.")
        printed = self.data["row"][index][side]
        return Figures(
            mean=form.mean * factor,
            trials=form.trials,
            sd=None if form.sd is None else form.sd * factor,
            mean_slack=_slack(printed["mean"]) * factor,
            sd_slack=_slack(printed.get("sd", 0)) * factor,
        )

    def check_rows(self, rows: tuple[SummaryRow, ...], metrics: dict[str, Metric]) -> None:
        """Neither may a row count twice, nor a metric be declared and then forgotten."""
        seen: set[tuple[str, str]] = set()
        for i, row in enumerate(rows):
            key = (row.benchmark, row.metric.name)
            if key in seen:
                what = f"{' '.join(key)[:200]} stands twice"
                raise self.wrong(what, "row", i, cure="Keep one of the two.")
            seen.add(key)
        for name in sorted(metrics.keys() - {metric for _, metric in seen}):
            cure = "Add its rows, or take the table out."
            raise self.wrong("no row speaks of it", "metric", name, cure=cure)


def _slack(number: float) -> float:
    """Half of the last digit that was written; nothing of a zero."""
    if not number:
        return 0.0
    text = number.text if isinstance(number, Printed) else str(number)
    return float(Decimal(5).scaleb(int(Decimal(text).as_tuple().exponent) - 1))
