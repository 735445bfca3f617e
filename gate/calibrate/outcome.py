"""What a rule made of one suite, and the sum over many."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Self

PLANTS = (0.01, 0.02, 0.03, 0.05, 0.10, 0.20)
"""Relative losses planted."""
TOLERANCE = 0.05
"""Asked for, of every series."""
AT_TOLERANCE = -1.0
"""In place of a planted loss: each series' own tolerance, raised or not."""
SLOWER = 0.05
"""The planted loss at which the trials of a slower metric are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How one metric ended."""

    verdict: str
    """`closed`, `passed`, `inconclusive`, or `refused`: no verdict on numbers, as the host is
    unfit or the series is constant."""
    trials: int
    """Trials spent on it, of both sides."""


@dataclass(slots=True)
class Tally:
    """Counts of one rule; tallies of parts add up."""

    suites: Counter[str] = field(default_factory=Counter)
    """Unchanged suites by how they ended, worst metric first, and `all`."""
    metrics: Counter[str] = field(default_factory=Counter)
    """Unchanged metrics likewise, and `trials`."""
    planted: Counter[tuple[float, str]] = field(default_factory=Counter)
    """By planted loss: slowed metrics `all`, `closed`, ..., of quiet series `quiet all`, ..."""
    trials_slower: int = 0

    def add_unchanged(self, endings: tuple[Ending, ...]) -> None:
        """One suite in which nothing was planted."""
        verdicts = {ending.verdict for ending in endings}
        worst = next(v for v in ("closed", "refused", "inconclusive", "passed") if v in verdicts)
        self.suites.update((worst, "all"))
        for ending in endings:
            self.metrics.update((ending.verdict, "all"))
            self.metrics["trials"] += ending.trials

    def add_planted(self, loss: float, ending: Ending, *, quiet: bool) -> None:
        """One metric in which a loss was planted."""
        self.planted.update(((loss, "all"), (loss, ending.verdict)))
        if quiet:
            self.planted.update(((loss, "quiet all"), (loss, f"quiet {ending.verdict}")))
        if loss == SLOWER:
            self.trials_slower += ending.trials

    def __iadd__(self, other: Tally) -> Self:
        """The sum of both, in place."""
        self.suites += other.suites
        self.metrics += other.metrics
        self.planted += other.planted
        self.trials_slower += other.trials_slower
        return self
