"""Works spread over machines: the longest first, each to the machine with the least to do.

That rule (longest processing time) ends at most a third later than the best spread there is.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """One thing to do, and how long it takes."""

    name: str
    seconds: float


def spread(works: Sequence[Weight], shards: int) -> tuple[tuple[str, ...], ...]:
    """The names of each shard, sorted; the same for the same works in whatever order.

    With at least as many works as shards none is empty.

    Raises:
        ValueError: there is no shard, a name stands twice, or a time is no time.
    """
    if shards < 1:
        what = f"{shards} shards hold nothing"
        raise ValueError(what)
    doubled = [name for name, count in Counter(one.name for one in works).items() if count > 1]
    if doubled:
        what = f"{doubled[0]} stands twice"
        raise ValueError(what)
    for one in works:
        if not (math.isfinite(one.seconds) and one.seconds >= 0):
            what = f"{one.name} cannot take {one.seconds} seconds"
            raise ValueError(what)
    held: list[list[Weight]] = [[] for _ in range(shards)]
    for one in sorted(works, key=lambda work: (-work.seconds, work.name)):
        min(held, key=_load).append(one)
    return tuple(tuple(sorted(one.name for one in shard)) for shard in held)


def _load(shard: Sequence[Weight]) -> tuple[float, int]:
    """What a shard has to do; of works that take no time, how many."""
    return math.fsum(one.seconds for one in shard), len(shard)
