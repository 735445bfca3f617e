"""A sitting: one profile on this host, ready to be measured, and the recording of its trials."""

from __future__ import annotations

import tempfile
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.clock import now
from gate.errors import InputError, TrialFailed, TrialTimeout
from gate.harness.base import Command, Reading, TrialContext
from gate.harness.expand import own_environment
from gate.harness.needs import demand_needs
from gate.measure.activation import activate_side
from gate.measure.load.background import check_background, prepare_background
from gate.measure.process.environment import child_environment
from gate.measure.trial_environment import Surroundings
from gate.measure.trial_retry import trials_that_count, with_reasons
from gate.model import Session, Side, Trial, TrialStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gate.harness.base import Harness, Outcome
    from gate.host.disturbance.watch import Watch
    from gate.host.tuning.tuning import TuningResult
    from gate.measure.cpu.account import Accountant
    from gate.measure.process.stop import Stop
    from gate.measure.recorder import SessionRecorder
    from gate.measure.storage.state import StorageState
    from gate.model import Benchmark, CpuBill, Host, Kernel, Profile, Touch, Value
    from gate.subject.command import ActiveSide
    from gate.subject.switch import Switch


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One finished trial, for whoever shows progress."""

    profile: str
    done: int
    total: int | None
    """Absent where the number of trials depends on what they show."""
    side: str
    trial: Trial
    units: dict[str, str]
    """Unit of each metric that the profile names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """Everything the trials of one profile depend on."""

    profile: Profile
    harness: Harness
    sides: Mapping[Side, ActiveSide]
    host: Host
    boot: str
    tools: dict[str, str]
    work: Path
    """Absolute; nothing outside it is written by a harness."""
    stop: Stop
    tell: Callable[[Progress], None]
    paired: bool
    """Whether both sides can be activated."""
    restarts: bool = False
    """Whether each trial is a boot of this machine, so that none shares a process with another."""
    accountant: Accountant | None = None
    """Keeps the CPU account; absent where the profile asks for no CPU cost."""
    touch: Callable[[RunContext, Session, Benchmark], Touch | None] | None = None
    """Tells once what of a change a side's trials call; absent where nothing is compared."""
    storage: StorageState | None = None
    """What keeps the storage in its state; absent where the profile asks for none."""
    switch: Switch | None = None
    """What activates a side; absent where there is nothing to activate."""
    watch: Watch | None = None
    """Tells what disturbed a trial; absent where nothing is measured."""
    tuned: TuningResult | None = None
    """What of the host is tuned meanwhile."""
    notes: tuple[str, ...] = ()
    """What of the host is not as it should be, told in every session of this sitting."""
    kernel: Kernel | None = None
    """Absent where nothing is measured, or the kernel does not tell its release."""
    kernels: Mapping[Side, Kernel] = field(default_factory=dict)
    """Of sides that are kernels which are booted for their trials."""
    reread: Callable[[], Host] | None = None
    """Reads the host's facts again; absent where nothing is measured."""
    prepared: set[tuple[str, Side]] = field(default_factory=set)
    """Benchmarks and sides whose files are laid out in this process."""


def take_trial(
    sitting: RunContext,
    recorder: SessionRecorder,
    benchmark: Benchmark,
    *,
    pair: int | None,
    slot: int | None,
) -> Trial:
    """Run one trial and record it, failed or not.

    Raises:
        StopRequested: a signal came; nothing is recorded of the abandoned trial.
    """
    index = sum(
        one.benchmark == benchmark.name for one in trials_that_count(recorder.session.trials)
    )
    trial = make_trial(sitting, recorder.session, benchmark, index, pair=pair, slot=slot)
    try:
        if sitting.touch is not None and trial.status is TrialStatus.OK:
            trial = replace(trial, touch=sitting.touch(sitting, recorder.session, benchmark))
    finally:  # what was measured is kept, whatever ends the look at it
        recorder.add(trial)
    return trial


def make_trial(
    sitting: RunContext,
    session: Session,
    benchmark: Benchmark,
    index: int,
    *,
    pair: int | None = None,
    slot: int | None = None,
) -> Trial:
    """Run one trial for a session, of which `index` came before, failed or not, or set aside.

    Raises:
        StopRequested: a signal came.
    """
    sitting.stop.check()
    started, clock = now(), time.monotonic()
    status, note = TrialStatus.OK, ""
    values: tuple[Value, ...] = ()
    bill: CpuBill | None = None
    reading = Reading(values=())
    look = sitting.storage.look if sitting.storage is not None else None
    around = Surroundings(sitting.stop, sitting.accountant, look)
    with _scratch(sitting) as scratch:
        context = _context(sitting, session.side, benchmark, Path(scratch), index, around.run)
        try:
            demand_needs(sitting.profile.needs, sitting.tools, context.environment)
            with (
                activate_side(sitting.switch, sitting.sides[session.side]) as proof,
                around.pinned(context, sitting.tuned.cpus if sitting.tuned else ""),
            ):
                _prepare(sitting, context)
                around.used = 0.0
                if sitting.watch is not None:
                    sitting.watch.begin()
                with around.loaded(context) as load:
                    reading = sitting.harness.trial(context)
                    rate, told_of_it = load.finish() if load else ((), ())
            bill = reading.bill
            given, notes = (*reading.values, *rate), (proof, *reading.notes, *told_of_it)
            if sitting.accountant is not None:
                # Each kernel has a rest of its own.
                known = None if sitting.restarts else session.idle
                idle = known or sitting.accountant.reference(sitting.stop)
                bill, cost, lacking = sitting.accountant.account(reading, idle)
                given, notes = (*given, *cost), (*notes, *lacking)
            values, note = given, "; ".join(filter(None, notes))
        except TrialTimeout as failure:
            status, note = TrialStatus.TIMEOUT, str(failure)
        except TrialFailed as failure:
            status, note = TrialStatus.FAILED, str(failure)
        except OSError as failure:
            status, note = TrialStatus.FAILED, f"cannot be run: {failure}"
    reasons = sitting.watch.end(around.used) if sitting.watch is not None else ()
    trial = Trial(
        benchmark=benchmark.name,
        sequence=len(session.trials),
        stage=session.stage,
        status=status,
        started=started,
        duration=time.monotonic() - clock,
        values=values,
        pair=pair,
        slot=slot,
        note=note[:1000],
        cpu=bill,
        latencies=reading.latencies if status is TrialStatus.OK else (),
        functions=dict(reading.functions) if status is TrialStatus.OK else {},
        touch=reading.touch if status is TrialStatus.OK else None,
    )
    return with_reasons(trial, reasons)


def _context(
    sitting: RunContext,
    side: Side,
    benchmark: Benchmark,
    scratch: Path,
    index: int,
    runner: Callable[[Command], Outcome] | None = None,
) -> TrialContext:
    """The context of a trial; without a runner its processes are neither loaded nor pinned."""
    active = sitting.sides[side]
    context = TrialContext(
        profile=sitting.profile,
        benchmark=benchmark,
        side=side,
        side_directory=active.directory,
        environment={},
        work=sitting.storage.work if sitting.storage else sitting.work,
        scratch=scratch,
        index=index,
        device=sitting.storage.device if sitting.storage else "",
        run=runner or Surroundings(sitting.stop, sitting.accountant).run,
    )
    # Commands run in the project root: these tell them which trial it is and where they may write.
    told_to_all = {"GATE_TRIAL": str(index), "GATE_WORK": str(context.work)}
    if context.device:
        told_to_all["GATE_DEVICE"] = context.device
    if sitting.profile.subject.device:
        told_to_all["GATE_DEVICE"] = sitting.profile.subject.device
    complete = child_environment(active, own_environment(context)) | told_to_all
    return replace(context, environment=complete)


def _scratch(sitting: RunContext) -> tempfile.TemporaryDirectory[str]:
    """An empty directory for one trial.

    Raises:
        InputError: G208, the work directory is full or was taken away.
    """
    try:
        return tempfile.TemporaryDirectory(prefix="trial-", dir=sitting.work)
    except OSError as error:
        raise InputError(
            "G208",
            f"the work directory cannot be used: {error.strerror}.",
            cure="Check what removed or filled it, or name another with --work DIR.",
            place=str(sitting.work),
        ) from error


def report_progress(
    sitting: RunContext, side: Side, trial: Trial, done: int, total: int | None
) -> None:
    """Tell whoever listens that a trial has ended."""
    sitting.tell(
        Progress(
            profile=sitting.profile.name,
            done=done,
            total=total,
            side=side.value,
            trial=trial,
            units={metric.name: metric.unit for metric in sitting.profile.metrics},
        )
    )


def _prepare(sitting: RunContext, context: TrialContext) -> None:
    storage = sitting.storage
    if storage is not None and storage.before(context):
        sitting.prepared.clear()
    key = (context.benchmark.name, context.side)
    if key not in sitting.prepared:
        # A guest's kernel is laid out beside the device that the guest is to write to.
        guest = sitting.profile.subject.machine is not None
        with storage.budget.elsewhere() if storage and guest else nullcontext():
            sitting.harness.prepare(context)
        prepare_background(context)
        sitting.prepared.add(key)
    if storage is not None:
        storage.laid_out(context)


def preflight(sitting: RunContext) -> None:
    """Refuse what must not or cannot run, before anything is measured.

    Raises:
        InputError: a benchmark is unsafe or impossible.
    """
    with _scratch(sitting) as scratch:
        for side in sitting.sides:
            for benchmark in sitting.profile.benchmarks:
                if benchmark.group:
                    continue  # its points are checked, and it runs nothing itself
                context = _context(sitting, side, benchmark, Path(scratch), 0)
                sitting.harness.check(context)
                check_background(context)


@contextmanager
def trial_context(sitting: RunContext, side: Side, benchmark: Benchmark) -> Iterator[TrialContext]:
    """A context of trials that no session holds: those that size a plant.

    Raises:
        InputError: the work directory cannot be used.
    """
    with _scratch(sitting) as scratch:
        yield _context(sitting, side, benchmark, Path(scratch), 0)
