"""What no type can say of the rows that a report shows beside its findings: that they fit together.

A table with a row twice, a curve that runs backwards or a share below nothing would be drawn as if
it were measured. So such a report is refused before anything is rendered of it.

What no type can say of the functions that differ: they cross from another machine too.

What no type can say of what moved with a regression: it crosses from another machine too.

It names functions and commands of the workload, so its strings and its size have limits.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from gate.formats import bounds
from gate.model import KINDS, UNSTEADY
from gate.model.diagnosis import DEEPEST, MOST_CALLS, MOST_FRAMES, MOST_MOVERS
from gate.model.patch_coverage import HOW, MOST_CHANGED
from gate.model.shown import ACCEPTED, AREAS, BASE_SIDE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gate.formats.toml import Path
    from gate.model import (
        Bill,
        Evidence,
        Latency,
        Ran,
        Report,
        SetAside,
        Sweep,
        TextChange,
        Touch,
        Touched,
    )
    from gate.model.diagnosis import Flame, Why


_MOST_PROFILES = 1000
_LONGEST = 300
"""Characters of a function's name."""


def touch_complaints(touch: Touch) -> Iterator[tuple[str, str]]:
    """Everything in what a trial executed of a change that contradicts the format or itself."""
    if max(len(touch.functions), len(touch.ran)) > MOST_CHANGED:
        yield "touch", f"at most {MOST_CHANGED} functions are told"
        return
    if not 0 <= touch.executed <= touch.count or len(touch.functions) > touch.count:
        yield "touch", "more functions are told, or ran, than differ"
    if len(touch.ran) > touch.executed:
        yield "touch", "more functions are told to have run than ran"
    if any(how not in HOW for how in touch.functions.values()):
        yield "touch", f"a function is one of {', '.join(HOW)}"
    if any(len(name) > _LONGEST for name in (*touch.functions, *touch.ran)):
        yield "touch", f"a name is longer than {_LONGEST} characters"
    if any(not _has_run(one) for one in touch.ran.values()):
        yield "touch", "what ran has executed something"


def _has_run(one: Ran) -> bool:
    """Whether either was counted, and not both."""
    low, high = sorted((one.instructions, one.calls))
    return bool(low == 0.0 and high > 0.0) and one.per_operation >= 0.0


def touched_complaints(rows: Sequence[Touched]) -> Iterator[tuple[Path, str]]:
    """The same of a report's rows."""
    if len(rows) > _MOST_PROFILES:
        yield ("touched",), f"{len(rows)} are more than the {_MOST_PROFILES} allowed"
        return
    for i, row in enumerate(rows):
        for path, what in bounds.row_complaints(row):
            yield ("touched", i, *path), what
        if len(row.functions) > MOST_CHANGED:
            yield ("touched", i, "functions"), f"at most {MOST_CHANGED} functions are told"
        if not 0 <= row.executed <= row.count:
            yield ("touched", i, "executed"), "more functions ran than differ"
        if row.empty and (row.executed or not row.count or row.unknown):
            yield ("touched", i, "empty"), "a pass is empty where functions differ and none ran"
        if any(one.how not in HOW for one in row.functions):
            yield ("touched", i, "functions"), f"a function is one of {', '.join(HOW)}"


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
        for path, what in bounds.row_complaints(row):
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


T = TypeVar("T")
_TABLES = ("accepted", "bills", "latencies", "sweeps", "differences", "alike", "changes", "aside")
_KINDS_OF_IO = frozenset({"read", "write", "trim", "mixed"})
_DIFF = frozenset("+- @\\")
"""What a line of a unified diff begins with; a backslash tells that a text ends without a break."""


def shown_complaints(report: Report) -> Iterator[tuple[Path, str]]:
    """Everything in the tables and histories of a report that contradicts itself."""
    for i, finding in enumerate(report.findings):
        for key, what in _history(finding.evidence):
            yield ("findings", i, "evidence", key), what
        for key in ("earlier", "aside"):
            for path, what in bounds.row_complaints(getattr(finding.evidence, key)):
                yield ("findings", i, "evidence", key, *path), what
    for name in _TABLES:
        for path, what in bounds.row_complaints(getattr(report, name)):
            yield (name, *path), what
    if report.origin is not None:
        for path, what in bounds.row_complaints(report.origin):
            yield ("origin", *path), what
    yield from why_complaints(report.why)
    yield from touched_complaints(report.touched)
    yield from _doubles(report)
    yield from _rows("bills", report.bills, _bill)
    yield from _rows("latencies", report.latencies, _latency)
    yield from _rows("sweeps", report.sweeps, _sweep)
    yield from _rows("changes", report.changes, _change)
    yield from _rows("aside", report.aside, _aside)
    yield from _areas(report)


def _history(evidence: Evidence) -> Iterator[tuple[str, str]]:
    epochs = [level.epoch for level in evidence.earlier]
    if evidence.epoch < 0 or min(epochs, default=1) < 1:
        yield "epoch", "epochs are counted from 1"
    if any(before > after for before, after in pairwise(epochs)):
        yield "earlier", "the epochs are not in their order"
    if epochs and max(epochs) >= evidence.epoch:
        yield "earlier", f"epoch {max(epochs)} is not before the current one, {evidence.epoch}"


def _doubles(report: Report) -> Iterator[tuple[Path, str]]:
    """Two rows on the same thing, of which a reader could only believe one."""
    named: dict[str, Iterable[tuple[str, ...]]] = {
        "accepted": ((one.profile, one.session) for one in report.accepted),
        "bills": ((one.profile, one.benchmark) for one in report.bills),
        "latencies": ((one.profile, one.benchmark, one.kind) for one in report.latencies),
        "sweeps": ((one.profile, one.group, one.metric) for one in report.sweeps),
        "differences": (
            (one.area, one.key, one.base, one.head, one.against) for one in report.differences
        ),
        "alike": ((one.area,) for one in report.alike),
    }
    for table, names in named.items():
        seen: set[tuple[str, ...]] = set()
        for i, name in enumerate(names):
            if name in seen:
                yield (table, i), f"{' '.join(filter(None, name))[:80]!r} stands twice"
            seen.add(name)


def _rows(
    table: str, rows: Sequence[T], wrong: Callable[[T], Iterator[str]]
) -> Iterator[tuple[Path, str]]:
    for i, row in enumerate(rows):
        for what in wrong(row):
            yield (table, i), what


def _bill(bill: Bill) -> Iterator[str]:
    if min(bill.trials_base, bill.trials_head) < 0:
        yield "a number of trials must not be negative"
    for view in (bill.owners, bill.contexts):
        names = [share.name for share in view]
        if len(set(names)) < len(names):
            yield "somebody pays twice"
        if any(min(share.base or 0.0, share.head) < 0 for share in view):
            yield "nobody pays less than nothing"


def _latency(curve: Latency) -> Iterator[str]:
    if curve.kind not in _KINDS_OF_IO:
        yield f"{curve.kind[:80]!r} is no kind of I/O"
    if min(curve.trials_base, curve.trials_head) < 0:
        yield "a number of trials must not be negative"
    percents = [point.percentile for point in curve.points]
    if not all(0 < percent < 100 for percent in percents):
        yield "a percentile lies above 0 and below 100"
    if any(before >= after for before, after in pairwise(percents)):
        yield "percentiles ascend"
    if any(min(one.base or 0.0, one.head or 0.0, one.beyond) < 0 for one in curve.points):
        yield "neither a latency nor a count of samples is negative"


def _sweep(sweep: Sweep) -> Iterator[str]:
    places = [point.place for point in sweep.points]
    if len(set(places)) < len(places):
        yield f"a place of {sweep.parameter[:80]} stands twice"


def _change(change: TextChange) -> Iterator[str]:
    if change.more < 0:
        yield "as many lines cannot be left out"
    if not all(line and line[0] in _DIFF for line in change.lines):
        yield "a line of it is none of a unified diff"


def _aside(row: SetAside) -> Iterator[str]:
    if row.sequence < 0:
        yield f"the position {row.sequence} is before the first trial"
    if row.kind not in KINDS and row.kind != UNSTEADY:
        yield "there is no such kind of disturbance"


def _areas(report: Report) -> Iterator[tuple[Path, str]]:
    for i, row in enumerate(report.differences):
        if row.area not in AREAS:
            yield ("differences", i, "area"), f"{row.area[:80]!r} is no area"
        if row.against != BASE_SIDE and not row.against.startswith(ACCEPTED):
            yield ("differences", i, "against"), f"{row.against[:80]!r} is nothing to compare with"
        if row.base and row.base == row.head:
            yield ("differences", i), "both sides are the same"
        if not row.profiles or len(set(row.profiles)) < len(row.profiles):
            yield ("differences", i, "profiles"), "each profile that differs stands once"
    for i, one in enumerate(report.alike):
        if one.area not in AREAS or one.count < 1:
            yield ("alike", i), "something of an area was alike"
