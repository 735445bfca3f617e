"""Arithmetic that several tools share, kept exact where a constant sample must stay constant."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean of at least one value.

    Taken about the first value, so that equal values have exactly that mean.
    """
    first = values[0]
    return first + math.fsum([value - first for value in values]) / len(values)


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation (n - 1) of at least two values.

    Equal values have exactly the deviation 0.
    """
    centre = mean(values)
    squares = math.fsum([(value - centre) ** 2 for value in values])
    return centre, math.sqrt(squares / (len(values) - 1))


def quotient(above: float, below: float) -> float:
    """`above / below` as other languages divide: x/0 is infinite, 0/0 is not a number."""
    if below:
        return above / below
    return math.copysign(math.inf, above) if above else math.nan
