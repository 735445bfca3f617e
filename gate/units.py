"""Units: parsed once at the door, scaled once when shown.

Inside the gate every number is in a base unit: `s`, `B`, `B/s`, `op/s`, `J` or `1`.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

BASE_UNITS = ("s", "B", "B/s", "op/s", "J", "1")

_TIME = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_SIZE = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
_SIZE |= {"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
_RATE = {f"{name}/s": factor for name, factor in _SIZE.items()}
_OPS = {"op/s": 1.0, "kop/s": 1e3, "Mop/s": 1e6}
_ENERGY = {"uJ": 1e-6, "µJ": 1e-6, "mJ": 1e-3, "J": 1.0, "kJ": 1e3}
_ALLOWED = {"s": _TIME, "B": _SIZE, "B/s": _RATE, "op/s": _OPS, "J": _ENERGY, "1": {"": 1.0}}

_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*([^\s0-9.]*)\s*")

_LARGEST = 1e30
"""Beyond this a number is a slip of the pen, and 1e999 would be infinite."""

_LARGEST_RATIO = 1e12
"""From here on a ratio has an exponent; times a hundred it could be infinite."""

_SHOWN = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
    "B": ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")),
    "B/s": ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")),
    "op/s": ((1e6, "M op/s"), (1e3, "k op/s"), (1.0, "op/s")),
    "J": ((1e3, "kJ"), (1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ")),
    "1": ((1.0, ""),),
}


def parse_percent(text: str) -> float:
    """`"5%"` or `"5 %"` as the ratio 0.05.

    Raises:
        ValueError: it is not a percentage; the message says what is allowed.
    """
    return _parse(text, {"%": 1.0}, 'a percentage: write for example "5%"') / 100.0


def parse_quantity(text: str, unit: str) -> float:
    """A quantity such as `"200 ns"` in the base unit `unit`.

    Raises:
        ValueError: the number or its unit is not understood; the message lists the units.
    """
    allowed = _ALLOWED.get(unit, {unit: 1.0})
    names = ", ".join(filter(None, allowed)) or "a plain number"
    return _parse(text, allowed, f"a quantity in {names}")


def _parse(text: str, factors: Mapping[str, float], what: str) -> float:
    match = _QUANTITY.fullmatch(text)
    if match is None or match[2] not in factors:
        message = f'"{text[:40]}" is not {what}'
        raise ValueError(message)
    number = float(match[1])
    if number > _LARGEST:
        message = f'"{text[:40]}" is too large'
        raise ValueError(message)
    return number * factors[match[2]]


def in_base(unit: str) -> tuple[str, float]:
    """A unit as its base unit and a factor: `ms` is `("s", 0.001)`.

    Raises:
        ValueError: no such unit; the message lists those there are.
    """
    for base, names in _ALLOWED.items():
        if unit in names and unit:
            return base, names[unit]
    if unit in BASE_UNITS:
        return unit, 1.0
    known = ", ".join(name for names in _ALLOWED.values() for name in names if name)
    message = f'"{unit[:40]}" is no unit; there are {known}, and 1 for a plain number'
    raise ValueError(message)


def scale_of(values: tuple[float, ...], unit: str) -> tuple[float, str]:
    """One scale for numbers shown side by side: factor and unit name, set by the smallest."""
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    steps = _SHOWN.get(unit, ((1.0, unit),))
    if not sizes:
        return 1.0, next((name for factor, name in steps if factor == 1.0), unit)
    smallest = min(sizes)
    return next((step for step in steps if smallest >= step[0] * 0.9995), steps[-1])


def significant(value: float) -> str:
    """A number with four significant digits and no exponent where it can be read without."""
    if not math.isfinite(value):
        return "?"
    if value == 0:
        return "0"
    digits = max(0, 3 - math.floor(math.log10(abs(value))))
    return f"{value:.{digits}f}" if digits <= 9 else f"{value:.3e}"


def show(value: float | None, unit: str) -> str:
    """One quantity with its unit: `312.4 ms`, `641.1 k op/s`; `?` where there is none."""
    if value is None or not math.isfinite(value):
        return "?"
    factor, name = scale_of((value,), unit)
    return f"{significant(value / factor)} {name}".rstrip()


def show_pair(base: float | None, head: float | None, unit: str) -> str:
    """Two quantities on one scale: `712.4 -> 641.1 k op/s`."""
    if base is None or head is None:
        return f"{show(base, unit)} -> {show(head, unit)}"
    factor, name = scale_of((base, head), unit)
    return f"{significant(base / factor)} -> {significant(head / factor)} {name}".rstrip()


def written_percent(ratio: float) -> str:
    """A ratio as a profile writes it, to be copied there: `7.4%`."""
    return f"{ratio * 100:.6g}%"


def percent(ratio: float | None, *, signed: bool = True) -> str:
    """A ratio as per cent with one decimal, two below 1 %: `+6.1 %`, `-0.42 %`; `?` if absent.

    One so large that no reader counts its digits has an exponent: `+1.0e14 %`.
    """
    if ratio is None or not math.isfinite(ratio):
        return "?"
    if abs(ratio) >= _LARGEST_RATIO:
        tenth, _, power = f"{ratio:{'+' if signed else ''}.1e}".partition("e+")
        return f"{tenth}e{int(power) + 2} %"
    shown = ratio * 100.0
    digits = 2 if abs(shown) < 1 else 1
    sign = "+" if signed else ""
    text = f"{shown:{sign}.{digits}f}"
    return f"{'0.00' if float(text) == 0 else text} %"


def show_duration(seconds: float) -> str:
    """A waiting time: `8 s`, `3 min 20 s`, `1 h 05 min`."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
