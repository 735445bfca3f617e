"""Summary files: the figures that a publication prints, with the digits they were printed in."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Self

from gate.errors import InputError
from gate.formats import disk, names, toml
from gate.formats.document import Document
from gate.formats.profile.points import point_name
from gate.formats.published.summary_form import SummaryForm
from gate.formats.published.summary_metrics import Point, check_name, groups, metrics, together
from gate.model import Figures, Summary, SummaryRow
from gate.units import in_base

if TYPE_CHECKING:
    from pathlib import Path

    from gate.formats.published.summary_form import FiguresForm
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
    document = Document(data, text, str(path), schema="summary")
    form = document.validate(SummaryForm)
    if not names.is_plain(path.stem):
        message = "its findings could not be called so."
        raise InputError("G206", message, cure=names.RENAME, place=str(path))
    check_name(document, form.source, "source")
    check_name(document, form.side.base, "side", "base")
    check_name(document, form.side.head, "side", "head")
    known = metrics(document, form)
    points = [_RowReader(document, form, i).point(known) for i in range(len(form.row))]
    _check_rows(document, points, known)
    return Summary(
        name=path.stem,
        source=form.source,
        mean=form.mean,
        base=form.side.base,
        head=form.side.head,
        rows=(*(one.row for one in points), *groups(document, points, known)),
    )


class _RowReader:
    """One row on its way from form to model."""

    def __init__(self, document: Document, form: SummaryForm, index: int) -> None:
        self.document, self.whole, self.index = document, form, index
        self.form = form.row[index]
        self.printed: dict[str, Any] = document.data["row"][index]
        """As it was before it was checked: only here numbers know their digits."""

    def refused(self, why: str, *key: str | int, cure: str) -> InputError:
        return self.document.refused(why, "row", self.index, *key, cure=cure)

    def point(self, known: dict[str, Metric]) -> Point:
        form = self.form
        check_name(self.document, form.benchmark, "row", self.index, "benchmark")
        metric = known.get(form.metric)
        if metric is None:
            cure = f"Use one of these: {', '.join(known)[:200]}; or add the table."
            raise self.refused(
                f"there is no [metric] table {form.metric[:80]!r}", "metric", cure=cure
            )
        if metric.derived is not None:
            why = f"the gate makes {metric.name[:80]} of other rows itself"
            cure = f"Leave the row out, and write those of {metric.derived.of}."
            raise self.refused(why, "metric", cure=cure)
        params = self.params()
        _, factor = in_base(self.whole.metric[form.metric].unit or "1")
        base, head = (self.side(side, factor) for side in ("base", "head"))
        if not 1 / _FARTHEST_APART < head.mean / base.mean < _FARTHEST_APART:
            why, cure = (
                "base and head differ more than a millionfold",
                "Write both in the metric's unit.",
            )
            raise self.refused(why, "head", cure=cure)
        name = point_name(form.benchmark, params)
        check_name(self.document, name, "row", self.index, "params")
        row = SummaryRow(benchmark=name, metric=metric, base=base, head=head)
        return Point(index=self.index, stem=form.benchmark, params=params, row=row)

    def params(self) -> dict[str, str]:
        """The parameters as they are written; they become part of a name."""
        params = {
            key: value.text if isinstance(value, Printed) else str(value)
            for key, value in self.printed.get("params", {}).items()
        }
        for text in (*params, *params.values()):
            if not _PART.fullmatch(text):
                why = f"{text[:80]!r} cannot stand in a name"
                cure = "Write words and numbers without any of [ ] = , *."
                raise self.refused(why, "params", cure=cure)
        return params

    def side(self, side: str, factor: float) -> Figures:
        form, printed = getattr(self.form, side), self.printed[side]
        if not isinstance(form, list):
            return self.figures(form, printed, factor, side)
        pairs = enumerate(zip(form, printed, strict=True))
        return together([self.figures(one, text, factor, side, i) for i, (one, text) in pairs])

    def figures(
        self, form: FiguresForm, printed: dict[str, Any], factor: float, *key: str | int
    ) -> Figures:
        if form.sd is not None and list in {type(self.form.base), type(self.form.head)}:
            why = "beside a list of sittings this would be ignored: what they differ by counts"
            raise self.refused(why, *key, "sd", cure="Leave sd out, or the list of sittings.")
        if form.sd is not None and form.trials == 1:
            cure = "Leave sd out, or write of how many trials the mean is."
            raise self.refused("one trial has no standard deviation", *key, "sd", cure=cure)
        if form.mean * factor < _SMALLEST:
            cure = "Write it in a smaller unit."
            raise self.refused("too small to be judged", *key, "mean", cure=cure)
        return Figures(
            mean=form.mean * factor,
            trials=form.trials,
            sd=None if form.sd is None else form.sd * factor,
            mean_slack=_slack(printed["mean"]) * factor,
            sd_slack=_slack(printed.get("sd", 0)) * factor,
        )


def _check_rows(document: Document, points: list[Point], known: dict[str, Metric]) -> None:
    """No row may count twice, no metric be forgotten, no point fall out of its group."""
    rows: set[tuple[str, str]] = set()
    keys: dict[tuple[str, str], list[str]] = {}
    for i, point in enumerate(points):
        row = (point.row.benchmark, point.row.metric.name)
        if row in rows:
            why = f"{' '.join(row)[:200]} stands twice"
            raise document.refused(why, "row", i, cure="Keep one of the two.")
        rows.add(row)
        first = keys.setdefault((point.stem, row[1]), list(point.params))
        if list(point.params) != first:
            why = f"an earlier row of it has {', '.join(first)[:200] or 'no parameter'}"
            cure = "Give all rows of a benchmark the same parameters, in the same order."
            raise document.refused(why, "row", i, "params", cure=cure)
    spoken = {metric for _, metric in rows}
    for name in sorted(known):
        if known[name].derived is None and name not in spoken:
            cure = "Add its rows, or take the table out."
            raise document.refused("no row speaks of it", "metric", name, cure=cure)


def _slack(number: float) -> float:
    """Half of the last digit that was written; nothing of a zero."""
    if not number:
        return 0.0
    text = number.text if isinstance(number, Printed) else str(number)
    return float(Decimal(5).scaleb(int(Decimal(text).as_tuple().exponent) - 1))
