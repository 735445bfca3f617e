"""Whole sessions: every benchmark's trials of one side, interleaved, resumable.

In a check with both sides a few base trials stand among the head's, at random places: they say
where the base stands in this sitting.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gate.measure import order
from gate.measure.groups import make_group_trials
from gate.measure.new_session import check_resumable, new_session
from gate.measure.recorder import SessionRecorder
from gate.measure.steady import settle
from gate.measure.trial import take_trial
from gate.measure.trial_retry import RetryBudget, trials_that_count
from gate.model import Side, Stage, State
from gate.model.plan import BASE_TRIALS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.measure.order import Controls
    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Session, Trial


def measure_session(
    run: RunContext,
    side: Side,
    path: Path,
    *,
    resumed: Session | None = None,
    only: frozenset[str] | None = None,
) -> Session:
    """Take, or finish, one whole session and leave it at `path`.

    `only` names the benchmarks to run, points of the groups among them included; by default all of
    the profile.
    """
    benchmarks = _named(run, only)
    fresh = partial(new_session, run, side, Stage.SCREEN, benchmarks, run.profile.trials.screen)
    return _measure(run, {side: _begin(run, side, path, resumed) or fresh()}, {side: path})[0]


def measure_screen(
    run: RunContext,
    paths: Mapping[Side, Path],
    resumed: Mapping[Side, Session],
    trials: Mapping[str, int],
    beside: frozenset[str],
) -> tuple[Session, ...]:
    """The head session that is compared with the accepted ones, and base trials among it.

    `trials` says which benchmarks take more trials than the profile asks for, `beside` which have
    an accepted level: where both sides can run, the base takes `BASE_TRIALS` of each of these.
    """
    head, base = Side.HEAD, Side.BASE
    sessions = {
        head: _begin(run, head, paths[head], resumed.get(head))
        or new_session(
            run, head, Stage.SCREEN, run.profile.benchmarks, run.profile.trials.screen, trials
        )
    }
    if run.paired and beside:
        sessions[base] = _begin(run, base, paths[base], resumed.get(base)) or new_session(
            run, base, Stage.SCREEN, _named(run, beside), BASE_TRIALS
        )
        if sessions[head].state is State.PARTIAL:  # nothing taken after it stood among its trials
            sessions[head] = replace(sessions[head], beside=sessions[base].id)
    return _measure(run, sessions, paths)


def _begin(run: RunContext, side: Side, path: Path, begun: Session | None) -> Session | None:
    if begun is not None:
        check_resumable(begun, run, side, Stage.SCREEN, path)
    return begun


def _named(run: RunContext, only: frozenset[str] | None) -> tuple[Benchmark, ...]:
    """Benchmarks of these names, with the points of groups among them; by default all."""
    benchmarks = run.profile.benchmarks
    if only is None:
        return benchmarks
    names = only.union(*(one.members for one in benchmarks if one.name in only))
    return tuple(one for one in benchmarks if one.name in names)


def _measure(
    run: RunContext, sessions: Mapping[Side, Session], paths: Mapping[Side, Path]
) -> tuple[Session, ...]:
    """Take the trials that the sessions still lack; the first one's seed rules their order."""
    if all(session.state is State.COMPLETE for session in sessions.values()):
        if run.storage is not None:  # what they wrote counts all the same
            run.storage.budget.before += sum(one.written for one in sessions.values())
        return tuple(sessions.values())
    recorders = {
        side: SessionRecorder(run, session, paths[side]) for side, session in sessions.items()
    }
    if run.accountant is not None:
        run.accountant.renew()
    order.measure_all(run, tuple(recorders.values()), partial(_take_trials, run, recorders))
    return tuple(recorder.session for recorder in recorders.values())


def _take_trials(
    run: RunContext, recorders: Mapping[Side, SessionRecorder], controls: Controls
) -> str:
    """Every trial that is due; or why the rest is not taken: it would not be judged."""
    benchmarks = {benchmark.name: benchmark for benchmark in run.profile.benchmarks}
    steady = run.profile.storage is not None and run.profile.storage.steady is not None
    planned = _order(recorders, steady=steady)
    left = order.remaining_trials(planned, _taken(recorders))
    for recorder in recorders.values():
        _join_points(run, recorder)
    budget = RetryBudget(run.watch, run.stop, len(planned))

    def trials() -> tuple[Trial, ...]:
        return tuple(trial for one in recorders.values() for trial in one.session.trials)

    settled, last = True, ""
    began, before = run.countdown.spent if run.countdown else 0.0, len(planned) - len(left)
    each = len({name for _, name in planned})
    for done, (side, name) in enumerate(left, start=1):
        controls.between()
        recorder = recorders[side]
        if steady and name != last:
            settled, last = settle(run, recorder, benchmarks[name]), name
        if settled:
            again = True
            while again:
                # What base trials beside the head's would see was looked at with these.
                look = side is next(iter(recorders))
                trial = take_trial(run, recorder, benchmarks[name], look=look)
                run.report(side, trial, before + done, len(planned))
                again = budget.again(trial, trials())
            _join_points(run, recorder)
        if run.countdown is not None and done >= each:  # each was seen once, or nearly
            run.countdown.expect(done, len(left), began)
        if why_not := budget.spent(trials()):
            return why_not
    return budget.spent(trials())


def _order(
    recorders: Mapping[Side, SessionRecorder], *, steady: bool
) -> tuple[tuple[Side, str], ...]:
    """Side and name of every trial in order, as if none had been taken."""
    first, *others = recorders.values()
    planned = (order.in_turn if steady else order.rounds)(_due(first), first.session.seed)
    mixed = tuple((first.session.side, name) for name in planned)
    for other in others:
        mixed = order.mixed_in(mixed, other.session.side, _due(other), first.session.seed)
    return mixed


def _due(recorder: SessionRecorder) -> dict[str, int]:
    return {plan.benchmark: plan.trials for plan in recorder.session.planned if not plan.group}


def _taken(recorders: Mapping[Side, SessionRecorder]) -> list[tuple[Side, str]]:
    return [
        (side, trial.benchmark)
        for side, recorder in recorders.items()
        for trial in trials_that_count(recorder.session.trials)
    ]


def _join_points(run: RunContext, recorder: SessionRecorder) -> None:
    groups = {plan.benchmark for plan in recorder.session.planned if plan.group}
    make_group_trials(run, recorder, [b for b in run.profile.benchmarks if b.name in groups])
