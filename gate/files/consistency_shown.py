"""What no type can say of the rows that a report shows beside its findings: that they fit together.

A table with a row twice, a curve that runs backwards or a share below nothing would be drawn as if
it were measured. So such a report is refused before anything is rendered of it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from gate.files import lengths
from gate.files.consistency_touch import touched_complaints
from gate.files.consistency_why import why_complaints
from gate.model import KINDS, UNSTEADY
from gate.model.shown import ACCEPTED, AREAS, BASE_SIDE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gate.files.lines import Path
    from gate.model import Bill, Evidence, Latency, Report, SetAside, Sweep, TextChange

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
            for path, what in lengths.row_complaints(getattr(finding.evidence, key)):
                yield ("findings", i, "evidence", key, *path), what
    for name in _TABLES:
        for path, what in lengths.row_complaints(getattr(report, name)):
            yield (name, *path), what
    if report.origin is not None:
        for path, what in lengths.row_complaints(report.origin):
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
    if not all(0 < percent < 100 for percent in percents):  # noqa: PLR2004 - per cent
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
