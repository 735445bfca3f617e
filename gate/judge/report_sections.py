"""What a report consists of: one section for each of its fields, with its build and its join.

A section is built from a judged suite, and joined from the reports of the parts of one check. What
a field may not say is checked where files are read (`gate.formats`). A test holds that each field
of `Report` has one section here and one check there, so that none can be dropped on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gate.errors import NothingCompared
from gate.judge import report_joins as joins
from gate.judge.calibration_rounds import RoundFilter
from gate.judge.context.bills import bills
from gate.judge.context.differences import what_differed
from gate.judge.context.latencies import latencies
from gate.judge.context.patch_coverage import coverage_by_profile
from gate.judge.context.sweeps import sweeps
from gate.judge.host_fitness import class_record
from gate.judge.report_joins import each_once, first_known, from_worst, rows_by, texts_by_key
from gate.judge.summary import (
    conditions,
    headline,
    notes_of,
    profiles_of,
    subjects_of,
    tools_of,
    whence_of,
)
from gate.judge.verdict.epochs import accepted_sessions
from gate.judge.verdict.exclusions import set_aside
from gate.model import SCHEMA, Report, Role, SuitePromise, Verdict, join

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gate.judge.first_stage import FirstStage
    from gate.judge.verdict.suite import Suite
    from gate.model import Accepted, Alike, Calibration, Difference, Edit, Finding, Host, Round


@dataclass(frozen=True, kw_only=True)
class JudgedSuite:
    """What a report is built from; there is at least one finding of a gate metric."""

    suite: Suite
    findings: tuple[Finding, ...]
    first: FirstStage
    created: str
    version: str
    rounds: tuple[Round, ...]
    edits: tuple[Edit, ...]

    @cached_property
    def gating(self) -> tuple[Finding, ...]:
        """The findings that may close the gate."""
        return tuple(one for one in self.findings if one.role is Role.GATE)

    @cached_property
    def worst(self) -> Verdict:
        """The verdict of the whole."""
        return join(one.verdict for one in self.gating) or Verdict.BROKEN

    @cached_property
    def differed(self) -> tuple[tuple[Difference, ...], tuple[Alike, ...]]:
        """What was not alike on both sides, and how much was."""
        return what_differed(self.suite.cases)

    @property
    def let_through(self) -> bool:
        """Whether it is open for new benchmarks alone, which --allow new lets in."""
        return self.worst is Verdict.NEW and self.suite.policy.allow_new

    @property
    def is_open(self) -> bool:
        """Whether the gate is."""
        return self.worst.opens or self.let_through


@dataclass(frozen=True, slots=True)
class ReportSection:
    """One field of a report: how it is built, and how the parts' values become the whole's."""

    field: str
    build: Callable[[JudgedSuite], Any]
    join: Callable[[Sequence[Report]], Any]


def _exit_status(judged: JudgedSuite) -> int:
    return 0 if judged.let_through else judged.worst.exit_status


def _headline(judged: JudgedSuite) -> str:
    return headline(judged.gating, whence_of(judged.suite.cases), is_open=judged.is_open)


def _profiles(judged: JudgedSuite) -> tuple[str, ...]:
    return profiles_of(judged.suite.cases, judged.findings)


def _host(judged: JudgedSuite) -> Host | None:
    cases = judged.suite.cases
    return cases[0].head.host if cases else None


def _tools(judged: JudgedSuite) -> dict[str, str]:
    return {"driftgate": judged.version} | tools_of(judged.suite.cases)


def _accepted(judged: JudgedSuite) -> tuple[Accepted, ...]:
    return accepted_sessions(judged.suite.cases, judged.findings)


def _promise(judged: JudgedSuite) -> SuitePromise:
    policy, first = judged.suite.policy, judged.first
    return SuitePromise(
        alpha=policy.alpha, beta=policy.beta, metrics_judged=first.judged, metrics_flagged=first.m
    )


def _notes(judged: JudgedSuite) -> tuple[str, ...]:
    notes = notes_of(judged.suite, judged.findings, judged.edits, let_through=judged.let_through)
    return (*notes, *judged.first.blind)


def _record(judged: JudgedSuite) -> Calibration | None:
    """How the gate did here with these profiles where the right answer was known."""
    cases, policy = judged.suite.cases, judged.suite.policy
    if not cases:
        return None
    wanted = RoundFilter(
        host_class=cases[0].head.host.host_class,
        texts={case.profile: case.head.profile_digest for case in cases},
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
    ReportSection("headline", _headline, joins.join_headlines),
    ReportSection("created", lambda one: one.created, lambda parts: max(p.created for p in parts)),
    ReportSection("profiles", _profiles, lambda parts: tuple(sorted(each_once("profiles")(parts)))),
    ReportSection("findings", lambda one: one.findings, joins.join_findings),
    ReportSection("host", _host, first_known("host")),
    ReportSection("tools", _tools, texts_by_key("tools")),
    ReportSection("notes", _notes, joins.join_notes),
    ReportSection("promise", _promise, joins.join_promises),
    ReportSection("subjects", lambda one: subjects_of(one.suite.cases), texts_by_key("subjects")),
    ReportSection("conditions", lambda one: conditions(one.suite.cases), each_once("conditions")),
    ReportSection("edits", lambda one: one.edits, joins.join_edits),
    ReportSection("accepted", _accepted, joins.join_accepted),
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
        raise NothingCompared(
            "G280", "no report was given.", cure="Hand in those of every part of the check."
        )
    if len(reports) == 1:
        return reports[0]
    parts = sorted(reports, key=lambda one: (one.profiles, one.created, repr(one)))
    return Report(**{one.field: one.join(parts) for one in REPORT_SECTIONS})
