"""Rounds of calibrations on the scenes' host, so that a report has a record to show."""

from __future__ import annotations

from gate.judge.calibration_rounds import RULE
from gate.model import Ending, Round, short_digest
from tests.report.scenes.profiles import database, grid, mount, unpack


def _round(name: str, digest: str, number: int) -> Round:
    planted = 0.05 if number % 4 == 0 else 0.0
    return Round(
        id=f"{name}-{number:03}",
        host_class="bm-epyc-9454p",
        profile=name,
        date=f"2026-10-{1 + number // 3:02}T01:00:00Z",
        digest=short_digest(digest),
        gate="0.1.0",
        rule=RULE,
        alpha=0.01,
        beta=0.025,
        seed=11,
        number=number,
        planted=planted,
        achieved=0.0503 if planted else None,
        tolerance=0.05 if planted else None,
        ending=Ending.FOUND if planted else Ending.CLEAR,
        metrics=2,
        regressed=1 if planted else 0,
        inconclusive=0,
        trials=9,
        seconds=290.0,
    )


ROUNDS = tuple(
    _round(one.profile.name, one.profile.digest, number)
    for one in (database(), unpack(), mount(), grid())
    for number in range(1, 61)
)
