"""One trial: run on a side, with all that stands around its processes, and recorded."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from gate.clock import now
from gate.errors import TrialFailed, TrialTimeout
from gate.harness.base import Reading
from gate.harness.process import demand_needs
from gate.measure.activation import activate_side
from gate.measure.file_trace import trace_files
from gate.measure.patch_coverage import measure_patch_coverage
from gate.measure.process.background import prepare_background
from gate.measure.run_context import Surroundings, trial_context
from gate.measure.trial_retry import trials_that_count, with_reasons
from gate.model import Stage, Trial, TrialStatus

if TYPE_CHECKING:
    from gate.harness.base import TrialContext
    from gate.measure.recorder import SessionRecorder
    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Session


def take_trial(
    run: RunContext,
    recorder: SessionRecorder,
    benchmark: Benchmark,
    *,
    pair: int | None = None,
    slot: int | None = None,
    look: bool = True,
) -> Trial:
    """Run one trial and record it, failed or not; nothing is recorded of an abandoned one.

    `look` also sees, once, what the benchmark touches of a change.
    """
    session = recorder.session
    own = [one for one in session.trials if one.benchmark == benchmark.name]
    trial = make_trial(run, session, benchmark, len(trials_that_count(own)))
    trial = replace(trial, pair=pair, slot=slot)
    try:
        look = look and trial.status is TrialStatus.OK
        first = look and not any(one.touch for one in own)
        if first and run.changes is not None:
            touch = measure_patch_coverage(run.changes, run, session.side, benchmark)
            trial = replace(trial, touch=touch)
        traced = session.stage is not Stage.SCREEN or any(one.reads for one in own)
        if look and run.trees is not None and not traced:
            trial = replace(trial, reads=trace_files(run, benchmark))
    finally:  # what was measured is kept, whatever ends the look at it
        recorder.add(trial)
    return trial


def make_trial(run: RunContext, session: Session, benchmark: Benchmark, index: int) -> Trial:
    """Run one trial for a session; `index` counts those of the benchmark that came before."""
    run.stop.check()
    started, clock = now(), time.monotonic()
    looks = (one.look for one in (run.storage, run.countdown) if one is not None)
    around = Surroundings(run.stop, run.accountant, tuple(filter(None, looks)))
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
        note=note[:1000],
        cpu=reading.bill,
        latencies=reading.latencies,
        functions=dict(reading.functions),
        touch=reading.coverage,
    )
    return with_reasons(trial, reasons, run.borne)


def _measure(
    run: RunContext, session: Session, benchmark: Benchmark, index: int, around: Surroundings
) -> tuple[TrialStatus, str, Reading]:
    """How a trial ended, its note, and what it gave: nothing where it failed."""
    with trial_context(run, session.side, benchmark, index, around) as context:
        try:
            demand_needs(run.profile.needs, run.tools, context.environment)
            reading = _with_cpu_cost(run, session, _read(run, context, around))
        except (TrialFailed, OSError) as failure:
            timeout = isinstance(failure, TrialTimeout)
            note = f"cannot be run: {failure}" if isinstance(failure, OSError) else str(failure)
            return TrialStatus.TIMEOUT if timeout else TrialStatus.FAILED, note, Reading(values=())
    return TrialStatus.OK, "; ".join(filter(None, reading.notes)), reading


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
