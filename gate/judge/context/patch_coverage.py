"""Whether the workload executed what the change changed, and what becomes of a pass if it did not.

A pass of a workload that never reached the change says nothing of it. Which functions differ is
known by their machine code, so one that was inlined shows in its callers; which ran, by counting.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.judge.context.file_reads import reads_by_profile
from gate.model import (
    MOST_CHANGED,
    Ran,
    Role,
    Side,
    Touched,
    TouchedFunction,
    TrialStatus,
    Untouched,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.verdict.suite import Case, Suite
    from gate.model import Finding, Touch

CODE = "G043"
_IN_SENTENCE = 3
_NOT = Ran(per_operation=0.0)
"""Of a function that a trial did not execute."""


class _Seen(NamedTuple):
    side: Side
    touch: Touch


def coverage_by_profile(cases: Sequence[Case]) -> tuple[Touched, ...]:
    """What is known of each profile that looked for it, by profile."""
    in_order = sorted(cases, key=lambda case: case.profile)
    counted = (_of(case.profile, seen) for case in in_order if (seen := _seen(case)))
    return (*counted, *reads_by_profile(case for case in in_order if not _seen(case)))


def require_coverage(findings: Sequence[Finding], suite: Suite) -> tuple[Finding, ...]:
    """The findings; where a pass is empty and its profile asks for that, it closes the gate.

    So does a pass of which nobody knows whether it is empty. What was accepted as it is, or is
    shown only, is left alone.
    """
    rows = {row.profile: row for row in coverage_by_profile(suite.cases)}
    reasons = {
        case.profile: _not_shown(rows.get(case.profile)) for case in suite.cases if _closes(case)
    }
    return tuple(_emptied(one, reasons.get(one.profile, "")) for one in findings)


def _emptied(found: Finding, why: str) -> Finding:
    passes = found.verdict in {Verdict.PASSED, Verdict.IMPROVED} and found.role is Role.GATE
    if not (why and passes):
        return found
    return replace(
        found,
        verdict=Verdict.INCONCLUSIVE,
        code=CODE,
        headline=f"{why}; {found.headline}",
        path=(*found.path, why),
        advice="Judge the change by a workload that runs what it changed, or say in the profile "
        'that an empty pass is good enough: untouched = "note".',
    )


def _not_shown(row: Touched | None) -> str:
    """Why it is not shown that the workload ran the change; empty where it is, or there is none."""
    if row is None:
        return "whether the workload executed the change is unknown, because no base was compared"
    return row.headline if row.empty or (row.unknown and not row.executed) else ""


def _closes(case: Case) -> bool:
    if case.reviewed is None:
        return False
    guest = case.reviewed.work.guest
    asked = {case.reviewed.subject.untouched, guest.untouched if guest else Untouched.NOTE}
    return Untouched.CLOSE in asked


def _of(profile: str, seen: Sequence[_Seen]) -> Touched:
    count = max(one.touch.count for one in seen)
    names = {name: how for one in seen for name, how in one.touch.functions.items()}
    ran = {name for one in seen for name in one.touch.ran}
    executed = max(len(ran), *(one.touch.executed for one in seen))
    rows = sorted(
        (_function(name, how, seen) for name, how in names.items()),
        key=lambda one: (not one.executed, -max(one.base or 0.0, one.head or 0.0), one.name),
    )
    unknown = next((one.touch.unknown for one in seen if one.touch.unknown), "")
    made = Touched(
        profile=profile,
        headline="",
        count=count,
        executed=executed,
        empty=count > 0 and executed == 0 and not unknown,
        functions=tuple(rows[:MOST_CHANGED]),
        unknown=unknown,
    )
    return replace(made, headline=_headline(made, seen))


def _seen(case: Case) -> list[_Seen]:
    return [
        _Seen(session.side, trial.touch)
        for session in case.sessions
        for trial in session.trials
        if trial.status is TrialStatus.OK and trial.touch is not None
    ]


def _function(name: str, how: str, seen: Sequence[_Seen]) -> TouchedFunction:
    ran = [one.touch.ran[name] for one in seen if name in one.touch.ran]
    return TouchedFunction(
        name=name,
        how=how,
        executed=bool(ran),
        shared=any(one.shared for one in ran),
        calls=any(one.calls > 0.0 for one in ran),
        base=_median(name, Side.BASE, seen),
        head=_median(name, Side.HEAD, seen),
    )


def _median(name: str, side: Side, seen: Sequence[_Seen]) -> float | None:
    mine = [one.touch.ran.get(name, _NOT) for one in seen if one.side is side]
    return median(one.per_operation for one in mine) if mine else None


def _headline(row: Touched, seen: Sequence[_Seen]) -> str:
    sides = {one.side for one in seen}
    one_side = "" if len(sides) > 1 else f" (only the {min(sides).value} was run)"
    if row.unknown and not row.count:
        return f"whether the workload executed the change is unknown, because {row.unknown}"
    if not row.count:
        if all(one.touch.identical for one in seen):
            return "base and head are the same code: kernel and modules have the same build-ids"
        return "base and head are the same code: no function differs"
    nouns = "function" if row.count == 1 else "functions"
    changed = f"{nouns} known to have changed" if row.unknown else f"changed {nouns}"
    counted = f"{row.executed} of {row.count} {changed} executed"
    if row.empty:
        return f"{counted}: this pass is empty{one_side}"
    more = f"; more may differ, because {row.unknown}" if row.unknown else ""
    return f"{counted}{_largest(row)}{one_side}{more}"


def _largest(row: Touched) -> str:
    """`: null_handle_cmd (52 -> 102 instructions per operation), ...`."""
    ran = [one for one in row.functions if one.executed]
    if not ran:
        return ""
    parts = [f"{one.name} ({figures(one)})" for one in ran[:_IN_SENTENCE]]
    more = [f"{row.executed - _IN_SENTENCE} more"] if row.executed > _IN_SENTENCE else []
    return f": {', '.join((*parts, *more))}"


def figures(one: TouchedFunction) -> str:
    """`52 -> 102 instructions per operation`, of the sides that were booted."""
    values = [value for value in (one.base, one.head) if value is not None]
    if not any(values):
        shown = "but not for each operation"
    else:
        what = "calls" if one.calls else "instructions"
        shown = f"{' -> '.join(f'{value:,.6g}' for value in values)} {what} per operation"
    return f"{shown}, or another function of this name" if one.shared else shown
