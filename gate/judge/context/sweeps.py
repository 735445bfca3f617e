"""A metric over the parameter that a profile sweeps: the curve of its points' own findings.

Groups by their names: `x[iodepth=*]` is the curve of `x[iodepth=1]`, `x[iodepth=32]` and so on.

A baseline holds names only, so which accepted points a group was made of is read off theirs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.judge.context.sweep_words import CurvePoint, describe_curve
from gate.model import Role, Sweep, SweepPoint, Take, Verdict, applies

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gate.judge.verdict.suite import Case
    from gate.model import Finding, Metric, Planned


def place_of(plan: Planned, name: str) -> str | None:
    """The value of the swept parameter that a name stands for; None where it is no such point."""
    begin, star, end = plan.benchmark.partition(f"{plan.group}=*")
    opening = f"{begin}{plan.group}="
    if not star or not name.startswith(opening) or not name.endswith(end):
        return None
    return name[len(opening) : len(name) - len(end)] or None


def lost_points(plan: Planned, accepted: Iterable[str]) -> tuple[str, ...]:
    """Accepted points of a group that are none of its members any more."""
    if not plan.group:
        return ()
    return tuple(
        name
        for name in sorted(set(accepted) - {*plan.members, plan.benchmark})
        if place_of(plan, name) is not None
    )


Key = tuple[str, str, str]
"""Profile, benchmark, metric."""

_ALWAYS = frozenset({"efficiency", "cpu_per_io", "cpu_per_op"})
"""What a curve of throughput is read beside."""
_NOT_COMPARED = frozenset({Verdict.NEW, Verdict.INCOMPARABLE, Verdict.MISSING, Verdict.BROKEN})
_LEAST_POINTS = 2
_LARGEST = 1e150
_EXCUSED = "G005"
"""A changed shape that is proven, and is no loss."""


def sweeps(cases: Iterable[Case], findings: Iterable[Finding]) -> tuple[Sweep, ...]:
    """The curves of every group, by profile, group and metric.

    Of the metrics of its points: those that may close the gate, those that the group's own are
    made of, and what operations cost.
    """
    known = {(one.profile, one.benchmark, one.metric): one for one in findings}
    found = [
        sweep
        for case in cases
        for plan in case.head.planned
        if plan.group
        for sweep in _of_group(case, plan, known)
    ]
    return tuple(sorted(found, key=lambda one: (one.profile, one.group, one.metric)))


def _of_group(case: Case, plan: Planned, known: Mapping[Key, Finding]) -> Iterator[Sweep]:
    planned = {one.benchmark: one for one in case.head.planned}
    own = [one for one in case.metrics if one.derived and applies(one, plan)]
    made_of = {one.derived.of for one in own if one.derived}
    for metric in case.metrics:
        wanted = metric.role is Role.GATE or metric.name in made_of | _ALWAYS
        if metric.derived or not wanted:
            continue
        points = [
            known[case.profile, name, metric.name]
            for name in plan.members
            if (case.profile, name, metric.name) in known
            and name in planned
            and applies(metric, planned[name])
        ]
        if sum(_has_value(one) for one in points) >= _LEAST_POINTS:
            changed = _is_proven(case, plan, metric, own, known)
            made = tuple(one.name for one in own if one.derived and one.derived.of == metric.name)
            yield replace(_sweep(case, plan, metric, points, changed=changed), made=made)


def _has_value(point: Finding) -> bool:
    return point.base_value is not None or point.head_value is not None


def _is_proven(
    case: Case,
    plan: Planned,
    metric: Metric,
    own: Iterable[Metric],
    known: Mapping[Key, Finding],
) -> bool:
    """Whether the group's own finding proves that the shape of this curve became worse."""
    of_shape = [
        known.get((case.profile, plan.benchmark, one.name))
        for one in own
        if one.derived and one.derived.of == metric.name and one.derived.take is not Take.GEOMEAN
    ]
    return any(
        one is not None and (one.verdict is Verdict.REGRESSED or one.code == _EXCUSED)
        for one in of_shape
    )


def _sweep(
    case: Case, plan: Planned, metric: Metric, points: Sequence[Finding], *, changed: bool
) -> Sweep:
    names = [place_of(plan, one.benchmark) or one.benchmark for one in points]
    places = [
        CurvePoint(name, base, head, one.tolerance_used)
        for name, one in zip(names, points, strict=True)
        if one.verdict not in _NOT_COMPARED
        and (base := _usable(one.base_value)) is not None
        and (head := _usable(one.head_value)) is not None
    ]
    return Sweep(
        profile=case.profile,
        group=plan.benchmark,
        parameter=plan.group,
        metric=metric.name,
        unit=metric.unit,
        better=metric.better,
        points=tuple(
            SweepPoint(
                place=name,
                benchmark=one.benchmark,
                base=one.base_value,
                head=one.head_value,
                verdict=one.verdict,
            )
            for name, one in zip(names, points, strict=True)
        ),
        told=describe_curve(plan.group, metric.better, places, changed=changed),
    )


def _usable(value: float | None) -> float | None:
    """A value that a curve can be read of: above zero, and of a size that ratios can be taken."""
    return value if value is not None and 1 / _LARGEST < value < _LARGEST else None
