"""What a report consists of: one section for each of its fields, with its build and its join.

A section is built from a judged suite, and joined from the reports of the parts of one check: a
part that could not be judged makes the whole an error, unless another part proves a regression.
What a field may not say is checked where files are read (`gate.formats`). A test holds that each
field of `Report` has one section here and one check there, so that none can be dropped on the way.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from gate.errors import NothingCompared
from gate.judge.calibration_rounds import RoundFilter
from gate.judge.context.bills import bills
from gate.judge.context.differences import alike_of, merge_differences
from gate.judge.context.latencies import latencies
from gate.judge.context.patch_coverage import coverage_by_profile
from gate.judge.context.sweeps import sweeps
from gate.judge.host_fitness import class_record
from gate.judge.summary import (
    conditions,
    headline,
    headline_of,
    host_of,
    importance,
    notes_of,
    profiles_of,
    subjects_of,
    tools_of,
)
from gate.judge.verdict.epochs import accepted_sessions
from gate.judge.verdict.exclusions import set_aside
from gate.judge.verdict.findings import ERROR
from gate.judge.verdict.replay import replay
from gate.model import SCHEMA, BudgetStanding, Report, Role, SuitePromise, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gate.judge.summary import JudgedSuite
    from gate.model import Accepted, Alike, Calibration, Edit, Finding, SetAside, Touched

    Tables = Iterable[Iterable[Any]]  # the rows of each part


@dataclass(frozen=True, slots=True)
class ReportSection:
    """One field of a report: how it is built, and how the parts' values become the whole's."""

    field: str
    build: Callable[[JudgedSuite], Any]
    join: Callable[[list[Any]], Any] | None
    """None takes the value of the part with the worst verdict."""


def _join_promises(promises: Sequence[SuitePromise]) -> SuitePromise:
    """Each part may err by itself, so the bound alpha of the whole is the sum of theirs.

    What was replayed is that of the part with most against it: they are of other profiles.
    """
    worst = max(promises, key=lambda one: (one.replayed_regressed, one.replayed))
    return SuitePromise(
        alpha=min(1.0, sum(one.alpha for one in promises)),
        beta=max(one.beta for one in promises),
        metrics_judged=sum(one.metrics_judged for one in promises),
        metrics_flagged=sum(one.metrics_flagged for one in promises),
        replayed=worst.replayed,
        replayed_regressed=worst.replayed_regressed,
        replayed_limit=worst.replayed_limit,
    )


def _join_findings(tables: Tables) -> tuple[Finding, ...]:
    every = chain.from_iterable(tables)
    return tuple(sorted(every, key=lambda finding: (importance(finding), repr(finding))))


def _join_edits(tables: Tables) -> tuple[Edit, ...]:
    """Loosening first, each once: every part saw the same tree."""
    rank = attrgetter("profile", "benchmark", "metric", "code", "headline")
    return tuple(sorted(_each_once(tables), key=lambda edit: (not edit.loosens, rank(edit))))


def _join_accepted(tables: Tables) -> tuple[Accepted, ...]:
    rows = _rows_by("profile", "session")(tables)
    return tuple(sorted(rows, key=lambda row: (row.profile, row.started, row.session)))


def _join_alike(tables: Tables) -> tuple[Alike, ...]:
    """Sums: each part compared the facts of its own machine and profiles."""
    counted: Counter[str] = Counter()
    for row in chain.from_iterable(tables):
        counted[row.area] += row.count
    return alike_of(counted)


def _join_aside(tables: Tables) -> tuple[SetAside, ...]:
    """Every row as often as the part has it that has it most often: two sessions may be alike.

    The parts are of different profiles, and only a part that was handed in twice repeats them.
    """
    often: Counter[SetAside] = Counter()
    for rows in tables:
        often |= Counter(rows)
    return tuple(sorted(often.elements(), key=lambda row: row.profile))


def _join_touched(tables: Tables) -> tuple[Touched, ...]:
    """Every row: of a profile of which one part ran the change and another did not, both."""
    return tuple(sorted(_each_once(tables), key=lambda row: (row.profile, repr(row))))


def _join_records(records: Iterable[Calibration | None]) -> Calibration | None:
    """The record of the part that has the most against it: they cannot be added up.

    The parts are of other profiles and of one class, whose rounds may be the same ones.
    """
    known = [one for one in records if one is not None]
    return max(known, key=lambda one: (len(one.unfit), one.false_alarms, repr(one)), default=None)


def _join_budgets(parts: Iterable[BudgetStanding | None]) -> BudgetStanding | None:
    """The parts run at the same time, each within its own."""
    known = [one for one in parts if one is not None]
    if not known:
        return None
    return BudgetStanding(
        seconds=max(one.seconds for one in known),
        spent=max(one.spent for one in known),
        left_open=sum(one.left_open for one in known),
        more=sum(one.more for one in known),
    )


def _first_known(values: Iterable[Any]) -> Any:
    return next((value for value in values if value is not None), None)


def _each_once(tables: Tables) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(tables)))


def _rows_by(*names: str) -> Callable[[Tables], tuple[Any, ...]]:
    """The rows of all parts by what they are of; of two of the same thing the first part's."""

    def joined(tables: Tables) -> tuple[Any, ...]:
        found: dict[tuple[str, ...], Any] = {}
        for row in chain.from_iterable(tables):
            found.setdefault(tuple(getattr(row, name) for name in names), row)
        return tuple(found[key] for key in sorted(found))

    return joined


def _texts_by_key(tables: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """All entries by key; where the parts differ, each value once."""
    keys = sorted({key for table in tables for key in table})
    return {key: ", ".join(sorted({one[key] for one in tables if key in one})) for key in keys}


def _join_gates(gates: Iterable[str]) -> str:
    return "open" if set(gates) == {"open"} else "closed"


def _exit_status(judged: JudgedSuite) -> int:
    return 0 if judged.let_through else judged.worst.exit_status


def _promise(judged: JudgedSuite) -> SuitePromise:
    policy, first = judged.policy, judged.first
    replayed = replay(judged.cases, judged.gating, policy.alpha / max(first.judged, 1))
    return SuitePromise(
        alpha=policy.alpha,
        beta=policy.beta,
        metrics_judged=first.judged,
        metrics_flagged=first.m,
        replayed=replayed.sessions,
        replayed_regressed=replayed.regressed,
        replayed_limit=replayed.limit,
    )


def _record(judged: JudgedSuite) -> Calibration | None:
    """How the gate did here with these profiles where the right answer was known."""
    host, policy = host_of(judged), judged.policy
    if host is None:
        return None
    wanted = RoundFilter(
        host_class=host.host_class,
        texts={case.profile: case.head.profile_digest for case in judged.cases},
        alpha=policy.alpha,
        beta=policy.beta,
    )
    return class_record(judged.rounds, wanted)


_BENCHMARK = ("profile", "benchmark")
REPORT_SECTIONS = (
    ReportSection("schema", lambda _: SCHEMA, None),
    ReportSection("gate", lambda one: "open" if one.is_open else "closed", _join_gates),
    ReportSection("verdict", lambda one: one.worst.value, None),
    ReportSection("exit_status", _exit_status, None),
    ReportSection("headline", headline_of, None),  # of an error; else that of all is counted
    ReportSection("created", lambda one: one.created, max),
    ReportSection("profiles", profiles_of, lambda tables: tuple(sorted(_each_once(tables)))),
    ReportSection("findings", lambda one: one.findings, _join_findings),
    ReportSection("host", host_of, _first_known),
    ReportSection("tools", tools_of, _texts_by_key),
    ReportSection("notes", notes_of, _each_once),
    ReportSection("promise", _promise, _join_promises),
    ReportSection("subjects", subjects_of, _texts_by_key),
    ReportSection("conditions", conditions, _each_once),
    ReportSection("edits", lambda one: one.edits, _join_edits),
    ReportSection(
        "accepted", lambda one: accepted_sessions(one.cases, one.findings), _join_accepted
    ),
    ReportSection("bills", lambda one: bills(one.cases), _rows_by(*_BENCHMARK)),
    ReportSection("latencies", lambda one: latencies(one.cases), _rows_by(*_BENCHMARK, "kind")),
    ReportSection(
        "sweeps",
        lambda one: sweeps(one.cases, one.findings),
        _rows_by("profile", "group", "metric"),
    ),
    ReportSection(
        "differences",
        lambda one: one.differed[0],
        lambda tables: merge_differences(chain.from_iterable(tables)),
    ),
    ReportSection("alike", lambda one: one.differed[1], _join_alike),
    ReportSection("changes", lambda _: (), _each_once),  # added after it was judged
    ReportSection("aside", lambda one: set_aside(one.cases), _join_aside),
    ReportSection("origin", lambda _: None, _first_known),
    ReportSection("calibration", _record, _join_records),
    ReportSection("why", lambda _: (), _rows_by(*_BENCHMARK)),  # likewise
    ReportSection("touched", lambda one: coverage_by_profile(one.cases), _join_touched),
    ReportSection("budget", lambda one: one.budget, _join_budgets),
)
"""In the order of `Report`."""


def build_report(judged: JudgedSuite) -> Report:
    """The report of a judged suite."""
    return Report(**{one.field: one.build(judged) for one in REPORT_SECTIONS})


def join_reports(reports: Sequence[Report]) -> Report:
    """One report of all: closed where one is, with the worst verdict and its exit status.

    The order of the reports does not matter, and one alone is joined to itself.

    Raises:
        NothingCompared: there is no report.
    """
    if not reports:
        cure = "Hand in those of every part of the check."
        raise NothingCompared("G280", "no report was given.", cure=cure)
    if len(reports) == 1:
        return reports[0]
    parts = sorted(reports, key=lambda one: (one.profiles, one.created, repr(one)))
    worst = max(parts, key=_badness)
    values = {one.field: [getattr(part, one.field) for part in parts] for one in REPORT_SECTIONS}
    joins = {one.field: one.join for one in REPORT_SECTIONS if one.join is not None}
    whole = replace(worst, **{field: join(values[field]) for field, join in joins.items()})
    hosts = [part.host for part in parts if part.host is not None]
    classes = sorted({one.host_class for one in hosts})
    notes = [f"joined from {len(parts)} parts"]
    if len(classes) > 1:
        notes.append(f"the parts were measured on several host classes: {', '.join(classes)}")
    elif (machines := len({one.fingerprint for one in hosts})) > 1:
        notes.append(f"the parts were measured on {machines} machines; the facts are of one")
    notes += _contradictions(parts, whole)
    whole = replace(whole, notes=_each_once([notes, whole.notes]))
    if worst.verdict == ERROR:  # it has its own words
        return whole
    whence = f"host class {', '.join(classes)}" if classes else "no host"
    gating = [one for one in whole.findings if one.role is Role.GATE]
    return replace(whole, headline=headline(gating, whence, is_open=whole.gate == "open"))


_FIRST_COUNTS = ("accepted", "bills", "latencies", "sweeps", "why")
"""Tables with one row of each thing, of which a reader could only believe one."""


def _contradictions(parts: Sequence[Report], whole: Report) -> Iterator[str]:
    """Rows that are left out, because an earlier part says otherwise of the same."""
    for field in _FIRST_COUNTS:
        shown = getattr(whole, field)
        lost = sum(row not in shown for part in parts for row in getattr(part, field))
        if lost:
            yield f"{lost} of {field} left out: another part says otherwise of the same"


def _badness(report: Report) -> tuple[float, int]:
    """How bad a part is; of errors any one rule."""
    if report.verdict == ERROR:
        return Verdict.REGRESSED.rank - 0.5, -report.exit_status
    return Verdict(report.verdict).rank, report.exit_status
