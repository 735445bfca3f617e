"""The second stage's trials: blocks of base/head pairs in random order, until all is decided."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

from gate.measure import order
from gate.measure.groups import take_group_trial
from gate.measure.new_session import check_resumable, new_session
from gate.measure.recorder import SessionRecorder
from gate.measure.steady import settle
from gate.measure.trial import take_trial
from gate.measure.trial_retry import RetryBudget, was_disturbed
from gate.model import Side, Stage, TrialStatus
from gate.model.plan import FIRST_BLOCK, block_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gate.measure.order import Controls
    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Session, Trial


def measure_pairs(
    run: RunContext,
    names: frozenset[str],
    paths: dict[Side, Path],
    undecided: Callable[[Session, Session], frozenset[str]],
    *,
    resumed: dict[Side, Session],
) -> tuple[Session, Session]:
    """Run blocks of pairs of the named benchmarks until `undecided(base, head)` names none."""
    benchmarks = tuple(b for b in run.profile.benchmarks if b.name in names)
    recorders = _open_recorders(run, benchmarks, paths, resumed)
    base, head = recorders[Side.BASE], recorders[Side.HEAD]
    if run.accountant is not None:  # both are judged by one look at the machine at rest
        run.accountant.renew(None if run.restarts else base.session.idle or head.session.idle)
    take = partial(_take_blocks, run, recorders, benchmarks, undecided)
    order.measure_all(run, (base, head), take)
    return base.session, head.session


def _take_blocks(
    run: RunContext,
    recorders: dict[Side, SessionRecorder],
    benchmarks: tuple[Benchmark, ...],
    undecided: Callable[[Session, Session], frozenset[str]],
    controls: Controls,
) -> str:
    """Block after block until all is decided; or why no more are taken."""
    base, head = recorders[Side.BASE], recorders[Side.HEAD]
    # The head's seed rules the order of both sides.
    seed = head.session.seed
    settled: set[str] = set()
    budget = RetryBudget(run.watch, run.stop, 2 * FIRST_BLOCK * len(benchmarks))

    def trials() -> tuple[Trial, ...]:
        return (*base.session.trials, *head.session.trials)

    while not budget.spent(trials()) and (waiting := undecided(base.session, head.session)):
        turn = [benchmark for benchmark in benchmarks if benchmark.name in waiting]
        random.Random(f"{seed}/{len(head.session.trials)}").shuffle(turn)
        for benchmark in turn:
            controls.between()
            if benchmark.name not in settled and not settle(run, head, benchmark):
                continue  # its failed trial says why; nothing of it is undecided any more
            settled.add(benchmark.name)
            last = _take_block(run, recorders, benchmark, seed)
            if not budget.again(last, trials()) and was_disturbed(last):
                break
    return budget.spent(trials())


def _open_recorders(
    run: RunContext,
    benchmarks: tuple[Benchmark, ...],
    paths: dict[Side, Path],
    resumed: dict[Side, Session],
) -> dict[Side, SessionRecorder]:
    """The sessions of both sides, new or resumed."""
    recorders: dict[Side, SessionRecorder] = {}
    for side in (Side.BASE, Side.HEAD):
        if side in resumed:
            check_resumable(resumed[side], run, side, Stage.CONFIRM, paths[side])
        session = resumed.get(side) or new_session(run, side, Stage.CONFIRM, benchmarks)
        recorders[side] = SessionRecorder(run, session, paths[side])
    return recorders


def _take_block(
    run: RunContext, recorders: dict[Side, SessionRecorder], benchmark: Benchmark, seed: int
) -> Trial:
    """One block, back to back, in the order of its shuffle, up to one that fails: its last trial.

    A block that an interruption or a disturbance cut short keeps its number and is never
    completed: trials taken long after the others would not share their noise, and the order of
    those that are left over would not be the one that was drawn. A whole new block is taken. Where
    each trial is a restart the machine is as fresh after any pause, and a block goes on.
    """
    taken = [
        (block_of(trial.pair), trial)
        for recorder in recorders.values()
        for trial in recorder.session.trials
        if trial.benchmark == benchmark.name and trial.pair is not None
    ]
    block = max((number for number, _ in taken), default=0)
    begun = [trial for number, trial in taken if number == block]
    planned = order.block_order(seed, benchmark.name, block)
    goes_on = run.restarts and all(one.status is TrialStatus.OK for one in begun)
    if begun and not (goes_on and len(begun) < len(planned)):
        begun, planned = [], order.block_order(seed, benchmark.name, block + 1)
    slots = {one.slot for one in begun}
    for slot, (side, pair) in enumerate(planned):
        if slot in slots:
            continue
        take = take_group_trial if benchmark.group else take_trial
        trial = take(run, recorders[side], benchmark, pair=pair, slot=slot)
        run.report(side, trial, pair + 1, run.profile.trials.confirm_pairs)
        if trial.status is not TrialStatus.OK:
            break
    return trial
