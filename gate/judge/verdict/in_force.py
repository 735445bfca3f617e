"""Which accepted levels are in force: one holds for code with the commit that earned it.

An epoch is in force where a session of it is of code that the base contains, or the change upon it.
Where nobody can tell, it is not in force if it would let more in than the epoch before. The first
epoch always is, for there is none before it to judge by.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from statistics import median
from typing import TYPE_CHECKING

from gate.model import Better, UnearnedLevel
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.verdict.suite import Suite
    from gate.model import (
        AcceptedSession,
        Baseline,
        BaselinePoint,
        BaselineSeries,
        Finding,
        Lineage,
    )

_SHORT = 12
_LONGEST = 100


def in_force(baseline: Baseline, lineage: Lineage | None, *, strict: bool = True) -> Baseline:
    """The baseline with the epochs that are in force, and why others are not.

    Sessions stay all, and say as before what may not be accepted twice. `strict` is for judging;
    else what nobody can tell is in force.
    """
    if lineage is None:
        return baseline
    sessions = {one.id: one for one in baseline.sessions}
    found = [_series(one, lineage, sessions, strict=strict) for one in baseline.series]
    return replace(
        baseline,
        lineage=lineage,
        series=tuple(one for one, _ in found),
        unearned=tuple(level for _, levels in found for level in levels),
    )


def _series(
    series: BaselineSeries,
    lineage: Lineage,
    sessions: dict[str, AcceptedSession],
    *,
    strict: bool,
) -> tuple[BaselineSeries, list[UnearnedLevel]]:
    kept: list[BaselinePoint] = []
    level = 0.0
    unearned = []
    for _, group in groupby(series.points, key=lambda point: point.epoch):
        points = tuple(group)
        now = median([median(point.values) for point in points])
        worse = now > level if series.better is Better.LOWER else now < level
        if not kept or not _is_out(points, lineage, worse=worse, strict=strict):
            kept += points
            level = now
            continue
        anchor = sessions[points[0].session]
        unearned.append(
            UnearnedLevel(
                benchmark=series.benchmark,
                metric=series.metric,
                session=anchor.id,
                why=_why(anchor, now / level - 1, lineage),
            )
        )
    return replace(series, points=tuple(kept)), unearned


def _is_out(
    points: Sequence[BaselinePoint], lineage: Lineage, *, worse: bool, strict: bool
) -> bool:
    ids = {point.session for point in points}
    unsure = ids & lineage.unknown
    if ids - unsure - lineage.outside:
        return False
    return strict and worse if unsure else True


def _why(anchor: AcceptedSession, step: float, lineage: Lineage) -> str:
    commit = anchor.commit[:_SHORT]
    if anchor.dirty:
        why = f"it was measured with changes that are not in commit {commit}"
    elif anchor.id in lineage.unknown:
        why = (
            f"git cannot tell here whether the base has commit {commit}; "
            f"`git fetch origin {anchor.commit}` may help, a session of the base accepted does"
        )
    else:
        why = f"commit {commit} is not in the base"
    who = f"{percent(step)}, by {anchor.by[:_LONGEST]}"
    return f"the level of {anchor.accepted[:10]} ({who}) is not in force here: {why}"


def tell_unearned(findings: tuple[Finding, ...], suite: Suite) -> tuple[Finding, ...]:
    """Findings with a warning where a level that was accepted is not in force."""
    why: dict[tuple[str, str, str], list[str]] = {}
    for case in suite.cases:
        for one in case.baseline.unearned if case.baseline else ():
            why.setdefault((case.profile, one.benchmark, one.metric), []).append(one.why)
    return tuple(
        replace(one, warnings=(*one.warnings, *why[key]))
        if (key := (one.profile, one.benchmark, one.metric)) in why
        else one
        for one in findings
    )


def unearned_notes(baseline: Baseline | None) -> Iterator[str]:
    """A line for each acceptance that is not in force; its first metric stands for all."""
    said: dict[str, list[str]] = {}
    for one in baseline.unearned if baseline else ():
        said.setdefault(one.session, []).append(one.why)
    for why in said.values():
        more = f" (and of {len(why) - 1} more metrics)" if len(why) > 1 else ""
        yield f"{why[0]}{more}"
