"""What the workload opened of its repository: whether it read the change, and what nobody reviewed.

A file that the change edits, and that is neither below the side nor an input, decides what is
measured by the word of the change: no pass of it is in force.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.docs import PAGES
from gate.model import Role, Touched, TrialStatus, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gate.judge.verdict.suite import Case, Suite
    from gate.model import FileReads, Finding

CODE = "G056"
_NAMED = 3
_OPEN = frozenset({Verdict.PASSED, Verdict.IMPROVED})


def reads_by_profile(cases: Iterable[Case]) -> tuple[Touched, ...]:
    """Whether the workload of each profile read a file that the change changed."""
    rows = ((case.profile, reads_of(case)) for case in cases)
    found = (_row(profile, reads) for profile, reads in rows if reads)
    return tuple(row for row in found if row is not None)


def require_reviewed_files(findings: Sequence[Finding], suite: Suite) -> tuple[Finding, ...]:
    """The findings; a pass of what ran a file that the change edits, and nobody named, closes."""
    edited = {
        case.profile: sorted({name for one in reads_of(case) for name in one.edited})
        for case in suite.cases
    }
    return tuple(_closed(one, edited.get(one.profile, [])) for one in findings)


def notes_of_reads(case: Case) -> Iterator[str]:
    """What the trials opened that is neither below the side nor an input; why it is not known."""
    reads = reads_of(case)
    if others := sorted({name for one in reads for name in one.others}):
        yield f"opened, and neither below {{side}} nor named as inputs: {_some(others)}"
    for why in sorted({one.unknown for one in reads if one.unknown}):
        yield f"which files the workload opened is not known of all: {why}"


def reads_of(case: Case) -> list[FileReads]:
    """What is known of each benchmark that was traced."""
    trials = (trial for session in case.sessions for trial in session.trials)
    return [one.reads for one in trials if one.status is TrialStatus.OK and one.reads is not None]


def _closed(found: Finding, edited: Sequence[str]) -> Finding:
    if not (edited and found.verdict in _OPEN and found.role is Role.GATE):
        return found
    what = (
        "is run as the change edits it" if len(edited) == 1 else "are run as the change edits them"
    )
    why = f"{_some(edited)} {what}, and neither below {{side}} nor named as inputs"
    return replace(
        found,
        verdict=Verdict.INCONCLUSIVE,
        code=CODE,
        headline=f"{why}; {found.headline}",
        path=(*found.path, why),
        advice=PAGES[CODE].cure,
    )


def _row(profile: str, reads: Sequence[FileReads]) -> Touched | None:
    count = max(one.changed for one in reads)
    read = sorted({name for one in reads for name in one.read})
    built = sorted({name for one in reads for name in one.built})
    unknown = next((one.unknown for one in reads if one.unknown), "")
    if not count:
        return None
    if not read and built and not unknown:
        unknown = (
            f"{_some(built)} {'was' if len(built) == 1 else 'were'} read, which git does not keep"
        )
    files = "file" if count == 1 else "files"
    empty = not read and not unknown
    if read:
        said = f"{len(read)} of {count} changed {files} read: {_some(read)}"
    elif empty:
        said = f"{'the one' if count == 1 else f'none of {count}'} changed {files} was "
        said += f"{'not ' if count == 1 else ''}read: this pass is empty"
    else:
        said = f"whether any of {count} changed {files} counted is unknown, because {unknown}"
    return Touched(
        profile=profile,
        headline=said,
        count=max(count, len(read)),
        executed=len(read),
        empty=empty,
        unknown=unknown,
    )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
