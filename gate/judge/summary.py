"""Findings to a report: the joined verdict, the exit status, the first line, the notes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gate.judge.context.bills import bills
from gate.judge.context.conditions import conditions
from gate.judge.context.differences import what_differed
from gate.judge.context.latencies import latencies
from gate.judge.context.sweeps import sweeps
from gate.judge.host_stability.controls import missing_controls
from gate.judge.host_stability.host_epoch import move_of
from gate.judge.verdict.epochs import accepted_sessions
from gate.judge.verdict.exclusions import set_aside
from gate.model import SCHEMA, Report, Role, Source, SuitePromise, Verdict, join
from gate.review.terms import is_of_file
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.judge import FirstStage
    from gate.judge.verdict.suite import Case, Policy
    from gate.model import Edit, Finding, Waiver

_RUNNING = frozenset({"G074", "G075", "G076"})
"""Edits of what is run, which is the tree's."""


def summarise(
    cases: Sequence[Case],
    findings: tuple[Finding, ...],
    first: FirstStage,
    policy: Policy,
    *,
    created: str,
    version: str,
) -> Report:
    """Join the verdicts of the gate metrics; there is at least one."""
    gating = [finding for finding in findings if finding.role is Role.GATE]
    worst = join(finding.verdict for finding in gating) or Verdict.BROKEN
    let_through = worst is Verdict.NEW and policy.allow_new
    is_open = worst.opens or let_through
    host = cases[0].head.host if cases else None
    whence = f"host class {host.host_class}" if host else "nothing was measured"
    differences, alike = what_differed(cases)
    return Report(
        schema=SCHEMA,
        gate="open" if is_open else "closed",
        verdict=worst.value,
        exit_status=0 if let_through else worst.exit_status,
        headline=headline(gating, whence, is_open=is_open),
        created=created,
        profiles=_profiles(cases, findings),
        findings=findings,
        host=host,
        tools={"driftgate": version} | _tools(cases),
        notes=(*_notes(cases, findings, policy, let_through=let_through), *first.blind),
        promise=SuitePromise(
            alpha=policy.alpha,
            beta=policy.beta,
            metrics_judged=first.judged,
            metrics_flagged=first.m,
        ),
        subjects=_subjects(cases),
        conditions=conditions(cases),
        accepted=accepted_sessions(cases, findings),
        differences=differences,
        alike=alike,
        aside=set_aside(cases),
        bills=bills(cases),
        latencies=latencies(cases),
        sweeps=sweeps(cases, findings),
    )


def edit_notes(edits: Sequence[Edit]) -> Iterator[str]:
    """One note on what the tree judged says otherwise than the merge base."""
    if edits:
        loosening = sum(one.loosens for one in edits)
        count = f"{len(edits)} edit{'s' if len(edits) > 1 else ''}"
        kinds = (f", but {what}" for what in _in_force(edits))
        yield (
            f"judged by the merge base: {count} of what the gate judges by, {loosening} of which "
            f"would let more in, are not in force here{''.join(kinds)}"
        )


def _in_force(edits: Sequence[Edit]) -> Iterator[str]:
    """The edits that do something before they are merged, and what; none of them opens the gate."""
    if any(one.code in _RUNNING for one in edits):
        yield (
            "what is run is what the change says, and where that is not what was accepted it is "
            "not compared"
        )
    if any(is_of_file(one) for one in edits):
        yield "a workflow that the change edits may have run as it is edited"


def _profiles(cases: Sequence[Case], findings: Sequence[Finding]) -> tuple[str, ...]:
    """What was judged, then what should have been and was not there."""
    every = (*(case.profile for case in cases), *sorted(f.profile for f in findings))
    return tuple(dict.fromkeys(every))


def headline(gating: Sequence[Finding], whence: str, *, is_open: bool) -> str:
    """`gate closed: 2 regressed, 1 passed (host class lab)`."""
    counts = Counter(finding.verdict for finding in gating)
    worst_first = sorted(counts, key=lambda verdict: -verdict.rank)
    said = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in worst_first)
    return f"gate {'open' if is_open else 'closed'}: {said} ({whence})"


def _tools(cases: Sequence[Case]) -> dict[str, str]:
    return {name: version for case in cases for name, version in sorted(case.head.tools.items())}


def _subjects(cases: Sequence[Case]) -> dict[str, str]:
    shown: dict[str, str] = {}
    for case in cases:
        for session in (case.pair_base, case.pair_head, case.head):
            if session is None:
                continue
            subject = session.subject
            parts = [subject.description, subject.commit[:12], "dirty" if subject.dirty else ""]
            text = " ".join(part for part in parts if part)
            if text:
                shown[f"{case.profile} {session.side.value}"] = text
    return shown


def _notes(
    cases: Sequence[Case], findings: Sequence[Finding], policy: Policy, *, let_through: bool
) -> Iterator[str]:
    """What is true of the whole report, then what is true of some of its profiles."""
    if let_through:
        yield "new benchmarks were let through by --allow new: nothing was compared for them"
    elif policy.allow_new:
        yield "--allow new was given"
    raised = [f for f in findings if f.tolerance_used > f.tolerance and f.method != "none"]
    if raised := [f for f in raised if f.role is Role.GATE and f.verdict.opens]:
        loudest = max(raised, key=lambda f: f.tolerance_used)
        yield (
            f"{len(raised)} passed at a raised tolerance, up to "
            f"{percent(loudest.tolerance_used, signed=False)} for {loudest.benchmark} "
            f"{loudest.metric}: a smaller loss would not have been seen"
        )
    rows = {(f.profile, f.benchmark, f.metric) for f in findings}
    for waiver in policy.waivers:
        if waiver.row not in rows and _to_be_seen(waiver, findings, policy):
            yield f"a waiver matches nothing: {' '.join(waiver.row)} ({waiver.issue})"
    holders: dict[str, list[str]] = {}
    for case in cases:
        for note in _case_notes(case):
            holders.setdefault(note, []).append(case.profile)
    for note, profiles in holders.items():
        yield f"{', '.join(dict.fromkeys(profiles))}: {note}"


def _to_be_seen(waiver: Waiver, findings: Sequence[Finding], policy: Policy) -> bool:
    """Whether its row should be among the findings, if there were such a row.

    A profile that was not judged here and has a baseline may well have it; one without a baseline
    has nothing that could be waived.
    """
    judged = any(waiver.profile == one.profile for one in findings)
    return judged or waiver.profile not in policy.accepted


def _case_notes(case: Case) -> Iterator[str]:
    for session in (case.head, *case.strikes, case.pair_base, case.pair_head):
        yield from session.notes if session is not None else ()
    if case.reviewed is None:
        yield "tolerances, roles and plan are the session's own; --profiles takes reviewed ones"
    if case.head.source is Source.IMPORTED and not case.head.host.fingerprint:
        yield "imported values; nobody vouches for the host that measured them"
    if case.head.planted:
        yield f"a calibration: the head was slowed by {percent(case.head.planted, signed=False)}"
    if case.head.source is Source.REPLAYED:
        yield "replayed values, not measured"
    base, head = case.pair_base, case.pair_head
    if base and head and base.subject.proof and base.subject.proof == head.subject.proof:
        yield "base and head have the same content; no change was under test"
    yield from _baseline_notes(case)


def _baseline_notes(case: Case) -> Iterator[str]:
    """What qualifies the accepted sessions of a case, and how the host stands to them."""
    if case.baseline:
        boots = {accepted.boot for accepted in case.baseline.sessions[-10:]}
        if len(case.baseline.sessions) > 1 and len(boots) == 1 and boots != {""}:
            yield (
                "all accepted sessions are of one boot; their spread understates what other days "
                "and boots add"
            )
        move = move_of(case)
        if move is not None:
            yield f"epoch: {move}"
        if missing_controls(case):
            yield missing_controls(case)
