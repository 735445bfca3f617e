"""How the host was while it measured, for the report: one line per thing worth knowing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gate.judge.host_stability.controls import standings
from gate.model import TrialStatus
from gate.stats.costs import LEAST_SESSIONS, ratio
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.host_stability.controls import ControlStanding
    from gate.judge.verdict.suite import Case
    from gate.model import Session

_LONGEST = 300
"""Characters of a reason that are told."""


def conditions(cases: Sequence[Case]) -> tuple[str, ...]:
    """What was tuned, which trials were set aside, and where the built-in controls stand."""
    sessions = [session for case in cases for session in _sessions(case)]
    return tuple(line for line in (_tuned(sessions), _aside(sessions), *_controls(cases)) if line)


def _sessions(case: Case) -> Iterator[Session]:
    for session in (case.head, *case.strikes, case.pair_base, case.pair_head):
        if session is not None:
            yield session


def _tuned(sessions: Sequence[Session]) -> str:
    names = dict.fromkeys(name for session in sessions for name in session.tuned)
    return f"tuned while it measured: {', '.join(names)}" if names else ""


def _aside(sessions: Sequence[Session]) -> str:
    """`3 of 45 trials set aside: foreign_cpu 2, steal 1; the last: the hypervisor took ...`."""
    trials = [trial for session in sessions for trial in session.trials]
    aside = [trial for trial in trials if trial.status is TrialStatus.ASIDE]
    if not aside:
        return ""
    kinds = Counter(kind for one in aside for kind in {reason.kind for reason in one.aside})
    reasons = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    last = [reason.text for one in aside for reason in one.aside][-1:]
    parts = [
        f": {reasons}" if reasons else "",
        *(f"; the last: {text[:_LONGEST]}" for text in last),
    ]
    return f"{len(aside)} of {len(trials)} trials set aside{''.join(parts)}"


def _controls(cases: Sequence[Case]) -> Iterator[str]:
    """`built-in controls against 10 accepted sessions: cpu-spin -0.11 … +0.42 % (bears 3.0 %)`."""
    known: dict[str, list[ControlStanding]] = {}
    for one in (one for case in cases for one in standings(case)):
        known.setdefault(one.name, []).append(one)
    if known:
        least = min(one.sessions for some in known.values() for one in some)
        told = ", ".join(f"{name} {_range(some)}" for name, some in sorted(known.items()))
        yield f"built-in controls against {least} accepted sessions: {told}"
    elif any(case.head.controls for case in cases):
        yield f"built-in controls ran; {LEAST_SESSIONS} accepted sessions with them tell more"


def _range(some: Sequence[ControlStanding]) -> str:
    """Of all profiles and stages, and the smallest move that would have refused one."""
    low, high = (percent(ratio(one(s.moved for s in some))) for one in (min, max))
    bears = percent(ratio(min(one.bearable for one in some)), signed=False)
    span = low if low == high else f"{low.removesuffix(' %')} … {high}"
    return f"{span} (bears {bears})"
