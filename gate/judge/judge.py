"""The whole judgement: cases in, report out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.errors import NothingCompared
from gate.judge.comparable import Refusal, refusal
from gate.judge.confirming import confirmed
from gate.judge.screening import Flagged, screened, series_of
from gate.judge.series import finding, limits_of
from gate.judge.summary import summarise
from gate.judge.waive import waived
from gate.model import Finding, Role, Verdict
from gate.stats.costs import LEAST_SESSIONS, ratio, usable
from gate.stats.screen import screen
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.series import Series
    from gate.judge.suite import Case, Policy
    from gate.model import Report

_CONTROL_FLOOR = 0.02
"""A control that moved by less than this (log) never condemns a host."""
_CONTROL_ERRORS = 6.0
"""Nor does one within this many standard errors: only gross failures of the host count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStage:
    """What is left after the screen."""

    settled: tuple[Finding, ...]
    flagged: tuple[Flagged, ...]
    paired: frozenset[str]
    """Profiles whose flagged metrics are decided by pairs; the others' by strikes."""

    @property
    def judged(self) -> int:
        """Gate metrics for which numbers were compared."""
        return len(self._compared)

    @property
    def m(self) -> int:
        """Gate metrics that the second stage decides."""
        return len(self._suspect)

    def share(self, flag: Flagged, alpha: float) -> float:
        """What this metric may spend of the suite's alpha in the second stage.

        Every metric judged brings an equal part. Strikes are compared with the baseline that the
        screen looked at, so each spends its own part only. Pairs are fresh data: the flagged
        metrics share the parts of all that pairs would have decided.
        """
        part = alpha / max(self.judged, 1)
        if flag.series.case.profile not in self.paired:
            return part
        by_pairs = sum(profile in self.paired for profile in self._compared)
        suspect = sum(profile in self.paired for profile in self._suspect)
        return part * max(by_pairs, 1) / max(suspect, 1)

    @property
    def _compared(self) -> tuple[str, ...]:
        """The profile of each gate metric for which numbers were compared."""
        settled = (f for f in self.settled if f.method != "none" and f.role is Role.GATE)
        return (*(f.profile for f in settled), *self._suspect)

    @property
    def _suspect(self) -> tuple[str, ...]:
        """The profile of each gate metric that was flagged."""
        gates = (flag.series for flag in self.flagged if flag.series.metric.role is Role.GATE)
        return tuple(series.case.profile for series in gates)


def first_stage(cases: Sequence[Case], policy: Policy) -> FirstStage:
    """Screen every series of every case."""
    settled: list[Finding] = []
    flagged: list[Flagged] = []
    for case in cases:
        for answer in _screen_case(case, policy):
            if isinstance(answer, Flagged):
                flagged.append(answer)
            else:
                settled.append(answer)
    return FirstStage(
        settled=tuple(settled),
        flagged=tuple(flagged),
        paired=frozenset(case.profile for case in cases if case.by_pairs),
    )


def judge(cases: Sequence[Case], policy: Policy, *, created: str, version: str) -> Report:
    """Judge a suite.

    `created` is the UTC time to print, `version` the gate's own.

    Raises:
        NothingCompared: there is not one gate metric to judge.
    """
    first = first_stage(cases, policy)
    decided = [
        confirmed(flag, alpha=first.share(flag, policy.alpha), beta=policy.beta)
        for flag in first.flagged
    ]
    findings = [waived(f, policy) for f in (*first.settled, *decided)]
    if not any(f.role is Role.GATE for f in findings):
        raise NothingCompared(
            "G280",
            "no gate metric was judged.",
            cure='Give at least one metric of the profile the role "gate".',
        )
    findings.sort(key=_importance)
    return summarise(cases, tuple(findings), first, policy, created=created, version=version)


def _importance(found: Finding) -> tuple[bool, int, str, str, str]:
    """What may close the gate first, worst first in it; then what is only watched."""
    watched = found.role is Role.WATCH
    return watched, -found.verdict.rank, found.profile, found.benchmark, found.metric


def _screen_case(case: Case, policy: Policy) -> list[Finding | Flagged]:
    every = list(series_of(case))
    refused = refusal(case) or _moved_control(every, policy)
    answers = [screened(series, policy) for series in every]
    if refused is None:
        return answers
    return [
        finding(series, refused.code, Verdict.INCOMPARABLE, refused.reason)
        if _replaceable(answer)
        else answer
        for series, answer in zip(every, answers, strict=True)
    ]


def _replaceable(answer: Finding | Flagged) -> bool:
    """A refusal replaces every judgement of numbers, never the news that there are none."""
    return isinstance(answer, Flagged) or answer.verdict.rank <= Verdict.INCOMPARABLE.rank


def _moved_control(every: Sequence[Series], policy: Policy) -> Refusal | None:
    """The first control benchmark whose level left its accepted range, either way."""
    for series in every:
        if not series.control or series.metric.role is not Role.GATE:
            continue
        fit = usable(series.head) and len(series.reference.sessions) >= LEAST_SESSIONS
        if not fit or not all(usable(values) for values in series.sessions):
            continue
        known, level = series.reference
        result = screen(series.costs, known, limits_of(series), policy.beta, level=level)
        if abs(result.loss) > max(_CONTROL_FLOOR, _CONTROL_ERRORS * result.error):
            shown = percent(ratio(result.loss))
            return Refusal("G035", f"the control {series.label} moved by {shown}")
    return None
