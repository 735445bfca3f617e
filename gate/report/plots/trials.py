"""Every trial of both sides in the order in which they were measured, and how they are spread."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from statistics import median, quantiles
from typing import TYPE_CHECKING, NamedTuple

from gate.report.plots.losses import limit_of
from gate.report.plots.numbers import every_value, scale_for
from gate.report.plots.picture import HIGH, WIDE, Axis, Label, Plot, grid, looks, per_cent, strokes
from gate.report.wording.words import count_of
from gate.text import shorten
from gate.units import show, show_pair

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.model import Evidence, Finding

_GAP = 24.0
_LEAST_BAND = 140.0
_SPREAD = 290.0
"""Width of the bars at the right end that show the spread, base to the left, head to the right."""
_BINS = 24
_SPINE = 8.0
"""Half the gap between the bars of base and those of head."""
_FEW = 4
"""Values below which there is no box to draw."""
_LONGEST_NAME = 60

_KEYS = {
    "base": "base trial",
    "head": "head trial",
    "weak": "set aside, not counted",
    "medians": "median",
    "box": "middle half",
    "links": "pair",
    "base-line": "base",
}
_UNDER = ("band", "grid", "base-line", "limit", "links", "base bars", "head bars", "box", "medians")

Column = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]
"""Values of base, of head, and of head that are not counted."""


class Band(NamedTuple):
    """One stretch of the plot, and what stands in it."""

    title: str
    amount: tuple[str, str]
    """How many, and of what: the noun needs a wide plot."""
    left: int
    width: int
    columns: list[Column]

    @property
    def middle(self) -> str:
        """Its middle, in per cent of the whole."""
        return per_cent((self.left + self.width / 2) / WIDE)


def trials_plot(finding: Finding) -> Plot | None:
    """The plot of a finding's evidence, or None where there is nothing that can be plotted."""
    seen = finding.evidence
    values = [v for v in every_value(seen) if math.isfinite(v)]
    if not values:
        return None
    levels = {"base-line": finding.base_value, "limit": limit_of(finding)}
    lines = {k: v for k, v in levels.items() if v is not None and math.isfinite(v)}
    axis = Axis([*values, *lines.values()], scale_for(finding, tuple(values)))
    if not axis.usable:
        return None
    bands = _bands(seen)
    drawn = _drawn(seen, bands, axis)
    drawn |= {look: f"M0 {axis.y(value)}H1000" for look, value in lines.items()}
    keys = _KEYS | {"limit": f"tolerance {show(levels['limit'], finding.unit)}"}
    name = axis.named(shorten(finding.metric, _LONGEST_NAME))
    return Plot(
        kind="trials",
        strokes=strokes(
            *((look, drawn[look]) for look in (*_UNDER, "base", "head")),
            *(("head", drawn["weak"]), ("hole", drawn["weak"])),
        ),
        keys=looks(*((look, drawn[look] and text) for look, text in keys.items())),
        y_ticks=axis.ticks(),
        result=f"every trial: {show_pair(finding.base_value, finding.head_value, finding.unit)}",
        caption=f"{name}, {finding.better.value} is better",
        texts=_texts(bands, drawn),
    )


def _drawn(seen: Evidence, bands: Sequence[Band], axis: Axis) -> defaultdict[str, str]:
    pen = _Pen(axis)
    for band in bands:
        pen.band(band)
    pen.spread(*_both(seen))
    paths = {look: "".join(parts) for look, parts in pen.paths.items()}
    return defaultdict(str, paths, grid=grid(axis.ticks()))


def _both(seen: Evidence) -> tuple[list[float], list[float]]:
    """What the spread is of: the pairs where there are some, for they are of one day."""
    base, head = seen.pairs_base, seen.pairs_head
    if not (base and head):
        base, head = sum(seen.baseline, ()), (*seen.head, *sum(seen.strikes, ()))
    return [v for v in base if math.isfinite(v)], [v for v in head if math.isfinite(v)]


def _bands(seen: Evidence) -> list[Band]:
    """From left to right; the last is that of the spread, which has no columns."""
    pairs = zip(seen.pairs_base, seen.pairs_head, strict=False)
    single = len(seen.head) + len(seen.aside)
    every: list[tuple[str, str, int, list[Column]]] = [
        ("baseline", "session", 0, [(values, (), ()) for values in seen.baseline]),
        ("head", "trial", single, [((), seen.head, seen.aside)] if single else []),
        ("strikes", "session", 0, [((), values, ()) for values in seen.strikes]),
        ("pairs", "pair", 0, [((base,), (head,), ()) for base, head in pairs]),
    ]
    found = [one for one in every if one[3]]
    free = WIDE - _SPREAD - (_GAP + _LEAST_BAND) * len(found)
    total = sum(len(columns) for *_, columns in found)
    bands: list[Band] = []
    left = 0.0
    for title, noun, number, columns in found:
        width = _LEAST_BAND + free * len(columns) / total
        amount, _, of = count_of(number or len(columns), noun).partition(" ")
        bands.append(Band(title, (amount, of), round(left), round(width), columns))
        left += width + _GAP
    of = "of pairs" if bands and bands[-1].title == "pairs" else "of trials"
    return [*bands, Band("", (of, ""), round(WIDE - _SPREAD), round(_SPREAD), [])]


def _texts(bands: Sequence[Band], drawn: Mapping[str, str]) -> tuple[Label, ...]:
    """Below each band its title and how much there is; below the spread its two sides."""
    spread = bands[-1].middle
    sides = (("base", "last"), ("head", "first"))
    titles = [(one, (Label(one.middle, 165, one.title),)) for one in bands[:-1]]
    names = tuple(Label(spread, 165, s if drawn[f"{s} bars"] else "", look) for s, look in sides)
    return tuple(
        label
        for band, above in (*titles, (bands[-1], names))
        for label in (*above, Label(band.middle, 179, band.amount[0], "quiet", band.amount[1]))
    )


class _Pen:
    """Collects path data, one path for all marks of a look."""

    def __init__(self, axis: Axis) -> None:
        self.axis = axis
        self.paths: defaultdict[str, list[str]] = defaultdict(list)

    def band(self, band: Band) -> None:
        self.paths["band"].append(f"M{band.left} 0h{band.width}v150H{band.left}z")
        for index, (base, head, aside) in enumerate(band.columns):
            slot = band.width / len(band.columns)
            left = band.left + slot * index
            self._column(left, slot, base, "base")
            part = slot * (len(head) or 1) / (len(head) + len(aside) or 1)
            self._column(left, part, head, "head")
            self._column(left + part, slot - part, aside, "weak")
            if base and head and math.isfinite(base[0] + head[0]):
                link = f"M{left + slot / 2:.0f} {self.axis.y(base[0])}V{self.axis.y(head[0])}"
                self.paths["links"].append(link)

    def _column(self, left: float, slot: float, values: tuple[float, ...], look: str) -> None:
        finite = [v for v in values if math.isfinite(v)]
        for index, value in enumerate(finite):
            x = left + slot * (0.25 + 0.5 * (index + 0.5) / len(finite))
            self.paths[look].append(f"M{x:.0f} {self.axis.y(value)}h0")
        if look != "weak" and len(finite) > 1:
            y = self.axis.y(median(finite))
            bar = f"M{left + slot * 0.12:.0f} {y}H{left + slot * 0.88:.0f}"
            self.paths["medians"].append(bar)

    def spread(self, base: Sequence[float], head: Sequence[float]) -> None:
        """How often values lie at a height: bars back to back, boxed from quartile to quartile."""
        spine, reach = WIDE - _SPREAD / 2, _SPREAD / 2 - 2 * _SPINE
        heaps = [Counter(map(self._bin, values)) for values in (base, head)]
        most = max((count for heap in heaps for count in heap.values()), default=1)
        for side, values, heap, look in (
            (-1, base, heaps[0], "base bars"),
            (1, head, heaps[1], "head bars"),
        ):
            left = spine + side * _SPINE
            for place, count in sorted(heap.items()):
                length = max(reach * count / most, 1)
                bar = f"M{left:.0f} {(place + 0.5) * HIGH / _BINS:.0f}h{side * length:.0f}"
                self.paths[look].append(bar)
            if len(values) >= _FEW:
                self._box(left, left + side * reach, values)

    def _bin(self, value: float) -> int:
        return min(int(float(self.axis.y(value)) / HIGH * _BINS), _BINS - 1)

    def _box(self, left: float, right: float, values: Sequence[float]) -> None:
        low, middle, high = (self.axis.y(v) for v in quantiles(values, method="inclusive"))
        self.paths["box"].append(f"M{left:.0f} {low}V{high}H{right:.0f}V{low}Z")
        self.paths["medians"].append(f"M{left:.0f} {middle}H{right:.0f}")
