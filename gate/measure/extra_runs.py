"""Extra runs of a benchmark that regressed, to see what moved with it: no verdict uses them.

Base and head take turns, so that each counter's own noise is known, with a look at everything
that the kernel counts before and after the trial's process. perf samples one more run of each.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from gate.linux.kernel_counters import growth, read_counts
from gate.linux.machine import ThisMachine
from gate.linux.processes import process_numbers
from gate.measure.new_session import new_session
from gate.measure.perf import counted_in, find_perf, fold, join_runs, rate_for
from gate.measure.run_context import make_trial, report_progress
from gate.model import SCHEMA, Side, Stage, Trial, TrialStatus
from gate.model.diagnosis import ExtraRun, ExtraRuns, Folded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from gate.formats.profile.metric_kinds import MetricKind
    from gate.harness.base import Command, Harness, Outcome, Reading, TrialContext
    from gate.linux.machine import LinuxMachine
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


@dataclass(slots=True)
class _Heard:
    """A harness, with what is known of the last process of its last trial."""

    inner: Harness
    machine: LinuxMachine
    around: Callable[[Command, Path], Command] = lambda command, _: command
    """Puts perf around a process; it may write below the trial's scratch directory."""
    after: Callable[[Path], None] = lambda _: None
    """Called with the scratch directory as soon as that process has ended."""
    name: str = field(init=False)
    kinds: Mapping[str, MetricKind] = field(init=False)
    counts: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    operations: float | None = None

    def __post_init__(self) -> None:
        """Take the name and the metrics of the harness itself."""
        self.name, self.kinds = self.inner.name, self.inner.kinds

    def tools(self, profile: Profile, environment: Mapping[str, str]) -> dict[str, str]:
        """As the harness says."""
        return self.inner.tools(profile, environment)

    def check(self, context: TrialContext) -> None:
        """As the harness does."""
        self.inner.check(context)

    def prepare(self, context: TrialContext) -> None:
        """As the harness does."""
        self.inner.prepare(context)

    def trial(self, context: TrialContext) -> Reading:
        """The trial, listened to."""

        def listening(command: Command) -> Outcome:
            before = read_counts(self.machine)
            outcome = context.run(self.around(command, context.scratch))
            self.counts = growth(before, read_counts(self.machine))
            self.seconds = outcome.duration
            self.after(context.scratch)
            return outcome

        reading = self.inner.trial(replace(context, run=listening))
        done = reading.work.operations if reading.work is not None else None
        self.operations = done if done and done > 0 else None
        return reading


def take_extra_runs(
    sitting: RunContext,
    benchmark: Benchmark,
    seconds: float,
    until: float,
    machine: LinuxMachine | None = None,
) -> Extra:
    """Run a benchmark a few times more on both sides; what could not be done is a note.

    A run takes about `seconds`; none is begun that would not end before `until`, by the
    monotonic clock.

    Raises:
        StopRequested: a signal came.
    """
    return _Turns(sitting, benchmark, seconds, until, machine or ThisMachine()).take()


class _Turns:
    """The extra runs of one benchmark while they are taken."""

    def __init__(
        self,
        sitting: RunContext,
        benchmark: Benchmark,
        seconds: float,
        until: float,
        machine: LinuxMachine,
    ) -> None:
        # A hint needs no CPU account, and a disturbance shows in the spread of the runs.
        self._sitting = replace(sitting, accountant=None, watch=None)
        self._benchmark, self._until, self._machine = benchmark, until, machine
        self._longest = seconds
        self._sessions: dict[Side, Session] = {
            side: new_session(self._sitting, side, Stage.CONFIRM, (benchmark,)) for side in _SIDES
        }
        self._taken: dict[Side, int] = dict.fromkeys(_SIDES, 0)
        self._runs: list[ExtraRun] = []
        self._notes: list[str] = []
        self._folded: dict[Side, Folded] = {}
        self._whole = ROUNDS * len(_SIDES)
        """Runs in all, as far as is known."""
        self._rate = 0
        """How often perf looks, the same in all runs."""

    def take(self) -> Extra:
        """All of them, or as many as time and the workload allow."""
        perf, why_not = find_perf(self._sitting.stop, self._sitting.work)
        try:
            for number in range(ROUNDS):
                self._demand_time()
                for side in _SIDES if number % 2 == 0 else reversed(_SIDES):
                    self._count(side, perf)
            if why_not:
                self._notes.append(why_not)
            if perf is not None and perf.event:
                for side in self._sampled():
                    self._sample(side, perf)
        except (_Failed, OSError) as reason:
            self._notes.append(str(reason)[:500])
        runs = ExtraRuns(
            schema=SCHEMA,
            profile=self._sitting.profile.name,
            benchmark=self._benchmark.name,
            word=_word(self._sitting.profile),
            runs=tuple(self._runs),
            notes=tuple(self._notes),
        )
        return Extra(runs, self._folded if len(self._folded) == len(_SIDES) else {})

    def _demand_time(self) -> None:
        """Refuse a run of each side that would end too late.

        Raises:
            _Failed: it would.
        """
        if time.monotonic() + 2 * self._longest > self._until:
            done = f"after {len(self._runs)} of them" if self._runs else "before the first"
            raise _Failed(f"the time for extra runs was up {done}")

    def _count(self, side: Side, perf: Perf | None) -> None:
        heard = _Heard(self._sitting.harness, self._machine)
        found: dict[str, float] = {}
        if perf is not None and perf.counts:
            counting = perf.counting
            heard.around = lambda command, scratch: counting(command, scratch / "gate-stat")
            heard.after = lambda scratch: found.update(counted_in(scratch / "gate-stat"))
        self._run(side, heard)
        self._runs.append(_extra(side, heard, heard.counts | found))

    def _sample(self, side: Side, perf: Perf) -> None:
        """One more run of a side under perf; its stacks are added to those before.

        Raises:
            _Failed: it gave no number, or perf no samples.
        """
        rate, before = self._rate, frozenset(process_numbers())
        heard = _Heard(self._sitting.harness, self._machine)
        heard.around = lambda one, scratch: perf.sampling(one, scratch / "gate-perf", rate)
        kept = self._sitting.work / "gate-perf.data"
        heard.after = lambda scratch: _moved(scratch / "gate-perf", kept)
        try:
            self._run(side, heard)
            if not kept.exists():
                raise _Failed("perf left no samples")
            taken = _extra(side, heard, {})
            made = fold(perf, kept, rate, taken, before, self._sitting.stop)
        finally:
            kept.unlink(missing_ok=True)
        known = self._folded.get(side)
        self._folded[side] = made if known is None else join_runs(known, made)

    def _sampled(self) -> Iterator[Side]:
        """The sides in their order under perf; a short benchmark more than once."""
        rounds = min(_MOST_SAMPLED, max(1, math.ceil(_ENOUGH / max(self._longest, 0.01))))
        self._whole = sum(self._taken.values()) + rounds * len(_SIDES)
        self._rate = rate_for(self._longest)
        for number in range(rounds):
            self._demand_time()
            yield from _SIDES if number % 2 == 0 else reversed(_SIDES)

    def _run(self, side: Side, heard: _Heard) -> None:
        """One trial, told and not recorded.

        Raises:
            _Failed: it gave no number.
        """
        own, index = replace(self._sitting, harness=heard), self._taken[side]
        trial = make_trial(own, self._sessions[side], self._benchmark, index)
        self._taken[side] += 1
        if own.storage is not None:
            own.storage.budget.end(self._benchmark.name)
        self._longest = max(self._longest, trial.duration)
        report_progress(own, side, _named(trial), sum(self._taken.values()), self._whole)
        if trial.status is not TrialStatus.OK:
            raise _Failed(f"an extra run of the {side} side failed: {trial.note}")


def _extra(side: Side, heard: _Heard, counts: dict[str, float]) -> ExtraRun:
    return ExtraRun(side=side, seconds=heard.seconds, operations=heard.operations, counts=counts)


def _moved(file: Path, kept: Path) -> None:
    if file.is_file() and not file.is_symlink():
        file.replace(kept)


def _named(trial: Trial) -> Trial:
    """The trial under a name that nobody takes for one that counts."""
    return replace(trial, benchmark=f"why: {trial.benchmark}")


def _word(profile: Profile) -> str:
    """What one operation of a profile is called."""
    if profile.harness == "fio":
        return "I/O"
    return "operation" if profile.work.operations else "run"
