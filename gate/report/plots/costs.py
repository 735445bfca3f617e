"""What one operation cost the processors, by who paid: base beside head."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from gate.report.plots.axis import WIDE
from gate.report.wording import around
from gate.text import shorten
from gate.units import percent, scale_of, significant

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.model import Bill, Share

_LONGEST = 60
_MOST = 10
"""Payers of each view that are drawn; the bill in report.json holds all."""


class Payer(NamedTuple):
    """One pair of bars."""

    name: str
    base: str
    """Value in the unit shown; empty where it is not known."""
    head: str
    move: str
    base_width: str
    head_width: str


class CostsPlot(NamedTuple):
    """A bill as bars: the total, then whose tasks ran, then what the tick saw."""

    title: str
    told: str
    unit: str
    total: Payer
    owners: tuple[Payer, ...]
    contexts: tuple[Payer, ...]
    trials: str


def costs_plot(bill: Bill) -> CostsPlot:
    """The bars of a bill, largest move first."""
    every = (*bill.owners, *bill.contexts)
    values = [v for one in every for v in (one.base, one.head) if v is not None]
    values += [v for v in (bill.base, bill.head) if v is not None]
    largest = max((abs(v) for v in values if math.isfinite(v)), default=0.0) or 1.0
    factor, unit = scale_of((bill.base or bill.head,), "s")

    def payer(name: str, base: float | None, head: float) -> Payer:
        both = base is not None and base > 0 and math.isfinite(head / base)
        return Payer(
            name=shorten(name, _LONGEST),
            base="" if base is None else significant(base / factor),
            head=significant(head / factor),
            move=percent(head / base - 1) if both and base else "",
            base_width=_width(base, largest),
            head_width=_width(head, largest),
        )

    def payers(shares: Iterable[Share]) -> tuple[Payer, ...]:
        moved = sorted(shares, key=lambda one: -abs(one.head - (one.base or 0.0)))
        return tuple(payer(one.name, one.base, one.head) for one in moved[:_MOST])

    return CostsPlot(
        title=f"CPU time of one {bill.word}",
        told=around.bill(bill),
        unit=unit,
        total=payer("the whole machine", bill.base, bill.head),
        owners=payers(bill.owners),
        contexts=payers(bill.contexts),
        trials=f"{bill.trials_base} + {bill.trials_head}",
    )


def _width(value: float | None, largest: float) -> str:
    if value is None or not math.isfinite(value):
        return "0"
    return f"{min(max(value / largest, 0.0), 1.0) * WIDE:.0f}"
