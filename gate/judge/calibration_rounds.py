"""Rounds of a calibration: how one ended, and which of them count. Light.

A round is one check of one profile, so one suite. An unchanged round is a false alarm when
anything was called regressed: that is the promise, per suite. A planted round is found when a
metric that the plant reaches, of the benchmark that was slowed, was called regressed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from gate.model import (
    Better,
    Calibration,
    Ending,
    PlantedShare,
    Role,
    Round,
    Stage,
    Verdict,
    short_digest,
)
from gate.model.calibration import MOST_COUNTED
from gate.stats.costs import usable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.judge.verdict.suite import Policy
    from gate.model import Finding, Profile, Report, RoundPlan, Session, Trial


RULE = "3"
"""Raise it with every change that lets the same numbers end in another verdict."""
_DIGITS = 5
"""Decimals of a loss that are kept: more would be noise, and the line long."""
_NO_NUMBERS = {Verdict.NEW, Verdict.INCOMPARABLE, Verdict.MISSING, Verdict.BROKEN}
_UNDECIDED = {Verdict.INCONCLUSIVE, Verdict.SUSPICIOUS}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFilter:
    """Which rounds tell of a report: same host class, profile texts, rule and promise."""

    host_class: str
    texts: Mapping[str, str] | None
    """Digest by profile; None takes every profile and text."""
    alpha: float
    beta: float


def conclude(
    nothing: Round,
    report: Report,
    sessions: Sequence[Session],
    plan: RoundPlan,
    reached: Sequence[str],
) -> Round:
    """`nothing` with what a judged round compared; `reached` are metrics that a plant reaches."""
    gates = [one for one in report.findings if one.role is Role.GATE]
    slowed = [f for f in gates if f.benchmark == plan.plant.benchmark and f.metric in reached]
    slowed.sort(key=lambda finding: reached.index(finding.metric))
    run = [trial for session in sessions for trial in _run(session)]
    return replace(
        nothing,
        achieved=_achieved(slowed[0]) if slowed else None,
        tolerance=round(slowed[0].tolerance_used, _DIGITS) if slowed else None,
        ending=_ending(slowed, Ending.FOUND, Ending.MISSED)
        if plan.plant.loss
        else _ending(gates, Ending.ALARM, Ending.CLEAR),
        metrics=report.promise.metrics_judged,
        regressed=sum(finding.verdict is Verdict.REGRESSED for finding in gates),
        inconclusive=sum(finding.verdict is Verdict.INCONCLUSIVE for finding in gates),
        trials=len(run),
        seconds=round(sum(trial.duration for trial in run), 3),
    )


def _run(session: Session) -> list[Trial]:
    """The trials that were run: a screen makes those of groups of their points'."""
    groups = {plan.benchmark for plan in session.planned if plan.group}
    screen = session.stage is Stage.SCREEN
    return [one for one in session.trials if not (screen and one.benchmark in groups)]


def nothing_compared(
    plan: RoundPlan, profile: Profile, policy: Policy, *, host_class: str, date: str, version: str
) -> Round:
    """A round in which nothing was compared: as it begins, or as it ends without its plant."""
    return Round(
        id=plan.id,
        host_class=host_class,
        profile=profile.name,
        date=date,
        digest=short_digest(profile.digest),
        gate=version,
        rule=RULE,
        alpha=policy.alpha,
        beta=policy.beta,
        seed=plan.seed,
        number=plan.number,
        planted=plan.plant.loss,
        benchmark=plan.plant.benchmark,
        ending=Ending.VOID,
        metrics=0,
        regressed=0,
        inconclusive=0,
        trials=0,
        seconds=0.0,
    )


def _ending(findings: Sequence[Finding], regressed: Ending, passed: Ending) -> Ending:
    verdicts = {finding.verdict for finding in findings}
    if Verdict.REGRESSED in verdicts:
        return regressed
    if not verdicts or verdicts & _NO_NUMBERS:
        return Ending.VOID
    return Ending.INCONCLUSIVE if verdicts & _UNDECIDED else passed


def _achieved(finding: Finding) -> float | None:
    """The loss that the trials show: the median over the pairs if there are any, else the screen's.

    A pair shares the noise of its moment, so the median of the ratios is far steadier than the
    ratio of the medians.
    """
    seen = finding.evidence
    if not usable(seen.pairs_base) or not usable(seen.pairs_head):
        return None if finding.loss is None else round(finding.loss, _DIGITS)
    worse = finding.better is Better.LOWER
    pairs = zip(seen.pairs_base, seen.pairs_head, strict=True)
    return round(median(head / base if worse else base / head for base, head in pairs) - 1, _DIGITS)


def rounds_that_count(rounds: Sequence[Round], wanted: RoundFilter) -> tuple[Round, ...]:
    """The rounds that count, oldest first."""
    texts = wanted.texts
    digests = None if texts is None else {k: short_digest(text) for k, text in texts.items()}
    promise = (wanted.host_class, RULE, wanted.alpha, wanted.beta)
    fit = [
        one
        for one in rounds
        if (one.host_class, one.rule, one.alpha, one.beta) == promise
        and (digests is None or digests.get(one.profile) == one.digest)
    ]
    return tuple(sorted(fit, key=lambda one: (one.date, one.id)))


def counts(rounds: Sequence[Round], wanted: RoundFilter) -> Calibration:
    """What became of the rounds that count; limits are not computed here."""
    fit = rounds_that_count(rounds, wanted)
    comparable = [one for one in fit if one.ending is not Ending.VOID]
    unchanged = [one for one in comparable if not one.planted][-MOST_COUNTED:]
    names = wanted.texts.keys() if wanted.texts is not None else {one.profile for one in fit}
    others = [one for one in rounds if one.host_class == wanted.host_class]
    return Calibration(
        host_class=wanted.host_class,
        unchanged=len(unchanged),
        false_alarms=sum(one.ending is Ending.ALARM for one in unchanged),
        undecided=sum(one.ending is Ending.INCONCLUSIVE for one in unchanged),
        planted=tuple(
            _share(loss, [one for one in comparable if one.planted == loss][-MOST_COUNTED:])
            for loss in sorted({one.planted for one in comparable if one.planted})
        ),
        void=len(fit) - len(comparable),
        outdated=sum(one.profile in names for one in others) - len(fit),
        newest=max((one.date[:10] for one in fit), default=""),
        lacking=tuple(sorted(names - {one.profile for one in comparable})),
    )


def _share(loss: float, rounds: Sequence[Round]) -> PlantedShare:
    seen = [one.achieved for one in rounds if one.achieved is not None]
    return PlantedShare(
        loss=loss,
        rounds=len(rounds),
        found=sum(one.ending is Ending.FOUND for one in rounds),
        missed=sum(one.ending is Ending.MISSED for one in rounds),
        below=sum(one.tolerance is not None and loss < one.tolerance for one in rounds),
        achieved=median(seen) if seen else None,
    )
