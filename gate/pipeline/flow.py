"""The flow of a check: screen every profile, confirm what is flagged, judge.

Everything it decides comes from the files in its output directory, the profiles and the
baselines, so an interrupted check goes on exactly where it stopped.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.formats.session.session_file import read_session
from gate.host.lock import exclusive
from gate.judge.verdict.interim_analysis import (
    EARLY_LOOK,
    Task,
    all_cleared,
    plan_screens,
    plan_second_stage,
    undecided_benchmarks,
)
from gate.judge.verdict.suite import Case, arrange
from gate.measure.confirming import measure_pairs
from gate.measure.screening import measure_session
from gate.measure.setup import HostUse, open_run, prepare_run
from gate.model import Role, Side
from gate.pipeline.host_reservation import HostPlace, reserved_host, work_directory
from gate.pipeline.subprocess_call import call_in_subprocess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gate.judge.verdict.suite import Policy
    from gate.measure.process.stop import Stop
    from gate.measure.run_context import RunContext
    from gate.model import Baseline, Profile, Session
    from gate.pipeline.progress import Teller


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One check."""

    profiles: tuple[Profile, ...]
    """What is measured."""
    reviewed: Mapping[str, Profile] = field(default_factory=dict)
    """What is judged by, by name, where that is not the profile that is measured."""
    baselines: tuple[Baseline, ...]
    policy: Policy
    out: Path
    work: Path
    host_class: str | None
    store: Path
    """The baseline directory, for what host.toml says of the class."""
    wait: float = 0.0
    """Seconds to wait at most while another process measures here."""

    @property
    def judged_by(self) -> dict[str, Profile]:
        """The profiles whose metrics, tolerances and trials are in force, by name."""
        return {profile.name: profile for profile in self.profiles} | dict(self.reviewed)


class CheckRun:
    """Runs one check; each stage leaves valid files behind."""

    def __init__(self, plan: Plan, teller: Teller, stop: Stop) -> None:
        self.plan, self.teller, self.stop = plan, teller, stop

    def measure(self) -> tuple[Session, ...]:
        """Measure whatever the verdict needs and return every session.

        Raises:
            StopRequested: a signal came; the output directory can be resumed.
            GateError: a harness is missing, a job unsafe, the host busy.
        """
        with ExitStack() as stack:
            plan, say = self.plan, self.teller.say
            alone = exclusive(wait=plan.wait, tell=say, pause=self.stop.sleep)
            place = HostPlace(store=plan.store, work=plan.work, host_class=plan.host_class)
            ground = stack.enter_context(reserved_host(alone, say, place))
            work = stack.enter_context(work_directory(self.plan.work))
            stack.callback(self.teller.done)
            use = HostUse(
                work=work,
                host_class=plan.host_class,
                stop=self.stop,
                tell=self.teller,
                say=say,
                store=plan.store,
                tuned=ground.tuned,
            )
            sittings = [prepare_run(profile, use) for profile in plan.profiles]
            plans = self._plans(sittings)
            screens = [
                self._screen(sitting, plan) for sitting, plan in zip(sittings, plans, strict=True)
            ]
            tasks = self._tasks(screens)
            rest: list[Session] = []
            for sitting, screen in zip(sittings, screens, strict=True):
                own = [task for task in tasks if task.profile == sitting.profile.name]
                rest += self._second_stage(sitting, screen, own)
            return (*screens, *rest)

    def _plans(self, sittings: Sequence[RunContext]) -> list[dict[str, int]]:
        """Trials of the screen where the baseline's noise asks for more, sitting by sitting."""
        mine = [
            next(
                (
                    baseline
                    for baseline in self.plan.baselines
                    if (baseline.profile, baseline.host_class)
                    == (sitting.profile.name, sitting.host.host_class)
                ),
                None,
            )
            for sitting in sittings
        ]
        known = self.plan.judged_by
        profiles = [
            replace(sitting.profile, metrics=known[sitting.profile.name].metrics)
            for sitting in sittings
        ]
        if not any(mine):
            return [{} for _ in sittings]
        return call_in_subprocess(self.stop, plan_screens, profiles, mine, self.plan.policy.beta)

    def _screen(self, sitting: RunContext, plan: dict[str, int]) -> Session:
        path = self._path(sitting, "head.json")
        resumed = read_session(path) if path.exists() else None
        with open_run(sitting):
            return measure_session(sitting, Side.HEAD, path, resumed=resumed, trials=plan)

    def _tasks(self, screens: Sequence[Session]) -> tuple[Task, ...]:
        cases = cases_of(screens, self.plan)
        if not any(metric.role is Role.GATE for case in cases for metric in case.metrics):
            return ()
        return call_in_subprocess(self.stop, plan_second_stage, cases, self.plan.policy)

    def _second_stage(
        self, sitting: RunContext, screen: Session, tasks: Sequence[Task]
    ) -> list[Session]:
        flagged = [task for task in tasks if task.gates]
        if not flagged or screen.disturbances:
            return []
        names = frozenset(task.benchmark for task in flagged)
        shown = ", ".join(sorted({f"{task.benchmark} {task.metric}" for task in flagged}))
        if sitting.paired:
            self.teller.say(f"flagged: {shown}; confirming by pairs of base and head")
            with open_run(sitting):
                return list(self._pairs(sitting, names, flagged))
        needed = max((task.strikes or 0 for task in flagged), default=0)
        if needed:
            self.teller.say(f"flagged: {shown}; confirming by {needed} further head sessions")
        with open_run(sitting):
            return self._strikes(sitting, screen, names, needed)

    def _strikes(
        self, sitting: RunContext, screen: Session, names: frozenset[str], needed: int
    ) -> list[Session]:
        """Further head sessions; the first few may already clear all that was flagged."""
        strikes: list[Session] = []
        for number in range(1, needed + 1):
            strikes.append(self._strike(sitting, names, number))
            if strikes[-1].disturbances:
                break  # nothing will be judged
            if number == EARLY_LOOK:
                cases = cases_of((screen, *strikes), self.plan)
                if call_in_subprocess(self.stop, all_cleared, cases, self.plan.policy):
                    break
        return strikes

    def _pairs(
        self, sitting: RunContext, names: frozenset[str], tasks: Sequence[Task]
    ) -> tuple[Session, Session]:
        paths = {
            Side.BASE: self._path(sitting, "pairs-base.json"),
            Side.HEAD: self._path(sitting, "pairs-head.json"),
        }
        resumed = {side: read_session(path) for side, path in paths.items() if path.exists()}
        for side, session in resumed.items():
            _refuse_another_limit(session, sitting.profile, paths[side])

        def look(base: Session, head: Session) -> frozenset[str]:
            return undecided_benchmarks(tasks, base, head)

        return measure_pairs(sitting, names, paths, look, resumed=resumed)

    def _strike(self, sitting: RunContext, names: frozenset[str], number: int) -> Session:
        path = self._path(sitting, f"strike-{number}.json")
        resumed = read_session(path) if path.exists() else None
        return measure_session(sitting, Side.HEAD, path, resumed=resumed, only=names)

    def _path(self, sitting: RunContext, name: str) -> Path:
        return self.plan.out / sitting.profile.name / name


def _refuse_another_limit(session: Session, profile: Profile, path: Path) -> None:
    """The limit of pairs is set before the first of them, by nobody who has seen some.

    Raises:
        InputError: G221.
    """
    limit = profile.trials.confirm_pairs
    if session.pairs != limit:
        raise InputError(
            "G221",
            f"these pairs were begun with a limit of {session.pairs}, and it is {limit} now.",
            cure=f"Go on with --pairs {session.pairs}, or start a new check.",
            place=str(path),
        )


def cases_of(sessions: Sequence[Session], plan: Plan) -> tuple[Case, ...]:
    """The sessions of a check as the judge wants them."""
    return arrange(sessions, plan.baselines, plan.judged_by)
