"""Summary files: the figures that a publication prints, with the digits they were printed in."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Self

from gate.errors import InputError
from gate.formats import disk, names, toml
from gate.formats.document import Document
from gate.formats.published.summary_form import SummaryForm, SummarySource
from gate.formats.published.summary_metrics import Point, groups, metrics, name_of, together
from gate.model import Figures, Summary, SummaryRow
from gate.units import in_base

if TYPE_CHECKING:
    from pathlib import Path

    from gate.formats.published.summary_form import FiguresForm, RowForm
    from gate.model import Metric

_PART = re.compile(r"[^\[\]=,*]{1,100}")
"""What a parameter or its value may be called, so that names of points can be told apart."""
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
    """Read one summary file."""
    text = disk.read_text(path, "summary")
    data = toml.parse_toml(text, str(path), parse_float=Printed)
    form = Document(data, text, str(path), schema="summary").validate(SummaryForm)
    return _SummaryReader(SummarySource(path, text, form, data)).summary()


class _SummaryReader:
    """The rows and the whole of one file."""

    def __init__(self, source: SummarySource) -> None:
        self.source, self.form = source, source.form

    def summary(self) -> Summary:
        source, form = self.source, self.form
        if not names.is_plain(source.path.stem):
            raise InputError(
                "G206",
                "its findings could not be called so.",
                cure=f"Rename the file: {names.RULE}, and not {' or '.join(names.RESERVED)}.",
                place=str(source.path),
            )
        source.check_name(form.source, "source")
        source.check_name(form.side.base, "side", "base")
        source.check_name(form.side.head, "side", "head")
        known = metrics(source)
        points = [self.point(i, one, known) for i, one in enumerate(form.row)]
        self.check_rows(points, known)
        return Summary(
            name=source.path.stem,
            source=form.source,
            mean=form.mean,
            base=form.side.base,
            head=form.side.head,
            rows=(*(one.row for one in points), *groups(source, points, known)),
        )

    def point(self, index: int, form: RowForm, known: dict[str, Metric]) -> Point:
        self.source.check_name(form.benchmark, "row", index, "benchmark")
        metric = known.get(form.metric)
        if metric is None:
            what = f"there is no [metric] table {form.metric[:80]!r}"
            cure = f"Use one of these: {', '.join(known)[:200]}; or add the table."
            raise self.source.wrong(what, "row", index, "metric", cure=cure)
        if metric.derived is not None:
            cure = f"Leave the row out, and write those of {metric.derived.of}."
            what = f"the gate makes {metric.name[:80]} of other rows itself"
            raise self.source.wrong(what, "row", index, "metric", cure=cure)
        params = self.params(index)
        base, head = (
            self.side(one, self.form.metric[form.metric].unit or "1", index, side)
            for side, one in (("base", form.base), ("head", form.head))
        )
        if not 1 / _FARTHEST_APART < head.mean / base.mean < _FARTHEST_APART:
            what = "base and head differ more than a millionfold"
            cure = "Write both in the metric's unit."
            raise self.source.wrong(what, "row", index, "head", cure=cure)
        name = name_of(form.benchmark, params)
        self.source.check_name(name, "row", index, "params")
        row = SummaryRow(benchmark=name, metric=metric, base=base, head=head)
        return Point(index=index, stem=form.benchmark, params=params, row=row)

    def params(self, index: int) -> dict[str, str]:
        """The parameters as they are written; they become part of a name."""
        given = self.source.data["row"][index].get("params", {})
        params = {
            key: value.text if isinstance(value, Printed) else str(value)
            for key, value in given.items()
        }
        for text in (*params, *params.values()):
            if not _PART.fullmatch(text):
                cure = "Write words and numbers without any of [ ] = , *."
                what = f"{text[:80]!r} cannot stand in a name"
                raise self.source.wrong(what, "row", index, "params", cure=cure)
        return params

    def side(
        self, form: FiguresForm | list[FiguresForm], unit: str, index: int, side: str
    ) -> Figures:
        printed = self.source.data["row"][index][side]
        if isinstance(form, list):
            pairs = enumerate(zip(form, printed, strict=True))
            return together(
                [self.figures(one, text, unit, "row", index, side, i) for i, (one, text) in pairs]
            )
        return self.figures(form, printed, unit, "row", index, side)

    def figures(
        self, form: FiguresForm, printed: dict[str, Any], unit: str, *path: str | int
    ) -> Figures:
        _, factor = in_base(unit)
        row = self.form.row[int(path[1])]
        if form.sd is not None and (isinstance(row.base, list) or isinstance(row.head, list)):
            what = "beside a list of sittings this would be ignored: what they differ by counts"
            cure = "Leave sd out, or the list of sittings."
            raise self.source.wrong(what, *path, "sd", cure=cure)
        if form.sd is not None and form.trials == 1:
            what = "one trial has no standard deviation"
            cure = "Leave sd out, or write of how many trials the mean is."
            raise self.source.wrong(what, *path, "sd", cure=cure)
        if form.mean * factor < _SMALLEST:
            what = "too small to be judged"
            raise self.source.wrong(what, *path, "mean", cure="Write it in a smaller unit.")
        return Figures(
            mean=form.mean * factor,
            trials=form.trials,
            sd=None if form.sd is None else form.sd * factor,
            mean_slack=_slack(printed["mean"]) * factor,
            sd_slack=_slack(printed.get("sd", 0)) * factor,
        )

    def check_rows(self, points: list[Point], known: dict[str, Metric]) -> None:
        """No row may count twice, no metric be forgotten, no point fall out of its group."""
        seen: set[tuple[str, str]] = set()
        keys: dict[tuple[str, str], list[str]] = {}
        for i, point in enumerate(points):
            key = (point.row.benchmark, point.row.metric.name)
            if key in seen:
                what = f"{' '.join(key)[:200]} stands twice"
                raise self.source.wrong(what, "row", i, cure="Keep one of the two.")
            seen.add(key)
            first = keys.setdefault((point.stem, key[1]), list(point.params))
            if list(point.params) != first:
                cure = "Give all rows of a benchmark the same parameters, in the same order."
                what = f"an earlier row of it has {', '.join(first)[:200] or 'no parameter'}"
                raise self.source.wrong(what, "row", i, "params", cure=cure)
        spoken = {metric for _, metric in seen}
        for name in sorted(known):
            if known[name].derived is None and name not in spoken:
                cure = "Add its rows, or take the table out."
                raise self.source.wrong("no row speaks of it", "metric", name, cure=cure)


def _slack(number: float) -> float:
    """Half of the last digit that was written; nothing of a zero."""
    if not number:
        return 0.0
    text = number.text if isinstance(number, Printed) else str(number)
    return float(Decimal(5).scaleb(int(Decimal(text).as_tuple().exponent) - 1))
