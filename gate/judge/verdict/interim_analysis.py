"""What the measuring process asks before and between its trials; it never loads scipy.

Planning and early looks need scipy, so they run in a forked child: `plan_screens`,
`plan_second_stage` and `all_cleared` import what they need there. What they return is light, and
so is the look between blocks of pairs, `undecided_benchmarks`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.judge.verdict.epochs import LevelShift, accepted_change, block_costs
from gate.judge.verdict.series import at_blocks
from gate.judge.verdict.suite import Pairing
from gate.judge.verdict.tolerance import promises
from gate.model import Better, Role, Stage, TrialStatus, Verdict
from gate.stats.costs import usable
from gate.stats.martingale import PairRule, decide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.verdict.suite import Case, Policy
    from gate.judge.verdict.tolerance import InForce
    from gate.model import Baseline, Profile, Session


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
    in_force: InForce
    """Its limits are those of the rule, as relative losses; coarse pairs raise them."""
    accepted: LevelShift | None
    """The newest accepted change of level; the base side may still be before it."""
    unscreened: str
    """Why it was not screened; empty where it was."""
    strikes: int | None
    """Head sessions of other sittings that a proof takes without a base side; None: none would."""


def plan_second_stage(cases: Sequence[Case], policy: Policy) -> tuple[Task, ...]:
    """Screen the cases and say what must be confirmed, and how."""
    from gate.judge.first_stage import first_stage  # noqa: PLC0415 - scipy, in the child alone
    from gate.judge.verdict.rank_test import sittings_needed  # noqa: PLC0415 - likewise

    first = first_stage(cases, policy)
    return tuple(
        Task(
            profile=flag.series.case.profile,
            benchmark=flag.series.benchmark,
            metric=flag.series.metric.name,
            better=flag.series.metric.better,
            gates=flag.series.gates,
            accepted=accepted_change(flag.series),
            rule=flag.rule(alpha, policy.beta),
            in_force=flag.in_force,
            unscreened="" if flag.screened else flag.path[0],
            strikes=sittings_needed(flag.series, alpha),
        )
        for flag, alpha in zip(first.flagged, first.alphas(policy.alpha), strict=True)
    )


def plan_screens(
    profiles: Sequence[Profile], baselines: Sequence[Baseline | None], beta: float
) -> list[dict[str, int]]:
    """Trials of each profile's screen by benchmark, where they are more than it asks for."""
    from gate.judge.power.planning import plan_screen  # noqa: PLC0415 - scipy, in the child alone

    pairs = zip(profiles, baselines, strict=True)
    return [plan_screen(profile, baseline, beta) for profile, baseline in pairs]


def all_cleared(cases: Sequence[Case], policy: Policy) -> bool:
    """Whether the strikes so far clear every gate metric that was flagged."""
    from gate.judge.first_stage import first_stage  # noqa: PLC0415 - scipy, in the child alone

    decided = first_stage(cases, policy).confirmed(policy)
    return all(one.verdict is Verdict.PASSED for one in decided if one.role is Role.GATE)


def undecided_benchmarks(tasks: Sequence[Task], base: Session, head: Session) -> frozenset[str]:
    """Benchmarks of which a gate metric is neither proven nor cleared nor spent."""
    failed = {
        trial.benchmark
        for trial in (*base.trials, *head.trials)
        if trial.stage is Stage.CONFIRM and trial.status not in {TrialStatus.OK, TrialStatus.ASIDE}
    }
    return frozenset(
        task.benchmark
        for task in tasks
        if task.gates and task.benchmark not in failed and _waiting(task, base, head)
    )


def _waiting(task: Task, base: Session, head: Session) -> bool:
    pairing = Pairing(base, head, task.benchmark)
    blocks = pairing.values(task.metric)
    if len(blocks) < len(pairing.blocks) or not all(usable(side) for b in blocks for side in b):
        return False  # a value is lacking or unusable: the judge will call it so
    resolution, force = pairing.resolution(task.metric), task.in_force
    limits = at_blocks(force.limits, resolution, blocks, task.better)
    costs, _ = block_costs(blocks, task.better, task.accepted)
    rule = replace(task.rule, negligible=limits.dead, tolerance=limits.most)
    undecided = decide(costs, rule, limits=False).verdict == "undecided"
    return undecided and promises(force, rule, costs)
