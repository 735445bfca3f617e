"""Metrics: what is measured, in which unit, which way is better, and how much may be lost."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gate.model.strictness import STRICT


class Better(StrEnum):
    """Which way a metric improves."""

    LOWER = "lower"
    HIGHER = "higher"


class Role(StrEnum):
    """Whether a metric may close the gate, or is only shown."""

    GATE = "gate"
    WATCH = "watch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A named quantity of a benchmark."""

    __pydantic_config__ = STRICT

    name: str
    """Short name: `iops`, `cpu`, `clat_p99`."""
    unit: str
    """Base unit: `s`, `B`, `B/s`, `op/s` or `1`."""
    better: Better
    """Which way is better."""
    role: Role = Role.GATE
    """`gate` may close the gate; `watch` is shown only."""
    tolerance: float = 0.05
    """T: the smallest relative loss that must not get in (0.05 is 5 %)."""
    negligible: float | None = None
    """tau: a relative loss nobody should be blocked for; a fifth of the tolerance when absent."""
    floor: float | None = None
    """Absolute change in the metric's unit below which it never closes the gate."""

    @property
    def tau(self) -> float:
        """The negligible relative loss in force."""
        return self.tolerance / 5 if self.negligible is None else self.negligible
