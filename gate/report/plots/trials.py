"""Every trial of both sides in the order in which they were measured, and how they are spread.

Only path data; the template draws. Dots are strokes without length, so that they keep their size
while the picture stretches with the page (`vector-effect`).
"""

from __future__ import annotations

import math
from collections import Counter
from statistics import median, quantiles
from typing import TYPE_CHECKING, NamedTuple

from gate.report.plots.axis import HIGH, WIDE, Axis, Tick, per_cent
from gate.report.plots.losses import limit_of
from gate.text import shorten
from gate.units import scale_of, show, show_pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gate.model import Evidence, Finding

_GAP = 24.0
_LEAST_BAND = 140.0
_SPREAD = 290.0
"""Width of the bars that show the spread, base to the left and head to the right."""
_BINS = 24
_SPINE = 8.0
"""Half the gap between the bars of base and those of head."""
_FEW = 4
"""Values below which there is no box to draw."""
_LONGEST_NAME = 60

Group = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]
"""Values of base, of head, and of head that are not counted."""


class Band(NamedTuple):
    """One stretch of the plot: what is drawn there and how many."""

    left: float
    width: float
    title: str
    amount: str

    @property
    def middle(self) -> str:
        """Its middle, in per cent of the whole."""
        return per_cent((self.left + self.width / 2) / WIDE)


class TrialsPlot(NamedTuple):
    """The dots of both sides."""

    result: str
    """A sentence that says what is seen."""
    caption: str
    bands: tuple[Band, ...]
    ticks: tuple[Tick, ...]
    base: str
    head: str
    aside: str
    medians: str
    links: str
    boxes: str
    base_bars: str
    head_bars: str
    """How often values lie at a height."""
    base_line: str
    limit_line: str
    limit_value: str


def trials_plot(finding: Finding) -> TrialsPlot | None:
    """The plot of a finding's evidence, or None where there is nothing that can be plotted."""
    seen = finding.evidence
    values = [v for v in _all(seen) if math.isfinite(v)]
    limit = limit_of(finding)
    lines = [v for v in (finding.base_value, limit) if v is not None and math.isfinite(v)]
    if not values:
        return None
    sides = tuple(v for v in (finding.base_value, finding.head_value) if v is not None)
    factor, unit = scale_of(sides or tuple(values), finding.unit)
    axis = Axis([*values, *lines], factor)
    if not axis.usable:
        return None
    bands = _bands(seen)
    pen = _Pen(axis)
    for band, groups in zip(bands, _groups(seen), strict=False):
        pen.band(band, groups)
    pen.spread(bands[-1], *_both(seen))
    base, way = finding.base_value, f"{finding.better.value} is better"
    return TrialsPlot(
        result=f"every trial: {show_pair(base, finding.head_value, finding.unit)}",
        caption=f"{shorten(finding.metric, _LONGEST_NAME)}{f' in {unit}' if unit else ''}, {way}",
        bands=tuple(bands),
        ticks=axis.ticks(),
        base="".join(pen.base),
        head="".join(pen.head),
        aside="".join(pen.aside),
        medians="".join(pen.medians),
        links="".join(pen.links),
        boxes="".join(pen.boxes),
        base_bars="".join(pen.base_bars),
        head_bars="".join(pen.head_bars),
        base_line="" if base is None or not math.isfinite(base) else axis.y(base),
        limit_value=show(limit, finding.unit),
        limit_line="" if limit is None or not math.isfinite(limit) else axis.y(limit),
    )


def _all(seen: Evidence) -> Iterable[float]:
    single = (seen.head, seen.pairs_base, seen.pairs_head, seen.aside)
    for values in (*seen.baseline, *single, *seen.strikes):
        yield from values


def _both(seen: Evidence) -> tuple[list[float], list[float]]:
    """What the spread is of: the pairs where there are some, for they are of one day."""
    if seen.pairs_base and seen.pairs_head:
        sides = [*seen.pairs_base], [*seen.pairs_head]
    else:
        sides = [v for s in seen.baseline for v in s], [*seen.head, *sum(seen.strikes, ())]
    return [v for v in sides[0] if math.isfinite(v)], [v for v in sides[1] if math.isfinite(v)]


def _groups(seen: Evidence) -> list[list[Group]]:
    """Per band its columns."""
    pairs = zip(seen.pairs_base, seen.pairs_head, strict=False)
    bands: list[list[Group]] = [
        [(values, (), ()) for values in seen.baseline],
        [((), seen.head, seen.aside)] if seen.head or seen.aside else [],
        [((), values, ()) for values in seen.strikes],
        [((base,), (head,), ()) for base, head in pairs],
    ]
    return [band for band in bands if band]


def _bands(seen: Evidence) -> list[Band]:
    pairs = min(len(seen.pairs_base), len(seen.pairs_head))
    wanted = [
        ("baseline", len(seen.baseline), "session"),
        ("head", len(seen.head) + len(seen.aside), "trial"),
        ("strikes", len(seen.strikes), "session"),
        ("pairs", pairs, "pair"),
    ]
    found = [(title, n, noun) for title, n, noun in wanted if n]
    free = WIDE - _SPREAD - _GAP * len(found) - _LEAST_BAND * len(found)
    columns = [1 if title == "head" else n for title, n, _ in found]
    bands: list[Band] = []
    left = 0.0
    for (title, n, noun), share in zip(found, columns, strict=True):
        width = _LEAST_BAND + free * share / sum(columns)
        bands.append(Band(round(left), round(width), title, f"{n} {noun}{'' if n == 1 else 's'}"))
        left += width + _GAP
    of = "pairs" if pairs else "trials"
    bands.append(Band(round(WIDE - _SPREAD), round(_SPREAD), "spread", f"of {of}"))
    return bands


class _Pen:
    """Collects path data, one path for all dots of a kind."""

    def __init__(self, axis: Axis) -> None:
        self.axis = axis
        self.base: list[str] = []
        self.head: list[str] = []
        self.aside: list[str] = []
        self.medians: list[str] = []
        self.links: list[str] = []
        self.boxes: list[str] = []
        self.base_bars: list[str] = []
        self.head_bars: list[str] = []

    def band(self, band: Band, columns: list[Group]) -> None:
        slot = band.width / len(columns)
        for index, (base, head, aside) in enumerate(columns):
            left = band.left + slot * index
            self._column(left, slot, base, self.base)
            part = slot * (len(head) or 1) / (len(head) + len(aside) or 1)
            self._column(left, part, head, self.head)
            self._column(left + part, slot - part, aside, self.aside, bar=False)
            if base and head and math.isfinite(base[0] + head[0]):
                middle = left + slot / 2
                self.links.append(f"M{middle:.0f} {self.axis.y(base[0])}V{self.axis.y(head[0])}")

    def _column(
        self,
        left: float,
        slot: float,
        values: tuple[float, ...],
        dots: list[str],
        *,
        bar: bool = True,
    ) -> None:
        finite = [v for v in values if math.isfinite(v)]
        for index, value in enumerate(finite):
            x = left + slot * (0.25 + 0.5 * (index + 0.5) / len(finite))
            dots.append(f"M{x:.0f} {self.axis.y(value)}h0")
        if bar and len(finite) > 1:
            y = self.axis.y(median(finite))
            self.medians.append(f"M{left + slot * 0.12:.0f} {y}H{left + slot * 0.88:.0f}")

    def spread(self, band: Band, base: Sequence[float], head: Sequence[float]) -> None:
        """How often values lie at a height: bars back to back, boxed from quartile to quartile."""
        spine, reach = band.left + band.width / 2, band.width / 2 - 2 * _SPINE
        heaps = [Counter(self._bin(value) for value in values) for values in (base, head)]
        most = max((count for heap in heaps for count in heap.values()), default=1)
        for side, values, heap, bars in (
            (-1, base, heaps[0], self.base_bars),
            (1, head, heaps[1], self.head_bars),
        ):
            left = spine + side * _SPINE
            for place, count in sorted(heap.items()):
                length = max(reach * count / most, 1)
                bars.append(f"M{left:.0f} {(place + 0.5) * HIGH / _BINS:.0f}h{side * length:.0f}")
            if len(values) >= _FEW:
                self._box(left, left + side * reach, values)

    def _bin(self, value: float) -> int:
        return min(int(float(self.axis.y(value)) / HIGH * _BINS), _BINS - 1)

    def _box(self, left: float, right: float, values: Sequence[float]) -> None:
        low, middle, high = (self.axis.y(v) for v in quantiles(values, method="inclusive"))
        self.boxes.append(f"M{left:.0f} {low}V{high}H{right:.0f}V{low}Z")
        self.medians.append(f"M{left:.0f} {middle}H{right:.0f}")
