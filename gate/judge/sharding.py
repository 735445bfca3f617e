"""A check on several machines: its work is spread over them, and its parts are put together again.

Work goes out longest first, each to the machine with the least to do; that rule (longest processing
time) ends at most a third later than the best spread there is. Of what comes back each part counts
once, all parts are of one check, and a part that is not there has not passed.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, TypeVar

from gate.errors import InputError
from gate.model import Side, Stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gate.model import Baseline, Handover, Profile, Session


T = TypeVar("T")
_LONGEST, _LONGEST_NAME = 300, 200
UNKNOWN_SECONDS = 60.0
"""What a profile is taken to need where no duration of any is known."""
_NEWEST = 10
"""Accepted sessions that tell how long a profile takes; older ones may be of another text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One part of a check, from 1, and how many there are."""

    number: int = 1
    of: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What was handed over of one check."""

    shards: int
    """How many parts there are to be."""
    sessions: tuple[tuple[Session, ...], ...]
    """Of each part that was handed over."""
    missing: tuple[int, ...]
    """Numbers of the parts that were not."""
    errors: tuple[str, ...]
    """Why measuring ended before it was complete, or that it measured nothing: once for each part
    where it did. No part of a check has nothing to do, so an empty one lacks something."""

    @property
    def every(self) -> tuple[Session, ...]:
        """The sessions of all parts."""
        return tuple(session for part in self.sessions for session in part)

    @property
    def measured(self) -> frozenset[str]:
        """Profiles with a whole session of the head side."""
        return frozenset(
            one.profile for one in self.every if one.stage is Stage.SCREEN and one.side is Side.HEAD
        )

    @property
    def lacks(self) -> str:
        """What the check as a whole lacks, in words; empty where it is complete."""
        numbers = ", ".join(map(str, self.missing))
        one = f"part {numbers} of {self.shards} was not handed over" if self.missing else ""
        return "; ".join(text for text in (one, *self.errors) if text)


def gather_parts(handovers: Sequence[Handover], shards: int | None = None) -> Parts:
    """Sort handovers into the parts of one check.

    `shards` is how many parts there must be; None takes their own word for it. Several files of a
    check on one machine are one part.

    Raises:
        InputError: G243, they are not the parts of one check.
    """
    count = _count(handovers, shards)
    errors = [f"measuring ended early: {one.error[:_LONGEST]}" for one in handovers if one.error]
    if count == 1:
        together = tuple(session for one in handovers for session in one.sessions)
        missing = () if handovers or shards is None else (1,)
        found = (together,) if together else ()
        return Parts(shards=1, sessions=found, missing=missing, errors=tuple(errors))
    _refuse_unfit(handovers)
    in_order = sorted(handovers, key=lambda one: one.shard)
    errors += [
        f"part {one.shard} of {count} holds no session"
        for one in in_order
        if not (one.sessions or one.error)
    ]
    there = {one.shard for one in handovers}
    return Parts(
        shards=count,
        sessions=tuple(one.sessions for one in in_order if one.sessions),
        missing=tuple(number for number in range(1, count + 1) if number not in there),
        errors=tuple(errors),
    )


def _count(handovers: Sequence[Handover], shards: int | None) -> int:
    counts = {one.shards for one in handovers}
    if shards is not None and counts - {shards}:
        most = max(counts - {shards})
        raise _unfit(f"there are to be {shards} parts, and a file says {most}")
    if len(counts) > 1:
        raise _unfit(f"the files say that there are {' and '.join(map(str, sorted(counts)))} parts")
    if shards == 1 and sum(bool(one.version) for one in handovers) > 1:
        raise _unfit("part 1 of 1 was handed over twice")
    return shards or max(counts, default=1)


def _refuse_unfit(handovers: Sequence[Handover]) -> None:
    doubled = _twice(one.shard for one in handovers)
    if doubled is not None:
        raise _unfit(f"part {doubled} was handed over twice")
    versions = sorted({one.version for one in handovers})
    if len(versions) > 1:
        raise _unfit(f"they were measured by different versions: {', '.join(versions)[:_LONGEST]}")
    classes = sorted({s.host.host_class for one in handovers for s in one.sessions})
    if len(classes) > 1:
        raise _unfit(f"they are of different host classes: {', '.join(classes)[:_LONGEST]}")
    profile = _twice(name for one in handovers for name in {s.profile for s in one.sessions})
    if profile is not None:
        raise _unfit(f"profile {profile[:_LONGEST]} was measured in two parts")


def why_absent(parts: Parts, names: Iterable[str]) -> Mapping[str, str]:
    """Why each of these profiles sent no session, as far as that is known."""
    why = parts.lacks
    return dict.fromkeys(names, why) if why else {}


def refuse_other_commits(
    sessions: Iterable[Session], proposed: str, merge_base: str, reviewed: Mapping[str, Profile]
) -> None:
    """Refuse sessions that say that they are of another commit than the one they stand for.

    The head side is of the commit that is judged; the base side of the merge base, or where the
    reviewed profile itself declares a base side, of the commit judged, in which that side then is.
    A profile that nobody reviewed may declare one too; it is new, and compared with nothing.
    A session that names no commit is named by `commit_notes`.

    Raises:
        InputError: G243.
    """
    for one in sessions:
        commit = one.subject.commit
        expected = proposed if one.side is Side.HEAD else merge_base
        profile = reviewed.get(one.profile)
        own = commit == proposed and (profile is None or one.side.value in profile.sides)
        if commit and commit != expected and not own:
            raise InputError(
                "G243",
                f"the {one.side.value} side of profile {one.profile[:_LONGEST_NAME]} was measured "
                f"of commit {commit[:_LONGEST_NAME]}, and {expected} is judged by.",
                cure=f"Measure {expected[:12]}, or hand in the sessions that were measured of it.",
            )


def commit_notes(sessions: Iterable[Session]) -> Iterator[str]:
    """A note on the sessions that do not tell which commit they measured."""
    names = sorted({one.profile for one in sessions if not one.subject.commit})
    if names:
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        shown = ", ".join(name[:_LONGEST_NAME] for name in names[:5])
        yield (
            f"{shown}{more}: the sessions do not tell which commit was measured, so nothing shows "
            "that it is the one judged"
        )


def _twice(values: Iterable[T]) -> T | None:
    return next((value for value, count in Counter(values).items() if count > 1), None)


def _unfit(what: str) -> InputError:
    cure = "Hand in the files of one check, each part once."
    return InputError("G243", f"the parts do not fit together: {what}.", cure=cure)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """One thing to do, and how long it takes."""

    name: str
    seconds: float


def spread_works(works: Sequence[Weight], shards: int) -> tuple[tuple[str, ...], ...]:
    """The names of each shard, sorted; the same for the same works in whatever order.

    With at least as many works as shards none is empty.

    Raises:
        ValueError: there is no shard, a name stands twice, or a time is no time.
    """
    if shards < 1:
        raise ValueError(f"{shards} shards hold nothing")
    doubled = _twice(one.name for one in works)
    if doubled is not None:
        raise ValueError(f"{doubled} stands twice")
    for one in works:
        if not (math.isfinite(one.seconds) and one.seconds >= 0):
            raise ValueError(f"{one.name} cannot take {one.seconds} seconds")
    spread: list[list[Weight]] = [[] for _ in range(shards)]
    for one in sorted(works, key=lambda work: (-work.seconds, work.name)):
        # What a shard has to do; of works that take no time, how many.
        least = min(spread, key=lambda shard: (math.fsum(w.seconds for w in shard), len(shard)))
        least.append(one)
    return tuple(tuple(sorted(one.name for one in shard)) for shard in spread)


@dataclass(frozen=True, slots=True, kw_only=True)
class Duration(Weight):
    """How long a sitting of a profile takes."""

    known: bool
    """Whether accepted sessions tell it; what is not known is taken to be the usual."""


def durations(
    names: Sequence[str], baselines: Sequence[Baseline], host_class: str | None
) -> tuple[Duration, ...]:
    """How long each profile takes, from the accepted sessions; sorted by name.

    Those of `host_class`; without one, the longest over all classes, since whoever plans may not
    be a machine that measures.
    """
    found: dict[str, float] = {}
    for one in baselines:
        times = [session.duration for session in one.sessions if session.duration > 0]
        if times and host_class in {None, one.host_class}:
            found[one.profile] = max(median(times[-_NEWEST:]), found.get(one.profile, 0.0))
    usual = median([found[name] for name in names if name in found] or [UNKNOWN_SECONDS])
    return tuple(
        Duration(name=name, seconds=found.get(name, usual), known=name in found)
        for name in sorted(names)
    )


def parts_of(works: Sequence[Duration], shards: int) -> tuple[tuple[str, ...], ...]:
    """The profiles of each part, none empty (G263); the same for the same tree, whoever asks."""
    if shards > len(works):
        what = "is 1 profile" if len(works) == 1 else f"are {len(works)} profiles"
        raise InputError(
            "G263",
            f"{shards} parts were asked for, and there {what}.",
            cure=f"Spread them over {len(works)} at most: a part without a profile would measure "
            "nothing.",
        )
    return spread_works(works, shards)
