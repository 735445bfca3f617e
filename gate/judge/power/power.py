"""What each metric of a suite can detect, from its baseline's own noise: rows for `gate power`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from gate.judge.power.planning import (
    More,
    Question,
    accepted_costs,
    answer,
    both_sides,
    more_of,
    planned_trials,
    shows_noise,
)
from gate.judge.verdict.series import limits_for
from gate.judge.verdict.tolerance import is_deaf
from gate.model import UNTIMED, Role, applies, plan_of
from gate.stats.costs import LEAST_SESSIONS, usable
from gate.stats.noise import noise_of, suite_noises
from gate.stats.power import CERTAINTY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gate.judge.verdict.series import SeriesKey
    from gate.model import Baseline, BaselineSeries, Leeway, Metric, Planned, Profile, Session
    from gate.stats.noise import Noise
    from gate.stats.power import Power


class ToleranceStanding(StrEnum):
    """What became of a metric's tolerance."""

    HELD = "held"
    RAISED = "raised"
    """Judged at a larger one, which the report says first: too noisy for it, or by its floor."""
    DEAF = "too noisy"
    """Beyond what may be judged: it ends inconclusive, unless pairs are quieter or prove a loss."""
    WEAK = "weak"
    """Such a loss closes the gate, and is seldom proven."""
    FEW = "few sessions"
    CONSTANT = "constant"
    UNUSABLE = "unusable"
    OTHER = "another profile text"
    NEW = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerQuestion:
    """What is asked of a profile's metrics: from the profile, or from a session of it."""

    profile: str
    digest: str
    plans: tuple[Planned, ...]
    """Benchmarks and groups; their numbers of trials do not count here."""
    metrics: tuple[Metric, ...]
    trials: int
    pairs: int
    loud: Leeway
    sides: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerRow:
    """One gate metric of one benchmark on one host class."""

    host_class: str
    profile: str
    benchmark: str
    metric: str
    tolerance: float
    standing: ToleranceStanding
    sides: bool
    sessions: int
    trials: int
    """Of the screen, those that a check takes on its own account included."""
    pairs: int
    power: Power | None = None
    """Absent where the baseline does not tell the noise."""
    more: tuple[More, ...] = ()
    """The same with more pairs, sessions or trials."""


def asked_by(profile: Profile) -> PowerQuestion:
    """What a profile asks for."""
    return PowerQuestion(
        profile=profile.name,
        digest=profile.digest,
        plans=tuple(plan_of(profile, one, profile.trials.screen) for one in profile.benchmarks),
        metrics=profile.metrics,
        trials=profile.trials.screen,
        pairs=profile.trials.confirm_pairs,
        loud=profile.loud,
        sides=both_sides(profile),
    )


def asked_in(session: Session) -> PowerQuestion:
    """What the profile asked for when this session was measured."""
    return PowerQuestion(
        profile=session.profile,
        digest=session.profile_digest,
        plans=session.planned,
        metrics=session.metrics,
        trials=min((plan.trials for plan in session.planned), default=0),
        pairs=session.pairs,
        loud=session.loud,
        sides=session.sides,
    )


def power_rows(
    asked: Sequence[PowerQuestion],
    baselines: Mapping[str, Baseline],
    *,
    host_class: str,
    alpha: float,
    beta: float,
    brief: bool = False,
) -> tuple[PowerRow, ...]:
    """A row for each gate metric of a suite; `baselines` are one host class's, by profile.

    With `brief` only a row whose tolerance is not held says what more would buy.
    """
    noises = _noises(asked, baselines)
    settings = {"alpha": alpha, "beta": beta}
    known = [
        list(_rows(one, baselines.get(one.profile), noises, settings, host_class)) for one in asked
    ]
    judged = sum(question is not None for own in known for _, question in own)
    found = []
    for one, own in zip(asked, known, strict=True):
        share = alpha if one.sides else alpha / max(judged, 1)
        expected = {
            (row.benchmark, row.metric): question.expected
            for row, question in own
            if question is not None
        }
        members = {plan.benchmark: plan.members for plan in one.plans}
        planned = planned_trials(expected, one.trials, beta, members)
        for row, question in own:
            if question is None or row.standing is not ToleranceStanding.HELD:
                found.append(row)
                continue
            trials = max(one.trials, planned.get(row.benchmark, 0))
            now = replace(question, trials=trials, alpha=share)
            power = answer(now)
            standing = _standing(now, power)
            more = () if brief and standing is ToleranceStanding.HELD else tuple(more_of(now))
            found.append(replace(row, trials=trials, power=power, standing=standing, more=more))
    return tuple(found)


def _noises(
    asked: Sequence[PowerQuestion], baselines: Mapping[str, Baseline]
) -> dict[SeriesKey, Noise]:
    """The noise of each series that has sessions enough, each with the help of the others."""
    alone = {
        (one.profile, series.benchmark, series.metric): noise_of(accepted_costs(series))
        for one in asked
        for baseline in [baselines.get(one.profile)]
        if baseline is not None and baseline.profile_digest == one.digest
        for series in baseline.series
        if shows_noise(series)
    }
    return suite_noises(alone)


def _rows(
    asked: PowerQuestion,
    baseline: Baseline | None,
    noises: Mapping[SeriesKey, Noise],
    settings: Mapping[str, Any],
    host_class: str,
) -> Iterator[tuple[PowerRow, Question | None]]:
    """The rows without figures; where the noise is known, with what there is to be worked out."""
    known = {(s.benchmark, s.metric): s for s in baseline.series} if baseline else {}
    other = baseline is not None and baseline.profile_digest != asked.digest
    untimed = baseline is not None and baseline.harness in UNTIMED
    shared: dict[str, Any] = {"sides": asked.sides, "trials": asked.trials, "pairs": asked.pairs}
    settings = {**settings, "loud": asked.loud}
    for plan in asked.plans:
        for metric in asked.metrics:
            if metric.role is not Role.GATE or not applies(metric, plan):
                continue
            series = known.get((plan.benchmark, metric.name))
            noise = noises.get((asked.profile, plan.benchmark, metric.name))
            values = tuple(point.values for point in series.current) if series else ()
            standing = _without_figures(series, metric, untimed=untimed)
            row = PowerRow(
                host_class=host_class,
                profile=asked.profile,
                benchmark=plan.benchmark,
                metric=metric.name,
                tolerance=metric.tolerance,
                standing=ToleranceStanding.OTHER if other else standing,
                sessions=len(values),
                **shared,
            )
            question = None
            if noise is not None:
                question = Question(metric=metric, values=values, noise=noise, **shared, **settings)
            yield row, question


def _without_figures(
    series: BaselineSeries | None, metric: Metric, *, untimed: bool
) -> ToleranceStanding:
    if series is None or not series.current:
        return ToleranceStanding.NEW
    if (series.unit, series.better) != (metric.unit, metric.better):
        return ToleranceStanding.OTHER
    everything = [value for point in series.current for value in point.values]
    if not all(usable(point.values) for point in series.current):
        return ToleranceStanding.UNUSABLE
    if len(everything) > 1 and len(set(everything)) == 1 and not untimed:
        return ToleranceStanding.CONSTANT
    few = len(series.current) < LEAST_SESSIONS
    return ToleranceStanding.FEW if few else ToleranceStanding.HELD


def _standing(question: Question, power: Power) -> ToleranceStanding:
    asked = question.metric.tolerance
    plain = limits_for(question.metric, question.values).tolerance
    if is_deaf(power.can_detect, question.loud.most(plain)):
        return ToleranceStanding.DEAF
    if power.judged_at > asked:
        return ToleranceStanding.RAISED
    return ToleranceStanding.HELD if holds(asked, power) else ToleranceStanding.WEAK


def holds(tolerance: float, power: Power) -> bool:
    """Whether nothing coarser than this tolerance is judged, and a loss as large as it is found."""
    return power.judged_at <= tolerance and power.chance >= CERTAINTY
