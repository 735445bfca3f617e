"""What a report consists of: one section for each of its fields, with its build and its join.

A section is built from a judged suite, and joined from the reports of the parts of one check. What
a field may not say is checked where files are read (`gate.formats`). A test holds that each field
of `Report` has one section here and one check there, so that none can be dropped on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.errors import NothingCompared
from gate.judge import report_joins as joins
from gate.judge.calibration_rounds import RoundFilter
from gate.judge.context.bills import bills
from gate.judge.context.latencies import latencies
from gate.judge.context.patch_coverage import coverage_by_profile
from gate.judge.context.sweeps import sweeps
from gate.judge.host_fitness import class_record
from gate.judge.report_joins import each_once, first_known, from_worst, rows_by, texts_by_key
from gate.judge.summary import (
    conditions,
    headline_of,
    host_of,
    notes_of,
    profiles_of,
    subjects_of,
    tools_of,
)
from gate.judge.verdict.epochs import accepted_sessions
from gate.judge.verdict.exclusions import set_aside
from gate.model import SCHEMA, Report, SuitePromise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gate.judge.summary import JudgedSuite
    from gate.model import Calibration


@dataclass(frozen=True, slots=True)
class ReportSection:
    """One field of a report: how it is built, and how the parts' values become the whole's."""

    field: str
    build: Callable[[JudgedSuite], Any]
    join: Callable[[Sequence[Report]], Any]


def _exit_status(judged: JudgedSuite) -> int:
    return 0 if judged.let_through else judged.worst.exit_status


def _promise(judged: JudgedSuite) -> SuitePromise:
    policy, first = judged.suite.policy, judged.first
    return SuitePromise(
        alpha=policy.alpha, beta=policy.beta, metrics_judged=first.judged, metrics_flagged=first.m
    )


def _record(judged: JudgedSuite) -> Calibration | None:
    """How the gate did here with these profiles where the right answer was known."""
    host, policy = host_of(judged), judged.suite.policy
    if host is None:
        return None
    wanted = RoundFilter(
        host_class=host.host_class,
        texts={case.profile: case.head.profile_digest for case in judged.suite.cases},
        alpha=policy.alpha,
        beta=policy.beta,
    )
    return class_record(judged.rounds, wanted)


def _nothing(_: JudgedSuite) -> tuple[()]:
    """What is added to a report after it was judged, where there is any."""
    return ()


BENCHMARK = ("profile", "benchmark")
REPORT_SECTIONS = (
    ReportSection("schema", lambda _: SCHEMA, from_worst("schema")),
    ReportSection("gate", lambda one: "open" if one.is_open else "closed", joins.join_gates),
    ReportSection("verdict", lambda one: one.worst.value, from_worst("verdict")),
    ReportSection("exit_status", _exit_status, from_worst("exit_status")),
    ReportSection("headline", headline_of, joins.join_headlines),
    ReportSection("created", lambda one: one.created, lambda parts: max(p.created for p in parts)),
    ReportSection(
        "profiles", profiles_of, lambda parts: tuple(sorted(each_once("profiles")(parts)))
    ),
    ReportSection("findings", lambda one: one.findings, joins.join_findings),
    ReportSection("host", host_of, first_known("host")),
    ReportSection("tools", tools_of, texts_by_key("tools")),
    ReportSection("notes", notes_of, joins.join_notes),
    ReportSection("promise", _promise, joins.join_promises),
    ReportSection("subjects", subjects_of, texts_by_key("subjects")),
    ReportSection("conditions", conditions, each_once("conditions")),
    ReportSection("edits", lambda one: one.edits, joins.join_edits),
    ReportSection(
        "accepted",
        lambda one: accepted_sessions(one.suite.cases, one.findings),
        joins.join_accepted,
    ),
    ReportSection("bills", lambda one: bills(one.suite.cases), rows_by("bills", *BENCHMARK)),
    ReportSection(
        "latencies",
        lambda one: latencies(one.suite.cases),
        rows_by("latencies", *BENCHMARK, "kind"),
    ),
    ReportSection(
        "sweeps",
        lambda one: sweeps(one.suite.cases, one.findings),
        rows_by("sweeps", "profile", "group", "metric"),
    ),
    ReportSection("differences", lambda one: one.differed[0], joins.join_differences),
    ReportSection("alike", lambda one: one.differed[1], joins.join_alike),
    ReportSection("changes", _nothing, each_once("changes")),
    ReportSection("aside", lambda one: set_aside(one.suite.cases), joins.join_aside),
    ReportSection("origin", lambda _: None, first_known("origin")),
    ReportSection("calibration", _record, joins.join_records),
    ReportSection("why", _nothing, rows_by("why", *BENCHMARK)),
    ReportSection(
        "touched", lambda one: coverage_by_profile(one.suite.cases), rows_by("touched", "profile")
    ),
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
    return Report(**{one.field: one.join(parts) for one in REPORT_SECTIONS})
