"""A check spread over several machines: how long each profile takes, and who measures which."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.judge.sharding import Weight, spread_works

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Baseline

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
