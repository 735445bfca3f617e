"""How a rule ended on one suite, the counts over many, and the shares that are printed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from gate.stats.quantiles import exact_limits

if TYPE_CHECKING:
    from collections.abc import Mapping


PLANTS = (0.01, 0.02, 0.03, 0.05, 0.10, 0.20)
"""Relative losses planted."""
TOLERANCE = 0.05
"""Asked for, of every series."""
AT_TOLERANCE = -1.0
"""In place of a planted loss: each series' own tolerance, raised or not."""
SLOWER = 0.05
"""The planted loss at which the trials of a slower metric are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricEnding:
    """How one metric ended."""

    verdict: str
    """`closed`, `passed`, `inconclusive`, or `refused`: no verdict on numbers, as the host is
    unfit or the series is constant."""
    trials: int
    """Trials spent on it, of both sides."""


@dataclass(slots=True)
class RuleTally:
    """Counts of one rule; tallies of parts add up."""

    suites: Counter[str] = field(default_factory=Counter)
    """Unchanged suites by how they ended, worst metric first, and `all`."""
    metrics: Counter[str] = field(default_factory=Counter)
    """Unchanged metrics likewise, and `trials`."""
    planted: Counter[tuple[float, str]] = field(default_factory=Counter)
    """By planted loss: slowed metrics `all`, `closed`, ..., of quiet series `quiet all`, ..."""
    trials_slower: int = 0

    def add_unchanged(self, endings: tuple[MetricEnding, ...]) -> None:
        """One suite in which nothing was planted."""
        verdicts = {ending.verdict for ending in endings}
        worst = next(v for v in ("closed", "refused", "inconclusive", "passed") if v in verdicts)
        self.suites.update((worst, "all"))
        for ending in endings:
            self.metrics.update((ending.verdict, "all"))
            self.metrics["trials"] += ending.trials

    def add_planted(self, loss: float, ending: MetricEnding, *, quiet: bool) -> None:
        """One metric in which a loss was planted."""
        self.planted.update(((loss, "all"), (loss, ending.verdict)))
        if quiet:
            self.planted.update(((loss, "quiet all"), (loss, f"quiet {ending.verdict}")))
        if loss == SLOWER:
            self.trials_slower += ending.trials

    def __iadd__(self, other: RuleTally) -> Self:
        """The sum of both, in place."""
        self.suites += other.suites
        self.metrics += other.metrics
        self.planted += other.planted
        self.trials_slower += other.trials_slower
        return self


CONFIDENCE = 0.95
"""Of the one-sided upper limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """One rule on one recording."""

    rule: str
    sides: bool
    suites: Mapping[int, RuleTally]
    """By suite size; the first one is what was asked for and has the planted losses."""

    @property
    def main(self) -> RuleTally:
        """The suites of the size asked for."""
        return next(iter(self.suites.values()))

    def closed(self, size: int | None = None) -> tuple[float, float] | None:
        """Share of unchanged suites that close, and its upper limit; None if not drawn."""
        tally = self.main if size is None else self.suites.get(size)
        return _with_upper(tally.suites["closed"], tally.suites["all"]) if tally else None

    @property
    def closed_metrics(self) -> tuple[float, float]:
        """Share of unchanged metrics that close, and its upper limit."""
        return _with_upper(self.main.metrics["closed"], self.main.metrics["all"])

    def found(self, loss: float, *, quiet: bool = False) -> float | None:
        """Share of planted losses that are called so; None where nothing was planted.

        Of the suites that were judged: on a host that is refused as unfit the gate is closed
        whatever was planted, and that share is told apart.
        """
        kind = "quiet " if quiet else ""
        counts = self.main.planted
        judged = counts[loss, f"{kind}all"] - counts[loss, f"{kind}refused"]
        return counts[loss, f"{kind}closed"] / judged if judged else None

    def ended(self, verdict: str) -> float:
        """Share of unchanged suites that ended so."""
        return self.main.suites[verdict] / self.main.suites["all"]

    @property
    def trials_unchanged(self) -> float:
        """Mean trials of an unchanged metric."""
        return self.main.metrics["trials"] / self.main.metrics["all"]

    @property
    def trials_slower(self) -> float:
        """Mean trials of a metric slowed by `SLOWER`."""
        return self.main.trials_slower / self.main.planted[SLOWER, "all"]

    def as_json(self) -> dict[str, Any]:
        """Shares as numbers, for machines."""
        closed, upper = self.closed() or (None, None)
        per_metric, per_metric_upper = self.closed_metrics
        return {
            "rule": self.rule,
            "sides": self.sides,
            "false_closures": closed,
            "false_closures_upper": upper,
            "found": {_name(loss): self.found(loss) for loss in PLANTS},
            "found_quiet": {_name(loss): self.found(loss, quiet=True) for loss in PLANTS},
            "found_at_tolerance": self.found(AT_TOLERANCE),
            "inconclusive": self.ended("inconclusive"),
            "refused": self.ended("refused"),
            "trials_unchanged": self.trials_unchanged,
            "trials_slower": self.trials_slower,
            "false_closures_per_comparison": per_metric,
            "false_closures_per_comparison_upper": per_metric_upper,
            "suites": {
                str(size): dict(
                    zip(
                        ("draws", "false_closures", "false_closures_upper"),
                        (tally.suites["all"], *(self.closed(size) or ())),
                        strict=True,
                    )
                )
                for size, tally in self.suites.items()
            },
        }


def _with_upper(count: int, total: int) -> tuple[float, float]:
    return count / total, exact_limits(count, total, 1 - 2 * (1 - CONFIDENCE))[1]


def _name(loss: float) -> str:
    return f"{100 * loss:g}%"
