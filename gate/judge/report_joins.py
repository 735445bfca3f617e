"""How each field of the reports of a check's parts becomes that of the whole.

A part that could not be judged makes the whole an error, unless another part proves a regression.
The order of the parts does not matter: `join_reports` sorts them first.
"""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from gate.judge.context.differences import alike_of, merge_differences
from gate.judge.summary import headline, importance
from gate.judge.verdict.findings import ERROR
from gate.model import Report, Role, SuitePromise, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gate.model import Accepted, Alike, Calibration, Difference, Edit, Finding, SetAside

    Parts = Sequence[Report]

T = TypeVar("T")


def worst_part(parts: Parts) -> Report:
    """The part whose verdict and exit status are those of the whole; of errors any one rule."""

    def badness(report: Report) -> tuple[float, int]:
        if report.verdict == ERROR:
            return Verdict.REGRESSED.rank - 0.5, -report.exit_status
        return Verdict(report.verdict).rank, report.exit_status

    return max(parts, key=badness)


def join_gates(parts: Parts) -> str:
    """Open where every part is."""
    return "open" if all(one.gate == "open" for one in parts) else "closed"


def join_headlines(parts: Parts) -> str:
    """The counts of all parts; of an error its own words."""
    worst = worst_part(parts)
    if worst.verdict == ERROR:
        return worst.headline
    gating = [f for one in parts for f in one.findings if f.role is Role.GATE]
    classes = ", ".join(_classes(parts))
    whence = f"host class {classes}" if classes else "no host"
    return headline(gating, whence, is_open=join_gates(parts) == "open")


def _classes(parts: Parts) -> list[str]:
    return sorted({one.host.host_class for one in parts if one.host is not None})


def join_findings(parts: Parts) -> tuple[Finding, ...]:
    """All of them, the most important first."""
    every = (finding for one in parts for finding in one.findings)
    return tuple(sorted(every, key=lambda finding: (importance(finding), repr(finding))))


def join_notes(parts: Parts) -> tuple[str, ...]:
    """How many parts there are, where they were measured if not all in one place, their notes."""
    classes = _classes(parts)
    notes = [f"joined from {len(parts)} parts"]
    machines = {one.host.fingerprint for one in parts if one.host is not None}
    if len(classes) > 1:
        notes.append(f"the parts were measured on several host classes: {', '.join(classes)}")
    elif len(machines) > 1:
        notes.append(f"the parts were measured on {len(machines)} machines; the facts are of one")
    return _once((*notes, *(note for one in parts for note in one.notes)))


def join_promises(parts: Parts) -> SuitePromise:
    """Each part may err by itself, so the bound alpha of the whole is the sum of theirs."""
    return SuitePromise(
        alpha=min(1.0, sum(one.promise.alpha for one in parts)),
        beta=max(one.promise.beta for one in parts),
        metrics_judged=sum(one.promise.metrics_judged for one in parts),
        metrics_flagged=sum(one.promise.metrics_flagged for one in parts),
    )


def join_edits(parts: Parts) -> tuple[Edit, ...]:
    """Each edit once, loosening first: every part saw the same tree."""
    rank = attrgetter("profile", "benchmark", "metric", "code", "headline")
    edits = _once(edit for one in parts for edit in one.edits)
    return tuple(sorted(edits, key=lambda edit: (not edit.loosens, rank(edit))))


def join_accepted(parts: Parts) -> tuple[Accepted, ...]:
    """Each accepted session once, by profile, oldest first."""
    rows = {(row.profile, row.session): row for one in reversed(parts) for row in one.accepted}
    return tuple(sorted(rows.values(), key=lambda row: (row.profile, row.started, row.session)))


def join_differences(parts: Parts) -> tuple[Difference, ...]:
    """One row for each difference, with the profiles of all parts that have it."""
    return merge_differences(row for one in parts for row in one.differences)


def join_alike(parts: Parts) -> tuple[Alike, ...]:
    """Sums: each part compared the facts of its own machine and profiles."""
    counted: Counter[str] = Counter()
    for one in parts:
        counted.update({row.area: row.count for row in one.alike})
    return alike_of(counted)


def join_aside(parts: Parts) -> tuple[SetAside, ...]:
    """Every row as often as the part has it that has it most often: two sessions may be alike.

    The parts are of different profiles, and only a part that was handed in twice repeats them.
    """
    often: Counter[SetAside] = Counter()
    for one in parts:
        often |= Counter(one.aside)
    return tuple(sorted(often.elements(), key=lambda row: row.profile))


def join_records(parts: Parts) -> Calibration | None:
    """The record of the part that has the most against it: they cannot be added up.

    The parts are of other profiles and of one class, whose rounds may be the same ones.
    """
    known = [one.calibration for one in parts if one.calibration is not None]
    return max(known, key=lambda one: (len(one.unfit), one.false_alarms, repr(one)), default=None)


def _once(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))


def from_worst(field: str) -> Callable[[Parts], Any]:
    """The value of the part with the worst verdict."""
    return lambda parts: getattr(worst_part(parts), field)


def first_known(field: str) -> Callable[[Parts], Any]:
    """The first part's value that is there."""
    return lambda parts: next((v for one in parts if (v := getattr(one, field)) is not None), None)


def each_once(field: str) -> Callable[[Parts], Any]:
    """Every value of every part, each once, in the order of the parts."""
    return lambda parts: _once(value for one in parts for value in getattr(one, field))


def rows_by(field: str, *name: str) -> Callable[[Parts], Any]:
    """The rows of all parts by what they are of; of two of the same thing the first part's."""

    def joined(parts: Parts) -> tuple[Any, ...]:
        rows = (row for one in reversed(parts) for row in reversed(getattr(one, field)))
        found = {tuple(getattr(row, part) for part in name): row for row in rows}
        return tuple(found[key] for key in sorted(found))

    return joined


def texts_by_key(field: str) -> Callable[[Parts], Any]:
    """All entries by key; where the parts differ, each value once."""

    def joined(parts: Parts) -> dict[str, str]:
        found: dict[str, dict[str, None]] = {}
        for table in (getattr(one, field) for one in parts):
            for key, value in table.items():
                found.setdefault(key, {})[value] = None
        return {key: ", ".join(sorted(found[key])) for key in sorted(found)}

    return joined
