"""Every trial that ran and is not counted, and why: for the report, whatever was decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import SetAside, TrialStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.judge.suite import Case
    from gate.model import Session

_LONGEST = 300
"""Characters of a reason that are told."""


def set_aside(cases: Iterable[Case]) -> tuple[SetAside, ...]:
    """One row for each reason: by profile, screen, further sessions and pairs, in run order."""
    return tuple(
        row
        for case in sorted(cases, key=lambda case: case.profile)
        for session in (case.head, *case.strikes, case.pair_base, case.pair_head)
        if session is not None
        for row in _of_session(session)
    )


def _of_session(session: Session) -> Iterator[SetAside]:
    trials = (trial for trial in session.trials if trial.status is TrialStatus.ASIDE)
    for trial in sorted(trials, key=lambda trial: trial.sequence):
        for reason in dict.fromkeys(trial.aside):
            yield SetAside(
                profile=session.profile,
                benchmark=trial.benchmark,
                side=session.side,
                stage=trial.stage,
                sequence=trial.sequence,
                kind=reason.kind,
                why=reason.text[:_LONGEST],
            )
