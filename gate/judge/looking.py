"""Looks between pairs: which benchmarks are still undecided; light, for the measuring process.

`plan_second_stage` needs scipy and runs in a process of its own; what it returns does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.judge.epochs import Accepted, accepted_change, pair_losses
from gate.judge.suite import complete_pairs, pairs_of
from gate.model import Better, Stage, TrialStatus
from gate.stats.costs import usable
from gate.stats.martingale import PairRule, decide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.suite import Case, Policy
    from gate.model import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One flagged series, for the measuring process."""

    profile: str
    benchmark: str
    metric: str
    better: Better
    gates: bool
    """Whether it may close the gate; a watched metric costs no further trials."""
    rule: PairRule
    accepted: Accepted | None
    """The newest accepted change of level; the base side may still be before it."""
    strikes: int | None
    """Fresh head sessions needed where there is no base side; None if none would do."""


def plan_second_stage(cases: Sequence[Case], policy: Policy) -> tuple[Task, ...]:
    """Screen the cases and say what must be confirmed, and how."""
    from gate.judge.judge import first_stage  # noqa: PLC0415 - scipy, in a process of its own
    from gate.stats.strikes import strikes_needed  # noqa: PLC0415

    first = first_stage(cases, policy)
    return tuple(
        Task(
            profile=flag.series.case.profile,
            benchmark=flag.series.benchmark,
            metric=flag.series.metric.name,
            better=flag.series.metric.better,
            gates=flag.series.metric.role.value == "gate",
            accepted=accepted_change(flag.series),
            rule=flag.rule(first.share(flag, policy.alpha), policy.beta),
            strikes=strikes_needed(len(flag.series.sessions), first.share(flag, policy.alpha)),
        )
        for flag in first.flagged
    )


def undecided(tasks: Sequence[Task], base: Session, head: Session) -> frozenset[str]:
    """Benchmarks of which a gate metric is neither proven nor cleared nor spent."""
    failed = {
        trial.benchmark
        for trial in (*base.trials, *head.trials)
        if trial.stage is Stage.CONFIRM and trial.status is not TrialStatus.OK
    }
    return frozenset(
        task.benchmark
        for task in tasks
        if task.gates and task.benchmark not in failed and _waiting(task, base, head)
    )


def _waiting(task: Task, base: Session, head: Session) -> bool:
    pairs = pairs_of(base, head, task.benchmark, task.metric)
    if len(pairs) < complete_pairs(base, head, task.benchmark) or not all(map(usable, pairs)):
        return False  # a value is lacking or unusable: the judge will call it so
    losses, _ = pair_losses(pairs, task.better, task.accepted)
    return decide(losses, task.rule).verdict == "undecided"
