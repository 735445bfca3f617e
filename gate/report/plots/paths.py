"""Path data as short as it can be: the same strokes, from where the pen is when that is shorter."""

from __future__ import annotations

import re

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
