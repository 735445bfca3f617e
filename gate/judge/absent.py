"""What was not measured at all: told metric by metric, so that it can never look like a pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.codes import PAGES
from gate.model import Better, Finding, Role, Verdict, applies, plan_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gate.model import Benchmark, Metric, Profile

CODE = "G044"
_LONGEST_REASON = 300
_EVERY = "*"


def absent_findings(profiles: Sequence[Profile], *, why: Mapping[str, str]) -> tuple[Finding, ...]:
    """One finding per benchmark and gate metric of each profile that sent no session.

    `why` tells the reason by the profile's name.
    """
    return tuple(
        _missing(profile, benchmark, metric, why.get(profile.name, "no session of it was sent"))
        for profile in profiles
        for benchmark, metric in _gating(profile)
    )


def part_missing(part: str, why: str) -> Finding:
    """The finding of a part of a check of which nobody knows what it was to measure."""
    return Finding(
        code=CODE,
        profile=part[:_LONGEST_REASON],
        benchmark=_EVERY,
        metric=_EVERY,
        verdict=Verdict.MISSING,
        role=Role.GATE,
        headline=f"not measured: {why[:_LONGEST_REASON]}",
        advice=PAGES[CODE].cure,
        unit="1",
        better=Better.LOWER,
    )


def _gating(profile: Profile) -> Iterator[tuple[Benchmark, Metric]]:
    for benchmark in profile.benchmarks:
        plan = plan_of(profile, benchmark, profile.trials.screen)
        for metric in profile.metrics:
            if metric.role is Role.GATE and applies(metric, plan):
                yield benchmark, metric


def _missing(profile: Profile, benchmark: Benchmark, metric: Metric, why: str) -> Finding:
    return Finding(
        code=CODE,
        profile=profile.name,
        benchmark=benchmark.name,
        metric=metric.name,
        verdict=Verdict.MISSING,
        role=Role.GATE,
        headline=f"not measured: {why[:_LONGEST_REASON]}",
        advice=PAGES[CODE].cure,
        unit=metric.unit,
        better=metric.better,
        tolerance=metric.tolerance,
        tolerance_used=metric.tolerance,
        negligible=metric.tau,
    )
