"""Empty sessions: what is planned of each benchmark, before the first trial.

A sitting while something is measured in it.

Which unfinished session may go on: the same thing, on the same machine, since the same boot.
"""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gate.clock import now
from gate.errors import InputError
from gate.measure.activation import put_back
from gate.measure.storage.setup import storage_open
from gate.model import SCHEMA, Planned, Session, Side, Source, Stage, State, plan_of
from gate.model.host import changed_facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Kernel, Profile


def new_session(
    sitting: RunContext,
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
        planned=_plans(
            profile, benchmarks, {b.name: max(least, more.get(b.name, 0)) for b in benchmarks}
        ),
        metrics=profile.metrics,
        trials=(),
        tools=sitting.tools,
        loud=profile.loud,
        pairs=profile.trials.confirm_pairs,
        planted=planted_loss(sitting, side),
        unavailable=dict(sitting.accountant.unavailable) if sitting.accountant else {},
        tuned=sitting.tuned.names if sitting.tuned else (),
        notes=(*sitting.notes, *(sitting.tuned.notes if sitting.tuned else ())),
        kernel=_kernel(sitting, side, stage),
        left_out=profile.left_out,
    )


def _kernel(sitting: RunContext, side: Side, stage: Stage) -> Kernel | None:
    """The kernel; its configuration once for each side of a check, as it is long.

    The head's is in the screen, in whose boot its pairs are taken.
    """
    if side in sitting.kernels:
        return sitting.kernels[side]
    if sitting.kernel is None or (side, stage) != (Side.HEAD, Stage.CONFIRM):
        return sitting.kernel
    return replace(sitting.kernel, config={})


def _plans(
    profile: Profile, benchmarks: tuple[Benchmark, ...], trials: Mapping[str, int]
) -> tuple[Planned, ...]:
    """What each benchmark takes; a group as many as its points, which a session of pairs lacks."""
    counts = {
        b.name: min((trials.get(name, 0) for name in b.members), default=trials[b.name])
        for b in benchmarks
    }
    return tuple(plan_of(profile, b, counts[b.name]) for b in benchmarks)


def planted_loss(sitting: RunContext, side: Side) -> float:
    """The loss that a calibration plants into a side; 0 without one."""
    plant = sitting.profile.plant
    return plant.loss if plant is not None and side is Side.HEAD else 0.0


@contextmanager
def sitting_open(sitting: RunContext) -> Iterator[None]:
    """Inside, the sitting's storage may be written; at the end no side is active any more.

    Raises:
        InputError: the device may not be written any more.
        MeasureError: its file system cannot be made, or the subject cannot be put back.
    """
    with put_back(sitting.switch), storage_open(sitting):
        yield


_STAYS = "Start a new session; this one stays as it is."


def check_resumable(
    session: Session, sitting: RunContext, side: Side, stage: Stage, path: Path
) -> None:
    """A session is one side and stage of one profile text, on one host, one boot, one subject.

    Raises:
        InputError: G221, naming what differs.
    """
    subject = sitting.sides[side].subject
    for what, theirs, ours in (
        ("side", session.side.value, side.value),
        ("stage", session.stage.value, stage.value),
        ("profile", session.profile, sitting.profile.name),
        ("profile text", session.profile_digest, sitting.profile.digest),
        ("host class", session.host.host_class, sitting.host.host_class),
        ("host", session.host.fingerprint, sitting.host.fingerprint),
        # Where each trial is a boot of its own, that one is proven with it.
        ("boot", session.boot, sitting.boot),
        ("tools", _told(session.tools), _told(sitting.tools)),
        ("planted loss", f"{session.planted:g}", f"{planted_loss(sitting, side):g}"),
        (f"content of the {side.value} side", session.subject.proof, subject.proof),
        *(
            (f"host's {fact.key}", *fact.shown)
            for fact in changed_facts(session.host.epoch, sitting.host.epoch)
        ),
    ):
        if theirs != ours:
            raise InputError(
                "G221",
                f"session {session.id} cannot be resumed: its {what} is "
                f"{theirs[:80] or 'unknown'}, now {ours or 'unknown'}.",
                cure=_STAYS,
                place=str(path),
            )
    known = {benchmark.name for benchmark in sitting.profile.benchmarks}
    planned = {plan.benchmark for plan in session.planned}
    strays = sorted((planned - known) | ({t.benchmark for t in session.trials} - planned))
    if strays or not planned:
        shown = f": {strays[0][:80]}" if strays else ", or none"
        message = f"session {session.id} cannot be resumed: it plans or holds other benchmarks"
        raise InputError("G221", f"{message}{shown}.", cure=_STAYS, place=str(path))


def _told(tools: Mapping[str, str]) -> str:
    """Versions of programs as one line."""
    return ", ".join(f"{name} {version}" for name, version in sorted(tools.items()))
