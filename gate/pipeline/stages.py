"""The measuring steps of a check: screen every profile, flag, confirm what is flagged.

Everything they decide comes from the files in the output directory, the profiles and the
baselines, so an interrupted check goes on exactly where it stopped. What judges runs in a process
of its own: the measuring process never loads numpy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from gate.clock import now
from gate.errors import InputError
from gate.formats.session.session_file import read_session
from gate.judge.verdict.interim_analysis import (
    Task,
    all_cleared,
    plan_screens,
    plan_second_stage,
    undecided_benchmarks,
)
from gate.measure.confirming import measure_pairs
from gate.measure.screening import measure_session
from gate.measure.setup import open_run
from gate.model import Role, Side
from gate.pipeline.host_reservation import reserved_host
from gate.pipeline.subprocess_call import call_in_subprocess, wait_until_loaded
from gate.stats.strikes import SAME_SITTING, sittings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gate.measure.process.stop import Stop
    from gate.measure.run_context import RunContext
    from gate.model import Profile, Session
    from gate.pipeline.check_plan import CheckPlan
    from gate.pipeline.progress import ProgressDisplay


def measure_check(plan: CheckPlan, ui: ProgressDisplay, stop: Stop) -> tuple[Session, ...]:
    """Measure whatever the verdict needs; each step leaves valid files behind.

    Raises:
        StopRequested: a signal came; the output directory can be resumed.
        GateError: a harness is missing, a job unsafe, the host busy.
    """
    if not plan.profiles:
        return ()
    steps = _Steps(plan=plan, ui=ui, stop=stop)
    with reserved_host(plan.host, ui, stop) as host:
        runs = [host.prepare(profile) for profile in plan.profiles]
        wait_until_loaded(stop)  # nothing computes while something is measured
        trials = steps.plan_trials(runs)
        screens = [steps.screen(run, more) for run, more in zip(runs, trials, strict=True)]
        flagged = steps.flag(screens)
        confirmed = [
            session
            for run, screen in zip(runs, screens, strict=True)
            for session in steps.confirm(run, screen, flagged)
        ]
        return (*screens, *confirmed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Steps:
    """The steps of one check."""

    plan: CheckPlan
    ui: ProgressDisplay
    stop: Stop

    def plan_trials(self, runs: Sequence[RunContext]) -> list[dict[str, int]]:
        """Trials of the screen where the baseline's noise asks for more, run by run."""
        known = {(one.profile, one.host_class): one for one in self.plan.baselines}
        accepted = [known.get((run.profile.name, run.host.host_class)) for run in runs]
        if not any(accepted):
            return [{} for _ in runs]
        in_force = self.plan.judged_by
        profiles = [
            replace(run.profile, metrics=in_force[run.profile.name].metrics) for run in runs
        ]
        beta = self.plan.policy.beta
        return call_in_subprocess(self.stop, plan_screens, profiles, accepted, beta)

    def screen(self, run: RunContext, trials: Mapping[str, int]) -> Session:
        """The head session that is compared with the accepted ones."""
        path = self._path(run, "head.json")
        with open_run(run):
            return measure_session(run, Side.HEAD, path, resumed=_begun(path), trials=trials)

    def flag(self, screens: Sequence[Session]) -> list[Task]:
        """What the screen cannot clear and may close the gate."""
        cases = self.plan.cases(screens)
        if not any(metric.role is Role.GATE for case in cases for metric in case.metrics):
            return []
        tasks = call_in_subprocess(self.stop, plan_second_stage, cases, self.plan.policy)
        return [task for task in tasks if task.gates]

    def confirm(self, run: RunContext, screen: Session, tasks: Sequence[Task]) -> Sequence[Session]:
        """Fresh data of what is flagged: pairs where both sides can run, else head sessions."""
        flagged = [task for task in tasks if task.profile == run.profile.name]
        if not flagged or (screen.disturbances and not run.paired):
            return ()  # further sessions would be judged with the screen
        needed = max(task.strikes or 0 for task in flagged)
        proof = f", those of {needed} later sittings may prove" if needed else ""
        how = "pairs of base and head decide"
        if not run.paired:
            how = f"{SAME_SITTING} further head sessions may clear it{proof}"
        for why in sorted({task.unscreened for task in flagged}):
            own = [task for task in flagged if task.unscreened == why]
            shown = ", ".join(sorted({f"{task.benchmark} {task.metric}" for task in own}))
            self.ui.say(f"{why or 'flagged'}: {shown}; {how}")
        with open_run(run):
            if run.paired:
                return self._pairs(run, flagged)
            return self._further_sessions(run, screen, flagged, needed)

    def _pairs(self, run: RunContext, flagged: Sequence[Task]) -> tuple[Session, Session]:
        paths = {
            Side.BASE: self._path(run, "pairs-base.json"),
            Side.HEAD: self._path(run, "pairs-head.json"),
        }
        resumed = {side: begun for side, path in paths.items() if (begun := _begun(path))}
        for side, session in resumed.items():
            _refuse_another_limit(session, run.profile, paths[side])
        look = partial(undecided_benchmarks, flagged)
        return measure_pairs(run, _benchmarks(flagged), paths, look, resumed=resumed)

    def _further_sessions(
        self, run: RunContext, screen: Session, flagged: Sequence[Task], needed: int
    ) -> list[Session]:
        """Further head sessions: a few now, one in each later sitting that resumes the check."""
        strikes: list[Session] = []
        names = _benchmarks(flagged)
        while True:
            path = self._path(run, f"strike-{len(strikes) + 1}.json")
            begun = _begun(path)
            # What is not begun yet would start now.
            starts = *(one.started for one in (screen, *strikes)), begun.started if begun else now()
            now_in = sittings(starts)
            same = sum(place == now_in[-1] for place in now_in) - 1  # before it, of its sitting
            wanted = SAME_SITTING if now_in[-1] == 0 else 0
            if same > wanted or now_in[-1] > needed:
                return strikes
            strikes.append(measure_session(run, Side.HEAD, path, resumed=begun, only=names))
            if strikes[-1].disturbances:
                return strikes  # nothing will be judged
            if same == wanted:
                cases = self.plan.cases((screen, *strikes))
                if call_in_subprocess(self.stop, all_cleared, cases, self.plan.policy):
                    return strikes

    def _path(self, run: RunContext, name: str) -> Path:
        return self.plan.out / run.profile.name / name


def _begun(path: Path) -> Session | None:
    return read_session(path) if path.exists() else None


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
