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
    """Of several sittings their geometric mean."""
    trials: int
    """How many trials the mean is of, in all sittings together."""
    sd: float | None = None
    """Standard deviation of the trials (divisor n - 1); absent where none is printed."""
    mean_slack: float = 0.0
    """Half of the mean's last printed digit: so far may rounding have moved it."""
    sd_slack: float = 0.0
    """Half of the standard deviation's last printed digit."""
    sittings: tuple[Figures, ...] = ()
    """Independent sittings, where two or more are printed: what they differ by is the noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    """One metric of one benchmark, both sides."""

    benchmark: str
    metric: Metric
    base: Figures
    head: Figures
    points: tuple[SummaryRow, ...] = ()
    """Of a group: the rows it is made of, first to last; its figures are what it takes of them."""
    places: tuple[str, ...] = ()
    """Of a group: the parameter's value at each point."""

    @property
    def sides(self) -> tuple[Figures, Figures]:
        """Base and head."""
        return self.base, self.head

    @property
    def has_spread(self) -> bool:
        """Whether a spread is printed, of the trials or between sittings; else no noise is known.

        Of trials it must be printed of both sides. Sittings of one side are enough, where the
        other may be taken to be as noisy.
        """
        if any(side.sittings for side in self.sides):
            return True
        if self.points:
            return all(point.has_spread for point in self.points)
        return all(side.sd is not None for side in self.sides)


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
    """Rows of points first, then the groups that are made of them."""
