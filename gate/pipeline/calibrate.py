"""A calibration: rounds of known truth, one after another, each a whole check.

Everything stands on disk before it is needed: the draw, the plan of a round, its sessions, its
result. So whatever ends this process, the same command goes on where it was.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import median
from typing import TYPE_CHECKING

from gate import __version__
from gate.clock import now
from gate.errors import InputError, TrialFailed
from gate.formats.baseline import round_files
from gate.formats.baseline.calibration_file import append_round, read_rounds
from gate.harness.planted.planting import (
    plantable,
    plantable_metrics,
    planted_benchmark,
    planted_loss,
)
from gate.judge.calibration_rounds import RoundFilter, conclude, nothing_compared, rounds_that_count
from gate.measure.setup import open_run, size_plant
from gate.model import SCHEMA, Plant, RoundPlan, Schedule, SideSpec
from gate.pipeline.check_plan import CheckPlan
from gate.pipeline.host_reservation import HostClaim, reserved_host
from gate.pipeline.stages import measure_check
from gate.pipeline.subprocess_call import call_in_subprocess

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gate.judge.verdict.suite import Policy
    from gate.measure.process.stop import Stop
    from gate.model import Baseline, Profile, Round, Session
    from gate.pipeline.idle_wait import SpareTime
    from gate.pipeline.progress import ProgressDisplay


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a calibration was asked for."""

    profiles: tuple[Profile, ...]
    baselines: tuple[Baseline, ...]
    policy: Policy
    store: Path
    """The baseline directory, which takes the results."""
    out: Path
    work: Path
    host_class: str
    rounds: int | None
    plants: tuple[float, ...]
    seed: int | None


def known_rounds(wish: Wish) -> tuple[Round, ...]:
    """The rounds stored so far that count for these profiles."""
    return rounds_that_count(read_rounds(wish.store), wanted_rounds(wish))


def wanted_rounds(wish: Wish) -> RoundFilter:
    """The rounds that tell of the profiles as they are now."""
    return RoundFilter(
        host_class=wish.host_class,
        texts={profile.name: profile.digest for profile in wish.profiles},
        alpha=wish.policy.alpha,
        beta=wish.policy.beta,
    )


class Course:
    """The rounds of one profile."""

    def __init__(self, profile: Profile, wish: Wish) -> None:
        self.profile, self.wish = profile, wish
        self.directory = wish.out / profile.name
        self.names, self.refusal = plantable(profile)
        self.schedule = self._schedule()

    def _schedule(self) -> Schedule:
        """The draw in force: the one on disk, unless this command asks for another.

        The same command after an interruption means the rounds it asked for before.
        """
        wish, done = self.wish, round_files.count_finished(self.directory)
        plants = wish.plants if self.names else ()
        old = round_files.read_schedule(self.directory)
        if old is None or old.plants != plants or wish.seed not in {None, old.seed}:
            seed = secrets.randbits(32) if wish.seed is None else wish.seed
            # A round that was begun goes on as it was planned; the new draw comes after it.
            begun = round_files.read_plan(self.directory, done + 1) is not None
            old = Schedule(schema=SCHEMA, seed=seed, plants=plants, origin=done + 1 + begun)
        elif old.rounds == wish.rounds and wish.rounds and done < old.begun - 1 + wish.rounds:
            return old
        return replace(old, begun=done + 1, rounds=wish.rounds)

    def keep(self) -> None:
        """Write down the draw before anything is measured by it."""
        round_files.write_schedule(self.directory, self.schedule)

    @property
    def done(self) -> int:
        """Rounds that are finished."""
        return round_files.count_finished(self.directory)

    @property
    def left(self) -> int | None:
        """Rounds to go; None where only time ends it."""
        if self.schedule.rounds is None:
            return None
        return max(self.schedule.begun - 1 + self.schedule.rounds - self.done, 0)

    def plan(self, number: int) -> RoundPlan:
        """The plan of a round: as it was begun, or as the schedule draws it."""
        begun = round_files.read_plan(self.directory, number)
        if begun is not None and (not begun.plant.loss or begun.plant.benchmark in self.names):
            return begun
        schedule, position = self.schedule, number - self.schedule.origin
        loss = planted_loss(schedule.seed, position, schedule.plants)
        name = planted_benchmark(schedule.seed, position, self.names) if loss else ""
        stamp = datetime.now(UTC).strftime("%Y%m%d")
        return RoundPlan(
            schema=SCHEMA,
            id=f"{stamp}-{secrets.token_hex(5)}",
            seed=schedule.seed,
            number=number,
            plant=Plant(loss=loss, benchmark=name),
            sized=not loss,
        )

    def expected(self, rounds: Sequence[Round]) -> float | None:
        """Seconds that a round of this profile usually takes; None before the first."""
        seconds = [one.seconds for one in rounds if one.profile == self.profile.name]
        return median(seconds) if seconds else None


class Calibrating:
    """Measures rounds and stores their results."""

    def __init__(
        self,
        wish: Wish,
        say: Callable[[str], None],
        trials: ProgressDisplay,
        spare: SpareTime,
        stop: Stop,
    ) -> None:
        """`say` tells of rounds, `trials` of what is measured in them."""
        self.wish, self.say, self.trials, self.spare, self.stop = wish, say, trials, spare, stop
        self._host = HostClaim(store=wish.store, work=wish.work, host_class=wish.host_class)

    def round(self, course: Course, plan: RoundPlan) -> Round:
        """Begin, or finish, one round, and store its result.

        Raises:
            TimeIsUp: it was not begun, because there is no time left.
            StopRequested: a signal came; the round can go on later.
            GateError: nothing can be measured: a harness is missing, a job unsafe.
        """
        round_files.write_plan(course.directory, plan)
        try:
            done = self._result(course, plan)
        except InputError as error:
            if error.code != "G221":
                raise
            aside = round_files.give_up(course.directory, plan.number)
            self.say(f"this round cannot go on: {error} Its trials are in {aside}.")
            plan = replace(plan, sized=not plan.plant.loss)
            round_files.write_plan(course.directory, plan)
            done = self._result(course, plan)
        append_round(self.wish.store, done)
        round_files.finish(course.directory, plan.number, done)
        return done

    def _result(self, course: Course, plan: RoundPlan) -> Round:
        wish = self.wish
        if not plan.sized:
            try:
                plan = self.spare.alone(self._sized, course, plan)
            except TrialFailed as failure:
                self.say(f"{course.profile.name}: nothing was planted: {failure}")
                return self._nothing(course, plan)
            round_files.write_plan(course.directory, plan)
        head = course.profile.sides.get("head", SideSpec())
        sides = {"base": head, "head": head}
        check = CheckPlan(
            profiles=(replace(course.profile, sides=sides, plant=plan.plant),),
            baselines=wish.baselines,
            policy=wish.policy,
            out=round_files.round_directory(course.directory, plan.number),
            host=self._host,
        )
        sessions = self.spare.alone(measure_check, check, self.trials, self.stop)
        nothing, rounds = self._nothing(course, plan), read_rounds(wish.store)
        metrics = plantable_metrics(course.profile)
        return call_in_subprocess(
            self.stop, _judged, nothing, sessions, check, plan, metrics, rounds
        )

    def _sized(self, course: Course, plan: RoundPlan) -> RoundPlan:
        """The plan with the work that its plant takes, measured."""
        self.say(f"{plan.plant.benchmark}: measuring what a loss of its size takes")
        sides = {"head": course.profile.sides.get("head", SideSpec())}
        with reserved_host(self._host, self.trials, self.stop) as host:
            run = host.prepare(replace(course.profile, sides=sides))
            with open_run(run):
                return replace(plan, plant=size_plant(run, plan.plant), sized=True)

    def _nothing(self, course: Course, plan: RoundPlan) -> Round:
        return nothing_compared(
            plan,
            course.profile,
            self.wish.policy,
            host_class=self.wish.host_class,
            date=now(),
            version=__version__,
        )


def _judged(
    nothing: Round,
    sessions: tuple[Session, ...],
    check: CheckPlan,
    plan: RoundPlan,
    metrics: tuple[str, ...],
    rounds: tuple[Round, ...],
) -> Round:
    """Judge a round and leave its report beside its sessions; runs in a process of its own."""
    from gate.judge.judge import judge  # noqa: PLC0415
    from gate.pipeline.report_files import write_report  # noqa: PLC0415 - not in the measuring process

    cases = check.cases(sessions)
    report = judge(cases, check.policy, created=nothing.date, version=__version__, rounds=rounds)
    write_report(report, check.out)
    return conclude(nothing, report, sessions, plan, metrics)
