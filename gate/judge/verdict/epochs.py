"""What earlier epochs still tell after a change was accepted.

Accepting a change moves the level, hardly ever the noise. So while an epoch is young the scale
between sessions is that of an epoch before it (same profile text), and the level its own: one
accepted session of an intentional change is enough to judge by.

A pull request that accepts a loss still has the old level on its base side. There the pairs are
judged against the accepted level: base and head may differ by what was accepted, and no more.
"""

from __future__ import annotations

import math
from itertools import groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.model import Accepted, Level
from gate.model.host import changed_facts, describe_changed
from gate.stats.costs import LEAST_SESSIONS, log_costs, ratio, usable
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gate.judge.verdict.series import Series
    from gate.judge.verdict.suite import Case, Values
    from gate.model import BaselinePoint, Better, Finding
    from gate.model.host import Moved


class ReferenceSessions(NamedTuple):
    """Accepted sessions as log costs, about the current epoch's level."""

    sessions: tuple[tuple[float, ...], ...]
    """Sessions of one epoch, oldest first; their spread is the noise."""
    level: int
    """How many sessions set the level."""


class LevelShift(NamedTuple):
    """The levels before and after the newest acceptance, as log costs."""

    before: float
    after: float
    known: bool = False
    """Whether git says that the base side is from before it, wherever it stands."""


def reference(series: Series) -> ReferenceSessions:
    """The sessions that a screen of this series may use: those of the current epoch.

    While it is young, those of the newest epoch before it that has enough of them, moved to the
    current level. A young epoch adds nothing to the noise: one session does not differ from itself.
    """
    current = series.session_costs
    young = 0 < len(current) < LEAST_SESSIONS
    older = [one for one in _earlier_epochs(series) if len(one) >= LEAST_SESSIONS] if young else []
    if not older:
        return ReferenceSessions(current, len(current))
    shift = _level(current) - _level(older[-1])
    moved = tuple(tuple(cost + shift for cost in session) for session in older[-1])
    return ReferenceSessions(moved, len(current))


_UNSURE = (
    "git was not asked, or does not know, whether the base has the code of that level: it counts "
    "all the same"
)


def accepted_change(series: Series) -> LevelShift | None:
    """The acceptance that opened the current epoch, where the base side may be from before it.

    Git says whether it is. Where git was not asked, that is while the epoch is young: of fewer
    sessions than a screen needs; by then the base side has it too. None also where a fact of the
    host opened it: the base side is measured on the host as it is now, so what the host lost is on
    both sides, and nothing may be taken off the head's.
    """
    if _opened_by(series):
        return None
    place = _place(series)
    if place == "change" and (step := _step(series)):
        return step._replace(known=True)
    return None if place == "base" else _young(series)


def _place(series: Series) -> str:
    """Whose code contains the current epoch's: `base`, `change`, or empty where nobody can say."""
    known = series.case.baseline
    if series.accepted is None or known is None or known.lineage is None:
        return ""
    ids = {point.session for point in series.accepted.current}
    sets = (("base", known.lineage.base), ("change", known.lineage.change))
    return next((name for name, some in sets if ids & some), "")


def largest_gain(series: Series) -> float:
    """The largest step to a better level that was ever accepted of it, in logs; 0 without one."""
    levels = [_level(epoch) for epoch in _earlier_epochs(series)]
    current = [_level(series.session_costs)] if series.session_costs else []
    return max((old - new for old, new in pairwise((*levels, *current))), default=0.0)


def _young(series: Series) -> LevelShift | None:
    """The step into the current epoch, whatever it is of, while it has few sessions."""
    return _step(series) if len(series.sessions) < LEAST_SESSIONS else None


def _step(series: Series) -> LevelShift | None:
    earlier = _earlier_epochs(series)
    if not earlier or not series.sessions:
        return None
    return LevelShift(before=_level(earlier[-1]), after=_level(series.session_costs))


def _opened_by(series: Series) -> tuple[Moved, ...]:
    """The facts of the host that moved between the epoch before and the current one."""
    if series.accepted is None or series.case.baseline is None:
        return ()
    facts = {one.id: one.epoch_facts for one in series.case.baseline.sessions}
    first, before = series.accepted.current[0], _points_before(series)
    if not before:
        return ()
    return changed_facts(facts.get(before[-1].session, {}), facts.get(first.session, {}))


def fresh_acceptance(series: Series) -> tuple[str, ...]:
    """A warning while the newest epoch is young: what was accepted, by whom and why."""
    change, accepted = _young(series), series.accepted
    if change is None or accepted is None or series.case.baseline is None:
        return ()
    anchor = accepted.current[0].session
    by = next(one for one in series.case.baseline.sessions if one.id == anchor)
    step = percent(ratio(change.after - change.before))
    host = _opened_by(series)
    with_host = f" with the host ({describe_changed(host)})" if host else ""
    said = f"{step} was accepted{with_host} on {by.accepted[:10]} by {by.by}: {by.reason}"
    unsure = change.after > change.before and not _place(series)
    return (said, _UNSURE) if unsure else (said,)


def block_costs(
    blocks: Sequence[Values], better: Better, change: LevelShift | None
) -> tuple[tuple[Values, ...], float]:
    """Log costs of each block, the accepted part taken off the head's, and how much that was.

    The accepted part counts where the base side, measured now, stands nearer to the level before
    the acceptance, or git says that it is from there. Taking a new base for an old one can then
    hide at most the accepted loss, and only while `accepted_change` tells of it; it can never turn
    an unchanged pair into a loss.
    """
    costs = [(log_costs(base, better), log_costs(head, better)) for base, head in blocks]
    base_costs = [cost for base, _ in costs for cost in base]
    allowed = allowed_step(median(base_costs), change) if costs else 0.0
    return tuple((base, tuple(cost - allowed for cost in head)) for base, head in costs), allowed


def allowed_step(base_now: float, change: LevelShift | None) -> float:
    """The accepted loss, where a base side at this log cost is still from before it; else 0.

    A base that is known to be, and stands nearer to the level after it, lost by itself meanwhile:
    then only what is left up to the accepted level.
    """
    if change is None:
        return 0.0
    if abs(base_now - change.before) < abs(base_now - change.after):
        return max(change.after - change.before, 0.0)
    return max(change.after - base_now, 0.0) if change.known else 0.0


def _earlier_epochs(series: Series) -> tuple[tuple[tuple[float, ...], ...], ...]:
    """Log costs of the epochs before the current one, oldest first, same profile text only."""
    if series.accepted is None or series.case.baseline is None:
        return ()
    texts = {one.id: one.profile_digest for one in series.case.baseline.sessions}
    now = series.case.baseline.profile_digest
    epochs = (
        tuple(
            log_costs(point.values, series.metric.better)
            for point in points
            if texts.get(point.session) == now and usable(point.values)
        )
        for _, points in groupby(_points_before(series), key=lambda point: point.epoch)
    )
    return tuple(epoch for epoch in epochs if epoch)


def _level(epoch: Sequence[Sequence[float]]) -> float:
    return median([median(session) for session in epoch])


_LONGEST = 1000
"""Characters of who accepted a session and why that a report repeats."""


def epoch_of(series: Series) -> int:
    """Number of the current epoch of a series; 0 where nothing of it was accepted."""
    points = series.accepted.points if series.accepted else ()
    return max((point.epoch for point in points), default=0)


def earlier(series: Series) -> tuple[Level, ...]:
    """What sessions of earlier epochs measured, oldest first: shown, and never judged by."""
    return tuple(
        Level(session=point.session, epoch=point.epoch, value=median(finite))
        for point in _points_before(series)
        if (finite := [value for value in point.values if math.isfinite(value)])
    )


def _points_before(series: Series) -> list[BaselinePoint]:
    """What was accepted in earlier epochs, oldest epoch first."""
    points, now = series.accepted.points if series.accepted else (), epoch_of(series)
    return sorted((p for p in points if p.epoch < now), key=lambda point: point.epoch)


def accepted_sessions(cases: Iterable[Case], findings: Iterable[Finding]) -> tuple[Accepted, ...]:
    """The accepted sessions that the findings' histories name, by profile, oldest first."""
    named: dict[str, set[str]] = {}
    for found in findings:
        names = named.setdefault(found.profile, set())
        names.update(found.evidence.baseline_sessions)
        names.update(level.session for level in found.evidence.earlier)
    return tuple(
        one
        for case in sorted(cases, key=lambda case: case.profile)
        for one in _of_case(case, named.get(case.profile, set()))
    )


def _of_case(case: Case, named: set[str]) -> Iterator[Accepted]:
    sessions = case.baseline.sessions if case.baseline else ()
    for before, one in zip((None, *sessions), sessions, strict=False):
        if one.id in named:
            moved = changed_facts(before.epoch_facts, one.epoch_facts) if before else ()
            yield Accepted(
                profile=case.profile,
                session=one.id,
                started=one.started,
                commit=one.commit,
                accepted=one.accepted,
                by=one.by[:_LONGEST],
                reason=one.reason[:_LONGEST],
                moved=tuple(map(str, moved)),
            )
