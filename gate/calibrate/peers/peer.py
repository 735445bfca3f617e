"""What a rule of another tool gets to see, and what is known about it.

Arithmetic that several tools share, kept exact where a constant sample must stay constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One metric of one benchmark, as costs: larger is worse, in the metric's natural unit.

    Costs are finite and not negative; of a metric where higher is better, the cost is 1/value.
    """

    head: tuple[float, ...]
    """Trials of the head, of all rounds so far, in run order."""
    base: tuple[float, ...] = ()
    """Trials of the base measured beside it; empty for a rule that looks at history."""
    history: tuple[tuple[float, ...], ...] = ()
    """Trials of the stored sessions, oldest session first; empty for a rule with sides."""
    last: bool = True
    """No further round will be measured: a rule with rounds has to answer now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A rule with its defaults and the data that its users typically give it."""

    name: str
    """Name on the command line: `lkp`."""
    trials: int = 10
    """Head trials of one round; with sides as many base trials, else as many per session."""
    history: int = 0
    """Stored sessions that it uses where there are enough; 0 with sides."""
    rounds: int = 1
    """Most rounds. While `closes` answers None and rounds are left, it measures another one."""
    closes: Callable[[Comparison], bool | None]
    """True: the gate closes. False: it passes. None: the tool wants another round or, in the
    last one, ends in an error of its own instead of a verdict."""
    source: str
    """The formula, where it is published, and why these trials and sessions."""

    @property
    def sides(self) -> bool:
        """Whether it measures base and head in one sitting; else head against stored sessions."""
        return not self.history


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
