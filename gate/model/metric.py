"""Metrics: what is measured, in which unit, which way is better, and how much may be lost."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from annotated_types import Interval, Len

from gate.model.bounds import LONGEST_NAME, STRICT, Amount, Name


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
class Derived:
    """How a metric of a group is made of a metric of its points."""

    __pydantic_config__ = STRICT

    of: Annotated[str, Len(1, LONGEST_NAME)]
    """The metric of the points."""
    over: Annotated[str, Len(1, LONGEST_NAME)]
    """The parameter of the matrix that makes the curve: `iodepth`, `clients`, `cpus`, `load`."""
    take: Take


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A named quantity of a benchmark."""

    __pydantic_config__ = STRICT

    name: Name
    """Short name: `iops`, `cpu`, `clat_p99`."""
    unit: Name
    """Base unit: `s`, `B`, `B/s`, `op/s` or `1`."""
    better: Better
    """Which way is better."""
    role: Role = Role.GATE
    """`gate` may close the gate; `watch` is shown only."""
    tolerance: Annotated[float, Interval(ge=0.001, le=5)] = 0.05
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
