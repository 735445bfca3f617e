"""What earlier epochs still tell after a change was accepted.

Accepting a change moves the level, hardly ever the noise. So the scale between sessions is taken
from all epochs of the same profile text, each about its own centre, while the level is that of the
current epoch alone: one accepted session of an intentional change is enough to judge by.

A pull request that accepts a loss still has the old level on its base side. There the pairs are
judged against the accepted level: base and head may differ by what was accepted, and no more.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.stats.costs import LEAST_SESSIONS, log_costs, ratio, usable
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.series import Series

_MOST_SESSIONS = 20


class Reference(NamedTuple):
    """Accepted sessions as log costs, moved to the current epoch's level."""

    sessions: tuple[tuple[float, ...], ...]
    """Oldest first, the current epoch's last."""
    level: int
    """How many of them, the last ones, set the level."""


class Accepted(NamedTuple):
    """The levels before and after the newest acceptance, as log costs."""

    before: float
    after: float


def reference(series: Series) -> Reference:
    """The sessions that a screen of this series may use."""
    current = series.session_costs
    if not current:
        return Reference((), 0)
    level = _level(current)
    moved = tuple(
        tuple(cost - _level(epoch) + level for cost in session)
        for epoch in earlier_epochs(series)
        for session in epoch
    )
    older = moved[-max(_MOST_SESSIONS - len(current), 0) :] if len(current) < _MOST_SESSIONS else ()
    return Reference((*older, *current), len(current))


def accepted_change(series: Series) -> Accepted | None:
    """The newest acceptance that opened an epoch of the same profile text; None if none did."""
    earlier = earlier_epochs(series)
    if not earlier or not series.session_costs:
        return None
    return Accepted(before=_level(earlier[-1]), after=_level(series.session_costs))


def fresh_acceptance(series: Series) -> tuple[str, ...]:
    """A warning while the newest epoch is young: what was accepted, by whom and why."""
    change, accepted = accepted_change(series), series.accepted
    if change is None or accepted is None or series.case.baseline is None:
        return ()
    if len(series.sessions) >= LEAST_SESSIONS:
        return ()
    anchor = accepted.current[0].session
    by = next(one for one in series.case.baseline.sessions if one.id == anchor)
    moved = percent(ratio(change.after - change.before))
    return (f"{moved} was accepted on {by.accepted[:10]} by {by.by}: {by.reason}",)


def allowance(change: Accepted | None, base: Sequence[float]) -> float:
    """Log loss that base and head may differ by because it was accepted.

    Zero unless the base side, measured now, stands nearer to the level before the acceptance.
    """
    if change is None or not base:
        return 0.0
    now = median(base)
    is_old = abs(now - change.before) < abs(now - change.after)
    return change.after - change.before if is_old else 0.0


def earlier_epochs(series: Series) -> tuple[tuple[tuple[float, ...], ...], ...]:
    """Log costs of the epochs before the current one, oldest first, same profile text only."""
    if series.accepted is None or series.case.baseline is None:
        return ()
    texts = {one.id: one.profile_digest for one in series.case.baseline.sessions}
    now = series.case.baseline.profile_digest
    numbers = sorted({point.epoch for point in series.accepted.points})[:-1]
    epochs = (
        tuple(
            log_costs(point.values, series.metric.better)
            for point in series.accepted.points
            if point.epoch == number and texts.get(point.session) == now and usable(point.values)
        )
        for number in numbers
    )
    return tuple(epoch for epoch in epochs if epoch)


def _level(epoch: Sequence[Sequence[float]]) -> float:
    return median([median(session) for session in epoch])
