"""What is said of a whole report: its first line, its notes, how the host was, what comes first."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gate.judge.context.differences import what_differed
from gate.judge.context.file_reads import notes_of_reads
from gate.judge.host_stability.controls import missing_controls, standings
from gate.judge.host_stability.standing import move_of
from gate.judge.verdict.in_force import unearned_notes
from gate.judge.verdict.time_left import budget_note, budget_of
from gate.judge.verdict.tolerance import told_first
from gate.model import LevelState, Role, Source, TrialStatus, Verdict, join
from gate.stats.costs import LEAST_SESSIONS, ratio
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.first_stage import FirstStage
    from gate.judge.host_stability.controls import ControlStanding
    from gate.judge.verdict.suite import Case, Policy
    from gate.model import (
        Alike,
        BudgetStanding,
        Difference,
        Edit,
        Finding,
        Host,
        LevelStanding,
        Round,
        Session,
    )

_RUNNING = frozenset({"G074", "G075", "G076"})
"""Edits of what is run, which is the tree's."""
_LONGEST_NAME = 400
"""Characters of a name that numbers are looked for in."""
_LONGEST_REASON = 300
"""Characters of a reason that are shown."""
_DIGITS = re.compile(r"(\d+)")
Importance = tuple[bool, int, float, tuple[tuple[bool, int, str], ...]]


@dataclass(frozen=True, kw_only=True)
class JudgedSuite:
    """What a report is built from; there is at least one finding of a gate metric."""

    cases: tuple[Case, ...]
    policy: Policy
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
        return what_differed(self.cases)

    @cached_property
    def budget(self) -> BudgetStanding | None:
        """Where the time budget stood at the end; absent without one."""
        return budget_of(self.cases, self.findings)

    @property
    def let_through(self) -> bool:
        """Whether it is open for new benchmarks alone, which --allow new lets in."""
        return self.worst is Verdict.NEW and self.policy.allow_new

    @property
    def is_open(self) -> bool:
        """Whether the gate is."""
        return self.worst.opens or self.let_through


def importance(found: Finding) -> Importance:
    """What may close the gate first, worst first in it; then what is only watched.

    Of one verdict the larger loss comes first, in tolerances; what passed stands by its name, and
    numbers in names by their size.
    """
    excess = 0.0
    if found.loss is not None and found.verdict is not Verdict.PASSED:
        excess = found.loss / (found.tolerance_used or found.tolerance or 1.0)
    name = f"{found.profile} {found.benchmark} {found.metric}"
    parts = tuple(
        (True, int(part), "") if part.isdecimal() and part.isascii() else (False, 0, part)
        for part in _DIGITS.split(name[:_LONGEST_NAME])
    )
    return found.role is Role.WATCH, -found.verdict.rank, -excess, (*parts, (False, 0, name))


def notes_of(judged: JudgedSuite) -> tuple[str, ...]:
    """What is true of the whole report, of some of its profiles, and of controls that are blind."""
    holders: dict[str, list[str]] = {}
    for case in judged.cases:
        for note in _case_notes(case):
            holders.setdefault(note, []).append(case.profile)
    return (
        *_edit_notes(judged.edits),
        *_policy_notes(judged),
        *(f"{', '.join(dict.fromkeys(names))}: {note}" for note, names in holders.items()),
        *judged.first.blind,
        *([budget_note(judged.budget)] if judged.budget else []),
    )


def _edit_notes(edits: Sequence[Edit]) -> Iterator[str]:
    loosening = sum(one.loosens for one in edits)
    count = f"{len(edits)} edit{'s' if len(edits) > 1 else ''}"
    note = (
        f"judged by the merge base: {count} of what the gate judges by, {loosening} of which "
        "would let more in, are not in force here"
    )
    # Some edits do something before they are merged; none of them opens the gate.
    if any(one.code in _RUNNING for one in edits):
        note += (
            ", but what is run is what the change says, and where that is not what was accepted "
            "it is not compared"
        )
    if any(one.is_of_file for one in edits):
        note += ", but a workflow that the change edits may have run as it is edited"
    if edits:
        yield note


def profiles_of(judged: JudgedSuite) -> tuple[str, ...]:
    """What was judged, then what should have been and was not there."""
    found = sorted(one.profile for one in judged.findings)
    return tuple(dict.fromkeys((*(case.profile for case in judged.cases), *found)))


def headline(gating: Sequence[Finding], whence: str, *, is_open: bool) -> str:
    """`gate open: 17 passed; 2 of 17 judged coarser than asked: up to ... (host class lab)`."""
    counts = Counter(finding.verdict for finding in gating)
    worst_first = sorted(counts, key=lambda verdict: -verdict.rank)
    verdicts = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in worst_first)
    return f"gate {'open' if is_open else 'closed'}: {told_first(gating, verdicts)} ({whence})"


def headline_of(judged: JudgedSuite) -> str:
    """The same of a suite, with where it was measured."""
    host = host_of(judged)
    whence = f"host class {host.host_class}" if host else "nothing was measured"
    return headline(judged.gating, whence, is_open=judged.is_open)


def host_of(judged: JudgedSuite) -> Host | None:
    """The machine that measured, if anything was."""
    return next((case.head.host for case in judged.cases), None)


def tools_of(judged: JudgedSuite) -> dict[str, str]:
    """The gate and the tools by name, each with its version."""
    tools = (one for case in judged.cases for one in sorted(case.head.tools.items()))
    return {"driftgate": judged.version, **dict(tools)}


def subjects_of(judged: JudgedSuite) -> dict[str, str]:
    """What was under test, by profile and side."""
    shown: dict[str, str] = {}
    for case in judged.cases:
        for session in (case.pair_base, case.pair_head, case.head):
            if session is not None:
                subject = session.subject
                parts = subject.description, subject.commit[:12], "dirty" if subject.dirty else ""
                if text := " ".join(filter(None, parts)):
                    shown[f"{case.profile} {session.side.value}"] = text
    return shown


def _policy_notes(judged: JudgedSuite) -> Iterator[str]:
    findings, policy = judged.findings, judged.policy
    if judged.let_through:
        yield "new benchmarks were let through by --allow new: nothing was compared for them"
    elif policy.allow_new:
        yield "--allow new was given"
    rows = {(f.profile, f.benchmark, f.metric) for f in findings}
    # A profile that was not judged here and has a baseline may well have the row; one without a
    # baseline has nothing that could be waived.
    elsewhere = policy.accepted - {f.profile for f in findings}
    for waiver in policy.waivers:
        if waiver.row not in rows and waiver.profile not in elsewhere:
            yield f"a waiver matches nothing: {' '.join(waiver.row)} ({waiver.issue})"


def _case_notes(case: Case) -> Iterator[str]:
    for session in case.sessions:
        yield from session.notes
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
    yield from notes_of_reads(case)
    yield from _baseline_notes(case)


def _baseline_notes(case: Case) -> Iterator[str]:
    sessions = case.baseline.sessions if case.baseline else ()
    boots = {accepted.boot for accepted in sessions[-10:]}
    if len(sessions) > 1 and len(boots) == 1 and boots != {""}:
        spread = "their spread understates what other days and boots add"
        yield f"all accepted sessions are of one boot; {spread}"
    yield from unearned_notes(case.baseline)
    if move := move_of(case):
        yield f"epoch: {move}"
    if missing := missing_controls(case):
        yield missing


def conditions(judged: JudgedSuite) -> tuple[str, ...]:
    """What was tuned, which trials were set aside, and where the built-in controls stand."""
    cases = judged.cases
    sessions = [session for case in cases for session in case.sessions]
    names = dict.fromkeys(name for session in sessions for name in session.tuned)
    tuned = [f"tuned while it measured: {', '.join(names)}"] if names else []
    return (*tuned, *_asides(sessions), *_marks(sessions), *_levels(judged), *_controls(cases))


def _asides(sessions: Sequence[Session]) -> Iterator[str]:
    """`3 of 45 trials set aside: foreign_cpu 2, steal 1; the last: the hypervisor took ...`."""
    trials = [trial for session in sessions for trial in session.trials]
    if asides := [trial for trial in trials if trial.status is TrialStatus.ASIDE]:
        kinds = Counter(kind for one in asides for kind in {reason.kind for reason in one.aside})
        reasons = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
        texts = [reason.text[:_LONGEST_REASON] for one in asides for reason in one.aside]
        why = f": {reasons}; the last: {texts[-1]}" if texts else ""
        yield f"{len(asides)} of {len(trials)} trials set aside{why}"


def _marks(sessions: Sequence[Session]) -> Iterator[str]:
    """`9 of 45 trials were disturbed on both sides alike: foreign_cpu 9; the last: ...`."""
    trials = [trial for session in sessions for trial in session.trials]
    if marked := [trial for trial in trials if trial.marks]:
        kinds = Counter(kind for one in marked for kind in {mark.kind for mark in one.marks})
        shown = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
        last = marked[-1].marks[-1].text[:_LONGEST_REASON]
        yield f"{len(marked)} of {len(trials)} trials were disturbed, and count: {shown}; {last}"


def _levels(judged: JudgedSuite) -> Iterator[str]:
    """`accepted level: 12 kept, 3 moved: the built-in control ...`: worst last, each with a why."""
    known = [one.level for one in judged.gating if one.level is not None]
    counts = Counter(level.state for level in known)
    shown = [
        f"{count} {state.value}" + (f" ({first})" if (first := _first_text(known, state)) else "")
        for state in LevelState
        if (count := counts[state])
    ]
    if shown:
        yield f"accepted level: {', '.join(shown)}"


def _first_text(levels: Sequence[LevelStanding], state: LevelState) -> str:
    return next((one.text for one in levels if one.state is state), "")[:_LONGEST_REASON]


def _controls(cases: Sequence[Case]) -> Iterator[str]:
    """`built-in controls against 10 accepted sessions: cpu-spin +0.42 % (up to 3.0 % allowed)`."""
    known: dict[str, list[ControlStanding]] = {}
    for one in (one for case in cases for one in standings(case)):
        known.setdefault(one.name, []).append(one)
    if known:
        sessions = min(one.sessions for some in known.values() for one in some)
        moves = ", ".join(f"{name} {_range(some)}" for name, some in sorted(known.items()))
        yield f"built-in controls against {sessions} accepted sessions: {moves}"
    elif any(case.head.controls for case in cases):
        yield f"built-in controls ran; {LEAST_SESSIONS} accepted sessions with them say more"


def _range(some: Sequence[ControlStanding]) -> str:
    """Of all profiles and stages, and the smallest move that would have refused one."""
    low, high = (percent(ratio(one(s.moved for s in some))) for one in (min, max))
    least = percent(ratio(min(one.allowed for one in some)), signed=False)
    span = low if low == high else f"{low.removesuffix(' %')} … {high}"
    return f"{span} (up to {least} allowed)"
