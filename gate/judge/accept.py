"""Accepting sessions into a baseline: what is refused, what appends, what opens an epoch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.judge.acceptable import (
    all_usable,
    benchmarks_in,
    metrics_of,
    why_not,
    why_not_here,
    why_not_with,
)
from gate.judge.host_stability.controls import accepted_controls
from gate.judge.host_stability.standing import host_move
from gate.judge.verdict.comparable import other_tool
from gate.judge.verdict.suite import trials_by_benchmark, values_in
from gate.model import (
    AcceptedSession,
    Baseline,
    BaselinePoint,
    BaselineSeries,
    EpochPolicy,
    Role,
    Source,
)
from gate.model.host import describe_changed
from gate.model.kernel_config import config_digest, public_options
from gate.stats.costs import LossLimits, log_costs, usable
from gate.stats.screen import level_moved

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gate.model import KnownHost, Metric, Session

    FreshValues = Mapping[str, tuple[float, ...]]  # by session

_LONGEST_SITTING = 30 * 24 * 3600.0
"""Seconds; a session that says more was left lying half done, or its clock was set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """Who accepts, when and why."""

    by: str
    reason: str
    accepted: str
    """UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBaseline:
    """The new baseline and what changed in it, one sentence per change."""

    baseline: Baseline
    changes: tuple[str, ...]


def accept(
    baseline: Baseline | None,
    sessions: Sequence[Session],
    acceptance: Acceptance,
    *,
    host: KnownHost | None = None,
    places: Mapping[str, str] | None = None,
    standing: Baseline | None = None,
) -> NewBaseline:
    """Append sessions of one profile to its baseline.

    Sessions accepted together share a level: a series opens a new epoch when their level left that
    of its current one, and when the profile's text, the major version of a tool or an epoch fact of
    the host changed. Current is the newest epoch of `standing`, the baseline with those that are in
    force for the sessions' commit, where that is known. What a changed profile no longer measures
    is retired. `host` is what its class must be, where it is known.

    Raises:
        InputError: a session may not become a baseline, or there is no reason.
    """
    known = baseline or _empty(sessions[0], host)
    _refuse_unacceptable(sessions, known, acceptance, places or {})
    series, changes = _grown_series(sessions, known, standing or known)
    added = (_facts(session, acceptance) for session in sessions)
    everything = tuple(sorted((*known.sessions, *added), key=lambda s: (s.started, s.id)))
    age = {one.id: number for number, one in enumerate(everything)}
    kernels = (_config(session) for session in sessions)
    grown = replace(
        known,
        profile_digest=sessions[0].profile_digest,
        harness=sessions[0].harness,
        sessions=everything,
        kernel_configs=known.kernel_configs | {config_digest(one): one for one in kernels if one},
        series=tuple(
            replace(one, points=tuple(sorted(one.points, key=lambda p: (p.epoch, age[p.session]))))
            for one in sorted(series, key=lambda s: (s.benchmark, s.metric))
        ),
    )
    return NewBaseline(baseline=grown, changes=tuple(changes))


def _refuse_unacceptable(
    sessions: Sequence[Session], known: Baseline, acceptance: Acceptance, places: Mapping[str, str]
) -> None:
    if not acceptance.reason.strip():
        raise InputError("G220", "no reason was given.", cure='Say why with --reason "...".')
    for i, session in enumerate(sessions):
        reason = why_not(session) or why_not_here(session, known)
        reason = reason or why_not_with(session, sessions[0], sessions[:i])
        if reason is not None:
            message = f"session {session.id} is not accepted: {reason}."
            raise InputError("G220", message, place=places.get(session.id, ""))


def _grown_series(
    sessions: Sequence[Session], known: Baseline, standing: Baseline
) -> tuple[list[BaselineSeries], list[str]]:
    """Every series with what the sessions measured of it, and a sentence on each change."""
    first = sessions[0]
    changed = known.profile_digest != first.profile_digest
    new_tool = bool(known.sessions) and other_tool(known.sessions[-1].tools, first.tools)
    move = host_move(known, first.host.epoch)
    cause = f" ({describe_changed(move.facts)})" if move else ""
    new_epoch = changed or bool(new_tool) or move is not None
    old = {(s.benchmark, s.metric): s for s in known.series}
    current = {(s.benchmark, s.metric): s.current for s in standing.series}
    series, changes, left_out = [], [], []
    for benchmark, metric, fresh in _measured(sessions):
        if not fresh:
            left_out.append(f"left out: {benchmark} {metric.name}, which some trial lacks")
            continue
        before = old.pop((benchmark, metric.name), None)
        own = () if new_epoch else current.get((benchmark, metric.name), ())
        grown, change = _grow(before, benchmark, metric, fresh, own)
        series.append(grown)
        changes.append(change + cause if before else change)
    lacking = [key for key in sorted(old) if key[0] not in benchmarks_in(first.planned)]
    if lacking and not changed:
        names = ", ".join(f"{benchmark} {metric}" for benchmark, metric in lacking)
        raise InputError("G220", f"the session lacks {names}, which the baseline holds.")
    changes += [f"retired: {benchmark} {metric}" for benchmark, metric in sorted(old)]
    return series, changes + left_out


def _measured(sessions: Sequence[Session]) -> Iterator[tuple[str, Metric, FreshValues]]:
    """Every series with its values; watched ones, which close nothing, only where none lacks."""
    by_session = {session.id: trials_by_benchmark(session) for session in sessions}
    for plan in sessions[0].planned:
        for metric in metrics_of(sessions[0], plan):
            fresh = {
                name: values_in(trials.get(plan.benchmark, ()), metric.name)
                for name, trials in by_session.items()
            }
            whole = all(
                all_usable(fresh[session.id], own.trials)
                for session in sessions
                for own in session.planned
                if own.benchmark == plan.benchmark
            )
            yield plan.benchmark, metric, fresh if whole or metric.role is Role.GATE else {}


def _grow(
    before: BaselineSeries | None,
    benchmark: str,
    metric: Metric,
    fresh: FreshValues,
    current: Sequence[BaselinePoint],
) -> tuple[BaselineSeries, str]:
    """The series with fresh sessions: of the current epoch, or of a new one where that is left."""
    series = BaselineSeries(
        benchmark=benchmark,
        metric=metric.name,
        unit=metric.unit,
        better=metric.better,
        made=metric.made,
        points=before.points if before else (),
    )
    epoch, change = 1, "new"
    if before is not None:
        leaves = series != before or not current or _left(current, metric, fresh.values())
        newest = max(point.epoch for point in before.points)
        epoch = newest + 1 if leaves else current[0].epoch
        change = "new epoch" if leaves else "appended"
    added = (
        BaselinePoint(session=name, epoch=epoch, values=values) for name, values in fresh.items()
    )
    return replace(series, points=(*series.points, *added)), f"{change}: {benchmark} {metric.name}"


def _left(
    current: Sequence[BaselinePoint], metric: Metric, fresh: Iterable[tuple[float, ...]]
) -> bool:
    limits = LossLimits(tolerance=metric.tolerance, negligible=metric.tau)
    if not all(usable(point.values) for point in current):
        return True
    accepted = [log_costs(point.values, metric.better) for point in current]
    together = [value for values in fresh for value in log_costs(values, metric.better)]
    return level_moved(together, accepted, limits)


def _empty(session: Session, host: KnownHost | None) -> Baseline:
    return Baseline(
        profile=session.profile,
        profile_digest=session.profile_digest,
        harness=session.harness,
        host_class=session.host.host_class,
        stable=dict(session.host.stable if host is None else host.stable),
        policy=EpochPolicy.REFUSE if host is None else host.policy,
        sessions=(),
        series=(),
    )


def _facts(session: Session, acceptance: Acceptance) -> AcceptedSession:
    return AcceptedSession(
        id=session.id,
        profile_digest=session.profile_digest,
        started=session.started,
        boot=session.boot,
        commit=session.subject.commit,
        subject=session.subject.description,
        tools=session.tools,
        epoch_facts=session.host.epoch,
        fingerprint=session.host.fingerprint,
        accepted=acceptance.accepted,
        by=acceptance.by,
        reason=acceptance.reason.strip(),
        controls=accepted_controls(session),
        duration=seconds_of(session),
        kernel_build=session.kernel.build_id if session.kernel else "",
        kernel_config=config_digest(_config(session)),
        environment=session.environment,
        dirty=session.subject.dirty,
    )


def _config(session: Session) -> dict[str, str]:
    """The options that may be published; the session may be a stranger's, or an older gate's."""
    return public_options(session.kernel.config) if session.kernel else {}


def seconds_of(session: Session) -> float:
    """How long the sitting took, to a tenth of a second; 0 where its times do not tell.

    Replaying or importing values takes a time of its own, which is that of no sitting.
    """
    if session.source is not Source.MEASURED:
        return 0.0
    try:
        started, ended = map(datetime.fromisoformat, (session.started, session.ended))
        seconds = round((ended - started).total_seconds(), 1)
    except (TypeError, ValueError):  # no times, or one with and one without a zone
        return 0.0
    return seconds if 0 < seconds <= _LONGEST_SITTING else 0.0
