"""Whole sessions: every benchmark's trials of one side, interleaved, resumable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.measure import order
from gate.measure.groups import make_group_trials, with_members
from gate.measure.new_session import check_resumable, new_session
from gate.measure.order import Controls
from gate.measure.recorder import SessionRecorder
from gate.measure.steady import settle
from gate.measure.trial import take_trial
from gate.measure.trial_retry import RetryBudget, trials_that_count, was_disturbed
from gate.model import Stage, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Session, Side, Trial


def measure_session(
    run: RunContext,
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
    """
    everything = run.profile.benchmarks
    wanted = None if only is None else with_members(everything, only)
    benchmarks = tuple(b for b in everything if wanted is None or b.name in wanted)
    session = resumed or new_session(run, side, Stage.SCREEN, benchmarks, trials)
    if resumed is not None:
        check_resumable(resumed, run, side, Stage.SCREEN, path)
        if resumed.state is State.COMPLETE:
            if run.storage is not None:  # what it wrote counts all the same
                run.storage.budget.before += resumed.written
            return resumed
    recorder = SessionRecorder(run, session, path)
    if run.accountant is not None:
        run.accountant.renew()
    recorder.begin()
    controls = Controls(run, recorder)
    controls.begin()
    why_not = _take_trials(run, recorder, {b.name: b for b in benchmarks}, controls)
    if why_not:
        recorder.add_disturbance(why_not)
    controls.run()
    recorder.complete()
    return recorder.session


def _take_trials(
    run: RunContext,
    recorder: SessionRecorder,
    benchmarks: Mapping[str, Benchmark],
    controls: Controls,
) -> str:
    """Every trial that is due; or why the rest is not taken: it would not be judged."""
    session = recorder.session
    due = {plan.benchmark: plan.trials for plan in session.planned if not plan.group}
    storage = run.profile.storage
    steady = storage is not None and storage.steady is not None
    planned = (order.in_turn if steady else order.rounds)(due, session.seed)
    done_before = [trial.benchmark for trial in trials_that_count(session.trials)]
    left = order.remaining_trials(planned, done_before)
    groups = [benchmarks[plan.benchmark] for plan in session.planned if plan.group]
    make_group_trials(run, recorder, groups)
    budget = RetryBudget(run.watch, run.stop, len(planned))
    settled, last = True, ""
    for done, name in enumerate(left, start=len(planned) - len(left) + 1):
        controls.between()
        if steady and name != last:
            settled, last = settle(run, recorder, benchmarks[name]), name
        if settled:
            for trial in _until_counted(run, recorder, budget, benchmarks[name]):
                run.report(session.side, trial, done, len(planned))
            make_group_trials(run, recorder, groups)
        if why_not := budget.spent(recorder.session.trials):
            return why_not
    return budget.spent(recorder.session.trials)


def _until_counted(
    run: RunContext, recorder: SessionRecorder, budget: RetryBudget, benchmark: Benchmark
) -> Iterator[Trial]:
    """One trial, and where it was disturbed again until one counts or the limit is passed."""
    while True:
        trial = take_trial(run, recorder, benchmark)
        yield trial
        if not was_disturbed(trial):
            budget.went_well()
            return
        if budget.spent(recorder.session.trials):
            return
        budget.wait()
