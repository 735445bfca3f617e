"""Trials that were set aside for what the head may have done itself: they flag, never prove.

Pressure on memory, the kernel's log, throttling and the work of others are seen for the machine
as a whole, so the change may cause them: exactly its slow trials would be set aside, and its fast
ones kept. Hence a screen passes only where it would pass with the values of such trials too, and
pairs clear nothing where the head was set aside clearly more often than the base. No loss is ever
proven with the values of a disturbed trial.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gate.judge.verdict.suite import in_run_order, metric_values
from gate.model import KINDS, UNSTEADY, Limits, SetAside, TrialStatus
from gate.model.disturbance import most_set_aside
from gate.model.plan import FIRST_BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gate.judge.verdict.suite import Case
    from gate.model import Session, Trial


_OWN = KINDS.keys() - {"steal", "asleep"}
"""What a workload, or a daemon that works for it, can cause itself: not what nobody inside does."""
_LEVEL = 0.01
"""Two-sided level of the sign test of both sides' trials."""
_ALL_ON_HEAD = 3
"""So many on the head's side and none on the base's are reported at once."""


def too_many_excluded(case: Case) -> str:
    """Why the case must not be judged, where more trials were set aside than the limit allows.

    Counted anew from the trials, as the measuring did: a session that was handed in may not say.
    """
    share = case.baseline.set_aside if case.baseline else Limits().set_aside
    for session in (case.head, *case.strikes):
        if reason := too_many_excluded_in(session, share):
            return reason
    return "" if case.by_pairs else too_many_excluded_of_pairs(case)


def too_many_excluded_of_pairs(case: Case) -> str:
    """The same of the confirming trials of both sides."""
    share = case.baseline.set_aside if case.baseline else Limits().set_aside
    names = {plan.benchmark for one in case.pairs for plan in one.planned}
    trials = [trial for one in case.pairs for trial in one.trials]
    return _spent(trials, 2 * FIRST_BLOCK * len(names), share)


def too_many_excluded_in(session: Session, share: float) -> str:
    """Why one whole session must not be judged, nor accepted."""
    planned = sum(plan.trials for plan in session.planned if not plan.group)
    return _spent(session.trials, planned, share)


def _spent(trials: Sequence[Trial], planned: int, share: float) -> str:
    disturbed = sum(any(one.kind != UNSTEADY for one in t.aside) for t in _asides(trials))
    counted = sum(trial.status is not TrialStatus.ASIDE for trial in trials)
    if disturbed <= most_set_aside(share, max(planned, counted)):
        return ""
    return f"{disturbed} of {disturbed + counted} trials were set aside, more than may be"


def _asides(trials: Iterable[Trial]) -> list[Trial]:
    return [trial for trial in trials if trial.status is TrialStatus.ASIDE]


def own_asides(session: Session) -> dict[str, tuple[Trial, ...]]:
    """By benchmark, the trials set aside for what the workload can cause itself."""
    return {
        benchmark: tuple(one for one in trials if any(why.kind in _OWN for why in one.aside))
        for benchmark, trials in every_aside(session).items()
    }


def every_aside(session: Session) -> dict[str, tuple[Trial, ...]]:
    """By benchmark, the trials set aside for whatever reason."""
    return in_run_order(t for t in _asides(session.trials) if t.stage is session.stage)


def shown_values(trials: Iterable[Trial], metric: str) -> tuple[float, ...]:
    """A metric's finite values in such trials, to be shown and nothing else."""
    every = (value.value for value in metric_values(trials, metric))
    return tuple(value for value in every if math.isfinite(value))


def aside_values(trials: Iterable[Trial], metric: str) -> tuple[float, ...]:
    """A metric's values in such trials, as far as a ratio can be formed of them."""
    return tuple(value for value in shown_values(trials, metric) if value > 0)


def disturbs_itself(case: Case, benchmark: str) -> str:
    """Why pairs clear nothing: one side's trials were disturbed clearly more than the other's.

    By an exact sign test: were neither side to blame, each such trial would be the head's with
    probability 1/2, for the order of a block is random. One that was set aside ends its block.
    Those that count are looked at both ways, for what slows the base hides a loss.
    """
    base, head = (
        len(own_asides(session).get(benchmark, ())) if session else 0
        for session in (case.pair_base, case.pair_head)
    )
    if head > base and (
        _chance(head, base + head) <= _LEVEL or (not base and head >= _ALL_ON_HEAD)
    ):
        return f"{head} trials of the head and {base} of the base were set aside"
    base, head = (_marked(session, benchmark) for session in (case.pair_base, case.pair_head))
    if head != base and _chance(max(head, base), base + head) <= _LEVEL:
        return f"{head} trials of the head and {base} of the base were disturbed"
    return ""


def _marked(session: Session | None, benchmark: str) -> int:
    trials = session.trials if session else ()
    return sum(bool(one.marks) for one in trials if one.benchmark == benchmark)


def _chance(most: int, total: int) -> float:
    """Two-sided chance that one of two equal sides has `most` of `total` or more."""
    ways = sum(math.comb(total, k) for k in range(most, total + 1))
    return min(1.0, math.ldexp(ways, 1 - total))


_LONGEST = 300
"""Characters of a reason that are shown."""


def set_aside(cases: Iterable[Case]) -> tuple[SetAside, ...]:
    """A row for each reason of each trial set aside, by profile, session and run order."""
    return tuple(
        SetAside(
            profile=session.profile,
            benchmark=trial.benchmark,
            side=session.side,
            stage=trial.stage,
            sequence=trial.sequence,
            kind=reason.kind,
            why=reason.text[:_LONGEST],
        )
        for case in sorted(cases, key=lambda case: case.profile)
        for session in case.sessions
        for trial in sorted(_asides(session.trials), key=lambda trial: trial.sequence)
        for reason in dict.fromkeys(trial.aside)
    )
