"""Where the CPU time went: bars by who paid for an operation, and a differential flame graph.

The graph lays both sides together, so a frame that only one of them has is seen too. Tooltips are
titles, which need no script.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from gate.report.plots.picture import WIDE, Label
from gate.report.wording import around, diagnosis
from gate.text import shorten
from gate.units import percent, scale_of, show_pair, significant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gate.model import Bill, Share
    from gate.model.diagnosis import Call, Frame, Why

_LONGEST_PAYER = 60
_MOST_PAYERS = 10
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
    """A bill as bars: the total, then whose tasks ran, then the kernel's tick accounting."""

    title: str
    result: str
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
            name=shorten(name, _LONGEST_PAYER),
            base="" if base is None else significant(base / factor),
            head=significant(head / factor),
            move=percent(head / base - 1) if both and base else "",
            base_width=_width(base, largest),
            head_width=_width(head, largest),
        )

    def payers(shares: Iterable[Share]) -> tuple[Payer, ...]:
        moved = sorted(shares, key=lambda one: -abs(one.head - (one.base or 0.0)))
        return tuple(payer(one.name, one.base, one.head) for one in moved[:_MOST_PAYERS])

    return CostsPlot(
        title=f"CPU time of one {bill.word}",
        result=around.bill(bill),
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


_ROW = 18
_GLYPH = 6.8
"""How wide a letter is at most, on average."""
_LONGEST_FRAME = 90
_SHORTEST = 3
"""Letters below which a frame bears no text."""
_STEPS = (0.005, 0.02, 0.08)
"""Differences, as parts of the whole width, from which a frame is coloured more strongly."""
_FILLS = ("#5b93dc", "#9dc0ec", "#d0e1f6", "#e6e2da", "#f9d3c9", "#f2a08d", "#e5705a")
"""From much less on the head side to much more; black text is read on each."""


class Box(NamedTuple):
    """One frame where it is drawn."""

    path: str
    tooltip: str


class FlamePlot(NamedTuple):
    """A flame graph with its table."""

    height: int
    groups: tuple[tuple[str, tuple[Box, ...]], ...]
    """By colour."""
    labels: tuple[Label, ...]
    result: str
    caption: str
    unit: str
    rows: tuple[tuple[str, ...], ...]
    """Functions: name, both sides in `unit`, the change."""


def flame_plot(why: Why) -> FlamePlot | None:
    """The graph of a benchmark; none where nobody sampled it, or nothing was seen."""
    flame = why.flame
    if flame is None or not flame.frames or flame.frames[0].base + flame.frames[0].head <= 0:
        return None
    height = (max(frame.depth for frame in flame.frames) + 1) * _ROW
    groups: dict[int, list[Box]] = {}
    labels = []
    for frame, left, right in _frame_places(flame.frames):
        y = height - (frame.depth + 1) * _ROW
        path = f"M{left} {y}h{right - left - 1}v{_ROW - 1}H{left}z"
        change = diagnosis.change(frame.base, frame.head)
        pair = show_pair(frame.base, frame.head, "s").replace("->", "→")
        name = shorten(frame.name, _LONGEST_FRAME)
        groups.setdefault(_tone(frame, flame.frames[0]), []).append(
            Box(path, f"{name}: {pair} {change}".rstrip())
        )
        letters = int((right - left - 6) / _GLYPH)
        if letters >= _SHORTEST:
            labels.append(Label(str(left + 3), y + _ROW - 6, shorten(name, letters)))
    root = flame.frames[0]
    unit, rows = _flame_rows(flame.calls)
    return FlamePlot(
        height=height,
        groups=tuple((_FILLS[tone], tuple(boxes)) for tone, boxes in sorted(groups.items())),
        labels=tuple(labels),
        result=f"CPU time {diagnosis.per(why)}: {show_pair(root.base, root.head, 's')}",
        caption=(
            f"{flame.samples_base} + {flame.samples_head} samples of {flame.event}, extra runs "
            "of both sides. The outermost frame is at the bottom. A frame is as wide as the mean "
            f"of both sides' CPU time {diagnosis.per(why)}; red: the head spends more there, blue: "
            "less. Very narrow frames are left out; time spent waiting is not sampled."
        ),
        unit=unit,
        rows=rows,
    )


def _frame_places(frames: Sequence[Frame]) -> list[tuple[Frame, int, int]]:
    """Each frame with its left and right edge; one stands where the one before it ends."""
    whole = frames[0].base + frames[0].head
    ends = [0.0]
    """How far each depth is filled."""
    placed = []
    for frame in frames:
        del ends[frame.depth + 1 :]
        left = ends[frame.depth]
        right = min(left + (frame.base + frame.head) / whole * WIDE, WIDE)
        ends[frame.depth] = right
        ends.append(left)
        if round(right) - round(left) > 1:
            placed.append((frame, round(left), round(right)))
    return placed


def _tone(frame: Frame, root: Frame) -> int:
    moved = (frame.head - frame.base) / ((root.base + root.head) / 2)
    steps = sum(abs(moved) >= step for step in _STEPS)
    return len(_STEPS) + (steps if moved > 0 else -steps)


def _flame_rows(calls: Sequence[Call]) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """The functions, all in the unit of the largest."""
    largest = max((value for one in calls for value in (one.base, one.head)), default=0.0)
    factor, unit = scale_of((largest,), "s")
    return unit, tuple(
        (
            *(shorten(one.name, _LONGEST_FRAME), significant(one.base / factor)),
            *(significant(one.head / factor), diagnosis.change(one.base, one.head)),
        )
        for one in calls
    )
