"""Empty sessions: what is planned of each benchmark, before the first trial."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gate.measure.sitting import now
from gate.model import SCHEMA, Planned, Session, Side, Source, Stage, State, plan_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.measure.sitting import Sitting
    from gate.model import Benchmark, Kernel, Profile


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


def _kernel(sitting: Sitting, side: Side, stage: Stage) -> Kernel | None:
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


def planted_loss(sitting: Sitting, side: Side) -> float:
    """The loss that a calibration plants into a side; 0 without one."""
    plant = sitting.profile.plant
    return plant.loss if plant is not None and side is Side.HEAD else 0.0
