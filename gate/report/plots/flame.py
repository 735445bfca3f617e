"""A differential flame graph: where the processors were on both sides, coloured by who was more.

Both sides are laid together, so a frame that only one of them has is seen too: its width is the
mean of both. Tooltips are titles, which need no script, and a table tells what moved most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gate.report.wording import diagnosis
from gate.text import shorten
from gate.units import scale_of, show_pair, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model.diagnosis import Call, Frame, Why

WIDE, ROW = 1000, 18
_GLYPH = 6.8
"""How wide a letter is at most, on average."""
_LONGEST = 90
_SHORTEST = 3
"""Letters below which a frame bears no text."""
_STEPS = (0.005, 0.02, 0.08)
"""Differences, as parts of the whole width, from which a frame is coloured more strongly."""
_FILLS = ("#5b93dc", "#9dc0ec", "#d0e1f6", "#e6e2da", "#f9d3c9", "#f2a08d", "#e5705a")
"""From much less on the head side to much more; black text is read on each."""


class Box(NamedTuple):
    """One frame where it is drawn."""

    path: str
    told: str
    """Its tooltip."""


class Label(NamedTuple):
    """What is written into a frame."""

    x: int
    y: int
    text: str


class FlameRow(NamedTuple):
    """One function in the table."""

    name: str
    base: str
    head: str
    change: str


class FlamePlot(NamedTuple):
    """A flame graph with its table."""

    height: int
    groups: tuple[tuple[str, tuple[Box, ...]], ...]
    """By colour."""
    labels: tuple[Label, ...]
    told: str
    caption: str
    unit: str
    rows: tuple[FlameRow, ...]


def flame_plot(why: Why) -> FlamePlot | None:
    """The graph of a benchmark; none where nobody sampled it, or nothing was seen."""
    flame = why.flame
    if flame is None or not flame.frames or flame.frames[0].base + flame.frames[0].head <= 0:
        return None
    height = (max(frame.depth for frame in flame.frames) + 1) * ROW
    groups: dict[int, list[Box]] = {}
    labels = []
    for frame, left, right in _placed(flame.frames):
        y = height - (frame.depth + 1) * ROW
        path = f"M{left} {y}h{right - left - 1}v{ROW - 1}H{left}z"
        change = diagnosis.change(frame.base, frame.head)
        pair = show_pair(frame.base, frame.head, "s").replace("->", "→")
        name = shorten(frame.name, _LONGEST)
        groups.setdefault(_tone(frame, flame.frames[0]), []).append(
            Box(path, f"{name}: {pair} {change}".rstrip())
        )
        letters = int((right - left - 6) / _GLYPH)
        if letters >= _SHORTEST:
            labels.append(Label(left + 3, y + ROW - 6, shorten(name, letters)))
    root = flame.frames[0]
    unit, rows = _rows(flame.calls)
    return FlamePlot(
        height=height,
        groups=tuple((_FILLS[tone], tuple(boxes)) for tone, boxes in sorted(groups.items())),
        labels=tuple(labels),
        told=f"CPU time {diagnosis.per(why)}: {show_pair(root.base, root.head, 's')}",
        caption=(
            f"{flame.samples_base} + {flame.samples_head} samples of {flame.event}, extra runs "
            "of both sides. The outermost frame is below. A frame is as wide as the mean of both "
            f"sides' CPU time {diagnosis.per(why)}; red: the head spends more there, blue: less. "
            "A narrow frame is left out; time spent waiting is not seen."
        ),
        unit=unit,
        rows=rows,
    )


def _placed(frames: Sequence[Frame]) -> list[tuple[Frame, int, int]]:
    """Each frame with its left and right edge; one stands where the one before it ends."""
    whole = frames[0].base + frames[0].head
    ends = [0.0]
    """How far each depth is filled."""
    placed = []
    for frame in frames:
        del ends[frame.depth + 1 :]
        left = ends[frame.depth]
        right = min(left + (frame.base + frame.head) / whole * WIDE, float(WIDE))
        ends[frame.depth] = right
        ends.append(left)
        if round(right) - round(left) > 1:
            placed.append((frame, round(left), round(right)))
    return placed


def _tone(frame: Frame, root: Frame) -> int:
    """Which colour a frame has, by its difference as a part of the mean of both sides."""
    moved = (frame.head - frame.base) / ((root.base + root.head) / 2)
    steps = sum(abs(moved) >= step for step in _STEPS)
    return len(_STEPS) + (steps if moved > 0 else -steps)


def _rows(calls: Sequence[Call]) -> tuple[str, tuple[FlameRow, ...]]:
    """The functions, all in the unit of the largest."""
    largest = max((value for one in calls for value in (one.base, one.head)), default=0.0)
    factor, unit = scale_of((largest,), "s")
    return unit, tuple(
        FlameRow(
            name=shorten(one.name, _LONGEST),
            base=significant(one.base / factor),
            head=significant(one.head / factor),
            change=diagnosis.change(one.base, one.head),
        )
        for one in calls
    )
