"""Reports of thousands of findings, deterministic; the evidence of each agrees with its numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.model import Evidence, Level, Report, Verdict
from tests.report.build import evidence, finding
from tests.report.sample import sample_report

if TYPE_CHECKING:
    from gate.model import Finding

MANY = 10_000
HISTORY = tuple(f"2025{month:02d}11T0312-{month:02d}c0ffee" for month in range(1, 21))
_METRICS = (("iops", "op/s", 712_400.0), ("cpu_per_io", "s", 4.21e-6), ("bandwidth", "B/s", 2.1e9))


def _twenty(seed: int, base: float, ratio: float) -> Evidence:
    """20 trials: five accepted sessions of three, and five of the head."""
    made = evidence(seed, base, ratio)
    return replace(
        made,
        baseline=made.baseline[:5],
        baseline_sessions=made.baseline_sessions[:5],
        head=(*made.head, made.head[0] * 0.9993, made.head[1] * 1.0004),
    )


def _one(number: int, verdict: Verdict, loss: float, name: str) -> Finding:
    metric, unit, base = _METRICS[number % 3]
    base *= 1 + number % 97 / 10
    ratio = 1 / (1 + loss) if unit in ("op/s", "B/s") else 1 + loss
    return finding(
        name,
        metric,
        verdict,
        seed=number,
        unit=unit,
        base=base,
        loss=loss,
        half=0.011 + number % 13 / 1000,
        evidence=_twenty(number, base, ratio),
        trials_base=15,
        trials_head=5,
        sessions_base=5,
        profile=f"profile-{number % 7}",
    )


def usual(count: int = MANY) -> Report:
    """One in fifty regressed, the others passed."""
    made = [
        _one(
            number,
            Verdict.PASSED if number % 50 else Verdict.REGRESSED,
            number % 90 / 10_000 if number % 50 else 0.06 + number % 400 / 1000,
            f"benchmark-{number // 3:04d}[iodepth={2 ** (number // 3 % 9)}]",
        )
        for number in range(count)
    ]
    return _report(made)


def worst(count: int = MANY) -> Report:
    """All regressed, names of 120 characters, a history of 20 earlier sessions each."""
    return _report([_long(number) for number in range(count)])


def _long(number: int) -> Finding:
    made = _one(number, Verdict.REGRESSED, 0.06 + number % 400 / 1000, "")
    name = (
        f"benchmark-{number // 3:04d}[workload={'-'.join(['database', 'server'] * 9)}]"[:119] + "]"
    )
    told = f"{made.metric} lost {100 * (made.loss or 0):.1f} %: far beyond the tolerance of 5 %."
    levels = tuple(
        Level(
            session=session, epoch=1 + place // 10, value=(made.base_value or 0) * (1 + place / 977)
        )
        for place, session in enumerate(HISTORY)
    )
    return replace(
        made,
        benchmark=name,
        code="G060",
        headline=told,
        advice="Find the cause, or, if the loss is intended, accept the head session with a reason.",
        warnings=("the noise between sessions is 2.4 times that of the accepted ones",),
        evidence=replace(made.evidence, earlier=levels, epoch=3),
    )


def _report(made: list[Finding]) -> Report:
    ordered = sorted(made, key=lambda one: (-one.verdict.rank, -(one.loss or 0)))
    return sample_report(
        findings=tuple(ordered), profiles=tuple(f"profile-{number}" for number in range(7))
    )
