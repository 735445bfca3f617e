"""What no type can say of what moved with a regression: it crosses from another machine too.

It names functions and commands of the workload, so its strings and its size have limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.files import lengths
from gate.model.why import DEEPEST, MOST_CALLS, MOST_FRAMES, MOST_MOVERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.files.lines import Path
    from gate.model.why import Flame, Why

_MOST = 100
_MOST_NOTES = 20
_MOST_RUNS = 1000


def why_complaints(rows: Sequence[Why]) -> Iterator[tuple[Path, str]]:
    """Everything in such rows that contradicts the format or itself."""
    if len(rows) > _MOST:
        yield ("why",), f"{len(rows)} are more than the {_MOST} allowed"
        return
    seen: set[tuple[str, str]] = set()
    for i, row in enumerate(rows):
        for path, what in lengths.row_complaints(row):
            yield ("why", i, *path), what
        if (row.profile, row.benchmark) in seen:
            yield ("why", i), f"{row.benchmark[:80]!r} stands twice"
        seen.add((row.profile, row.benchmark))
        for key, what in _row(row):
            yield ("why", i, key), what


def _row(row: Why) -> Iterator[tuple[str, str]]:
    if len(row.movers) > MOST_MOVERS or len(row.notes) > _MOST_NOTES:
        yield "movers", f"at most {MOST_MOVERS} movers and {_MOST_NOTES} notes are told"
    if not all(0 <= n <= _MOST_RUNS for n in (row.runs_base, row.runs_head)):
        yield "runs_base", f"between 0 and {_MOST_RUNS} runs are taken"
    if row.compared < len(row.movers):
        yield "compared", "more counters moved than were compared"
    if any(min(one.base, one.head, one.score) < 0 for one in row.movers):
        yield "movers", "no counter falls"
    if row.flame is not None:
        for what in _flame(row.flame):
            yield "flame", what


def _flame(flame: Flame) -> Iterator[str]:
    if len(flame.frames) > MOST_FRAMES or len(flame.calls) > MOST_CALLS:
        yield f"at most {MOST_FRAMES} frames and {MOST_CALLS} functions are told"
    if min(flame.samples_base, flame.samples_head) < 0:
        yield "a number of samples must not be negative"
    costs = [(one.base, one.head) for one in flame.frames]
    costs += [(one.base, one.head) for one in flame.calls]
    if any(min(pair) < 0 for pair in costs):
        yield "nothing runs for less than no time"
    before = -1
    for frame in flame.frames:
        if not (0 < frame.depth <= before + 1 or frame.depth == before + 1 == 0):
            yield "the frames are no tree: one root, and each at most one deeper than the last"
            return
        before = frame.depth
    if any(frame.depth > DEEPEST for frame in flame.frames):
        yield f"no stack is deeper than {DEEPEST}"
