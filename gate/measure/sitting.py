"""A sitting: one profile on this host, ready to be measured, and the recording of its trials."""

from __future__ import annotations

import os
import secrets
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.harness.base import Command, TrialContext, TrialFailed, TrialTimeout
from gate.measure.process import run
from gate.model import (
    SCHEMA,
    Planned,
    Session,
    Side,
    Source,
    Stage,
    State,
    Trial,
    TrialStatus,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gate.harness.base import Harness, Outcome
    from gate.measure.recorder import Recorder
    from gate.measure.stop import Stop
    from gate.model import Benchmark, Host, Profile, Value
    from gate.subject.command import ActiveSide


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
class Sitting:
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
    prepared: set[tuple[str, Side]] = field(default_factory=set)
    """Benchmarks and sides whose files are laid out in this process."""


def now() -> str:
    """UTC, ISO 8601, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_session(
    sitting: Sitting,
    side: Side,
    stage: Stage,
    benchmarks: tuple[Benchmark, ...],
    trials: Mapping[str, int] | None = None,
) -> Session:
    """An empty session of this sitting.

    `trials` are the screen's trials of benchmarks that take more than the profile asks for.
    """
    profile, started = sitting.profile, now()
    least = profile.trials.screen if stage is Stage.SCREEN else 0
    more = trials or {}
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return Session(
        schema=SCHEMA,
        id=f"{stamp}-{secrets.token_hex(4)}",
        profile=profile.name,
        profile_digest=profile.digest,
        harness=profile.harness,
        side=side,
        stage=stage,
        subject=sitting.sides[side].subject,
        host=sitting.host,
        boot=sitting.boot,
        started=started,
        ended=started,
        seed=secrets.randbits(32),
        state=State.PARTIAL,
        source=Source.REPLAYED if profile.harness == "replay" else Source.MEASURED,
        sides=sitting.paired,
        planned=tuple(
            Planned(benchmark=b.name, trials=max(least, more.get(b.name, 0)), control=b.control)
            for b in benchmarks
        ),
        metrics=profile.metrics,
        trials=(),
        tools=sitting.tools,
        loud=profile.loud,
        pairs=profile.trials.confirm_pairs,
        planted=planted_loss(sitting, side),
    )


def planted_loss(sitting: Sitting, side: Side) -> float:
    """The loss that a calibration plants into a side; 0 without one."""
    plant = sitting.profile.plant
    return plant.loss if plant is not None and side is Side.HEAD else 0.0


def take_trial(
    sitting: Sitting,
    recorder: Recorder,
    benchmark: Benchmark,
    *,
    pair: int | None,
    slot: int | None,
) -> Trial:
    """Run one trial and record it, failed or not.

    Raises:
        StopRequested: a signal came; nothing is recorded of the abandoned trial.
    """
    session = recorder.session
    sitting.stop.check()
    started, clock = now(), time.monotonic()
    status, note = TrialStatus.OK, ""
    values: tuple[Value, ...] = ()
    index = sum(t.benchmark == benchmark.name for t in session.trials)
    with _scratch(sitting) as scratch:
        context = _context(sitting, session.side, benchmark, Path(scratch), index)
        try:
            _prepare(sitting, context)
            reading = sitting.harness.trial(context)
            values, note = reading.values, "; ".join(reading.notes)
        except TrialTimeout as failure:
            status, note = TrialStatus.TIMEOUT, str(failure)
        except TrialFailed as failure:
            status, note = TrialStatus.FAILED, str(failure)
        except OSError as failure:
            status, note = TrialStatus.FAILED, f"cannot be run: {failure}"
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
    )
    recorder.add(trial)
    return trial


def _context(
    sitting: Sitting, side: Side, benchmark: Benchmark, scratch: Path, index: int
) -> TrialContext:
    active = sitting.sides[side]

    def runner(command: Command) -> Outcome:
        return run(command, sitting.stop)

    return TrialContext(
        profile=sitting.profile,
        benchmark=benchmark,
        side=side,
        side_directory=active.directory,
        environment=child_environment(active) | {"GATE_TRIAL": str(index)},
        work=sitting.work,
        scratch=scratch,
        index=index,
        run=runner,
    )


def child_environment(active: ActiveSide | None = None) -> dict[str, str]:
    """What a harness sees: ours, in the C locale, with the side's own variables on top."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("GATE_")}
    return inherited | {"LC_ALL": "C.UTF-8"} | (dict(active.environment) if active else {})


def _scratch(sitting: Sitting) -> tempfile.TemporaryDirectory[str]:
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


def told(sitting: Sitting, side: Side, trial: Trial, done: int, total: int | None) -> None:
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


def _prepare(sitting: Sitting, context: TrialContext) -> None:
    key = (context.benchmark.name, context.side)
    if key not in sitting.prepared:
        sitting.harness.prepare(context)
        sitting.prepared.add(key)


def preflight(sitting: Sitting) -> None:
    """Refuse what must not or cannot run, before anything is measured.

    Raises:
        InputError: a benchmark is unsafe or impossible.
    """
    with _scratch(sitting) as scratch:
        for side in sitting.sides:
            for benchmark in sitting.profile.benchmarks:
                sitting.harness.check(_context(sitting, side, benchmark, Path(scratch), 0))


@contextmanager
def trial_context(sitting: Sitting, side: Side, benchmark: Benchmark) -> Iterator[TrialContext]:
    """A context of trials that no session holds: those that size a plant.

    Raises:
        InputError: the work directory cannot be used.
    """
    with _scratch(sitting) as scratch:
        yield _context(sitting, side, benchmark, Path(scratch), 0)
