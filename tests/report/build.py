"""Findings with evidence that agrees with their numbers; a fixed seed, so no chance is left."""

from __future__ import annotations

import random
from dataclasses import replace
from statistics import median

from gate.model import Better, Evidence, Finding, Role, Verdict
from gate.model.report_rows import Level

SESSIONS = tuple(f"20261{month:03d}T0312-a{month:02d}f" for month in range(101, 111))
EARLIER = tuple(f"2026{month:02d}01T0312-e{month:02d}f" for month in (6, 7, 8, 9))
"""Accepted sessions of the first epoch and the second, two of each."""
_LEVELS = (0.93, 0.934, 0.971, 0.969)


def evidence(
    seed: int,
    base: float,
    ratio: float = 1.0,
    *,
    noise: float = 0.006,
    pairs: int = 0,
    strikes: int = 0,
) -> Evidence:
    """Ten accepted sessions, three screen trials, and what else was asked for."""
    rng = random.Random(seed)

    def session(level: float) -> tuple[float, ...]:
        centre = level * (1 + rng.gauss(0, noise))
        return tuple(centre * (1 + rng.gauss(0, noise / 2)) for _ in range(3))

    sessions = tuple(session(base) for _ in range(10))
    levels = [base * (1 + rng.gauss(0, noise)) for _ in range(pairs)]
    return Evidence(
        baseline=sessions,
        baseline_sessions=SESSIONS,
        head=session(base * ratio),
        pairs_base=tuple(level * (1 + rng.gauss(0, noise / 3)) for level in levels),
        pairs_head=tuple(level * ratio * (1 + rng.gauss(0, noise / 3)) for level in levels),
        strikes=tuple(session(base * ratio) for _ in range(strikes)),
        earlier=tuple(
            Level(session=name, epoch=1 + number // 2, value=base * part)
            for number, (name, part) in enumerate(zip(EARLIER, _LEVELS, strict=True))
        ),
        epoch=3,
    )


def finding(
    benchmark: str = "iometer-database[iodepth=32]",
    metric: str = "iops",
    verdict: Verdict = Verdict.PASSED,
    *,
    seed: int = 1,
    unit: str = "op/s",
    base: float = 712_400.0,
    loss: float = 0.002,
    half: float = 0.011,
    method: str = "screen",
    pairs: int = 0,
    strikes: int = 0,
    better: Better | None = None,
    **changes: object,
) -> Finding:
    """One finding whose numbers agree with its evidence; rates are better higher."""
    better = better or (Better.HIGHER if unit in ("op/s", "B/s") else Better.LOWER)
    ratio = 1 / (1 + loss) if better is Better.HIGHER else 1 + loss
    shown = evidence(seed, base, ratio, pairs=pairs, strikes=strikes)
    made = Finding(
        code="G001",
        profile="iometer",
        benchmark=benchmark,
        metric=metric,
        verdict=verdict,
        role=Role.GATE,
        headline=f"{metric} of {benchmark} is where it was accepted.",
        advice="",
        unit=unit,
        better=better,
        loss=loss,
        loss_low=loss - half,
        loss_high=loss + half,
        base_value=median(median(values) for values in shown.baseline),
        head_value=median(shown.head),
        trials_base=30 + pairs,
        trials_head=3 + pairs + 3 * strikes,
        sessions_base=10,
        method=method,
        confidence=0.99,
        tolerance=0.05,
        tolerance_used=0.05,
        negligible=0.01,
        can_detect=0.021,
        path=(
            "Screen: 3 head trials against 10 accepted sessions; a loss of 4.0 % is ruled out.",
            "Not flagged, so nothing further was measured.",
        ),
        evidence=shown,
    )
    return replace(made, **changes)  # type: ignore[arg-type]
