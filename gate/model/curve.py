"""What a group takes from the curve of its points: mean, scaling, knee. Arithmetic only.

Here, in the lowest room, because measured sessions and printed summaries must take it alike.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from gate.model.metric import Take

if TYPE_CHECKING:
    from collections.abc import Sequence

KNEE_AT = 0.9
"""Part of the largest value at which a curve counts as grown."""
LEAST_POINTS = {Take.GEOMEAN: 2, Take.SCALING: 2, Take.KNEE: 3}
"""Points below which there is nothing to take: two points have no knee between them."""


def take_of(take: Take, values: Sequence[float], places: Sequence[float] = ()) -> float:
    """What `take` makes of the values of a curve.

    In the unit of the values for geomean, a plain ratio for scaling, that of the places for knee.
    `places` are the parameter's values, needed for the knee alone, in the order of `values`.

    Raises:
        ValueError: too few values, one that is not finite and above zero, or unusable places.
    """
    if take is Take.GEOMEAN:
        return geomean(values)
    return scaling(values) if take is Take.SCALING else knee(places, values)


def geomean(values: Sequence[float]) -> float:
    """Geometric mean: the exponential of the mean of the logs."""
    _check(values, Take.GEOMEAN)
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def scaling(values: Sequence[float]) -> float:
    """The last value over the first."""
    _check(values, Take.SCALING)
    return values[-1] / values[0]


def knee(places: Sequence[float], values: Sequence[float]) -> float:
    """The smallest place at which the curve reaches nine tenths of its largest value.

    Between two points the curve is a straight line over log(place). Below the first point it is
    taken to be proportional to the place, so that a curve which starts saturated has a knee below
    its first point that still moves with the first value, instead of one that is stuck there.
    """
    if len(places) != len(values):
        message = f"{len(places)} places for {len(values)} values"
        raise ValueError(message)
    _check(values, Take.KNEE)
    _check(places, Take.KNEE)
    curve = sorted(zip(places, values, strict=True))
    for (place, _), (after, _) in pairwise(curve):
        if place == after:
            message = f"two points at {place:g}"
            raise ValueError(message)
    wanted = KNEE_AT * max(values)
    reached = next(i for i, (_, value) in enumerate(curve) if value >= wanted)
    place, value = curve[reached]
    if reached == 0:
        return place * wanted / value
    before, low = curve[reached - 1]
    part = (wanted - low) / (value - low)
    return math.exp(math.log(before) + part * math.log(place / before))


def _check(numbers: Sequence[float], take: Take) -> None:
    least = LEAST_POINTS[take]
    if len(numbers) < least:
        message = f"{take.value} needs {least} points, and there are {len(numbers)}"
        raise ValueError(message)
    for number in numbers:
        if not (math.isfinite(number) and number > 0):
            message = f"{number!r} is not finite and above zero"
            raise ValueError(message)
