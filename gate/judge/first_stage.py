"""The first stage of a suite: every series of every case is screened, and what is left is flagged.

Where the host is not where it was, or a case cannot be compared, that takes the place of every
judgement of numbers, but never of the news that there are none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.judge.host_stability.standing import (
    ScreenedCase,
    as_new_epoch,
    blind_controls,
    host_refusal,
    is_renewed,
    machines_that_moved,
)
from gate.judge.verdict.comparable import level_refusal, refusal
from gate.judge.verdict.confirming import confirm_series
from gate.judge.verdict.findings import make_finding
from gate.judge.verdict.level import question_of, unknown_level, without_other_quantity
from gate.judge.verdict.screening import Flagged, noises_in, screen_series
from gate.judge.verdict.series import key_of, series_of
from gate.model import Finding, Role, Verdict
from gate.stats.martingale import shares

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gate.judge.verdict.level import LevelQuestion
    from gate.judge.verdict.series import Series, SeriesKey
    from gate.judge.verdict.suite import Case, Policy, Refusal
    from gate.stats.noise import Noise


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStage:
    """What is left after the screen."""

    settled: tuple[Finding, ...]
    flagged: tuple[Flagged, ...]
    paired: frozenset[str]
    """Profiles whose flagged metrics are decided by pairs; the others' by strikes."""
    blind: tuple[str, ...] = ()
    """Control profiles that say less of the host than they should, one sentence each."""
    questions: Mapping[SeriesKey, LevelQuestion] = field(default_factory=dict)
    """Of series with both sides, whether their level was kept."""

    @property
    def judged(self) -> int:
        """Gate metrics for which numbers were compared."""
        return len(self._compared)

    @property
    def m(self) -> int:
        """Gate metrics that the second stage decides."""
        return sum(flag.series.gates for flag in self.flagged)

    def alphas(self, alpha: float) -> tuple[float, ...]:
        """What each flagged metric may spend of the suite's alpha in the second stage.

        Every metric judged brings an equal part. Strikes are compared with the baseline that the
        screen looked at, so each spends its own part only. Pairs are fresh data: the flagged
        metrics share the parts of all that pairs would have decided, by what the screen saw of
        them; a watched one, which closes nothing, is decided at an equal part.
        """
        part = alpha / max(self.judged, 1)
        pool = part * sum(profile in self.paired for profile in self._compared)
        by_pairs = [flag for flag in self.flagged if self._shares_pool(flag)]
        weights = iter(shares([flag.strength for flag in by_pairs]))
        return tuple(
            pool * next(weights) if self._shares_pool(flag) else part for flag in self.flagged
        )

    def confirmed(self, policy: Policy) -> tuple[Finding, ...]:
        """What the second stage decides of the flagged ones, each with its share of alpha."""
        return tuple(
            confirm_series(flag, alpha=alpha, beta=policy.beta, levels=policy.levels)
            for flag, alpha in zip(self.flagged, self.alphas(policy.alpha), strict=True)
        )

    def _shares_pool(self, flag: Flagged) -> bool:
        return flag.series.gates and flag.series.case.profile in self.paired

    @property
    def _compared(self) -> list[str]:
        """The profile of each gate metric for which numbers were compared."""
        settled = [f.profile for f in self.settled if f.method != "none" and f.role is Role.GATE]
        return settled + [one.series.case.profile for one in self.flagged if one.series.gates]


def first_stage(cases: Sequence[Case], policy: Policy) -> FirstStage:
    """Screen every series of every case."""
    suite = [_with_refusals(case) for case in cases]
    noises = noises_in(series for one in suite for series in one.every)
    moved = machines_that_moved(suite, noises)
    unknown = {
        one.case.profile: unknown_level(one, noises, moved.get(one.machine))
        for one in suite
        if one.case.by_pairs
    }
    answers = [
        answer
        for one in suite
        for answer in (
            _screen_sides(one, noises, policy, unknown[one.case.profile])
            if one.case.by_pairs
            else _screen_case(one, noises, policy, moved.get(one.machine))
        )
    ]
    return FirstStage(
        settled=tuple(answer for answer in answers if isinstance(answer, Finding)),
        flagged=tuple(answer for answer in answers if isinstance(answer, Flagged)),
        paired=frozenset(case.profile for case in cases if case.by_pairs),
        blind=blind_controls(suite, noises),
        questions={
            key_of(series): question_of(series, noises, unknown[one.case.profile])
            for one in suite
            if one.case.by_pairs
            for series in one.every
        },
    )


def _with_refusals(case: Case) -> ScreenedCase:
    refused = refusal(case)
    stale = level_refusal(case) if case.by_pairs else refused
    return ScreenedCase(case, tuple(series_of(case)), refused, stale)


def _screen_sides(
    one: ScreenedCase,
    noises: Mapping[SeriesKey, Noise],
    policy: Policy,
    unknown: Refusal | None,
) -> Iterator[Finding | Flagged]:
    """Where both sides can run: what the screen cannot speak about goes to pairs."""
    for every in one.every:
        series = without_other_quantity(every, unknown)
        noise = noises.get(key_of(series)) if series.accepted else None
        answer = screen_series(series, policy, noise, unknown.reason if unknown else "")
        yield _refused(series, answer, one.refused)


def _refused(
    series: Series, answer: Finding | Flagged, refused: Refusal | None
) -> Finding | Flagged:
    """A refusal replaces every judgement of numbers, never the news that there are none."""
    judged = isinstance(answer, Flagged) or answer.verdict.rank <= Verdict.INCOMPARABLE.rank
    if refused is None or not judged:
        return answer
    return make_finding(series, refused.code, Verdict.INCOMPARABLE, refused.reason)


def _screen_case(
    one: ScreenedCase,
    noises: Mapping[SeriesKey, Noise],
    policy: Policy,
    machine_moved: Refusal | None,
) -> Iterator[Finding | Flagged]:
    case, every, refused, _ = one
    renewed = refused is None and is_renewed(case)  # then no control is what it was, either
    if not renewed:
        refused = refused or host_refusal(case, every, noises, machine_moved)
    for series in every:
        answer = screen_series(series, policy, noises.get(key_of(series)))
        yield as_new_epoch(series, answer) if renewed else _refused(series, answer, refused)
