"""Whole sessions: every benchmark's trials of one side, interleaved, resumable."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gate.measure import order
from gate.measure.groups import make_group_trials
from gate.measure.new_session import check_resumable, new_session
from gate.measure.recorder import SessionRecorder
from gate.measure.steady import settle
from gate.measure.trial import take_trial
from gate.measure.trial_retry import RetryBudget, trials_that_count
from gate.model import Stage, State

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.measure.order import Controls
    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Session, Side


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
    """
    benchmarks = run.profile.benchmarks
    if only is not None:
        names = only.union(*(one.members for one in benchmarks if one.name in only))
        benchmarks = tuple(one for one in benchmarks if one.name in names)
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
    by_name = {benchmark.name: benchmark for benchmark in benchmarks}
    order.measure_all(run, (recorder,), partial(_take_trials, run, recorder, by_name))
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
    began, before = run.countdown.spent if run.countdown else 0.0, len(planned) - len(left)
    for done, name in enumerate(left, start=1):
        controls.between()
        if steady and name != last:
            settled, last = settle(run, recorder, benchmarks[name]), name
        if settled:
            again = True
            while again:
                trial = take_trial(run, recorder, benchmarks[name])
                run.report(session.side, trial, before + done, len(planned))
                again = budget.again(trial, recorder.session.trials)
            make_group_trials(run, recorder, groups)
        if run.countdown is not None and done >= len(due):  # each was seen once
            run.countdown.expect(done, len(left), began)
        if why_not := budget.spent(recorder.session.trials):
            return why_not
    return budget.spent(recorder.session.trials)
