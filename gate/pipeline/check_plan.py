"""The plan of a check: what is measured, on which host, and what is judged by."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.formats.baseline.baseline_file import read_baselines
from gate.formats.baseline.calibration_file import read_rounds
from gate.judge.sharding import durations, parts_of
from gate.judge.verdict.suite import Case, arrange
from gate.pipeline.benchmark_filter import (
    narrow_profiles,
    narrowed_baselines,
    narrowed_waivers,
    narrowing_note,
    pairs_note,
    with_pairs,
)
from gate.pipeline.host_reservation import HostClaim
from gate.pipeline.request import with_sides
from gate.review.effective_profile import (
    as_reviewed,
    profiles_of,
    refuse_forgotten,
    refuse_unjudged,
)
from gate.review.lineage import earned, earned_at_desk
from gate.review.policy_reader import make_policy, not_before

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gate.judge.verdict.suite import Policy
    from gate.measure.countdown import Countdown
    from gate.model import Baseline, Profile, Session
    from gate.pipeline.request import CheckRequest
    from gate.review.merge_base import MergeBase


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPlan:
    """One check."""

    profiles: tuple[Profile, ...]
    """What is measured."""
    reviewed: Mapping[str, Profile] = field(default_factory=dict)
    """By name, what is judged by, where that is not the profile that is measured."""
    baselines: tuple[Baseline, ...]
    policy: Policy
    out: Path
    host: HostClaim
    gone: tuple[Profile, ...] = ()
    """Profiles of the merge base that this check is about, and the tree has not any more."""
    notes: tuple[str, ...] = ()
    """What was left out or set otherwise than the profiles say."""
    countdown: Countdown | None = None
    """The time that it may take; absent where it may take what it needs."""

    @property
    def judged_by(self) -> dict[str, Profile]:
        """The profiles whose metrics, tolerances and trials are in force, by name."""
        return {profile.name: profile for profile in self.profiles} | dict(self.reviewed)

    def see_that_screens_fit(self, classes: Mapping[str, str]) -> None:
        """Refuse a time budget that accepted sessions tell to be too short for the screens (G284).

        `classes` are the host classes of the profiles to be screened, by name. Of those of which
        no session was accepted the first round of trials tells it.
        """
        works = [
            work
            for name, host_class in classes.items()
            for work in durations([name], self.baselines, host_class)
        ]
        seconds = sum(work.seconds for work in works if work.known)
        if self.countdown is not None and seconds > self.countdown.left:
            spent = self.countdown.spent + self.countdown.closing
            raise self.countdown.too_short(spent + seconds)

    def cases(self, sessions: Sequence[Session]) -> tuple[Case, ...]:
        """Sessions of this check as the judge takes them."""
        return arrange(sessions, self.baselines, self.judged_by)


def plan_check(
    request: CheckRequest, base: MergeBase, countdown: Countdown | None = None
) -> CheckPlan:
    """What to measure, and what to judge by: the merge base's, where it has the profile.

    Raises:
        InputError: a profile, baseline or waiver is wrong, or there are too many parts.
        NothingCompared: there is no profile.
    """
    baselines = _baselines(request, base)
    read_rounds(base.baseline)  # a wrong file is found out before anything is measured
    selection, options = request.selection, request.policy
    every, lost = _profiles(request, base, baselines)
    chosen = narrow_profiles(every, selection.benchmarks, named=bool(selection.names))
    others = len(every) - len(chosen)
    if countdown is not None:
        _refuse_restarts(chosen)
    notes = narrowing_note(chosen, others=others), pairs_note(chosen, selection.pairs)
    alpha = options.alpha / request.shard.of
    policy = make_policy(alpha, options.beta, options.allow, base.baseline)
    policy = not_before(policy, baselines, base.commits)
    return CheckPlan(
        profiles=with_pairs(chosen, selection.pairs),
        reviewed=base.profiles,
        baselines=narrowed_baselines(baselines, chosen),
        policy=replace(policy, waivers=narrowed_waivers(policy.waivers, chosen)),
        out=request.place,
        host=HostClaim(
            store=base.baseline,
            work=request.host.work or request.place / "work",
            host_class=request.host.host_class,
            wait=request.host.wait,
        ),
        gone=tuple(base.profiles[name] for name in lost),
        notes=tuple(filter(None, notes)),
        countdown=countdown,
    )


def _refuse_restarts(profiles: Sequence[Profile]) -> None:
    """A time budget is measured by a clock that ends with a restart (G200)."""
    for one in profiles:
        if one.subject.metal is not None:
            raise InputError(
                "G200",
                f"--within does not go with profile {one.name}, which restarts this machine.",
                cure="Leave it out, or name the other profiles.",
                place=one.path,
            )


def _baselines(request: CheckRequest, base: MergeBase) -> tuple[Baseline, ...]:
    """What was accepted, with the levels that hold for these sides."""
    if base.commit:
        return earned(base)
    sides, known = request.sides, read_baselines(base.baseline)
    return earned_at_desk(known, base.baseline, sides.base_dir, sides.head_dir)


def _profiles(
    request: CheckRequest, base: MergeBase, baselines: Sequence[Baseline]
) -> tuple[list[Profile], tuple[str, ...]]:
    """The profiles to measure, of this part of the check, and the names of those that are lost."""
    selection = request.selection
    there, lost = profiles_of(selection.names, selection.profiles, selection.size, base)
    every = [
        with_sides(as_reviewed(one, base.profiles.get(one.name)), request.sides) for one in there
    ]
    here = {one.name for one in every}
    if base.commit:
        refuse_unjudged(here, base, baselines)
    if not selection.names and not selection.benchmarks:
        refuse_forgotten(here, base, baselines)
        if request.shard.of > 1:
            works = durations((*here, *lost), baselines, request.host.host_class)
            mine = parts_of(works, request.shard.of)[request.shard.number - 1]
            every = [one for one in every if one.name in mine]
            lost = tuple(name for name in lost if name in mine)
    return every, lost
