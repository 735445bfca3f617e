"""What the curve of a group did, and when a changed shape is no loss.

A scaling or knee also falls because the first point became better while the last one stayed. That
is told, and is no reason to close the gate. It is decided after all verdicts, by the points' own:
the first point must be proven better, by enough to explain a scaling's loss, and the last must
have lost nothing; so must every point of a knee, for its place depends on all of them. Only a
group's own finding is ever changed, so that whatever a point's finding closes stays closed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.codes import PAGES
from gate.judge.context.sweeps import place_of
from gate.model import Better, Take, Verdict
from gate.units import significant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gate.judge.verdict.suite import Case
    from gate.model import Derived, Finding, Planned

_HELD = (Verdict.PASSED, Verdict.IMPROVED)


def apply_shapes(findings: Sequence[Finding], cases: Iterable[Case]) -> tuple[Finding, ...]:
    """The findings, those of curves that regressed with their shape told, or excused by it."""
    plans = {(case.profile, plan.benchmark): plan for case in cases for plan in case.head.planned}
    derived = {
        (case.profile, metric.name): metric.derived
        for case in cases
        for metric in case.metrics
        if metric.derived is not None and metric.derived.take is not Take.GEOMEAN
    }
    points = {(f.profile, f.benchmark, f.metric): f for f in findings}
    told = []
    for found in findings:
        made = derived.get((found.profile, found.metric))
        plan = plans.get((found.profile, found.benchmark))
        if found.verdict is not Verdict.REGRESSED or made is None or plan is None:
            told.append(found)
            continue
        own = [points.get((found.profile, name, made.of)) for name in plan.members]
        told.append(_told(found, made, plan, own))
    return tuple(told)


def _told(
    found: Finding, made: Derived, plan: Planned, points: Sequence[Finding | None]
) -> Finding:
    what = _what(found, made, plan)
    if not _start_explains(found, made, points):
        return replace(found, headline=f"{what}; {found.headline}")
    first, last = plan.members[0], plan.members[-1]
    return replace(
        found,
        code="G005",
        verdict=Verdict.PASSED,
        headline=f"{what}, because {first} became better and {last} lost nothing",
        advice=PAGES["G005"].cure,
        path=(*found.path, f"no loss: the last point, {last}, passed on its own"),
        warnings=(*found.warnings, f"the curve changed its shape: {what}"),
    )


def _start_explains(found: Finding, made: Derived, points: Sequence[Finding | None]) -> bool:
    """Whether the first point is proven better and the points the shape rests on lost nothing.

    Of a scaling its gain must also explain the whole loss: what is left of (1 + loss) without
    the first point's part is the last point's, and that must be negligible for the group.
    """
    first = points[0] if points else None
    if first is None or first.loss is None or not _proven_better(first):
        return False
    if made.take is Take.KNEE:
        return all(_lost_nothing(one) for one in points)
    if found.loss is None or (1 + found.loss) * (1 + first.loss) > 1 + found.negligible:
        return False
    return _lost_nothing(points[-1])


def _proven_better(point: Finding) -> bool:
    if point.verdict is Verdict.IMPROVED:
        return True
    return point.verdict in _HELD and point.loss_high is not None and point.loss_high < 0


def _lost_nothing(point: Finding | None) -> bool:
    """Passed with a negligible loss, and where its limit is known, within its tolerance."""
    return (
        point is not None
        and point.verdict in _HELD
        and point.loss is not None
        and point.loss <= point.negligible
        and (point.loss_high is None or point.loss_high <= point.tolerance_used)
    )


def _what(found: Finding, made: Derived, plan: Planned) -> str:
    """`no longer grows with n as it did: n 256 gave 4.6 times n 1, now 3.1 times`.

    Of a metric that is better lower the last point took so many times the first.
    """
    before, after = (
        "unknown" if value is None else significant(value)
        for value in (found.base_value, found.head_value)
    )
    if made.take is Take.KNEE:
        return f"the knee moved from {made.over} {before} to {after}"
    first, last = (_point(made.over, plan, name) for name in (plan.members[0], plan.members[-1]))
    change = _change(found.better, found.base_value or 1.0, found.head_value or 1.0)
    told = change.format(made.over)
    verb = "gave" if found.better is Better.HIGHER else "took"
    return f"{told}: {last} {verb} {before} times {first}, now {after} times"


def _point(over: str, plan: Planned, name: str) -> str:
    """`iodepth 256`; a point that is told by a word, such as `loaded`, is told by that alone."""
    place = place_of(plan, name)
    if place is None:
        return name
    return f"{over} {place}" if place[:1].isdigit() else place


def _change(better: Better, before: float, after: float) -> str:
    """What a scaling that became worse did."""
    if better is Better.HIGHER:
        return "no longer grows with {} as it did" if before > 1 else "falls more with {}"
    return "suffers more from {}" if after >= 1 else "gains less from {}"
