"""Findings as the strings and marks a page shows; numbers are scaled here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.model import Role
from gate.report.plots.history import history_plot
from gate.report.plots.losses import Bar, interval_bar, interval_plot, pairs_plot
from gate.report.plots.numbers import numbers
from gate.report.plots.trials import trials_plot
from gate.report.wording import around, words
from gate.report.wording.commands import commands_for
from gate.text import shorten
from gate.units import percent, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.model import Accepted, Finding, Report
    from gate.report.plots.curves import Chart
    from gate.report.plots.losses import IntervalPlot, PairsPlot
    from gate.report.plots.numbers import Numbers
    from gate.report.plots.trials import TrialsPlot
    from gate.report.wording.commands import ShellLine

LONGEST_NAME = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingDetails:
    """What the page shows of a finding beside its row: plots, history, commands."""

    interval: IntervalPlot | None
    trials: TrialsPlot | None
    pairs: PairsPlot | None
    history: Chart | None
    numbers: Numbers | None
    """What the plots were drawn from."""
    accepted: str
    commands: tuple[ShellLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow:
    """One finding, ready to print."""

    id: str
    """Place in the page; never made from a name."""
    finding: Finding
    benchmark: str
    metric: str
    verdict: str
    rank: int
    watch: bool
    sides: str
    base: str
    head: str
    loss: str
    negligible: str
    smallest: str
    """Minimum detectable loss."""
    bar: Bar | None
    details: FindingDetails | None
    """Absent where the row in the table is all."""

    @property
    def tone(self) -> str:
        """What its colour is of: a verdict that closes nothing is muted."""
        return "watched" if self.watch else self.verdict

    @property
    def detailed(self) -> bool:
        """Whether the page shows more of it than its row."""
        return self.details is not None


def rows_of(report: Report, original: Report, *, most_plotted: int) -> list[FindingRow]:
    """A row for every finding of a scrubbed report, in its order.

    `original` is the report before that: a command names things as they are, or not at all. In a
    report of more findings than `most_plotted`, only so many of those that did not plainly
    pass are shown with their evidence: the worst.
    """
    accepted = around.accepted_by_name(report)
    small = len(report.findings) <= most_plotted
    left = most_plotted
    rows = []
    for index, finding in enumerate(report.findings, 1):
        tell = small or (left > 0 and not words.plainly_passed(finding))
        left -= tell
        details = None
        if tell:
            commands = commands_for(original.findings[index - 1], original)
            details = evidence(finding, accepted, commands)
        rows.append(row(index, finding, details))
    return rows


def evidence(
    finding: Finding,
    accepted: Mapping[tuple[str, str], Accepted],
    commands: tuple[ShellLine, ...],
) -> FindingDetails:
    """All the evidence of a finding; what plainly passed asks for no action."""
    calm = words.plainly_passed(finding)
    return FindingDetails(
        interval=None if calm else interval_plot(finding),
        trials=trials_plot(finding),
        pairs=pairs_plot(finding),
        history=history_plot(finding, accepted),
        numbers=numbers(finding),
        accepted=around.history(finding, accepted),
        commands=() if calm else commands,
    )


def row(index: int, finding: Finding, details: FindingDetails | None = None) -> FindingRow:
    """The row of one finding."""
    return FindingRow(
        id=f"f{index}",
        finding=finding,
        benchmark=shorten(finding.benchmark, LONGEST_NAME),
        metric=shorten(finding.metric, LONGEST_NAME),
        verdict=finding.verdict.value,
        rank=finding.verdict.rank,
        watch=finding.role is Role.WATCH,
        sides=words.sides(finding).replace("->", "→"),
        base=show(finding.base_value, finding.unit),
        head=show(finding.head_value, finding.unit),
        loss=percent(finding.loss),
        negligible=percent(finding.negligible, signed=False),
        smallest=percent(finding.minimum_detectable_loss, signed=False),
        bar=interval_bar(finding),
        details=details,
    )
