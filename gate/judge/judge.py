"""The whole judgement: cases in, report out."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.errors import NothingCompared
from gate.judge.calibration_rounds import RoundFilter, class_record
from gate.judge.context.attribution import attribute_cost
from gate.judge.context.patch_coverage import coverage_by_profile, require_coverage
from gate.judge.context.shape import apply_shapes
from gate.judge.host_stability.control_profiles import (
    blind,
    machine_of,
    machines_that_moved,
    moved_control,
    unsteady,
)
from gate.judge.host_stability.controls import moved_builtin, moved_meanwhile, qualify_finding
from gate.judge.host_stability.host_epoch import as_new_epoch, is_renewed, renewed_decision
from gate.judge.summary import edit_notes, summarise
from gate.judge.verdict.case_numbers import key_of, suite_noises
from gate.judge.verdict.comparable import refusal
from gate.judge.verdict.confirming import confirm_series
from gate.judge.verdict.screening import Flagged, screen_series, series_of
from gate.judge.verdict.series import make_finding
from gate.judge.verdict.waivers import apply_waiver
from gate.model import Finding, Role, Verdict
from gate.stats.martingale import shares

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.judge.verdict.case_numbers import Key
    from gate.judge.verdict.comparable import Refusal
    from gate.judge.verdict.series import Series
    from gate.judge.verdict.suite import Case, Policy
    from gate.model import Calibration, Edit, Report, Round
    from gate.stats.noise import Noise

_LONGEST_NAME = 400
"""Characters of a name that numbers are looked for in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStage:
    """What is left after the screen."""

    settled: tuple[Finding, ...]
    flagged: tuple[Flagged, ...]
    paired: frozenset[str]
    """Profiles whose flagged metrics are decided by pairs; the others' by strikes."""
    blind: tuple[str, ...] = ()
    """Control profiles that tell less of the host than they should, one sentence each."""

    @property
    def judged(self) -> int:
        """Gate metrics for which numbers were compared."""
        return len(self._compared)

    @property
    def m(self) -> int:
        """Gate metrics that the second stage decides."""
        return len(self._suspect)

    def alphas(self, alpha: float) -> tuple[float, ...]:
        """What each flagged metric may spend of the suite's alpha in the second stage.

        Every metric judged brings an equal part. Strikes are compared with the baseline that the
        screen looked at, so each spends its own part only. Pairs are fresh data: the flagged
        metrics share the parts of all that pairs would have decided, by what the screen saw of
        them; a watched one, which closes nothing, is told at an equal part.
        """
        part = alpha / max(self.judged, 1)
        pool = part * sum(profile in self.paired for profile in self._compared)
        by_pairs = [f for f in self.flagged if self._gated(f) and self._paired(f)]
        weights = iter(shares([flag.strength for flag in by_pairs]))
        return tuple(
            pool * next(weights) if self._gated(flag) and self._paired(flag) else part
            for flag in self.flagged
        )

    @staticmethod
    def _gated(flag: Flagged) -> bool:
        return flag.series.metric.role is Role.GATE

    def _paired(self, flag: Flagged) -> bool:
        return flag.series.case.profile in self.paired

    @property
    def _compared(self) -> tuple[str, ...]:
        """The profile of each gate metric for which numbers were compared."""
        settled = (f for f in self.settled if f.method != "none" and f.role is Role.GATE)
        return (*(f.profile for f in settled), *self._suspect)

    @property
    def _suspect(self) -> tuple[str, ...]:
        """The profile of each gate metric that was flagged."""
        return tuple(flag.series.case.profile for flag in self.flagged if self._gated(flag))


def first_stage(cases: Sequence[Case], policy: Policy) -> FirstStage:
    """Screen every series of every case."""
    settled: list[Finding] = []
    flagged: list[Flagged] = []
    suite = [(case, tuple(series_of(case))) for case in cases]
    noises = suite_noises(series for _, every in suite for series in every)
    moved = machines_that_moved(suite, noises)
    for case, every in suite:
        for answer in _screen_case(case, every, noises, policy, moved.get(machine_of(case))):
            if isinstance(answer, Flagged):
                flagged.append(answer)
            else:
                settled.append(answer)
    return FirstStage(
        settled=tuple(settled),
        flagged=tuple(flagged),
        paired=frozenset(case.profile for case in cases if case.by_pairs),
        blind=blind(suite, noises),
    )


def judge(
    cases: Sequence[Case],
    policy: Policy,
    *,
    created: str,
    version: str,
    rounds: Sequence[Round] = (),
    absent: Sequence[Finding] = (),
    edits: Sequence[Edit] = (),
) -> Report:
    """Judge a suite.

    `created` is the UTC time to print, `version` the gate's own; `rounds` are those of
    calibrations, for the record; `absent` is told of what was not measured at all, and alone makes
    a report too; `edits` are shown, and change no verdict.

    Raises:
        NothingCompared: there is not one gate metric to judge.
    """
    first = first_stage(cases, policy)
    decided = [
        attribute_cost(confirm_series(flag, alpha=alpha, beta=policy.beta), flag.series.case)
        for flag, alpha in zip(first.flagged, first.alphas(policy.alpha), strict=True)
    ]
    decided = [
        renewed_decision(flag.series.case, found)
        for flag, found in zip(first.flagged, decided, strict=True)
    ]
    meanwhile = {case.profile: _meanwhile(case) for case in cases}
    accepted = {case.profile: case.baseline for case in cases}
    findings = [
        apply_waiver(qualify_finding(f, meanwhile), policy, accepted[f.profile])
        for f in apply_shapes((*first.settled, *decided), cases)
    ]
    told = coverage_by_profile(cases)
    findings = [require_coverage(found, told, cases) for found in findings]
    findings += absent
    if not any(f.role is Role.GATE for f in findings):
        raise NothingCompared(
            "G280",
            "no gate metric was judged.",
            cure='Give at least one metric of the profile the role "gate".',
        )
    findings.sort(key=importance)
    report = summarise(cases, tuple(findings), first, policy, created=created, version=version)
    return replace(
        report,
        touched=told,
        calibration=_record(cases, policy, rounds) if cases else None,
        edits=tuple(edits),
        notes=(*edit_notes(edits), *report.notes),
    )


def _record(cases: Sequence[Case], policy: Policy, rounds: Sequence[Round]) -> Calibration | None:
    """How the gate did here with these profiles where the right answer was known."""
    wanted = RoundFilter(
        host_class=cases[0].head.host.host_class,
        texts={case.profile: case.head.profile_digest for case in cases},
        alpha=policy.alpha,
        beta=policy.beta,
    )
    return class_record(rounds, wanted)


def _meanwhile(case: Case) -> str:
    """How the host moved inside a session that a screen or strikes rest on."""
    told = (moved_meanwhile(session) for session in (case.head, *case.strikes))
    return next(filter(None, told), "")


Importance = tuple[bool, int, float, tuple[tuple[bool, int, str], ...]]
_DIGITS = re.compile(r"(\d+)")


def importance(found: Finding) -> Importance:
    """What may close the gate first, worst first in it; then what is only watched.

    Of one verdict the larger loss comes first, in tolerances; what passed stands by its name, and
    numbers in names by their size.
    """
    excess = 0.0
    if found.loss is not None and found.verdict is not Verdict.PASSED:
        excess = found.loss / (found.tolerance_used or found.tolerance or 1.0)
    name = f"{found.profile} {found.benchmark} {found.metric}"
    parts = tuple(
        (True, int(part), "") if part.isdecimal() and part.isascii() else (False, 0, part)
        for part in _DIGITS.split(name[:_LONGEST_NAME])
    )
    return found.role is Role.WATCH, -found.verdict.rank, -excess, (*parts, (False, 0, name))


def _screen_case(
    case: Case,
    every: Sequence[Series],
    noises: Mapping[Key, Noise],
    policy: Policy,
    condemned_by: Refusal | None,
) -> list[Finding | Flagged]:
    answers = [screen_series(series, policy, noises.get(key_of(series))) for series in every]
    refused = refusal(case)
    if refused is None and is_renewed(case):  # no control is what it was, either
        return [as_new_epoch(one, answer) for one, answer in zip(every, answers, strict=True)]
    refused = (
        refused
        or moved_builtin(case)
        or condemned_by
        or moved_control(every, noises)
        or unsteady(every, noises)
    )
    if refused is None:
        return answers
    return [
        make_finding(series, refused.code, Verdict.INCOMPARABLE, refused.reason)
        if _replaceable(answer)
        else answer
        for series, answer in zip(every, answers, strict=True)
    ]


def _replaceable(answer: Finding | Flagged) -> bool:
    """A refusal replaces every judgement of numbers, never the news that there are none."""
    return isinstance(answer, Flagged) or answer.verdict.rank <= Verdict.INCOMPARABLE.rank
