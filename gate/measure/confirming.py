"""The second stage's trials: blocks of base/head pairs in random order, until all is decided.

With a time budget every benchmark gets its first block, which is enough to prove a clear loss, the
cheapest first. From then on the next block goes where a decision is likely to come soonest: what
is nearly decided is not left open for the sake of what is far from it. Which benchmark comes next
may depend on everything that was measured, as each bound holds at any time (`martingale`).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from gate.measure import order
from gate.measure.countdown import OutOfTime
from gate.measure.groups import take_group_trial
from gate.measure.new_session import check_resumable, new_session
from gate.measure.recorder import SessionRecorder
from gate.measure.steady import settle
from gate.measure.trial import take_trial
from gate.measure.trial_retry import RetryBudget, was_disturbed
from gate.model import Side, Stage, TrialStatus
from gate.model.plan import FIRST_BLOCK, NEXT_BLOCK, block_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from gate.measure.countdown import Countdown
    from gate.measure.order import Controls
    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Session, Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPlan:
    """Which benchmarks of a profile take pairs, and how long."""

    benchmarks: frozenset[str]
    undecided: Callable[[Session, Session], frozenset[str]]
    """Those that wait for more, by the base and the head session so far."""
    further: Callable[[Session, Session, str], int]
    """Pairs that one of them is likely to need still."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """What a trial of each took in the screen."""
    until: float = math.inf
    """What may be spent of the time budget when this profile's last block ends."""


def measure_pairs(
    run: RunContext,
    plan: PairPlan,
    paths: dict[Side, Path],
    *,
    resumed: dict[Side, Session],
) -> tuple[Session, Session]:
    """Run blocks of pairs of the planned benchmarks until none is undecided, or time is up."""
    benchmarks = tuple(b for b in run.profile.benchmarks if b.name in plan.benchmarks)
    recorders = _open_recorders(run, benchmarks, paths, resumed)
    base, head = recorders[Side.BASE], recorders[Side.HEAD]
    if run.accountant is not None:  # both are judged by one look at the machine at rest
        run.accountant.renew(None if run.restarts else base.session.idle or head.session.idle)
    take = partial(_take_blocks, run, recorders, benchmarks, plan)
    order.measure_all(run, (base, head), take)
    return base.session, head.session


def _take_blocks(
    run: RunContext,
    recorders: dict[Side, SessionRecorder],
    benchmarks: tuple[Benchmark, ...],
    plan: PairPlan,
    controls: Controls,
) -> str:
    """Block after block until all is decided; or why no more are taken."""
    base, head = recorders[Side.BASE], recorders[Side.HEAD]
    # The head's seed rules the order of both sides.
    seed = head.session.seed
    settled: set[str] = set()
    retries = RetryBudget(run.watch, run.stop, 2 * FIRST_BLOCK * len(benchmarks))
    clocked = _Clocked(plan, run.countdown, recorders) if run.countdown else None

    def trials() -> tuple[Trial, ...]:
        return (*base.session.trials, *head.session.trials)

    while not retries.spent(trials()) and (waiting := plan.undecided(base.session, head.session)):
        turn = [benchmark for benchmark in benchmarks if benchmark.name in waiting]
        random.Random(f"{seed}/{len(head.session.trials)}").shuffle(turn)
        if clocked is not None and not (turn := clocked.soonest(turn)):
            _leave_open(recorders, waiting)
            break
        for benchmark in turn:
            try:
                controls.between()
                if benchmark.name not in settled and not settle(run, head, benchmark):
                    continue  # its failed trial says why; nothing of it is undecided any more
                settled.add(benchmark.name)
                last = _take_block(run, recorders, benchmark, seed)
            except OutOfTime:
                _leave_open(recorders, waiting)
                return retries.spent(trials())
            if clocked is not None:
                clocked.learn(benchmark.name)
            if not retries.again(last, trials()) and was_disturbed(last):
                break
    return retries.spent(trials())


def _leave_open(recorders: Mapping[Side, SessionRecorder], waiting: frozenset[str]) -> None:
    for recorder in recorders.values():
        recorder.leave_open(waiting)


class _Clocked:
    """Which benchmark gets the next block where time is short."""

    def __init__(
        self, plan: PairPlan, countdown: Countdown, recorders: Mapping[Side, SessionRecorder]
    ) -> None:
        self._plan, self._countdown, self._recorders = plan, countdown, recorders
        self._seconds = dict(plan.seconds)
        self._began, self._trials = 0.0, 0

    def soonest(self, waiting: Sequence[Benchmark]) -> list[Benchmark]:
        """The one to take next; none where no block would end in time.

        Of several that are as near to a decision the first.
        """
        trials = self._trials_of()
        base, head = (self._recorders[side].session for side in (Side.BASE, Side.HEAD))
        ranked: list[tuple[bool, float, Benchmark]] = []
        for one in waiting:
            begun, seconds = bool(trials.get(one.name)), self._seconds.get(one.name, 0.0)
            block = 2 * (NEXT_BLOCK if begun else FIRST_BLOCK)
            if self._countdown.holds(block * seconds, self._plan.until):
                further = self._plan.further(base, head, one.name)
                ranked.append((begun, 2 * further * seconds, one))
        self._began, self._trials = self._countdown.spent, sum(trials.values())
        return [min(ranked, key=lambda row: row[:2])[2]] if ranked else []

    def learn(self, name: str) -> None:
        """Remember how long the trials took that were just taken, with all that is around them."""
        count = sum(self._trials_of().values()) - self._trials
        if count > 0:
            self._seconds[name] = (self._countdown.spent - self._began) / count

    def _trials_of(self) -> Counter[str]:
        every = (one.session.trials for one in self._recorders.values())
        return Counter(trial.benchmark for trials in every for trial in trials)


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
