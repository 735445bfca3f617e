"""Trials of groups: one trial of each point gives the values of the group's curve.

A screen runs every point anyway, so a group's trial costs nothing there: its i-th is made of the
i-th of each point, as soon as all are recorded, and after an interruption of what is recorded. In
a block of pairs the whole curve is the trial: all its points run back to back in one slot, so that
the order of the sides is as random for the curve as for any other benchmark.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from gate.errors import TrialFailed
from gate.measure.trial import make_trial
from gate.measure.trial_retry import trials_that_count
from gate.model import Role, Stage, Take, Trial, TrialStatus, Value, applies, plan_of
from gate.model.metric import take_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gate.measure.recorder import SessionRecorder
    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Derived, Metric, Profile, Session


_SMALLEST = 1e-3
"""Of a value, what is left of it at least when its resolution is taken off."""


def derived_values(
    group: Benchmark,
    places: Sequence[str],
    points: Mapping[str, Sequence[Value]],
    metrics: Iterable[Metric],
) -> tuple[tuple[Value, ...], tuple[str, ...]]:
    """The group's metrics from the values of each member's trial, in the order of the members.

    `places` are the members' values of the swept parameter; a knee needs them to be numbers.
    `metrics` are those that apply to the group. With the values comes why a watched one has none:
    it closes nothing, and must not take the group's gated metrics with it.

    Raises:
        TrialFailed: a member lacks a value of a gated metric, or no curve can be made of it.
    """
    values: list[Value] = []
    lacking: list[str] = []
    for metric in metrics:
        if metric.derived is None or metric.group != group.group:
            continue
        try:
            values.append(_value(metric.name, metric.derived, group, places, points))
        except TrialFailed as failure:
            if metric.role is Role.GATE:
                raise
            lacking.append(f"no {metric.name}: {failure}")
    return tuple(values), tuple(lacking)


def _value(
    name: str,
    derived: Derived,
    group: Benchmark,
    places: Sequence[str],
    points: Mapping[str, Sequence[Value]],
) -> Value:
    curve = []
    for member in group.members:
        one = next((one for one in points[member] if one.metric == derived.of), None)
        if one is None:
            raise TrialFailed(f"{member} gave no {derived.of}")
        if not (math.isfinite(one.value) and one.value > 0):
            raise TrialFailed(
                f"{name} cannot be made: {derived.of} of {member} is {one.value:g}, "
                "and a curve needs values above 0"
            )
        curve.append(one)
    try:
        numbers = _numbers(places) if derived.take is Take.KNEE else ()
        value = take_of(derived.take, [one.value for one in curve], numbers)
        step = _resolution(derived.take, curve, numbers)
    except (ValueError, OverflowError) as error:
        raise TrialFailed(f"{name} cannot be made of {derived.of}: {error}") from None
    if not (math.isfinite(value) and value > 0 and math.isfinite(step)):
        raise TrialFailed(
            f"{name} came out as {value:g}: the points of its curve lie too far apart"
        )
    return Value(
        metric=name, value=value, samples=min(one.samples for one in curve), resolution=step
    )


def _numbers(places: Sequence[str]) -> tuple[float, ...]:
    try:
        return tuple(float(place) for place in places)
    except ValueError:
        message = f"a knee needs numbers, and the points are at {', '.join(places)}"
        raise ValueError(message) from None


def _resolution(take: Take, curve: Sequence[Value], places: Sequence[float]) -> float:
    """The most that the result moves when every value moves by its own resolution.

    First order: the moves by each point alone, larger of up and down, added.
    """
    values = [one.value for one in curve]
    middle = take_of(take, values, places)
    total = 0.0
    for index, one in enumerate(curve):
        if one.resolution > 0:
            low = max(one.value - one.resolution, _SMALLEST * one.value)
            total += max(
                abs(take_of(take, [*values[:index], moved, *values[index + 1 :]], places) - middle)
                for moved in (one.value + one.resolution, low)
            )
    return total


def make_group_trials(
    run: RunContext, recorder: SessionRecorder, groups: Iterable[Benchmark]
) -> None:
    """Record every trial of a group that the points' recorded trials are enough for."""
    for group in groups:
        own = _of(recorder.session, group.name)
        points = [_of(recorder.session, name) for name in group.members]
        for index in range(len(own), min(map(len, points))):
            row = [trials[index] for trials in points]
            recorder.add(_join_points(run.profile, recorder.session, group, row))


def _of(session: Session, name: str) -> list[Trial]:
    return [trial for trial in trials_that_count(session.trials) if trial.benchmark == name]


def take_group_trial(
    run: RunContext,
    recorder: SessionRecorder,
    group: Benchmark,
    *,
    pair: int | None = None,
    slot: int | None = None,
) -> Trial:
    """Run every point of a group once and record the one trial that they make."""
    points = {one.name: one for one in run.profile.benchmarks}
    row: list[Trial] = []
    for name in group.members:
        index = _count_runs(recorder.session, run.profile, name)
        row.append(make_trial(run, recorder.session, points[name], index))
        if row[-1].status is not TrialStatus.OK:
            break
    trial = _join_points(run.profile, recorder.session, group, row)
    trial = replace(trial, pair=pair, slot=slot)
    recorder.add(trial)
    return trial


def _count_runs(session: Session, profile: Profile, name: str) -> int:
    """How often a point was run in a session of pairs, alone and as part of its groups."""
    holders = {name} | {one.name for one in profile.benchmarks if name in one.members}
    return sum(trial.benchmark in holders for trial in trials_that_count(session.trials))


def _join_points(
    profile: Profile, session: Session, group: Benchmark, row: Sequence[Trial]
) -> Trial:
    """One trial of a group from one of each of its points, failed where one of them failed.

    It is set aside where one of them was: a curve has no gap, and is taken again as a whole.
    """
    bad = next((one for one in row if one.status is not TrialStatus.OK), None)
    status = TrialStatus.OK
    values: tuple[Value, ...] = ()
    if bad is not None:
        status, note = bad.status, f"its point {bad.benchmark}: {bad.note or bad.status.value}"
    else:
        given = {one.benchmark: one.values for one in row}
        try:
            params = {one.name: one.params for one in profile.benchmarks}
            places = [params[name][group.group] for name in group.members]
            plan = plan_of(profile, group, 0)
            metrics = [metric for metric in profile.metrics if applies(metric, plan)]
            values, lacking = derived_values(group, places, given, metrics)
            note = "; ".join([_note(session, group, row), *lacking])
        except TrialFailed as failure:
            status, note = TrialStatus.FAILED, str(failure)
    return Trial(
        benchmark=group.name,
        sequence=len(session.trials),
        stage=session.stage,
        status=status,
        started=row[0].started,
        duration=math.fsum(one.duration for one in row),
        values=values,
        note=note[:1000],
        aside=bad.aside if bad is not None else (),
        marks=tuple(dict.fromkeys(mark for one in row for mark in one.marks))
        if status is TrialStatus.OK
        else (),
    )


def _note(session: Session, group: Benchmark, row: Sequence[Trial]) -> str:
    """What the trial was made of, and what the points that it ran itself warned of."""
    if session.stage is Stage.SCREEN:
        return f"made of trials {', '.join(str(one.sequence + 1) for one in row)}"
    warned = [f"{one.benchmark}: {one.note}" for one in row if one.note]
    return "; ".join([f"made of one run of each of {len(group.members)} points", *warned])
