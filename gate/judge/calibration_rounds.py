"""Rounds of a calibration: how one ended, and which of them count. Light: no scipy.

A round is one check of one profile, so one suite. An unchanged round is a false alarm when
anything was called regressed: that is the promise, per suite. A planted round is found when a
metric that the plant reaches, of the benchmark that was slowed, was called regressed.

Whether a host class keeps the promise, from rounds whose right answer was known.

It is unfit where the data contradict the promise, not where they merely do not show it:

* false alarms: the lower exact limit (95 %) of the rate, per suite, is above alpha;
* losses that passed: of the planted losses of at least the tolerance that the gate answered, the
  upper limit of the share found is below 1 - beta. An inconclusive round closes the gate, so it
  breaks no promise and is left to the third reason. A plant asked for that became smaller than
  0.8 of the tolerance promises nothing: the median of
  what was achieved decides, not each round's own, which is as noisy as its verdict;
* answers: more than half of the rounds of a profile, five at least, end without one.

Power. With alpha = 1 % a second false alarm contradicts the promise up to 24 unchanged rounds, a
third up to 62, a sixth up to 221; a host with a true rate of 5 % is named with probability 0.26
after 20, 0.58 after 60 and 0.94 after 200 rounds, one that keeps the promise with at most 0.025 at
any one look. With beta = 2.5 %, 3 of 20, 5 of 60 or 11 of 200 planted losses that pass contradict
it; a host that misses a tenth is named with probability 0.32, 0.73 and 0.99. So a small calibration
finds gross failures only, and a host that is not named unfit is not thereby proven fit.
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
from gate.stats.quantiles import RULE, exact_limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gate.judge.verdict.suite import Policy
    from gate.model import Finding, Profile, Report, RoundPlan, Session, Trial


_DIGITS = 5
"""Decimals of a loss that are kept: more would be noise, and the line long."""
_NO_NUMBERS = {Verdict.NEW, Verdict.INCOMPARABLE, Verdict.MISSING, Verdict.BROKEN}


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFilter:
    """Which rounds tell of a report: same host class, profile texts, rule and promise."""

    host_class: str
    texts: Mapping[str, str] | None
    """Digest by profile; None takes every profile and text."""
    alpha: float
    beta: float
    rule: str = RULE


def conclude(
    nothing: Round,
    report: Report,
    sessions: Sequence[Session],
    plan: RoundPlan,
    reached: Sequence[str],
) -> Round:
    """The result of a measured and judged round; `reached` are the metrics that a plant reaches.

    `nothing` is the round with nothing compared yet.
    """
    gates = [finding for finding in report.findings if finding.role is Role.GATE]
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
    return Ending.INCONCLUSIVE if Verdict.INCONCLUSIVE in verdicts else passed


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
    promise = (wanted.host_class, wanted.rule, wanted.alpha, wanted.beta)
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


_NEARLY = 0.8
"""Of the tolerance, what a planted loss must have reached to test the promise."""
LEAST_ROUNDS = 5
"""Of fewer rounds, those without an answer say nothing."""


def class_record(rounds: Sequence[Round], wanted: RoundFilter) -> Calibration | None:
    """What is known of a host class; None where it was never calibrated."""
    if all(one.host_class != wanted.host_class for one in rounds):
        return None
    known = counts(rounds, wanted)
    low, high = _limits(known.false_alarms, known.unchanged)
    return replace(
        known,
        alarms_low=low,
        alarms_high=high,
        planted=tuple(map(_with_limits, known.planted)),
        unfit=tuple(_reasons(rounds_that_count(rounds, wanted), known, wanted)),
    )


def _limits(count: int, total: int) -> tuple[float | None, float | None]:
    return exact_limits(count, total) if total else (None, None)


def _with_limits(share: PlantedShare) -> PlantedShare:
    low, high = _limits(share.found, share.rounds)
    return replace(share, low=low, high=high)


def _reasons(rounds: Sequence[Round], known: Calibration, wanted: RoundFilter) -> Iterator[str]:
    low, _ = _limits(known.false_alarms, known.unchanged)
    if low is not None and low > wanted.alpha:
        yield (
            f"{known.false_alarms} of {known.unchanged} unchanged comparisons were called "
            f"regressed, a rate of at least {_shown(low)}, where {_shown(wanted.alpha)} is promised"
        )
    yield from _missed(rounds, wanted)
    for profile in sorted({one.profile for one in rounds}):
        own = [one for one in rounds if one.profile == profile][-MOST_COUNTED:]
        silent = sum(one.ending in {Ending.INCONCLUSIVE, Ending.VOID} for one in own)
        if len(own) >= LEAST_ROUNDS and 2 * silent > len(own):
            yield f"{silent} of {len(own)} rounds of {profile} ended without an answer"


def _missed(rounds: Sequence[Round], wanted: RoundFilter) -> Iterator[str]:
    """Planted losses of at least the tolerance, as far as the gate answered."""
    answered = [
        one
        for one in rounds
        if one.ending in {Ending.FOUND, Ending.MISSED}
        and one.tolerance is not None
        and one.planted >= one.tolerance
    ][-MOST_COUNTED:]
    grown = [
        one.achieved / one.tolerance
        for one in answered
        if one.achieved is not None and one.tolerance
    ]
    if not grown or median(grown) < _NEARLY:
        return
    found = sum(one.ending is Ending.FOUND for one in answered)
    _, high = exact_limits(found, len(answered))
    if high < 1 - wanted.beta:
        yield (
            f"{found} of {len(answered)} planted losses of the tolerance or more were found and "
            f"the others passed, a share of at most {_shown(high)}, where "
            f"{_shown(1 - wanted.beta)} is promised"
        )


def _shown(share: float) -> str:
    return f"{share * 100:.3g} %"
