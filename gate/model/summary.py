"""Summaries: what a publication prints of two sides where the trials themselves are lost."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.model.metric import Metric


class MeanKind(StrEnum):
    """How the means of a source were made."""

    ARITHMETIC = "arithmetic"
    GEOMETRIC = "geometric"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What is printed of one side, in the metric's base unit."""

    mean: float
    trials: int
    """How many trials the mean is of."""
    sd: float | None = None
    """Standard deviation of the trials (divisor n - 1); absent where none is printed."""
    mean_slack: float = 0.0
    """Half of the mean's last printed digit: so far may rounding have moved it."""
    sd_slack: float = 0.0
    """Half of the standard deviation's last printed digit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    """One metric of one benchmark, both sides."""

    benchmark: str
    metric: Metric
    base: Figures
    head: Figures

    @property
    def has_spread(self) -> bool:
        """Whether a spread is printed of both sides; without one, no noise is known."""
        return self.base.sd is not None and self.head.sd is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One file of summaries."""

    name: str
    """The file's stem; it stands where a profile's name does."""
    source: str
    """One sentence: where the figures come from."""
    mean: MeanKind
    base: str
    """What the base side was."""
    head: str
    rows: tuple[SummaryRow, ...]
