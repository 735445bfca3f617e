"""What was accepted before: the levels of earlier epochs, and the sessions that findings name."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from gate.model import Accepted, Level
from gate.model.moved import moved

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.judge.series import Series
    from gate.judge.suite import Case
    from gate.model import AcceptedSession, Finding

_LONGEST = 1000
"""Characters of who accepted a session and why that a report repeats."""


def epoch_of(series: Series) -> int:
    """Number of the current epoch of a series; 0 where nothing of it was accepted."""
    points = series.accepted.points if series.accepted else ()
    return max((point.epoch for point in points), default=0)


def earlier(series: Series) -> tuple[Level, ...]:
    """What the accepted sessions of earlier epochs measured, oldest first.

    Whatever the profile's text was then: this is shown, and nothing is judged by it.
    """
    now = epoch_of(series)
    points = series.accepted.points if series.accepted else ()
    before = sorted((p for p in points if p.epoch < now), key=lambda point: point.epoch)
    return tuple(
        Level(session=point.session, epoch=point.epoch, value=median(finite))
        for point in before
        if (finite := [value for value in point.values if math.isfinite(value)])
    )


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
    before: AcceptedSession | None = None
    for one in case.baseline.sessions if case.baseline else ():
        if one.id in named:
            yield Accepted(
                profile=case.profile,
                session=one.id,
                started=one.started,
                commit=one.commit,
                accepted=one.accepted,
                by=one.by[:_LONGEST],
                reason=one.reason[:_LONGEST],
                moved=_moved(before, one),
            )
        before = one


def _moved(before: AcceptedSession | None, one: AcceptedSession) -> tuple[str, ...]:
    """Facts of the host that this session found otherwise than the one accepted before it."""
    return tuple(map(str, moved(before.epoch_facts, one.epoch_facts))) if before else ()
