"""From values to log costs and back: one sign convention for both directions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.model import Better

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_SESSIONS = 5
"""Below this many accepted sessions the scale is a guess and the screen does not clear."""


def usable(values: Sequence[float]) -> bool:
    """Whether there is at least one value and every one is finite and above zero."""
    return bool(values) and all(math.isfinite(value) and value > 0 for value in values)


def log_costs(values: Sequence[float], better: Better) -> tuple[float, ...]:
    """Log costs of positive finite values; larger is worse.

    Raises:
        ValueError: a value is not finite or not above zero, or there is none.
    """
    if not usable(values):
        message = "log costs need finite values above zero"
        raise ValueError(message)
    sign = 1.0 if better is Better.LOWER else -1.0
    return tuple(sign * math.log(value) for value in values)


_FARTHEST = 690.0
"""Largest log that is given back as a number (about 1e299): beyond it floats end."""


def value_of(log_cost: float, better: Better) -> float:
    """The value whose log cost this is."""
    return math.exp(min(log_cost if better is Better.LOWER else -log_cost, _FARTHEST))


def ratio(log_loss: float) -> float:
    """A log loss as a relative loss: log(1.05) is 0.05."""
    return math.expm1(min(log_loss, _FARTHEST))


def relative_limit(log_loss: float | None) -> float | None:
    """The same of a limit, which may be absent."""
    return None if log_loss is None else ratio(log_loss)


@dataclass(frozen=True, slots=True, kw_only=True)
class LossLimits:
    """A metric's thresholds as relative losses."""

    tolerance: float
    """T, as asked for or raised."""
    negligible: float
    """tau, floor included."""

    @property
    def most(self) -> float:
        """log(1 + T)."""
        return math.log1p(self.tolerance)

    @property
    def dead(self) -> float:
        """log(1 + tau)."""
        return math.log1p(self.negligible)
