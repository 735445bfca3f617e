"""What no single field can say of a report: whether its verdict and its tables fit together.

A table with a row twice, or a curve that runs backwards, would be drawn as if it were measured; so
such a report is refused before anything of it is rendered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from gate.formats.session.consistency import (
    KINDS_OF_IO,
    doubled,
    is_disturbance,
    is_rising,
    why_complaints,
)
from gate.model import Role, Verdict, join
from gate.model.patch_coverage import HOW
from gate.model.report_rows import ACCEPTED, AREAS, BASE_SIDE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gate.formats.session.consistency import Complaint
    from gate.model import (
        Bill,
        Calibration,
        Evidence,
        Latency,
        Report,
        SetAside,
        Sweep,
        TextChange,
        Touched,
    )

T = TypeVar("T")

ERROR = "error"
"""The verdict of a check that was never judged."""
ERROR_STATUSES = frozenset({1, 2, 3, 4, 5, 6, 129, 130, 143})
"""What a check ends with that was never judged."""
_DIFF = frozenset("+- @\\")
"""What a line of a unified diff begins with; a backslash marks a text that ends without a break."""


def report_complaints(report: Report) -> Iterator[Complaint]:
    """Everything in a report that contradicts the format or itself."""
    if report.gate not in {"open", "closed"}:
        yield ("gate",), f'must be "open" or "closed", not {report.gate[:80]!r}'
    elif (report.gate == "open") != (report.exit_status == 0):
        yield ("exit_status",), f"{report.exit_status} is not that of a gate {report.gate}"
    yield from _verdict_complaints(report)
    if report.calibration is not None:
        yield from _calibration_complaints(report.calibration)
    for i, finding in enumerate(report.findings):
        for key, what in _evidence(finding.evidence):
            yield ("findings", i, "evidence", *key), what
    yield from why_complaints(report.why)
    yield from _rows("touched", report.touched, _touched)
    yield from _doubled_rows(report)
    yield from _rows("bills", report.bills, _bill)
    yield from _rows("latencies", report.latencies, _latency)
    yield from _rows("sweeps", report.sweeps, _sweep)
    yield from _rows("changes", report.changes, _change)
    yield from _rows("aside", report.aside, _aside)
    yield from _areas(report)
    yield from _budget(report)


def _verdict_complaints(report: Report) -> Iterator[Complaint]:
    worst = join(finding.verdict for finding in report.findings if finding.role is Role.GATE)
    if report.verdict == ERROR:
        if worst is Verdict.REGRESSED:
            yield ("verdict",), "an error hides no regression"
        if report.gate == "open" or report.exit_status not in ERROR_STATUSES:
            yield ("exit_status",), f"{report.exit_status} is not that of an error"
    elif worst is None or report.verdict != worst.value:
        yield ("verdict",), f"{report.verdict[:80]!r} is not the worst of the findings"
    elif report.exit_status not in {worst.exit_status, 0 if worst is Verdict.NEW else None}:
        yield ("exit_status",), f"{report.exit_status} is not that of {worst.value}"


def _calibration_complaints(known: Calibration) -> Iterator[Complaint]:
    """Shares of less than they are of."""
    if not 0 <= known.false_alarms + known.undecided <= known.unchanged:
        yield ("calibration",), "false_alarms and undecided are no parts of unchanged"
    for i, one in enumerate(known.planted):
        if one.found + one.missed > one.rounds:
            yield ("calibration", "planted", i), "found and missed are no parts of rounds"


def _evidence(evidence: Evidence) -> Iterator[Complaint]:
    if len(evidence.pairs_base) != len(evidence.pairs_head):
        yield (), "pairs_base and pairs_head differ in length"
    if len(evidence.baseline_sessions) not in {0, len(evidence.baseline)}:
        yield (), "baseline_sessions names other sessions"
    epochs = [level.epoch for level in evidence.earlier]
    if epochs != sorted(epochs):
        yield ("earlier",), "the epochs are not in their order"
    if epochs and max(epochs) >= evidence.epoch:
        what = f"epoch {max(epochs)} is not before the current one, {evidence.epoch}"
        yield ("earlier",), what


def _doubled_rows(report: Report) -> Iterator[Complaint]:
    """Two rows on the same thing, of which a reader could only believe one."""
    keys: dict[str, list[tuple[str, ...]]] = {
        "accepted": [(one.profile, one.session) for one in report.accepted],
        "bills": [(one.profile, one.benchmark) for one in report.bills],
        "latencies": [(one.profile, one.benchmark, one.kind) for one in report.latencies],
        "sweeps": [(one.profile, one.group, one.metric) for one in report.sweeps],
        "differences": [
            (one.area, one.key, one.base, one.head, one.against) for one in report.differences
        ],
        "alike": [(one.area,) for one in report.alike],
    }
    for table, rows in keys.items():
        for i, row in doubled(rows):
            yield (table, i), f"{' '.join(filter(None, row))[:80]!r} stands twice"


def _rows(
    table: str, rows: Sequence[T], complaints: Callable[[T], Iterator[str]]
) -> Iterator[Complaint]:
    for i, row in enumerate(rows):
        for what in complaints(row):
            yield (table, i), what


def _touched(row: Touched) -> Iterator[str]:
    if row.executed > row.count:
        yield "more functions ran than differ"
    if row.empty and (row.executed or not row.count or row.unknown):
        yield "a pass is empty where functions differ and none ran"
    if any(one.how not in HOW for one in row.functions):
        yield f"a function is one of {', '.join(HOW)}"


def _bill(bill: Bill) -> Iterator[str]:
    for view in (bill.owners, bill.contexts):
        if any(doubled(share.name for share in view)):
            yield "somebody pays twice"


def _latency(curve: Latency) -> Iterator[str]:
    if curve.kind not in KINDS_OF_IO:
        yield f"{curve.kind[:80]!r} is no kind of I/O"
    if not is_rising(point.percentile for point in curve.points):
        yield "percentiles ascend"


def _sweep(sweep: Sweep) -> Iterator[str]:
    if any(doubled(point.place for point in sweep.points)):
        yield f"a place of {sweep.parameter[:80]} stands twice"


def _change(change: TextChange) -> Iterator[str]:
    if not all(line and line[0] in _DIFF for line in change.lines):
        yield "a line of it is none of a unified diff"


def _aside(row: SetAside) -> Iterator[str]:
    if not is_disturbance(row.kind):
        yield "there is no such kind of disturbance"


def _budget(report: Report) -> Iterator[Complaint]:
    """What was left open opens nothing, and is counted."""
    left_open = [i for i, one in enumerate(report.findings) if one.more_time is not None]
    for i in left_open:
        if report.findings[i].verdict.opens:
            yield ("findings", i, "more_time"), "what was left open for lack of time does not pass"
    if len(left_open) != (report.budget.left_open if report.budget else 0):
        yield ("budget",), f"{len(left_open)} findings were left open"


def _areas(report: Report) -> Iterator[Complaint]:
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
        if one.area not in AREAS:
            yield ("alike", i), "something of an area was alike"
