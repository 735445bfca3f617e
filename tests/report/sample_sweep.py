"""The findings of a workload that no longer grows with its queue depth."""

from __future__ import annotations

from gate.model import Better, Finding, Verdict
from tests.report.build import finding

DATABASE = {1: 34_120.0, 8: 243e3, 64: 968e3, 128: 1131e3, 256: 1208e3, 512: 1239e3}
"""I/Os a second of the base, by depth; at 32 there are 712,400."""
_FLAT = {64: 0.51, 128: 0.764, 256: 0.881, 512: 0.936}
"""The losses of a head that makes 641,000 a second at any depth from 32 on."""


def bent() -> list[Finding]:
    """The points beyond a depth of 32, and the group they belong to."""
    scaling = finding(
        benchmark="iometer-database[iodepth=*]",
        metric="iops_scaling",
        unit="1",
        better=Better.HIGHER,
        base=DATABASE[512] / DATABASE[1],
        verdict=Verdict.REGRESSED,
        seed=64,
        loss=0.938,
        half=0.041,
        method="pairs",
        pairs=9,
        code="G060",
        tolerance=0.15,
        tolerance_used=0.15,
        headline="no longer grows with iodepth as it did: iodepth 512 gave 36.41 times iodepth 1, "
        "now 18.87 times; lost "
        "93.8 %, at least 89.7 %.",
        advice="Find the cause, or, if the loss is intended, accept the head session with a "
        "reason.",
        path=proven("+93.1 %", 9),
    )
    points = [
        finding(
            benchmark=f"iometer-database[iodepth={depth}]",
            base=DATABASE[depth],
            verdict=Verdict.REGRESSED,
            seed=depth + 8,
            loss=loss,
            half=0.03,
            method="pairs",
            pairs=9,
            code="G060",
            headline=f"iops lost {loss:.1%}, at least {loss - 0.03:.1%}: proven on 9 pairs, far "
            "beyond 5 %.".replace("%,", " %,").replace("%:", " %:"),
            advice="Find the cause, or, if the loss is intended, accept the head session with a "
            "reason.",
            path=proven(f"+{loss * 100 - 0.4:.1f} %", 9),
        )
        for depth, loss in _FLAT.items()
    ]
    return [scaling, *points]


def proven(screen: str, pairs: int) -> tuple[str, ...]:
    """The decision of a loss that pairs proved."""
    return (
        f"flagged in the screen at {screen}",
        f"{pairs} pairs",
        f"loss above 1 % proven at pair {pairs}",
    )
