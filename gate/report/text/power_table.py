"""The rows of `gate power` as text of 80 columns, and as data."""

from __future__ import annotations

import math
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

from gate.judge.power.power import ToleranceStanding
from gate.judge.power.sentences import sentence
from gate.report.text.page import fit, wrap
from gate.text import clean, guard_line
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.power.power import PowerRow
    from gate.stats.power import Power

_WIDTH = 80
_NAME = 28
_MOST_DETAILS = 12
"""Rows whose further figures are shown; `--json` has all."""
_ABSURD = 10.0
"""A loss beyond this is shown as ">1000 %": nobody asks for it."""
_HEAD = ("tolerance", "detects", "finds", "chance", "unchanged", "slower")
_COLUMNS = (9, 7, 7, 7, 9, 7)
_LEGEND = (
    "detects: what the metric can detect, the smallest tolerance that it can hold here. finds: the "
    "smallest loss proven with probability 95 % as things are set. chance: that a loss as large "
    "as the tolerance is proven. "
    "unchanged, slower: trials that a check takes, of both sides, without a loss and with one as "
    "large as the tolerance."
)


def power_text(rows: Sequence[PowerRow]) -> str:
    """A table for each host class and profile, sentences for what is not held, a legend."""
    lines: list[str] = []
    for _, group in groupby(rows, key=lambda row: (row.host_class, row.profile)):
        lines += [*_table(tuple(group)), ""]
    lines += _more(rows)
    lines += wrap(_LEGEND, _WIDTH)
    return "\n".join(guard_line(line) for line in lines)


def _table(rows: Sequence[PowerRow]) -> Iterator[str]:
    first = rows[0]
    way = f"pairs, at most {first.pairs}" if first.sides else "no base side: strikes"
    yield from wrap(clean(f"{first.profile} on {first.host_class} ({way})"), _WIDTH)
    head = "".join(f" {name:>{width}}" for name, width in zip(_HEAD, _COLUMNS, strict=True))
    yield " " * _NAME + head.rstrip()
    for row in rows:
        yield _line(row)
        if text := sentence(row):
            yield from wrap(clean(text), _WIDTH, "    ", "    ")


def _line(row: PowerRow) -> str:
    mark = "✓" if row.standing is ToleranceStanding.HELD else "✗"
    cells = [percent(row.tolerance, signed=False)]
    if power := row.power:
        chance = f"{math.floor(power.chance * 100)} %"
        cells += [_loss(power.can_detect), _loss(power.finds), chance]
        cells += [f"{power.unchanged:.1f}", f"{power.slower:.1f}"]
    shown = "".join(f" {one:>{width}}" for one, width in zip(cells, _COLUMNS, strict=False))
    return fit(clean(f"{mark} {row.benchmark} {row.metric}"), _NAME) + shown


def _loss(value: float) -> str:
    if math.isinf(value):
        return "none"
    return percent(value, signed=False) if value < _ABSURD else ">1000 %"


def _more(rows: Sequence[PowerRow]) -> Iterator[str]:
    """What more would buy: of the metrics not held, or of all where those are few."""
    known = [row for row in rows if row.more]
    open_ = [row for row in known if row.standing is not ToleranceStanding.HELD]
    shown = known if len(known) <= _MOST_DETAILS else open_[:_MOST_DETAILS]
    if not shown:
        return
    yield "What more would buy: can detect (trials that an unchanged metric takes)"
    for row in shown:
        yield from wrap(clean(f"{row.benchmark} {row.metric}"), _WIDTH, "  ", "    ")
        for what, group in groupby(row.more, key=lambda one: one.what):
            cells = [
                f"{one.count}: {_loss(one.power.can_detect)} ({one.power.unchanged:.1f})"
                for one in group
            ]
            yield from wrap("  ".join(cells), _WIDTH, f"    {what:<9}", " " * 13)
    yield ""


def power_data(rows: Sequence[PowerRow]) -> list[dict[str, object]]:
    """Every figure of every row; what does not exist is null."""
    return [
        {
            **_fields(row, "host_class", "profile", "benchmark", "metric"),
            "standing": row.standing.value,
            "text": sentence(row),
            **_fields(row, "tolerance", "sides", "sessions", "trials"),
            "pairs": row.pairs if row.sides else None,
            "power": None if row.power is None else _figures(row.power),
            "more": [
                _fields(one, "what", "count") | {"power": _figures(one.power)} for one in row.more
            ],
        }
        for row in rows
    ]


def _fields(value: object, *names: str) -> dict[str, object]:
    return {name: getattr(value, name) for name in names}


def _figures(power: Power) -> dict[str, float | None]:
    return {name: None if math.isinf(value) else value for name, value in asdict(power).items()}
