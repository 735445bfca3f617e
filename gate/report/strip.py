"""The dot strip: every trial of both sides, in the order in which they were measured.

Only path data; the templates draw. Across, a strip is 1000 wide and stretches with the page; dots
are strokes without length, so that they keep their size while it does (`vector-effect`).
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.report.marks import limit_of
from gate.units import scale_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.model import Evidence, Finding

WIDE = 1000.0
_TOP, _BOTTOM = 8.0, 142.0
_GAP = 30.0
_LEAST_BAND = 190.0
_SMALLEST, _LARGEST = 1e-300, 1e300


class Tick(NamedTuple):
    """A line across the plot and its number."""

    y: str
    label: str


class Band(NamedTuple):
    """One stretch of the plot: what is drawn there and how many."""

    left: float
    width: float
    title: str
    amount: str

    @property
    def middle(self) -> str:
        """Its middle, in per cent of the whole."""
        return f"{(self.left + self.width / 2) / WIDE * 100:.1f}%"


class Strip(NamedTuple):
    """The dots of both sides over the order in which they were measured."""

    bands: tuple[Band, ...]
    ticks: tuple[Tick, ...]
    unit: str
    base: str
    head: str
    base_medians: str
    head_medians: str
    links: str
    base_line: str
    limit_line: str


def strip(finding: Finding) -> Strip | None:
    """The plot of a finding's evidence, or None where there is nothing that can be plotted."""
    seen = finding.evidence
    values = [v for v in _all(seen) if math.isfinite(v)]
    if not values:
        return None
    lines = [v for v in (finding.base_value, limit_of(finding)) if v is not None]
    axis = _Axis([*values, *(v for v in lines if math.isfinite(v))])
    sides = tuple(v for v in (finding.base_value, finding.head_value) if v is not None)
    factor, unit = scale_of(sides or tuple(values), finding.unit)
    if not axis.fits(factor):
        return None
    bands = _bands(seen)
    pen = _Pen(axis)
    for band, groups in zip(bands, _groups(seen), strict=True):
        pen.band(band, groups)
    limit = limit_of(finding)
    base = finding.base_value
    return Strip(
        bands=tuple(bands),
        ticks=axis.ticks(factor),
        unit=unit,
        base="".join(pen.base),
        head="".join(pen.head),
        base_medians="".join(pen.base_medians),
        head_medians="".join(pen.head_medians),
        links="".join(pen.links),
        base_line="" if base is None or not math.isfinite(base) else axis.y(base),
        limit_line="" if limit is None or not math.isfinite(limit) else axis.y(limit),
    )


def _all(seen: Evidence) -> Iterable[float]:
    for values in (*seen.baseline, seen.head, seen.pairs_base, seen.pairs_head, *seen.strikes):
        yield from values


Group = tuple[tuple[float, ...], tuple[float, ...]]


def _groups(seen: Evidence) -> list[list[Group]]:
    """Per band its columns, each with the values of base and of head."""
    pairs = zip(seen.pairs_base, seen.pairs_head, strict=False)
    bands: list[list[Group]] = [
        [(values, ()) for values in seen.baseline],
        [((), seen.head)] if seen.head else [],
        [((), values) for values in seen.strikes],
        [((base,), (head,)) for base, head in pairs],
    ]
    return [band for band in bands if band]


def _bands(seen: Evidence) -> list[Band]:
    pairs = min(len(seen.pairs_base), len(seen.pairs_head))
    wanted = [
        ("baseline", len(seen.baseline), "session"),
        ("head", len(seen.head), "trial"),
        ("strikes", len(seen.strikes), "session"),
        ("pairs", pairs, "pair"),
    ]
    found = [(title, n, noun) for title, n, noun in wanted if n]
    free = WIDE - _GAP * (len(found) - 1) - _LEAST_BAND * len(found)
    columns = [1 if title == "head" else n for title, n, _ in found]
    bands: list[Band] = []
    left = 0.0
    for (title, n, noun), share in zip(found, columns, strict=True):
        width = _LEAST_BAND + free * share / sum(columns)
        bands.append(Band(round(left), round(width), title, f"{n} {noun}{'' if n == 1 else 's'}"))
        left += width + _GAP
    return bands


class _Axis:
    """Values to heights: the larger the value the higher, with a little air on both ends."""

    def __init__(self, values: list[float]) -> None:
        low, high = min(values), max(values)
        air = (high - low) * 0.06 or abs(high) * 0.02 or 1.0
        self.low, self.high = low - air, high + air

    def fits(self, factor: float) -> bool:
        """Whether heights and round numbers can be computed: not so near the ends of a float."""
        low, high = self.low / factor, self.high / factor
        ends = max(abs(low), abs(high), abs(self.low), abs(self.high))
        return ends <= _LARGEST and min(high - low, self.high - self.low) >= _SMALLEST

    def y(self, value: float) -> str:
        share = (value - self.low) / (self.high - self.low)
        return f"{_BOTTOM - share * (_BOTTOM - _TOP):.1f}"

    def ticks(self, factor: float) -> tuple[Tick, ...]:
        """Three to six round numbers, in the unit shown."""
        low, high = self.low / factor, self.high / factor
        step = 10.0 ** math.floor(math.log10((high - low) / 3))
        step *= next((m for m in (5, 2) if step * m <= (high - low) / 2.5), 1)
        digits = max(0, -math.floor(math.log10(step)))
        first, last = math.ceil(low / step), math.floor(high / step)
        marks = [n * step for n in range(first, last + 1)]
        return tuple(Tick(self.y(mark * factor), f"{mark:.{digits}f}") for mark in marks)


class _Pen:
    """Collects path data, one path for all dots of a kind."""

    def __init__(self, axis: _Axis) -> None:
        self.axis = axis
        self.base: list[str] = []
        self.head: list[str] = []
        self.base_medians: list[str] = []
        self.head_medians: list[str] = []
        self.links: list[str] = []

    def band(self, band: Band, columns: list[Group]) -> None:
        slot = band.width / len(columns)
        for index, (base, head) in enumerate(columns):
            left = band.left + slot * index
            self._column(left, slot, base, self.base, self.base_medians)
            self._column(left, slot, head, self.head, self.head_medians)
            if base and head and math.isfinite(base[0] + head[0]):
                middle = left + slot / 2
                self.links.append(f"M{middle:.0f} {self.axis.y(base[0])}V{self.axis.y(head[0])}")

    def _column(
        self, left: float, slot: float, values: tuple[float, ...], dots: list[str], bars: list[str]
    ) -> None:
        finite = [v for v in values if math.isfinite(v)]
        for index, value in enumerate(finite):
            x = left + slot * (0.25 + 0.5 * (index + 0.5) / len(finite))
            dots.append(f"M{x:.0f} {self.axis.y(value)}h0")
        if len(finite) > 1:
            y = self.axis.y(median(finite))
            bars.append(f"M{left + slot * 0.12:.0f} {y}H{left + slot * 0.88:.0f}")
