"""Extra runs of a benchmark that regressed, to see what moved with it: no verdict uses them.

Base and head take turns, so that each counter's own noise is known, with a look at everything
that the kernel counts before and after the trial's process. perf samples one more run of each.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gate.harness.base import HarnessAround
from gate.linux.kernel_counters import growth, read_counts
from gate.linux.machine import ThisMachine
from gate.linux.processes import process_numbers
from gate.measure.new_session import new_session
from gate.measure.perf import counted_in, find_perf, fold, join_runs, rate_for
from gate.measure.trial import make_trial
from gate.model import SCHEMA, Side, Stage, TrialStatus
from gate.model.diagnosis import ExtraRun, ExtraRuns, Folded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gate.harness.base import Command, Harness, Outcome, Reading, TrialContext
    from gate.measure.perf import Perf
    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Profile, Session

ROUNDS = 3
"""Runs of each side that are counted."""
_SIDES = (Side.BASE, Side.HEAD)
_ENOUGH, _MOST_SAMPLED = 2.0, 5
"""Seconds of each side that perf should see, and runs of each that are spent on it."""


class Extra(NamedTuple):
    """What the extra runs of a benchmark gave."""

    runs: ExtraRuns
    folded: dict[Side, Folded]
    """Both sides, or none."""


class _Failed(Exception):
    """An extra run gave nothing, or there is no time for it; the message says so."""


class _ObservedHarness(HarnessAround):
    """A harness, with what is known of the last process of its last trial."""

    def __init__(
        self,
        inner: Harness,
        around: Callable[[Command, Path], Command] | None,
        after: Callable[[Path], None],
    ) -> None:
        """`around` puts perf around a process, with a file to write; `after` looks at that file."""
        super().__init__(inner)
        self.around, self.after = around, after
        self.counts: dict[str, float] = {}
        self.seconds = 0.0
        self.operations: float | None = None

    def trial(self, context: TrialContext) -> Reading:
        """The trial, with a look at the kernel's counters around every process."""
        machine, file = ThisMachine(), context.scratch / "gate-perf"

        def observe(command: Command) -> Outcome:
            before = read_counts(machine)
            outcome = context.run(self.around(command, file) if self.around else command)
            self.counts = growth(before, read_counts(machine))
            self.seconds = outcome.duration
            if self.around is not None:
                self.after(file)
            return outcome

        reading = self.inner.trial(replace(context, run=observe))
        done = reading.work.operations if reading.work is not None else None
        self.operations = done if done and done > 0 else None
        return reading

    def as_run(self, side: Side, counts: dict[str, float]) -> ExtraRun:
        """The last trial as an extra run of a side."""
        return ExtraRun(side=side, seconds=self.seconds, operations=self.operations, counts=counts)


class ExtraRunner:
    """Runs a benchmark a few times more on both sides; what could not be done is a note.

    A run takes about `seconds`; none is begun that would not end before `until`, by the
    monotonic clock.
    """

    def __init__(self, run: RunContext, benchmark: Benchmark, seconds: float, until: float) -> None:
        # A hint needs no CPU account, and a disturbance shows in the spread of the runs.
        self._context = replace(run, accountant=None, watch=None)
        self._benchmark, self._longest, self._until = benchmark, seconds, until
        self._sessions: dict[Side, Session] = {
            side: new_session(self._context, side, Stage.CONFIRM, (benchmark,)) for side in _SIDES
        }
        self._taken: dict[Side, int] = dict.fromkeys(_SIDES, 0)
        self._runs: list[ExtraRun] = []
        self._notes: list[str] = []
        self._folded: dict[Side, Folded] = {}
        self._total = ROUNDS * len(_SIDES)
        """Runs in all, as far as is known."""
        self._rate = 0
        """How often perf looks, the same in all runs."""

    def take(self) -> Extra:
        """All of them, or as many as time and the workload allow."""
        perf, why_not = find_perf(self._context.stop, self._context.work)
        try:
            for side in self._turns(ROUNDS):
                self._count(side, perf)
            if why_not:
                self._notes.append(why_not)
            if perf is not None and perf.event:
                for side in self._turns(self._plan_sampling()):
                    self._sample(side, perf)
        except (_Failed, OSError) as reason:
            self._notes.append(str(reason)[:500])
        runs = ExtraRuns(
            schema=SCHEMA,
            profile=self._context.profile.name,
            benchmark=self._benchmark.name,
            word=_operation_word(self._context.profile),
            runs=tuple(self._runs),
            notes=tuple(self._notes),
        )
        return Extra(runs, self._folded if len(self._folded) == len(_SIDES) else {})

    def _turns(self, rounds: int) -> Iterator[Side]:
        """The sides in their order: each round takes both, and the next the other way round."""
        for number in range(rounds):
            if time.monotonic() + 2 * self._longest > self._until:
                done = f"after {len(self._runs)} of them" if self._runs else "before the first"
                raise _Failed(f"the time for extra runs was up {done}")
            yield from _SIDES if number % 2 == 0 else reversed(_SIDES)

    def _plan_sampling(self) -> int:
        """Rounds under perf: a short benchmark takes more than one."""
        rounds = min(_MOST_SAMPLED, max(1, math.ceil(_ENOUGH / max(self._longest, 0.01))))
        self._total = sum(self._taken.values()) + rounds * len(_SIDES)
        self._rate = rate_for(self._longest)
        return rounds

    def _count(self, side: Side, perf: Perf | None) -> None:
        counters: dict[str, float] = {}
        harness = _ObservedHarness(
            self._context.harness,
            perf.counting if perf is not None and perf.counts else None,
            lambda file: counters.update(counted_in(file)),
        )
        self._run(side, harness)
        self._runs.append(harness.as_run(side, harness.counts | counters))

    def _sample(self, side: Side, perf: Perf) -> None:
        """One more run of a side under perf; its stacks are added to those before."""
        rate, before = self._rate, frozenset(process_numbers())
        samples = self._context.work / "gate-perf.data"

        def keep(file: Path) -> None:
            if file.is_file() and not file.is_symlink():
                file.replace(samples)

        sampling = partial(perf.sampling, rate=rate)
        harness = _ObservedHarness(self._context.harness, sampling, keep)
        try:
            self._run(side, harness)
            if not samples.exists():
                raise _Failed("perf left no samples")
            sampled = harness.as_run(side, {})
            folded = fold(perf, samples, rate, sampled, before, self._context.stop)
        finally:
            samples.unlink(missing_ok=True)
        known = self._folded.get(side)
        self._folded[side] = folded if known is None else join_runs(known, folded)

    def _run(self, side: Side, harness: _ObservedHarness) -> None:
        """One trial, reported and not recorded; without a number there are no more."""
        run, index = replace(self._context, harness=harness), self._taken[side]
        trial = make_trial(run, self._sessions[side], self._benchmark, index)
        self._taken[side] += 1
        if run.storage is not None:
            run.storage.budget.end(self._benchmark.name)
        self._longest = max(self._longest, trial.duration)
        # Under a name that nobody takes for a trial that counts.
        named = replace(trial, benchmark=f"why: {trial.benchmark}")
        run.report(side, named, sum(self._taken.values()), self._total)
        if trial.status is not TrialStatus.OK:
            raise _Failed(f"an extra run of the {side} side failed: {trial.note}")


def _operation_word(profile: Profile) -> str:
    """What one operation of a profile is called."""
    if profile.harness == "fio":
        return "I/O"
    return "operation" if profile.work.operations else "run"
