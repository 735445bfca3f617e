"""A session before its first trial; an unfinished one goes on with the same thing, host, boot."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gate.clock import now
from gate.errors import InputError
from gate.model import SCHEMA, Planned, Session, Side, Source, Stage, State, plan_of
from gate.model.host import changed_facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Kernel, Profile


def new_session(
    run: RunContext,
    side: Side,
    stage: Stage,
    benchmarks: tuple[Benchmark, ...],
    least: int = 0,
    trials: Mapping[str, int] | None = None,
) -> Session:
    """An empty session of `least` trials of each benchmark, or as many as `trials` names."""
    profile, tuned, started = run.profile, run.tuned, now()
    return Session(
        schema=SCHEMA,
        id=f"{datetime.now(UTC).strftime('%Y%m%dT%H%M%SZ')}-{secrets.token_hex(4)}",
        profile=profile.name,
        profile_digest=profile.digest,
        harness=profile.harness,
        side=side,
        stage=stage,
        subject=run.sides[side].subject,
        host=run.host,
        boot=run.boot,
        started=started,
        ended=started,
        seed=secrets.randbits(32),
        state=State.PARTIAL,
        source=Source.REPLAYED if profile.harness == "replay" else Source.MEASURED,
        sides=run.paired,
        planned=_plans(profile, benchmarks, least, trials or {}),
        metrics=profile.metrics,
        trials=(),
        tools=run.tools,
        loud=profile.loud,
        pairs=profile.trials.confirm_pairs,
        planted=_planted_loss(run, side),
        unavailable=dict(run.accountant.unavailable) if run.accountant else {},
        tuned=tuned.names if tuned else (),
        notes=(*run.notes, *(tuned.notes if tuned else ())),
        kernel=_kernel(run, side, stage),
        environment=dict(run.environment),
        left_out=profile.left_out,
    )


def _kernel(run: RunContext, side: Side, stage: Stage) -> Kernel | None:
    """The kernel; its configuration once for each side of a check, as it is long.

    The head's is in the screen, in whose boot its pairs are taken.
    """
    if side in run.kernels:
        return run.kernels[side]
    if run.kernel is None or (side, stage) != (Side.HEAD, Stage.CONFIRM):
        return run.kernel
    return replace(run.kernel, config={})


def _plans(
    profile: Profile, benchmarks: tuple[Benchmark, ...], least: int, more: Mapping[str, int]
) -> tuple[Planned, ...]:
    """What each benchmark takes; a group as many as its points, which a session of pairs lacks."""
    trials = {b.name: max(least, more.get(b.name, 0)) for b in benchmarks}
    counts = {
        b.name: min((trials.get(name, 0) for name in b.members), default=trials[b.name])
        for b in benchmarks
    }
    return tuple(plan_of(profile, b, counts[b.name]) for b in benchmarks)


def _planted_loss(run: RunContext, side: Side) -> float:
    """The loss that a calibration plants into a side; 0 without one."""
    plant = run.profile.plant
    return plant.loss if plant is not None and side is Side.HEAD else 0.0


def check_resumable(
    session: Session, run: RunContext, side: Side, stage: Stage, path: Path
) -> None:
    """A session is one side and stage of one profile text, one host, boot and subject, or G221."""
    whys = [
        f"its {what} is {theirs[:80] or 'unknown'}, now {ours or 'unknown'}"
        for what, theirs, ours in _facts_to_match(session, run, side, stage)
        if theirs != ours
    ]
    known = {benchmark.name for benchmark in run.profile.benchmarks}
    planned = {plan.benchmark for plan in session.planned}
    strays = sorted((planned - known) | ({t.benchmark for t in session.trials} - planned))
    if strays or not planned:
        shown = f": {strays[0][:80]}" if strays else ", or none"
        whys.append(f"it plans or holds other benchmarks{shown}")
    if whys:
        raise InputError(
            "G221",
            f"session {session.id} cannot be resumed: {whys[0]}.",
            cure="Start a new session; this one stays as it is.",
            place=str(path),
        )


def _facts_to_match(
    session: Session, run: RunContext, side: Side, stage: Stage
) -> Iterator[tuple[str, str, str]]:
    """What must be the same: its name, the session's, and this run's."""
    yield "side", session.side.value, side.value
    yield "stage", session.stage.value, stage.value
    yield "profile", session.profile, run.profile.name
    yield "profile text", session.profile_digest, run.profile.digest
    yield "host class", session.host.host_class, run.host.host_class
    yield "host", session.host.fingerprint, run.host.fingerprint
    # Where each trial is a boot of its own, that one is proven with it.
    yield "boot", session.boot, run.boot
    yield "tools", _tools_line(session.tools), _tools_line(run.tools)
    theirs, ours = (
        {n: h for n, h in one.items() if n in run.profile.work.inherits}
        for one in (session.environment, run.environment)
    )
    yield "environment", _tools_line(theirs), _tools_line(ours)
    yield "planted loss", f"{session.planted:g}", f"{_planted_loss(run, side):g}"
    proof = run.sides[side].subject.proof
    yield f"content of the {side.value} side", session.subject.proof, proof
    for fact in changed_facts(session.host.epoch, run.host.epoch):
        yield f"host's {fact.key}", *fact.shown


def _tools_line(tools: Mapping[str, str]) -> str:
    """Versions of programs as one line."""
    return ", ".join(f"{name} {version}" for name, version in sorted(tools.items()))
