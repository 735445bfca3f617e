"""Whole sessions: every benchmark's trials of one side, interleaved, resumable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.measure import order
from gate.measure.controls import Controls
from gate.measure.groups import make_group_trials, with_members
from gate.measure.new_session import check_resumable, new_session
from gate.measure.recorder import SessionRecorder
from gate.measure.run_context import report_progress, take_trial
from gate.measure.steady import settle
from gate.measure.trial_retry import RetryBudget, trials_that_count, was_disturbed
from gate.model import Stage, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Session, Side, Trial


def measure_session(
    sitting: RunContext,
    side: Side,
    path: Path,
    *,
    resumed: Session | None = None,
    only: frozenset[str] | None = None,
    trials: Mapping[str, int] | None = None,
) -> Session:
    """Take, or finish, one whole session and leave it at `path`.

    `only` names the benchmarks to run, points of the groups among them included; by default all of
    the profile. `trials` says which of them take more trials than the profile asks for.

    Raises:
        InputError: `resumed` is of another profile text, host, boot or subject.
        StopRequested: a signal came; the partial session is at `path`.
    """
    everything = sitting.profile.benchmarks
    wanted = None if only is None else with_members(everything, only)
    chosen = {b.name: b for b in everything if wanted is None or b.name in wanted}
    benchmarks = tuple(chosen.values())
    session = resumed or new_session(sitting, side, Stage.SCREEN, benchmarks, trials)
    if resumed is not None:
        check_resumable(resumed, sitting, side, Stage.SCREEN, path)
        if resumed.state is State.COMPLETE:
            return _as_it_is(sitting, resumed)
    recorder = SessionRecorder(session, path)
    if sitting.accountant is not None:
        sitting.accountant.renew()
    recorder.settle(sitting)
    controls = Controls(sitting, recorder)
    controls.begin()
    due = {plan.benchmark: plan.trials for plan in session.planned if not plan.group}
    storage = sitting.profile.storage
    steady = storage is not None and storage.steady is not None
    planned = (order.in_turn if steady else order.rounds)(due, session.seed)
    left = order.remaining_trials(
        planned, [trial.benchmark for trial in trials_that_count(session.trials)]
    )
    groups = [chosen[plan.benchmark] for plan in session.planned if plan.group]
    make_group_trials(sitting, recorder, groups)
    retaking = RetryBudget(sitting.watch, sitting.stop, len(planned))
    settled, last = True, ""
    for done, name in enumerate(left, start=len(planned) - len(left) + 1):
        controls.between()
        if steady and name != last:
            settled, last = settle(sitting, recorder, chosen[name]), name
        if settled:
            for trial in _until_counted(sitting, recorder, retaking, chosen[name]):
                report_progress(sitting, side, trial, done, len(planned))
            make_group_trials(sitting, recorder, groups)
        if retaking.spent(recorder.session.trials):
            break  # it will not be judged: what is left would be measured for nothing
    spent = retaking.spent(recorder.session.trials)
    if spent:
        recorder.disturbed(spent)
    controls.end()
    recorder.complete()
    return recorder.session


def _as_it_is(sitting: RunContext, complete: Session) -> Session:
    """A session that needs nothing more; what it wrote counts all the same."""
    if sitting.storage is not None:
        sitting.storage.budget.before += complete.written
    return complete


def _until_counted(
    sitting: RunContext, recorder: SessionRecorder, retaking: RetryBudget, benchmark: Benchmark
) -> Iterator[Trial]:
    """One trial, and where it was disturbed again until one counts or the limit is passed.

    Raises:
        StopRequested: a signal came.
    """
    while True:
        trial = take_trial(sitting, recorder, benchmark, pair=None, slot=None)
        yield trial
        if not was_disturbed(trial):
            retaking.went_well()
            return
        if retaking.spent(recorder.session.trials):
            return
        retaking.wait()


def chosen_benchmarks(sitting: RunContext, names: frozenset[str]) -> tuple[Benchmark, ...]:
    """The profile's benchmarks of these names."""
    return tuple(b for b in sitting.profile.benchmarks if b.name in names)
