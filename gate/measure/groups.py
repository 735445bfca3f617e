"""Trials of groups: in a screen made of their points' own, in pairs run point after point.

A screen runs every point anyway, so a group's trial costs nothing there: its i-th is made of the
i-th of each point, as soon as all are recorded, and after an interruption of what is recorded. In
a block of pairs the whole curve is the trial: all its points run back to back in one slot, so that
the order of the sides is as random for the curve as for any other benchmark.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gate.harness.base import TrialFailed
from gate.measure.aside import counted
from gate.measure.deriving import derived_values
from gate.measure.sitting import make_trial
from gate.model import Stage, Trial, TrialStatus, applies, plan_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gate.measure.recorder import Recorder
    from gate.measure.sitting import Sitting
    from gate.model import Benchmark, Profile, Session, Value


def with_members(benchmarks: Iterable[Benchmark], names: frozenset[str]) -> frozenset[str]:
    """The names, and those of the points of the groups among them."""
    return names.union(*(one.members for one in benchmarks if one.name in names))


def make_group_trials(sitting: Sitting, recorder: Recorder, groups: Iterable[Benchmark]) -> None:
    """Record every trial of a group that the points' recorded trials are enough for."""
    for group in groups:
        own = _of(recorder.session, group.name)
        points = [_of(recorder.session, name) for name in group.members]
        for index in range(len(own), min(map(len, points))):
            row = [trials[index] for trials in points]
            recorder.add(_joined(sitting.profile, recorder.session, group, row))


def _of(session: Session, name: str) -> list[Trial]:
    return [trial for trial in counted(session.trials) if trial.benchmark == name]


def take_group_trial(
    sitting: Sitting,
    recorder: Recorder,
    group: Benchmark,
    *,
    pair: int | None,
    slot: int | None,
) -> Trial:
    """Run every point of a group once and record the one trial that they make.

    Raises:
        StopRequested: a signal came; nothing is recorded of the abandoned trial.
    """
    points = {one.name: one for one in sitting.profile.benchmarks}
    row: list[Trial] = []
    for name in group.members:
        index = _taken(recorder.session, sitting.profile, name)
        row.append(make_trial(sitting, recorder.session, points[name], index))
        if row[-1].status is not TrialStatus.OK:
            break
    trial = _joined(sitting.profile, recorder.session, group, row, pair=pair, slot=slot)
    recorder.add(trial)
    return trial


def _taken(session: Session, profile: Profile, name: str) -> int:
    """How often a point was run in a session of pairs, alone and as part of its groups."""
    holders = {name} | {one.name for one in profile.benchmarks if name in one.members}
    return sum(trial.benchmark in holders for trial in counted(session.trials))


def _joined(
    profile: Profile,
    session: Session,
    group: Benchmark,
    row: Sequence[Trial],
    *,
    pair: int | None = None,
    slot: int | None = None,
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
            plan = plan_of(profile, group, 0)
            metrics = [metric for metric in profile.metrics if applies(metric, plan)]
            values, lacking = derived_values(group, _places(profile, group), given, metrics)
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
        pair=pair,
        slot=slot,
        note=note[:1000],
        aside=bad.aside if bad is not None else (),
    )


def _places(profile: Profile, group: Benchmark) -> tuple[str, ...]:
    params: Mapping[str, Mapping[str, str]] = {one.name: one.params for one in profile.benchmarks}
    return tuple(params[name][group.group] for name in group.members)


def _note(session: Session, group: Benchmark, row: Sequence[Trial]) -> str:
    """What the trial was made of, and what the points that it ran itself warned of."""
    if session.stage is Stage.SCREEN:
        return f"made of trials {', '.join(str(one.sequence + 1) for one in row)}"
    warned = [f"{one.benchmark}: {one.note}" for one in row if one.note]
    return "; ".join([f"made of one run of each of {len(group.members)} points", *warned])
