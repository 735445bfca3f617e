"""The curve of a metric over the parameter that a profile sweeps, and when its shape is no loss.

Groups go by their names: `x[iodepth=*]` is the curve of `x[iodepth=1]`, `x[iodepth=32]` and so on.
A baseline holds names only, so which accepted points a group was made of is read off theirs.

A scaling or knee also falls because the first point became better while the last one stayed. That
is said, and is no reason to close the gate. It is decided after all verdicts, by the points' own:
the first point must be proven better, by enough to explain a scaling's loss, and the last must
have lost nothing; so must every point of a knee, for its place depends on all of them. Only a
group's own finding is ever changed, so that whatever a point's finding closes stays closed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.docs import PAGES
from gate.judge.context.sweep_words import CurvePoint, describe_curve
from gate.model import Better, Role, Sweep, SweepPoint, Take, Verdict, applies
from gate.units import significant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gate.judge.verdict.suite import Case, Suite
    from gate.model import Derived, Finding, Metric, Planned


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
    own = {one.name: one.derived for one in case.metrics if one.derived and applies(one, plan)}
    of_interest = {derived.of for derived in own.values()} | _ALWAYS
    for metric in case.metrics:
        if metric.derived or not (metric.role is Role.GATE or metric.name in of_interest):
            continue
        points = [
            known[case.profile, name, metric.name]
            for name in plan.members
            if (case.profile, name, metric.name) in known
            and name in planned
            and applies(metric, planned[name])
        ]
        values = (one.head_value if one.base_value is None else one.base_value for one in points)
        if sum(value is not None for value in values) >= _LEAST_POINTS:
            made = {name: derived for name, derived in own.items() if derived.of == metric.name}
            changed = any(
                _proves_shape(known.get((case.profile, plan.benchmark, name)))
                for name, derived in made.items()
                if derived.take is not Take.GEOMEAN
            )
            yield replace(_sweep(case, plan, metric, points, changed=changed), made=tuple(made))


def _proves_shape(found: Finding | None) -> bool:
    """Whether a group's own finding proves that the shape of its curve became worse."""
    return found is not None and (found.verdict is Verdict.REGRESSED or found.code == _EXCUSED)


def _sweep(
    case: Case, plan: Planned, metric: Metric, points: Sequence[Finding], *, changed: bool
) -> Sweep:
    named = [(place_of(plan, one.benchmark) or one.benchmark, one) for one in points]
    places = [
        CurvePoint(name, base, head, one.tolerance_used)
        for name, one in named
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
            for name, one in named
        ),
        told=describe_curve(plan.group, metric.better, places, changed=changed),
    )


def _usable(value: float | None) -> float | None:
    """A value that a curve can be read of: above zero, and of a size that ratios can be taken."""
    return value if value is not None and 1 / _LARGEST < value < _LARGEST else None


_HELD = (Verdict.PASSED, Verdict.IMPROVED)


def apply_shapes(findings: Sequence[Finding], suite: Suite) -> tuple[Finding, ...]:
    """The findings, those of curves that regressed with their shape described, or excused by it."""
    points = {(one.profile, one.benchmark, one.metric): one for one in findings}
    cases = suite.by_profile
    return tuple(
        _with_shape(one, cases[one.profile], points) if one.verdict is Verdict.REGRESSED else one
        for one in findings
    )


def _with_shape(found: Finding, case: Case, known: Mapping[Key, Finding]) -> Finding:
    plan = next((one for one in case.head.planned if one.benchmark == found.benchmark), None)
    made = next((one.derived for one in case.metrics if one.name == found.metric), None)
    if plan is None or made is None or made.take is Take.GEOMEAN:
        return found
    points = [known.get((found.profile, name, made.of)) for name in plan.members]
    what = _what(found, made, plan)
    if not _start_explains(found, made, points):
        return replace(found, headline=f"{what}; {found.headline}")
    first, last = plan.members[0], plan.members[-1]
    return replace(
        found,
        code=_EXCUSED,
        verdict=Verdict.PASSED,
        headline=f"{what}, because {first} became better and {last} lost nothing",
        advice=PAGES[_EXCUSED].cure,
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
    below = point.loss_high is not None and point.loss_high < 0
    return point.verdict is Verdict.IMPROVED or (point.verdict in _HELD and below)


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
    """`no longer grows with n as it did: n 256 gave 4.6 times n 1, now 3.1 times`."""
    values = found.base_value, found.head_value
    before, after = ("unknown" if value is None else significant(value) for value in values)
    if made.take is Take.KNEE:
        return f"the knee moved from {made.over} {before} to {after}"
    first, last = (_point(made.over, plan, name) for name in (plan.members[0], plan.members[-1]))
    if found.better is Better.HIGHER:
        verb, grew = "gave", (found.base_value or 1.0) > 1
        change = "no longer grows with {} as it did" if grew else "falls more with {}"
    else:
        verb, suffers = "took", (found.head_value or 1.0) >= 1
        change = "suffers more from {}" if suffers else "gains less from {}"
    return f"{change.format(made.over)}: {last} {verb} {before} times {first}, now {after} times"


def _point(over: str, plan: Planned, name: str) -> str:
    """`iodepth 256`; a point named by a word, such as `loaded`, by that alone."""
    place = place_of(plan, name)
    if place is None:
        return name
    return f"{over} {place}" if place[:1].isdigit() else place
