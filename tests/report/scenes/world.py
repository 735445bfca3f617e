"""Sessions and baselines of the scenes, taken as the gate takes them, and judged by it.

A screen first; then blocks of pairs, base and head in the order that the gate draws, until the
gate's own look says that nothing is undecided. Only the numbers are thrown by dice.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from gate.judge.judge import judge
from gate.judge.verdict.interim_analysis import plan_second_stage, undecided_benchmarks
from gate.judge.verdict.suite import Policy, arrange
from gate.measure.groups import derived_values
from gate.measure.order import block_order, rounds
from gate.model import (
    SCHEMA,
    Disturbance,
    IdleReference,
    Origin,
    Session,
    Side,
    Source,
    Stage,
    State,
    Subject,
    Trial,
    TrialStatus,
    Value,
    applies,
    plan_of,
)
from gate.model.plan import pairs_in
from tests.report.scenes.accepted import accepted_baseline
from tests.report.scenes.loads import SAME, Change, Figures, Level, figures, level
from tests.report.scenes.machine import HOST, KERNEL, controls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.judge.verdict.interim_analysis import Task
    from gate.model import Baseline, Benchmark, Host, Profile, Report, Round, Waiver
    from tests.report.scenes.profiles import Known

BASE_COMMIT = "8f2e61b0c6e1d71a77d0931b22c44d7c2e9a1b3f"
HEAD_COMMIT = "4d7c2e9a1b3f5d7c9e0a2b4c6d8e0f1a3b5c7d9e"
BEGUN = datetime(2026, 11, 20, 3, 12, 44, tzinfo=UTC)
ORIGIN = Origin(
    base_commit=BASE_COMMIT,
    head_commit=HEAD_COMMIT,
    files=f"https://git.example.org/storage/driver/-/blob/{HEAD_COMMIT}",
    options=("--base", "../base"),
)
TOOLS = {"fio": {"fio": "3.41"}, "hyperfine": {"hyperfine": "1.20.0"}}
BUSY = Disturbance(
    kind="foreign_cpu",
    text="processes outside the trial used 1.4 processors, more than 0.25: mandb 1.2",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One profile in a scene."""

    known: Known
    changes: Mapping[str, Change] = field(default_factory=dict)
    """What the head side does, by benchmark."""
    accepted: bool = True
    fails: str = ""
    """Why every trial of the head fails; empty where none does."""
    disturbed: str = ""
    """The benchmark of which one trial is set aside."""
    host: Host = HOST
    sides: bool = True
    """Whether the base side can be run here, too."""
    louder: float = 1.0
    """How much louder the host is while the pairs run than it was before."""

    @property
    def profile(self) -> Profile:
        return self.known.profile


class Suite(NamedTuple):
    """What a check hands to the judge."""

    sessions: tuple[Session, ...]
    baselines: tuple[Baseline, ...]
    profiles: dict[str, Profile]
    policy: Policy


def measured(parts: Sequence[Part], waivers: tuple[Waiver, ...] = ()) -> Suite:
    """A suite: screened, and confirmed as far as the gate wants."""
    baselines = tuple(accepted_baseline(one.known) for one in parts if one.accepted)
    laws = {one.profile.name: one.profile for one in parts}
    policy = Policy(
        waivers=waivers,
        accepted=frozenset(one.profile.name for one in parts if one.accepted),
        today=BEGUN.date().isoformat(),
    )
    sessions = [_screen(one) for one in parts]
    tasks = plan_second_stage(arrange(sessions, baselines, laws), policy)
    for one in parts:
        own = [task for task in tasks if task.profile == one.profile.name]
        if any(task.gates for task in own):
            sessions += _confirm(one, own)
    return Suite(tuple(sessions), baselines, laws, policy)


def check(
    parts: Sequence[Part],
    *,
    waivers: tuple[Waiver, ...] = (),
    calibrated: Sequence[Round] = (),
) -> Report:
    """The report on a suite."""
    suite = measured(parts, waivers)
    report = judge(
        arrange(suite.sessions, suite.baselines, suite.profiles),
        suite.policy,
        created=(BEGUN + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        version="0.1.0",
        rounds=calibrated,
    )
    return replace(report, origin=ORIGIN)


def _screen(one: Part) -> Session:
    """Every benchmark of the head side, in rounds of random order; curves made of them."""
    dice = random.Random(f"{one.profile.name}/screen")
    levels = {load.name: level(load, dice) for load in one.known.loads}
    counts = dict.fromkeys(levels, one.profile.trials.screen)
    trials: list[Trial] = []
    for name in rounds(counts, 7):
        if name == one.disturbed and all(trial.benchmark != name for trial in trials):
            trials.append(_trial(one, name, Side.HEAD, trials, levels[name], dice, aside=(BUSY,)))
        trials.append(_trial(one, name, Side.HEAD, trials, levels[name], dice))
    for group in (each for each in one.profile.benchmarks if each.group):
        for index in range(one.profile.trials.screen):
            points = [_counted(trials, name)[index] for name in group.members]
            trials.append(_curve(one.profile, group, points, len(trials)))
    return _session(one, Side.HEAD, Stage.SCREEN, trials)


def _counted(trials: Sequence[Trial], name: str) -> list[Trial]:
    return [t for t in trials if t.benchmark == name and t.status is not TrialStatus.ASIDE]


def _confirm(one: Part, tasks: Sequence[Task]) -> list[Session]:
    """Blocks of pairs of what is undecided, until nothing is."""
    dice = random.Random(f"{one.profile.name}/pairs")
    levels = {load.name: level(load, dice) for load in one.known.loads}
    trials: dict[Side, list[Trial]] = {Side.BASE: [], Side.HEAD: []}
    groups = {each.name: each for each in one.profile.benchmarks if each.group}
    block = 0
    while True:
        base, head = (_session(one, side, Stage.CONFIRM, trials[side]) for side in Side)
        waiting = sorted(undecided_benchmarks(tasks, base, head))
        if not waiting or pairs_in(block).stop > one.profile.trials.confirm_pairs:
            return [base, head]
        for name in waiting:
            for slot, (side, pair) in enumerate(block_order(7, name, block)):
                own, at = trials[side], {"pair": pair, "slot": slot}
                if name in groups:
                    row = [
                        _trial(one, member, side, own, levels[member], dice)
                        for member in groups[name].members
                    ]
                    made = _curve(one.profile, groups[name], row, len(own), **at)
                else:
                    made = _trial(one, name, side, own, levels[name], dice, **at)
                own.append(made)
        block += 1


def _trial(
    one: Part,
    name: str,
    side: Side,
    before: Sequence[Trial],
    at: Level,
    dice: random.Random,
    **more: object,
) -> Trial:
    load = next(load for load in one.known.loads if load.name == name)
    if "pair" in more:
        load = replace(load, noise=load.noise * one.louder)
    change = one.changes.get(name, SAME) if side is Side.HEAD else SAME
    made: Figures = figures(load, change, at, dice)
    failed = bool(one.fails) and side is Side.HEAD
    status = TrialStatus.ASIDE if "aside" in more else TrialStatus.OK
    return Trial(
        benchmark=name,
        sequence=len(before),
        stage=Stage.CONFIRM if "pair" in more else Stage.SCREEN,
        status=TrialStatus.FAILED if failed else status,
        started=_after(sum(trial.duration for trial in before)),
        duration=2.0 if failed else made.duration,
        values=() if failed else made.values,
        cpu=None if failed else made.bill,
        latencies=() if failed else made.latencies,
        note=one.fails if failed else "",
        **more,  # type: ignore[arg-type]
    )


def _curve(
    profile: Profile, group: Benchmark, points: Sequence[Trial], sequence: int, **more: object
) -> Trial:
    """One trial of a group, of one of each of its points."""
    bad = next((trial for trial in points if trial.status is not TrialStatus.OK), None)
    values: tuple[Value, ...] = ()
    if bad is None:
        plan = plan_of(profile, group, 0)
        places = [each.params["iodepth"] for each in profile.benchmarks if not each.group]
        given = {trial.benchmark: trial.values for trial in points}
        metrics = [metric for metric in profile.metrics if applies(metric, plan)]
        values, _ = derived_values(group, places, given, metrics)
    return Trial(
        benchmark=group.name,
        sequence=sequence,
        stage=Stage.CONFIRM if "pair" in more else Stage.SCREEN,
        status=bad.status if bad else TrialStatus.OK,
        started=points[0].started,
        duration=sum(trial.duration for trial in points),
        values=values,
        note=f"its point {bad.benchmark}: {bad.note}" if bad else "",
        **more,  # type: ignore[arg-type]
    )


def _after(seconds: float) -> str:
    return (BEGUN + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _session(one: Part, side: Side, stage: Stage, trials: Sequence[Trial]) -> Session:
    profile, screen = one.profile, stage is Stage.SCREEN
    dice = random.Random(f"{profile.name}/{stage}/controls")
    begun = _after(0 if screen else 2400)
    return Session(
        schema=SCHEMA,
        id=f"20261120T0312-{profile.name}-{stage}-{side}",
        profile=profile.name,
        profile_digest=profile.digest,
        harness=profile.harness,
        side=side,
        stage=stage,
        subject=_subject(side),
        host=one.host,
        boot="5c0d3b52-7f0e-4a57-9c4e-0d7f4c1e2b11",
        started=begun,
        ended=_after(2300 if screen else 5400),
        seed=7,
        state=State.COMPLETE,
        source=Source.MEASURED,
        sides=one.sides,
        planned=tuple(
            plan_of(profile, each, profile.trials.screen if screen else 0)
            for each in profile.benchmarks
        ),
        metrics=profile.metrics,
        trials=tuple(trials),
        tools=TOOLS[profile.harness],
        pairs=profile.trials.confirm_pairs,
        idle=IdleReference(seconds=10.0, busy=0.05),
        controls=controls(dice),
        tuned=("governor", "turbo", "thp"),
        kernel=KERNEL,
    )


def _subject(side: Side) -> Subject:
    commit = BASE_COMMIT if side is Side.BASE else HEAD_COMMIT
    return Subject(
        description=f"nvme.ko of ../{side}",
        commit=commit,
        proof=f"sha256:{commit}{commit[:24]}",
    )
