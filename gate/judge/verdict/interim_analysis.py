"""What the measuring process asks before and between its trials.

Planning and early looks load all of judging, so they run in a forked child: `plan_screens`,
`plan_second_stage` and `all_cleared` import what they need there. What they return is light, and
so is the look between blocks of pairs, `undecided_benchmarks`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.judge.verdict.epochs import LevelShift, accepted_change, block_costs
from gate.judge.verdict.series import at_blocks
from gate.judge.verdict.suite import Pairing
from gate.judge.verdict.tolerance import promises
from gate.model import Better, Role, Stage, TrialStatus, Verdict
from gate.stats.costs import LEAST_SESSIONS, usable
from gate.stats.detectable import further_pairs
from gate.stats.martingale import PairRule, decide
from gate.stats.strikes import strikes_needed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.verdict.suite import Case, Policy
    from gate.judge.verdict.tolerance import InForce
    from gate.model import Baseline, Profile, Session
    from gate.stats.martingale import Block


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
    """Fresh head sessions needed where there is no base side; None if none would do."""


def plan_second_stage(cases: Sequence[Case], policy: Policy) -> tuple[Task, ...]:
    """Screen the cases and say what must be confirmed, and how."""
    from gate.judge.first_stage import first_stage  # noqa: PLC0415 - in the child alone

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
            strikes=strikes_needed(len(flag.series.sessions), alpha),
        )
        for flag, alpha in zip(first.flagged, first.alphas(policy.alpha), strict=True)
    )


def plan_screens(
    profiles: Sequence[Profile], baselines: Sequence[Baseline | None], beta: float
) -> list[dict[str, int]]:
    """Trials of each profile's screen by benchmark, where they are more than it asks for."""
    from gate.judge.power.planning import plan_screen  # noqa: PLC0415 - in the child alone

    pairs = zip(profiles, baselines, strict=True)
    return [plan_screen(profile, baseline, beta) for profile, baseline in pairs]


def benchmarks_to_screen(profile: Profile, baseline: Baseline | None) -> frozenset[str]:
    """Those with enough accepted sessions of this text, sessions of earlier epochs included."""
    if baseline is None or baseline.profile_digest != profile.digest:
        return frozenset()
    known = {one.benchmark for one in baseline.series if len(one.points) >= LEAST_SESSIONS}
    return frozenset(one.name for one in profile.benchmarks if one.name in known)


EARLY_LOOK = 6
"""After so many strikes it is worth a look whether the flag was an accident of the screen."""


def all_cleared(cases: Sequence[Case], policy: Policy) -> bool:
    """Whether the strikes so far clear every gate metric that was flagged."""
    from gate.judge.first_stage import first_stage  # noqa: PLC0415 - in the child alone

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


class PairOutlook:
    """Which benchmarks wait for pairs, and how many more each is likely to need.

    It remembers what it said of a benchmark until there are more trials of it.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks: dict[str, list[Task]] = {}
        for task in tasks:
            self._tasks.setdefault(task.benchmark, []).append(task)
        self._known: dict[str, tuple[int, bool]] = {}
        self._further: dict[str, tuple[int, int]] = {}

    def undecided(self, base: Session, head: Session) -> frozenset[str]:
        """As `undecided_benchmarks` of all tasks."""
        counts = Counter(one.benchmark for one in (*base.trials, *head.trials))
        for name, own in self._tasks.items():
            if self._known.get(name, (-1, False))[0] != counts[name]:
                self._known[name] = counts[name], bool(undecided_benchmarks(own, base, head))
        return frozenset(name for name, (_, waits) in self._known.items() if waits)

    def further(self, base: Session, head: Session, benchmark: str) -> int:
        """Pairs that all undecided gate metrics of a benchmark are likely to need still."""
        count = sum(one.benchmark == benchmark for one in (*base.trials, *head.trials))
        if self._further.get(benchmark, (-1, 0))[0] != count:
            needs = (_further(task, base, head) for task in self._tasks[benchmark] if task.gates)
            self._further[benchmark] = count, max(needs, default=0)
        return self._further[benchmark][1]


def expected_pairs(tasks: Sequence[Task]) -> dict[str, int]:
    """Pairs that each benchmark is likely to need, before the first of them."""
    found: dict[str, int] = {}
    for task in tasks:
        if task.gates:
            needed = further_pairs((), task.rule)
            found[task.benchmark] = max(found.get(task.benchmark, 0), needed)
    return found


def _further(task: Task, base: Session, head: Session) -> int:
    if not _waiting(task, base, head):
        return 0
    return further_pairs(*_so_far(task, base, head))


def _waiting(task: Task, base: Session, head: Session) -> bool:
    pairing = Pairing(base, head, task.benchmark)
    blocks = pairing.values(task.metric)
    if len(blocks) < len(pairing.blocks) or not all(usable(side) for b in blocks for side in b):
        return False  # a value is lacking or unusable: the judge will call it so
    costs, rule = _so_far(task, base, head)
    undecided = decide(costs, rule, limits=False).verdict == "undecided"
    return undecided and promises(task.in_force, rule, costs)


def _so_far(task: Task, base: Session, head: Session) -> tuple[tuple[Block, ...], PairRule]:
    """The blocks of log costs, and the rule at the resolution that they have."""
    pairing = Pairing(base, head, task.benchmark)
    blocks, resolution = pairing.values(task.metric), pairing.resolution(task.metric)
    limits = at_blocks(task.in_force.limits, resolution, blocks, task.better)
    costs, _ = block_costs(blocks, task.better, task.accepted)
    return costs, replace(task.rule, negligible=limits.dead, tolerance=limits.most)
