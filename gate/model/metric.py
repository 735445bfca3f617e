"""Metrics: what is measured, in which unit, which way is better, and how much may be lost.

And what a group takes from the curve of its points: here, in the lowest room, because measured
sessions and printed summaries must take it alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from annotated_types import Interval, Len

from gate.model.bounds import LONGEST_NAME, Amount, Name, Strict

if TYPE_CHECKING:
    from collections.abc import Sequence


class Better(StrEnum):
    """Which way a metric improves."""

    LOWER = "lower"
    HIGHER = "higher"


class Role(StrEnum):
    """Whether a metric may close the gate, or is only shown."""

    GATE = "gate"
    WATCH = "watch"


class Take(StrEnum):
    """What a group's metric takes from the curve of its points."""

    GEOMEAN = "geomean"
    """The geometric mean of all points."""
    SCALING = "scaling"
    """The last point over the first."""
    KNEE = "knee"
    """The parameter at which nine tenths of the largest value are reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived(Strict):
    """How a metric of a group is made of a metric of its points."""

    of: Annotated[str, Len(1, LONGEST_NAME)]
    """The metric of the points."""
    over: Annotated[str, Len(1, LONGEST_NAME)]
    """The parameter of the matrix that makes the curve: `iodepth`, `clients`, `cpus`, `load`."""
    take: Take


LEAST_TOLERANCE, MOST_TOLERANCE = 0.001, 5.0
"""What a profile may ask for, as ratios."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric(Strict):
    """A named quantity of a benchmark."""

    name: Name
    """Short name: `iops`, `cpu`, `clat_p99`."""
    unit: Name
    """Base unit: `s`, `B`, `B/s`, `op/s` or `1`."""
    better: Better
    """Which way is better."""
    role: Role = Role.GATE
    """`gate` may close the gate; `watch` is shown only."""
    tolerance: Annotated[float, Interval(ge=LEAST_TOLERANCE, le=MOST_TOLERANCE)] = 0.05
    """T: the smallest relative loss that must not get in (0.05 is 5 %)."""
    negligible: Amount | None = None
    """tau: a relative loss nobody should be blocked for; a fifth of the tolerance when absent."""
    floor: Amount | None = None
    """Absolute change in the metric's unit below which it never closes the gate."""
    derived: Derived | None = None
    """Only groups have it, and it is made of the metrics of their points; absent for others."""

    @property
    def made(self) -> str:
        """How a group makes it: `scaling of iops over iodepth`; empty where it is measured."""
        one = self.derived
        return f"{one.take.value} of {one.of} over {one.over}" if one else ""

    @property
    def tau(self) -> float:
        """The negligible relative loss in force."""
        return self.tolerance / 5 if self.negligible is None else self.negligible

    @property
    def group(self) -> str:
        """The parameter whose curves it is taken from; empty for a metric of the points."""
        return self.derived.over if self.derived else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leeway(Strict):
    """How far above its own tolerance a metric is judged that is too loud for it."""

    times: Annotated[float, Interval(ge=1, le=1.5)] = 1.5
    """Of the tolerance asked for; 1 is at that tolerance or not at all."""
    ceiling: Annotated[float, Interval(ge=LEAST_TOLERANCE, le=MOST_TOLERANCE)] | None = None
    """In its place, where a profile states one: the largest tolerance for any metric."""

    def most(self, asked: float) -> float:
        """The largest relative tolerance that may stand for the one asked for."""
        return asked * self.times if self.ceiling is None else max(asked, self.ceiling)


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
    _check(values, take)
    if take is Take.GEOMEAN:
        return math.exp(math.fsum(map(math.log, values)) / len(values))
    return values[-1] / values[0] if take is Take.SCALING else _knee(places, values)


def _knee(places: Sequence[float], values: Sequence[float]) -> float:
    """The smallest place at which the curve reaches nine tenths of its largest value.

    Between two points the curve is a straight line over log(place). Below the first point it is
    taken to be proportional to the place, so that a curve which starts saturated has a knee below
    its first point that still moves with the first value, instead of one that is stuck there.
    """
    if len(places) != len(values):
        message = f"{len(places)} places for {len(values)} values"
        raise ValueError(message)
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
