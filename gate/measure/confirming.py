"""The second stage's trials: blocks of base/head pairs in random order, until all is decided."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from gate.measure import order
from gate.measure.controls import Controls
from gate.measure.groups import take_group_trial
from gate.measure.new_session import check_resumable, new_session
from gate.measure.recorder import SessionRecorder
from gate.measure.run_context import report_progress, take_trial
from gate.measure.screening import chosen_benchmarks
from gate.measure.steady import settle
from gate.measure.trial_retry import RetryBudget, was_disturbed
from gate.model import Side, Stage, TrialStatus
from gate.model.plan import FIRST_BLOCK, block_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Session


def measure_pairs(
    sitting: RunContext,
    names: frozenset[str],
    paths: dict[Side, Path],
    undecided: Callable[[Session, Session], frozenset[str]],
    *,
    resumed: dict[Side, Session],
) -> tuple[Session, Session]:
    """Run blocks of pairs of the named benchmarks until `undecided(base, head)` names none.

    Raises:
        InputError: a resumed session is of another profile text, host, boot or subject.
        StopRequested: a signal came; both partial sessions are on disk.
    """
    benchmarks = chosen_benchmarks(sitting, names)
    recorders = _recorders(sitting, benchmarks, paths, resumed)
    base, head = recorders[Side.BASE], recorders[Side.HEAD]
    controls = Controls(sitting, base, head)
    controls.begin()
    # The head's seed rules the order of both sides.
    seed = head.session.seed
    settled: set[str] = set()
    retaking = RetryBudget(sitting.watch, sitting.stop, 2 * FIRST_BLOCK * len(benchmarks))

    def spent() -> str:
        return retaking.spent((*base.session.trials, *head.session.trials))

    while not spent() and (waiting := undecided(base.session, head.session)):
        turn = [benchmark for benchmark in benchmarks if benchmark.name in waiting]
        random.Random(f"{seed}/{len(head.session.trials)}").shuffle(turn)
        for benchmark in turn:
            controls.between()
            if benchmark.name not in settled and not settle(sitting, head, benchmark):
                continue  # its failed trial tells why; nothing of it is undecided any more
            settled.add(benchmark.name)
            if _take_block(sitting, recorders, benchmark, seed):
                retaking.went_well()
                continue
            if spent():
                break
            retaking.wait()
    for recorder in recorders.values() if spent() else ():
        recorder.disturbed(spent())
    controls.end()
    base.complete()
    head.complete()
    return base.session, head.session


def _recorders(
    sitting: RunContext,
    benchmarks: tuple[Benchmark, ...],
    paths: dict[Side, Path],
    resumed: dict[Side, Session],
) -> dict[Side, SessionRecorder]:
    """The sessions of both sides, new or resumed, judged by one look at the machine at rest."""
    recorders: dict[Side, SessionRecorder] = {}
    for side in (Side.BASE, Side.HEAD):
        if side in resumed:
            check_resumable(resumed[side], sitting, side, Stage.CONFIRM, paths[side])
        session = resumed.get(side) or new_session(sitting, side, Stage.CONFIRM, benchmarks)
        recorders[side] = SessionRecorder(session, paths[side])
    base, head = recorders[Side.BASE], recorders[Side.HEAD]
    if sitting.accountant is not None:
        sitting.accountant.renew()
        if not sitting.restarts:
            sitting.accountant.adopt(base.session.idle or head.session.idle)
    base.settle(sitting)
    head.settle(sitting)
    return recorders


def _take_block(
    sitting: RunContext, recorders: dict[Side, SessionRecorder], benchmark: Benchmark, seed: int
) -> bool:
    """One block, back to back, in the order of its shuffle; False if a trial was disturbed.

    A block that an interruption or a disturbance cut short keeps its number and is never
    completed: trials taken long after the others would not share their noise, and the order of
    those that are left over would not be the one that was drawn. A whole new block is taken. Where
    each trial is a restart the machine is as fresh after any pause, and a block goes on.
    """
    taken = [
        trial
        for recorder in recorders.values()
        for trial in recorder.session.trials
        if trial.benchmark == benchmark.name and trial.pair is not None
    ]
    block = max((block_of(trial.pair) for trial in taken if trial.pair is not None), default=-1)
    begun = [one for one in taken if one.pair is not None and block_of(one.pair) == block]
    planned = order.block_order(seed, benchmark.name, block) if begun else ()
    goes_on = sitting.restarts and all(one.status is TrialStatus.OK for one in begun)
    if not (goes_on and len(begun) < len(planned)):
        begun, block = [], block + 1
    slots = {one.slot for one in begun}
    for slot, (side, pair) in enumerate(order.block_order(seed, benchmark.name, block)):
        if slot in slots:
            continue
        take = take_group_trial if benchmark.group else take_trial
        trial = take(sitting, recorders[side], benchmark, pair=pair, slot=slot)
        report_progress(sitting, side, trial, pair + 1, None)
        if trial.status is not TrialStatus.OK:
            return not was_disturbed(trial)
    return True
