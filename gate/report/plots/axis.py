"""Axes: values to places in a plot, and round numbers beside them.

A plot's inner picture is 1000 wide and 150 high and stretches across; texts stand outside it, in
per cent across and in pixels down, so that they keep their shape at any width. Strokes are path
data, written as short as can be.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence


WIDE, HIGH = 1000.0, 150.0
_TOP, _BOTTOM = 8.0, 142.0
_SMALLEST, _LARGEST = 1e-300, 1e300
_LARGEST_POWER = 300
_LARGEST_LOSS = 1e9
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

    A logarithmic one is for values above zero only. `factor` is the unit shown.
    """

    def __init__(
        self, values: Sequence[float], factor: float, *, log: bool = False, zero: bool = False
    ) -> None:
        shown = [value / factor for value in values]
        self.log = log and min(shown) > 0
        self.factor = factor
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
    """`1e5` for `1e+05`."""
    digits, _, power = text.partition("e")
    return f"{digits}e{int(power)}"


def labels(texts: Sequence[tuple[float, str]], *, wide: float = 0.0) -> tuple[Tick, ...]:
    """Those of some labels, the most important first, that stand clear of one another.

    Most must do so in the narrowest plot; where one may be `wide` pixels, more are shown there.
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
    """From where to where a label reaches, with room to the next."""
    half = _length(text) / 2
    middle = min(max(share * room, half), max(room - half, half))
    return middle - half, middle + half


def _length(text: str) -> float:
    return sum(_WIDE_GLYPH if c.isupper() or c > _LAST_NARROW else _GLYPH for c in text)


def loss_text(loss: float | None) -> str:
    """A loss as per cent; `?` where it is so large that no digit of it means anything."""
    return percent(loss if loss is not None and abs(loss) < _LARGEST_LOSS else None)


def across(share: float) -> str:
    """A place across, in the inner picture."""
    return f"{share * WIDE:.0f}"


def per_cent(share: float) -> str:
    """The same for a text."""
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


def polyline(points: Sequence[tuple[float, str]]) -> str:
    """A line through places: share across, height."""
    return "M" + "L".join(f"{across(x)} {y}" for x, y in points) if len(points) > 1 else ""


def dots(points: Sequence[tuple[float, str]]) -> str:
    """Strokes without length: their caps are the dots, whatever the picture is stretched to."""
    return "".join(f"M{across(x)} {y}h0" for x, y in points)


_STEP = re.compile(r"([MLHVhvZz])([^MLHVhvZz]*)")


def tight(path: str) -> str:
    """The path with moves and lines relative to the pen where that takes fewer letters.

    Only whole numbers are rewritten; places of a picture are whole.
    """
    made: list[str] = []
    start = pen = (0, 0)
    for verb, figures in _STEP.findall(path):
        try:
            numbers = [int(one) for one in figures.split()]
        except ValueError:
            return path
        if verb in "Zz":
            pen = start
            made.append(verb)
        elif verb in "ML":
            place = numbers[0], numbers[1]
            near = f"{verb.lower()}{_pair(place[0] - pen[0], place[1] - pen[1])}"
            far = f"{verb}{_pair(*place)}"
            made.append(near if made and len(near) < len(far) else far)
            pen = place
            start = place if verb == "M" else start
        else:
            pen = _along(verb, numbers[0], pen)
            made.append(f"{verb}{numbers[0]}")
    return "".join(made)


def _along(verb: str, number: int, pen: tuple[int, int]) -> tuple[int, int]:
    """Where the pen is after a stroke across or down."""
    x, y = pen
    return {"H": (number, y), "h": (x + number, y), "V": (x, number), "v": (x, y + number)}[verb]


def _pair(x: int, y: int) -> str:
    return f"{x}{y}" if y < 0 else f"{x} {y}"
