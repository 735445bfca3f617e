"""What a plot is: axes, strokes as path data, the texts beside them, a table of the same numbers.

Its inner picture is 1000 wide and 150 high and stretches across; texts stand outside of it, in per
cent across and in pixels down, so that they keep their shape at any width. Dots are strokes without
length: their caps keep their size too. A template sets all of it and computes nothing.
"""

from __future__ import annotations

import math
import re
from itertools import cycle
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDE, HIGH = 1000.0, 150.0
_TOP, _BOTTOM = 8.0, 142.0
_SMALLEST, _LARGEST = 1e-300, 1e300
_LARGEST_POWER = 300
_AIR = 0.06
_STEPS = (5, 2)
_MOST_TICKS = 7
_LONGEST_NUMBER, _LONGEST_POWER = 9, 5
_NARROW = 225.0
_GLYPH, _WIDE_GLYPH, _LAST_NARROW = 8.5, 13.5, "\u2e7f"
"""Pixels that a letter takes at most, with its share of the gap to the next label."""


class Tick(NamedTuple):
    """A round number and where it stands."""

    at: str
    """Pixels down for a value, per cent across for a parameter."""
    label: str
    kind: str = ""
    """How its text is set: `first` from there on, `last` up to there, `noun` where it is wide."""


class Axis:
    """Values to heights: the larger the higher, with a little air at both ends.

    A logarithmic one is for values above zero only. `scale` is the unit shown: factor and name.
    """

    def __init__(
        self,
        values: Sequence[float],
        scale: tuple[float, str],
        *,
        log: bool = False,
        zero: bool = False,
    ) -> None:
        self.factor, self.unit = scale
        shown = [value / self.factor for value in values]
        self.log = log and min(shown) > 0
        low, high = min(shown), max(shown)
        if self.log:
            low, high = math.log10(low), math.log10(high)
        if zero and low > 0 and not self.log:
            low = 0.0
        air = (high - low) * _AIR or abs(high) * 0.02 or 1.0
        self.low = low if zero and low == 0 else low - air
        self.high = high + air

    @property
    def usable(self) -> bool:
        """Whether heights and round numbers can be computed: not so near the ends of a float."""
        ends = max(abs(self.low), abs(self.high))
        largest = _LARGEST_POWER if self.log else _LARGEST
        return math.isfinite(ends) and ends <= largest and self.high - self.low >= _SMALLEST

    def named(self, what: str) -> str:
        """What is drawn, with the unit: `iops in k op/s`."""
        return f"{what} in {self.unit}" if self.unit else what

    def y(self, value: float) -> str:
        """Pixels from the top; `value` in the base unit."""
        shown = value / self.factor
        place = math.log10(shown) if self.log else shown
        share = (place - self.low) / (self.high - self.low)
        return f"{_BOTTOM - min(max(share, 0.0), 1.0) * (_BOTTOM - _TOP):.0f}"

    def ticks(self) -> tuple[Tick, ...]:
        """Two to seven round numbers."""
        if self.log:
            return self._decades()
        span = self.high - self.low
        step = 10.0 ** math.floor(math.log10(span / 3))
        step *= next((m for m in _STEPS if step * m <= span / 2.5), 1)
        digits = max(0, -math.floor(math.log10(step)))
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        marks = [n * step for n in range(first, min(last, first + _MOST_TICKS) + 1)]
        return tuple(Tick(self.y(m * self.factor), _number(m, digits, step)) for m in marks)

    def _decades(self) -> tuple[Tick, ...]:
        """Of 1, 2 and 5 times the powers of ten as many as there is room for."""
        for digits in ((1, 2, 5), (1, 3), (1,)):
            powers = range(math.floor(self.low), math.ceil(self.high) + 1)
            marks = [d * 10.0**power for power in powers for d in digits]
            inside = [m for m in marks if self.low <= math.log10(m) <= self.high]
            if len(inside) <= _MOST_TICKS:
                return tuple(Tick(self.y(m * self.factor), _power(m)) for m in inside)
        step = -(-len(inside) // _MOST_TICKS)
        return tuple(Tick(self.y(m * self.factor), _power(m)) for m in inside[::step])


def _number(mark: float, digits: int, step: float) -> str:
    """As many digits as set a mark apart from the next; with an exponent where that is shorter."""
    plain = f"{mark:.{digits}f}"
    if len(plain) <= _LONGEST_NUMBER or not mark:
        return plain
    precision = max(0, math.floor(math.log10(abs(mark))) - math.floor(math.log10(step)))
    return min(plain, _exponent(f"{mark:.{precision}e}"), key=len)


def _power(mark: float) -> str:
    plain = f"{mark:g}"
    return plain if len(plain) <= _LONGEST_POWER else _exponent(f"{mark:.0e}")


def _exponent(text: str) -> str:
    digits, _, power = text.partition("e")
    return f"{digits}e{int(power)}"


def labels(texts: Sequence[tuple[float, str]], *, wide: float = 0.0) -> tuple[Tick, ...]:
    """Those of some labels, the most important first, that stand clear of one another.

    Most do so in the narrowest plot; where one may be `wide` pixels, more are shown there.
    """
    placed: list[tuple[float, Tick]] = []
    for room, kind in ((_NARROW, ""), (wide, "noun")):
        for share, text in texts:
            tick = _label(share, text, room, kind)
            taken = [_stretch(s, t.label, room) for s, t in placed]
            left, right = _stretch(share, text, room)
            if right - left <= room and all(left >= b or right <= a for a, b in taken):
                placed.append((share, tick))
    return tuple(tick for _, tick in sorted(placed))


def _label(share: float, text: str, room: float, kind: str) -> Tick:
    half = _length(text) / 2
    if share * room < half:
        return Tick("0", text, f"first {kind}".rstrip())
    if share * room > room - half:
        return Tick("100%", text, f"last {kind}".rstrip())
    return Tick(per_cent(share), text, kind)


def _stretch(share: float, text: str, room: float) -> tuple[float, float]:
    half = _length(text) / 2
    middle = min(max(share * room, half), max(room - half, half))
    return middle - half, middle + half


def _length(text: str) -> float:
    return sum(_WIDE_GLYPH if c.isupper() or c > _LAST_NARROW else _GLYPH for c in text)


def per_cent(share: float) -> str:
    """A place across, for a text."""
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


Looks = tuple[tuple[str, str], ...]
"""Strokes or keys in their order: the look that the style has for it, and its path or text."""


class Label(NamedTuple):
    """A text at a place of its own."""

    at: str
    """Where across."""
    down: int
    """Pixels down."""
    text: str
    look: str = ""
    noun: str = ""
    """What follows where the plot is wide."""


class Table(NamedTuple):
    """The numbers of a plot, beneath it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Plot(NamedTuple):
    """Values over something, ready to be drawn."""

    kind: str
    strokes: Looks
    keys: Looks
    y_ticks: tuple[Tick, ...] = ()
    result: str = ""
    """What is seen, in a sentence."""
    caption: str = ""
    """Of the axes: metric, unit, direction, parameter; that of pairs is always the same."""
    x_ticks: tuple[Tick, ...] = ()
    x_name: str = ""
    texts: tuple[Label, ...] = ()
    table: Table | None = None
    """Not of a finding, whose numbers stand in a table of their own."""


def looks(*some: tuple[str, str]) -> Looks:
    """Those that there are."""
    return tuple(one for one in some if one[1])


def strokes(*some: tuple[str, str]) -> Looks:
    """Those that there are, written as short as can be."""
    return tuple((look, tight(path)) for look, path in looks(*some))


def grid(ticks: Sequence[Tick]) -> str:
    """A line at each height, to and fro: from where the pen is the next one is near."""
    ways = zip(ticks, cycle(((0, 1000), (1000, 0))), strict=False)
    return "".join(f"M{begin} {tick.at}H{end}" for tick, (begin, end) in ways)


def across(share: float) -> str:
    """A place across, in the inner picture."""
    return f"{share * WIDE:.0f}"


def polyline(points: Sequence[tuple[float, str]]) -> str:
    """A line through places: share across, height."""
    return "M" + "L".join(f"{across(x)} {y}" for x, y in points) if len(points) > 1 else ""


def dots(points: Sequence[tuple[float, str]]) -> str:
    """A dot at each of these places."""
    return "".join(f"M{across(x)} {y}h0" for x, y in points)


_STEP = re.compile(r"([MLHVhvZz])([^MLHVhvZz]*)")


def tight(path: str) -> str:
    """The path with moves and lines relative to the pen where that takes fewer letters.

    Only whole numbers are rewritten; places of a picture are whole.
    """
    made: list[str] = []
    x, y = start = (0, 0)
    for verb, figures in _STEP.findall(path):
        try:
            numbers = [int(one) for one in figures.split()]
        except ValueError:
            return path
        if verb in "ML":
            near = f"{verb.lower()}{_pair(numbers[0] - x, numbers[1] - y)}"
            far = f"{verb}{_pair(*numbers)}"
            made.append(near if made and len(near) < len(far) else far)
            x, y = numbers
            start = (x, y) if verb == "M" else start
        elif verb in "Zz":
            x, y = start
            made.append(verb)
        else:
            x = {"H": numbers[0], "h": x + numbers[0]}.get(verb, x)
            y = {"V": numbers[0], "v": y + numbers[0]}.get(verb, y)
            made.append(f"{verb}{numbers[0]}")
    return "".join(made)


def _pair(x: int, y: int) -> str:
    return f"{x}{y}" if y < 0 else f"{x} {y}"
