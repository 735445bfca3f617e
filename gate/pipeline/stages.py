"""The measuring steps of a check: screen every profile, flag, confirm what is flagged.

Everything they decide comes from the files in the output directory, the profiles and the
baselines, so an interrupted check goes on exactly where it stopped. What judges runs in a process
of its own: the measuring process stays small.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.formats.session.session_file import read_session, write_session
from gate.judge.verdict.interim_analysis import (
    EARLY_LOOK,
    PairOutlook,
    Task,
    all_cleared,
    benchmarks_to_screen,
    expected_pairs,
    plan_screens,
    plan_second_stage,
)
from gate.judge.verdict.time_left import seconds_of_session, seconds_of_trial
from gate.measure.confirming import PairPlan, measure_pairs
from gate.measure.countdown import OutOfTime
from gate.measure.screening import measure_screen, measure_session
from gate.measure.setup import open_run
from gate.model import Role, Side
from gate.model.plan import FIRST_BLOCK
from gate.pipeline.host_reservation import reserved_host
from gate.pipeline.subprocess_call import call_in_subprocess, wait_until_loaded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from gate.measure.process.stop import Stop
    from gate.measure.run_context import RunContext
    from gate.measure.setup import HostUse
    from gate.model import Baseline, Profile, Session
    from gate.pipeline.check_plan import CheckPlan
    from gate.pipeline.progress import ProgressDisplay

_AGAIN = 10.0
"""Seconds that must be left of a time budget to go back to a profile that was left open."""


def measure_check(plan: CheckPlan, ui: ProgressDisplay, stop: Stop) -> tuple[Session, ...]:
    """Measure whatever the verdict needs; each step leaves valid files behind.

    Raises:
        StopRequested: a signal came; the output directory can be resumed.
        GateError: a harness is missing, a job unsafe, the host busy.
    """
    if not plan.profiles:
        return ()
    steps = _Steps(plan=plan, ui=ui, stop=stop)
    with steps.host() as host:
        runs = [
            replace(host.prepare(profile), countdown=plan.countdown) for profile in plan.profiles
        ]
        wait_until_loaded(stop)  # nothing computes while something is measured
        trials = steps.plan_trials(runs)
        new = [run for run in runs if not steps.path(run, "head.json").exists()]
        plan.see_that_screens_fit({run.profile.name: run.host.host_class for run in new})
        screens = [steps.screen(run, more) for run, more in zip(runs, trials, strict=True)]
        bases = [session for screen in screens for session in screen[1:]]
        heads = [screen[0] for screen in screens]
        return (*steps.confirm_all(runs, heads, steps.flag((*heads, *bases))), *bases)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Steps:
    """The steps of one check."""

    plan: CheckPlan
    ui: ProgressDisplay
    stop: Stop

    @contextmanager
    def host(self) -> Iterator[HostUse]:
        """The host to ourselves; the time budget begins when the wait for it is over."""
        countdown, claim = self.plan.countdown, self.plan.host
        if countdown is None:
            with reserved_host(claim, self.ui, self.stop) as host:
                yield host
            return
        asked = countdown.spent
        # A turn that others take between two profiles would be of any length.
        with reserved_host(replace(claim, shares=False), self.ui, self.stop) as host:
            countdown.add(asked - countdown.spent if claim.wait else 0.0)
            sessions = [one for profile in self.plan.profiles for one in self._begun_of(profile)]
            spent = [one.budget.spent for one in sessions if one.budget is not None]
            countdown.add(max(spent, default=0.0))
            countdown.keep_back(sum(len(profile.benchmarks) for profile in self.plan.profiles))
            yield host

    def plan_trials(self, runs: Sequence[RunContext]) -> list[dict[str, int]]:
        """Trials of the screen where the baseline's noise asks for more, run by run."""
        accepted = [self._baseline(run) for run in runs]
        if not any(accepted):
            return [{} for _ in runs]
        in_force = self.plan.judged_by
        profiles = [
            replace(run.profile, metrics=in_force[run.profile.name].metrics) for run in runs
        ]
        beta = self.plan.policy.beta
        return call_in_subprocess(self.stop, plan_screens, profiles, accepted, beta)

    def screen(self, run: RunContext, trials: Mapping[str, int]) -> tuple[Session, ...]:
        """The head session that is compared with the accepted ones, and base trials among it.

        Raises:
            CannotJudge: G284, the time budget does not hold it.
        """
        paths = {side: self.path(run, f"{side.value}.json") for side in (Side.HEAD, Side.BASE)}
        beside = benchmarks_to_screen(run.profile, self._baseline(run))
        try:
            with open_run(run):
                head, *base = measure_screen(run, paths, _all_begun(paths), trials, beside)
        except OutOfTime as spent:
            raise spent.countdown.too_short(spent.needed) from None
        return (self._reopened(paths[Side.HEAD], head), *base)

    def flag(self, screens: Sequence[Session]) -> list[Task]:
        """What the screen cannot clear and may close the gate."""
        cases = self.plan.cases(screens)
        if not any(metric.role is Role.GATE for case in cases for metric in case.metrics):
            return []
        tasks = call_in_subprocess(self.stop, plan_second_stage, cases, self.plan.policy)
        return [task for task in tasks if task.gates]

    def confirm_all(
        self, runs: Sequence[RunContext], screens: Sequence[Session], tasks: Sequence[Task]
    ) -> tuple[Session, ...]:
        """Every session, with the fresh data of what is flagged.

        Of a time budget each profile has its share by what it is likely to need; what others left
        of theirs is spent at the end on what is still open.
        """
        countdown = self.plan.countdown
        found: list[tuple[Session, ...]] = [(screen,) for screen in screens]
        needs = [self._need(screen, tasks) for screen in screens] if countdown else []
        for i, run in enumerate(runs):
            until = countdown.share(needs[i:]) if countdown else math.inf
            found[i] = self.confirm(run, screens[i], tasks, until)
        for i, run in enumerate(runs if len(runs) > 1 else ()):
            if countdown and _is_open(found[i]) and countdown.holds(_AGAIN):
                screen = self._reopened(self.path(run, "head.json"), found[i][0])
                found[i] = self.confirm(run, screen, tasks, math.inf)
        every = [one for own in found for one in own[1:]]
        return (*(own[0] for own in found), *every)

    def _need(self, screen: Session, tasks: Sequence[Task]) -> float:
        """Seconds that a profile's flagged benchmarks are likely to need."""
        own = [task for task in tasks if task.profile == screen.profile]
        if screen.sides:
            pairs = expected_pairs(own)
            return sum(2 * n * seconds_of_trial(screen, name) for name, n in pairs.items())
        needed = max((task.strikes or 0 for task in own), default=0)
        return needed * seconds_of_session(screen, _benchmarks(own))

    def confirm(
        self, run: RunContext, screen: Session, tasks: Sequence[Task], until: float
    ) -> tuple[Session, ...]:
        """The screen, and fresh data of what is flagged: pairs, or head sessions without sides.

        What the time budget leaves open stands in the last of them.
        """
        flagged = [task for task in tasks if task.profile == run.profile.name]
        if not flagged or (screen.disturbances and not run.paired):
            return (screen,)  # further sessions would be judged with the screen
        needed = max(task.strikes or 0 for task in flagged)
        how = "pairs of base and head" if run.paired else f"{needed} further head sessions"
        if run.paired or needed:
            for why in sorted({task.unscreened for task in flagged}):
                own = [task for task in flagged if task.unscreened == why]
                shown = ", ".join(sorted({f"{task.benchmark} {task.metric}" for task in own}))
                self.ui.say(f"{why or 'flagged'}: {shown}; {how} decide")
        with open_run(run):
            if run.paired:
                return self._pairs(run, screen, flagged, until)
            return self._further_sessions(run, screen, flagged, needed, until)

    def _pairs(
        self, run: RunContext, screen: Session, flagged: Sequence[Task], until: float
    ) -> tuple[Session, ...]:
        paths = {
            Side.BASE: self.path(run, "pairs-base.json"),
            Side.HEAD: self.path(run, "pairs-head.json"),
        }
        resumed = _all_begun(paths)
        for side, session in resumed.items():
            _refuse_another_limit(session, run.profile, paths[side])
        names, outlook = _benchmarks(flagged), PairOutlook(flagged)
        seconds = {name: seconds_of_trial(screen, name) for name in names}
        least = 2 * FIRST_BLOCK * min(seconds.values())
        if run.countdown is not None and not resumed and not run.countdown.holds(least, until):
            return (self._leave_open(self.path(run, "head.json"), screen, names),)
        plan = PairPlan(
            benchmarks=names,
            undecided=outlook.undecided,
            further=outlook.further,
            seconds=seconds,
            until=until,
        )
        return (screen, *measure_pairs(run, plan, paths, resumed=resumed))

    def _further_sessions(
        self,
        run: RunContext,
        screen: Session,
        flagged: Sequence[Task],
        needed: int,
        until: float,
    ) -> tuple[Session, ...]:
        """Further head sessions; the first few may already clear all that was flagged."""
        sessions, last = [screen], self.path(run, "head.json")
        names, countdown = _benchmarks(flagged), run.countdown
        seconds = seconds_of_session(screen, names)
        for number in range(1, needed + 1):
            path = self.path(run, f"strike-{number}.json")
            resumed = _begun(path)
            try:
                if countdown is not None:
                    countdown.demand(seconds, until)
                strike = measure_session(run, Side.HEAD, path, resumed=resumed, only=names)
                sessions.append(self._reopened(path, strike))
            except OutOfTime:
                sessions[-1] = self._leave_open(last, sessions[-1], names)
                break
            last = path
            if sessions[-1].disturbances:
                break  # nothing will be judged
            if number == EARLY_LOOK:
                cases = self.plan.cases(sessions)
                if call_in_subprocess(self.stop, all_cleared, cases, self.plan.policy):
                    break
        return tuple(sessions)

    def _leave_open(self, path: Path, session: Session, names: Iterable[str]) -> Session:
        """The session with what the time budget leaves open of it, written down."""
        countdown = self.plan.countdown
        marked = replace(session, budget=countdown.fact(names) if countdown else None)
        write_session(path, marked)
        return marked

    def _reopened(self, path: Path, session: Session) -> Session:
        """The session where there is time for what an earlier sitting left open of it."""
        return self._leave_open(path, session, ()) if _is_open([session]) else session

    def _begun_of(self, profile: Profile) -> Iterator[Session]:
        """What an interrupted check has of a profile."""
        for path in sorted((self.plan.out / profile.name).glob("*.json")):
            yield read_session(path)

    def _baseline(self, run: RunContext) -> Baseline | None:
        accepted = self.plan.baselines
        own = (run.profile.name, run.host.host_class)
        return next((one for one in accepted if (one.profile, one.host_class) == own), None)

    def path(self, run: RunContext, name: str) -> Path:
        return self.plan.out / run.profile.name / name


def _begun(path: Path) -> Session | None:
    return read_session(path) if path.exists() else None


def _all_begun(paths: Mapping[Side, Path]) -> dict[Side, Session]:
    return {side: begun for side, path in paths.items() if (begun := _begun(path))}


def _benchmarks(flagged: Sequence[Task]) -> frozenset[str]:
    return frozenset(task.benchmark for task in flagged)


def _refuse_another_limit(session: Session, profile: Profile, path: Path) -> None:
    """The limit of pairs is set before the first of them, by nobody who has seen some."""
    limit = profile.trials.confirm_pairs
    if session.pairs != limit:
        raise InputError(
            "G221",
            f"these pairs were begun with a limit of {session.pairs}, and it is {limit} now.",
            cure=f"Go on with --pairs {session.pairs}, or start a new check.",
            place=str(path),
        )


def _is_open(sessions: Iterable[Session]) -> bool:
    """Whether the time budget left something of these sessions undecided."""
    return any(one.budget is not None and one.budget.left_open for one in sessions)
