"""Findings as the strings and marks a page shows; numbers are scaled here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.model import Role
from gate.report import words
from gate.report.clean import shorten
from gate.report.marks import Bar, interval_bar, limit_of
from gate.report.strip import Strip, strip
from gate.units import percent, scale_of, show, significant

if TYPE_CHECKING:
    from gate.model import Finding

LONGEST_NAME = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One finding, ready to print."""

    id: str
    """Place in the page; never made from a name."""
    finding: Finding
    benchmark: str
    metric: str
    verdict: str
    rank: int
    watch: bool
    plain: bool
    """Passed with nothing to qualify it."""
    sides: str
    base: str
    head: str
    loss: str
    interval: str
    confidence: str
    tolerance: str
    negligible: str
    trials: str
    method: str
    smallest: str
    """Minimum detectable loss."""
    bar: Bar | None
    strip: Strip | None
    limit: str
    """The value at which the loss equals the tolerance."""
    values: tuple[tuple[str, str], ...]
    """Every value behind the plot: group and numbers, in the unit of the plot."""


def row(index: int, finding: Finding, *, plot: bool) -> Row:
    """The row of one finding; without its plot where that is not wanted."""
    drawn = strip(finding) if plot else None
    return Row(
        id=f"f{index}",
        finding=finding,
        benchmark=shorten(finding.benchmark, LONGEST_NAME),
        metric=shorten(finding.metric, LONGEST_NAME),
        verdict=finding.verdict.value,
        rank=finding.verdict.rank,
        watch=finding.role is Role.WATCH,
        plain=words.plainly_passed(finding),
        sides=words.sides(finding).replace("->", "→"),
        base=show(finding.base_value, finding.unit),
        head=show(finding.head_value, finding.unit),
        loss=percent(finding.loss),
        interval=words.interval(finding),
        confidence=words.confidence(finding),
        tolerance=words.tolerance(finding),
        negligible=percent(finding.negligible, signed=False),
        trials=words.trials(finding),
        method=words.method(finding),
        smallest=percent(finding.minimum_detectable_loss, signed=False),
        bar=interval_bar(finding),
        strip=drawn,
        limit=show(limit_of(finding), finding.unit),
        values=_values(finding) if drawn else (),
    )


def _values(finding: Finding) -> tuple[tuple[str, str], ...]:
    seen = finding.evidence
    sides = tuple(v for v in (finding.base_value, finding.head_value) if v is not None)
    factor, _ = scale_of(sides or seen.head or sum(seen.baseline, ()), finding.unit)

    def line(values: tuple[float, ...]) -> str:
        return "  ".join(significant(value / factor) for value in values)

    names = (*seen.baseline_sessions, *("",) * len(seen.baseline))
    baseline = [
        (f"baseline {shorten(name, 60)}".rstrip(), line(values))
        for name, values in zip(names, seen.baseline, strict=False)
    ]
    strikes = [(f"strike {n}", line(values)) for n, values in enumerate(seen.strikes, 1)]
    rest = [
        ("head, screen", line(seen.head)),
        *strikes,
        ("pairs, base", line(seen.pairs_base)),
        ("pairs, head", line(seen.pairs_head)),
    ]
    return (*baseline, *((name, numbers) for name, numbers in rest if numbers))
