"""One trial: run on a side, with all that stands around its processes, and recorded."""

from __future__ import annotations

import tempfile
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.clock import now
from gate.errors import InputError, TrialFailed, TrialTimeout
from gate.harness.base import Command, Reading, TrialContext
from gate.harness.expand import own_environment
from gate.harness.process import demand_needs
from gate.linux.cpu_list import cpus_of, each_cpu
from gate.measure.activation import activate_side
from gate.measure.process.background import background_load, prepare_background
from gate.measure.process.pinning import pin_child
from gate.measure.process.process import child_environment, run_process
from gate.measure.trial_retry import trials_that_count, with_reasons
from gate.model import Trial, TrialStatus, parameters_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.harness.base import Outcome
    from gate.measure.cpu.account import Accountant
    from gate.measure.process.background import Load
    from gate.measure.process.stop import Stop
    from gate.measure.recorder import SessionRecorder
    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Session, Side


def take_trial(
    run: RunContext,
    recorder: SessionRecorder,
    benchmark: Benchmark,
    *,
    pair: int | None = None,
    slot: int | None = None,
) -> Trial:
    """Run one trial and record it, failed or not; nothing is recorded of an abandoned one."""
    session = recorder.session
    index = sum(one.benchmark == benchmark.name for one in trials_that_count(session.trials))
    trial = make_trial(run, session, benchmark, index, pair=pair, slot=slot)
    try:
        if run.coverage is not None and trial.status is TrialStatus.OK:
            trial = replace(trial, touch=run.coverage(run, session, benchmark))
    finally:  # what was measured is kept, whatever ends the look at it
        recorder.add(trial)
    return trial


def make_trial(
    run: RunContext,
    session: Session,
    benchmark: Benchmark,
    index: int,
    *,
    pair: int | None = None,
    slot: int | None = None,
) -> Trial:
    """Run one trial for a session; `index` counts those of the benchmark that came before."""
    run.stop.check()
    started, clock = now(), time.monotonic()
    look = run.storage.look if run.storage is not None else None
    around = Surroundings(run.stop, run.accountant, look)
    status, note, reading = _measure(run, session, benchmark, index, around)
    reasons = run.watch.end(around.used) if run.watch is not None else ()
    trial = Trial(
        benchmark=benchmark.name,
        sequence=len(session.trials),
        stage=session.stage,
        status=status,
        started=started,
        duration=time.monotonic() - clock,
        values=reading.values,
        pair=pair,
        slot=slot,
        note=note[:1000],
        cpu=reading.bill,
        latencies=reading.latencies,
        functions=dict(reading.functions),
        touch=reading.coverage,
    )
    return with_reasons(trial, reasons)


def _measure(
    run: RunContext, session: Session, benchmark: Benchmark, index: int, around: Surroundings
) -> tuple[TrialStatus, str, Reading]:
    """How a trial ended, its note, and what it gave: nothing where it failed."""
    with _scratch(run) as scratch:
        context = _context(run, session.side, benchmark, Path(scratch), index, around.run)
        try:
            demand_needs(run.profile.needs, run.tools, context.environment)
            reading = _with_cpu_cost(run, session, _read(run, context, around))
        except TrialTimeout as failure:
            status, note = TrialStatus.TIMEOUT, str(failure)
        except TrialFailed as failure:
            status, note = TrialStatus.FAILED, str(failure)
        except OSError as failure:
            status, note = TrialStatus.FAILED, f"cannot be run: {failure}"
        else:
            return TrialStatus.OK, "; ".join(filter(None, reading.notes)), reading
    return status, note, Reading(values=())


def _read(run: RunContext, context: TrialContext, around: Surroundings) -> Reading:
    """Activate the side, prepare, and run the harness beside its load."""
    with (
        activate_side(run.switch, run.sides[context.side]) as proof,
        around.pinned(context, run.tuned.cpus if run.tuned else ""),
    ):
        _prepare(run, context)
        around.used = 0.0
        if run.watch is not None:
            run.watch.begin()
        with around.loaded(context) as load:
            reading = run.harness.trial(context)
            rate, notes = load.finish() if load else ((), ())
    return replace(reading, values=(*reading.values, *rate), notes=(proof, *reading.notes, *notes))


def _with_cpu_cost(run: RunContext, session: Session, reading: Reading) -> Reading:
    """The reading with the trial's CPU bill and its values, where the profile asks for them."""
    if run.accountant is None:
        return reading
    # Each kernel has a rest of its own.
    known = None if run.restarts else session.idle
    idle = known or run.accountant.reference(run.stop)
    bill, cost, lacking = run.accountant.account(reading, idle)
    return replace(
        reading,
        bill=bill,
        values=(*reading.values, *cost),
        notes=(*reading.notes, *lacking),
    )


def _prepare(run: RunContext, context: TrialContext) -> None:
    """Bring the storage into its state, and lay out what harness and load need, once."""
    storage = run.storage
    if storage is not None and storage.before(context):
        run.prepared.clear()
    key = (context.benchmark.name, context.side)
    if key not in run.prepared:
        # A guest's kernel is laid out beside the device that the guest is to write to.
        guest = run.profile.subject.machine is not None
        with storage.budget.elsewhere() if storage and guest else nullcontext():
            run.harness.prepare(context)
        prepare_background(context)
        run.prepared.add(key)
    if storage is not None:
        storage.laid_out(context)


@contextmanager
def trial_context(run: RunContext, side: Side, benchmark: Benchmark) -> Iterator[TrialContext]:
    """A context for what belongs to no session's trial; nothing is loaded or pinned in it."""
    with _scratch(run) as scratch:
        yield _context(run, side, benchmark, Path(scratch), 0)


def _context(
    run: RunContext,
    side: Side,
    benchmark: Benchmark,
    scratch: Path,
    index: int,
    runner: Callable[[Command], Outcome] | None = None,
) -> TrialContext:
    """The context of a trial; without a runner its processes are neither loaded nor pinned."""
    active = run.sides[side]
    context = TrialContext(
        profile=run.profile,
        benchmark=benchmark,
        side=side,
        side_directory=active.directory,
        environment={},
        work=run.data_directory,
        scratch=scratch,
        index=index,
        device=run.storage.device if run.storage else "",
        run=runner or Surroundings(run.stop, run.accountant).run,
    )
    # Commands run in the project root: these tell them which trial it is and where they may write.
    always = {"GATE_TRIAL": str(index), "GATE_WORK": str(context.work)}
    if device := run.profile.subject.device or context.device:
        always["GATE_DEVICE"] = device
    complete = child_environment(active, own_environment(context)) | always
    return replace(context, environment=complete)


def _scratch(run: RunContext) -> tempfile.TemporaryDirectory[str]:
    """An empty directory for one trial.

    Raises:
        InputError: G208, the work directory is full or was taken away.
    """
    try:
        return tempfile.TemporaryDirectory(prefix="trial-", dir=run.work)
    except OSError as error:
        raise InputError(
            "G208",
            f"the work directory cannot be used: {error.strerror}.",
            cure="Check what removed or filled it, or name another with --work DIR.",
            place=str(run.work),
        ) from error


@dataclass(slots=True)
class Surroundings:
    """What stands around the processes of one trial; it changes while the trial goes on."""

    stop: Stop
    accountant: Accountant | None
    look: Callable[[], float] | None = None
    """Called while a process runs; gives the seconds until it wants to be called again."""
    load: Load | None = None
    """The load at work beside it now."""
    enter: Callable[[], None] | None = None
    """What every process of it calls first, to be put onto its processors."""
    used: float | None = 0.0
    """CPU-seconds of its processes so far; None where nobody knows what some of them used."""

    def run(self, command: Command) -> Outcome:
        """Run one process of the trial; with a load, the last one is what the load is held to."""
        if self.load is not None:
            self.load.begin()
        outcome = self._run_accounted(command)
        if self.load is not None:
            self.load.end()
        own = outcome.usage
        if own is None or self.used is None or outcome.orphans or self.load is not None:
            self.used = None
        else:
            self.used += own.user + own.system
        return outcome

    def _run_accounted(self, command: Command) -> Outcome:
        if self.accountant is None:
            return run_process(command, self.stop, sample=self.look, enter=self.enter)

        def execute(one: Command, sample: Callable[[], float]) -> Outcome:
            return run_process(one, self.stop, sample=self._both(sample), enter=self.enter)

        return self.accountant.run(command, execute, self.load.cpu if self.load else None)

    def _both(self, sample: Callable[[], float]) -> Callable[[], float]:
        """The account's look together with ours, each as often as the hastier of them asks."""
        look = self.look
        return sample if look is None else lambda: min(look(), sample())

    @contextmanager
    def pinned(self, context: TrialContext, usual: str = "") -> Iterator[None]:
        """Inside, processes run where the trial's `cpus` say, else where the host is tuned."""
        given = parameters_of(context.profile, context.benchmark).get("cpus")
        own = cpus_of(usual) if given is None else None
        # The host's may be isolated ones, which this process itself may not use yet.
        with pin_child(each_cpu(own) if own else given, own) as self.enter:
            yield
        self.enter = None

    @contextmanager
    def loaded(self, context: TrialContext) -> Iterator[Load | None]:
        """Inside, the background load is at work, where one belongs beside this trial."""
        with background_load(context, self.stop) as self.load:
            yield self.load
        self.load = None
