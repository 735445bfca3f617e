"""Before anything is measured: trials to take, and what one metric could show with more of each."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.judge.verdict.tolerance import by_pairs, in_force
from gate.model import Role
from gate.stats.costs import LEAST_SESSIONS, log_costs, usable
from gate.stats.noise import known_sigma, noise_of, provable_with_strikes, suite_noises
from gate.stats.planning import Expected, screen_trials, with_sessions, with_trials
from gate.stats.power import with_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gate.judge.verdict.tolerance import InForce
    from gate.model import Baseline, BaselineSeries, Leeway, Metric, Profile
    from gate.stats.noise import Noise
    from gate.stats.power import Power


def plan_screen(profile: Profile, baseline: Baseline | None, beta: float) -> dict[str, int]:
    """Trials of the screen by benchmark, for those that take more than the profile asks for."""
    expected, asked = expected_metrics(profile, baseline), profile.trials.screen
    members = {one.name: one.members for one in profile.benchmarks}
    plan = planned_trials(expected, asked, beta, members)
    return {name: trials for name, trials in plan.items() if trials > asked}


def planned_trials(
    metrics: Mapping[tuple[str, str], Expected],
    asked: int,
    beta: float,
    members: Mapping[str, Sequence[str]],
) -> dict[str, int]:
    """Trials of the screen by benchmark, where its metrics, or those of its group, are known."""
    by_benchmark: dict[str, list[Expected]] = {}
    for (benchmark, _), metric in metrics.items():
        by_benchmark.setdefault(benchmark, []).append(metric)
    plan = {name: screen_trials(own, asked, beta) for name, own in by_benchmark.items()}
    return with_points(plan, members)


def with_points(trials: Mapping[str, int], members: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The trials by benchmark with the points of groups given as many as their groups want.

    A group has trials of its own only as far as all of its points have: it takes what they get.
    """
    found = dict(trials)
    for group, points in members.items():
        for name in points:
            found[name] = max(found.get(name, 0), trials.get(group, 0))
    for group, points in members.items():
        if points:
            found[group] = min(found[name] for name in points)
    return found


def expected_metrics(
    profile: Profile, baseline: Baseline | None
) -> dict[tuple[str, str], Expected]:
    """What the accepted sessions say of each gate metric, by benchmark and metric.

    Empty where nothing was accepted of this profile text. Where pairs can follow, a metric that
    is too noisy for its tolerance is planned at the raised one.
    """
    if baseline is None or baseline.profile_digest != profile.digest:
        return {}
    metrics = {metric.name: metric for metric in profile.metrics if metric.role is Role.GATE}
    groups = {benchmark.name: benchmark.group for benchmark in profile.benchmarks}
    known = {
        (series.benchmark, series.metric): series
        for series in baseline.series
        if series.metric in metrics
        and metrics[series.metric].group == groups.get(series.benchmark)
        and shows_noise(series)
    }
    noises = suite_noises({key: noise_of(accepted_costs(one)) for key, one in known.items()})
    pairs = profile.trials.confirm_pairs if both_sides(profile) else 0
    return {
        key: expected_of(
            metrics[one.metric], [p.values for p in one.current], noises[key], pairs, profile.loud
        )
        for key, one in known.items()
    }


def expected_of(
    metric: Metric, sessions: Sequence[Sequence[float]], noise: Noise, pairs: int, loud: Leeway
) -> Expected:
    """One metric of these accepted values, at the tolerance that a check by pairs judges it at.

    Without pairs at the one that was asked for, as the screen's trials are still to be planned.
    """
    sigma = known_sigma(noise)
    force = in_force(metric, sessions, loud, by_pairs(sigma, pairs) if pairs else None)
    return _expected(force, noise, sigma, pairs)


def _expected(force: InForce, noise: Noise, sigma: float, pairs: int) -> Expected:
    figure = math.inf if force.can_detect is None else force.can_detect
    return Expected(noise=noise, limits=force.limits, sigma=sigma, pairs=pairs, can_detect=figure)


def both_sides(profile: Profile) -> bool:
    """Whether the profile declares a base and a head side, so that pairs are possible."""
    return {"base", "head"} <= profile.sides.keys()


def shows_noise(series: BaselineSeries) -> bool:
    """Whether enough usable sessions were accepted in the current epoch."""
    points = series.current
    return len(points) >= LEAST_SESSIONS and all(usable(point.values) for point in points)


def accepted_costs(series: BaselineSeries) -> tuple[tuple[float, ...], ...]:
    """Log costs of the current epoch's sessions."""
    return tuple(log_costs(point.values, series.better) for point in series.current)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A metric, its accepted values and noise, and the settings to answer for."""

    metric: Metric
    values: tuple[tuple[float, ...], ...]
    """Of the current epoch, by session."""
    noise: Noise
    loud: Leeway
    sides: bool
    trials: int
    pairs: int
    alpha: float
    """The suite's where pairs decide, the metric's own part where strikes do."""
    beta: float

    @property
    def expected(self) -> Expected:
        """The metric before anything is measured, as a check plans it."""
        pairs = self.pairs if self.sides else 0
        return expected_of(self.metric, self.values, self.noise, pairs, self.loud)

    @property
    def screened(self) -> Expected:
        """The metric without a base side, at the tolerance that so many trials can clear."""
        clears = provable_with_strikes(self.noise, self.trials)
        force = in_force(self.metric, self.values, self.loud, lambda _: clears)
        return _expected(force, self.noise, 1.0, 0)


def answer(question: Question) -> Power:
    """What can be detected."""
    trials, alpha, beta = question.trials, question.alpha, question.beta
    if question.sides:
        how, metric = with_pairs, question.expected
    else:
        from gate.stats.strike_power import with_strikes  # noqa: PLC0415 - numpy, here alone

        how, metric = with_strikes, question.screened
    return how(metric, question.metric.tolerance, trials=trials, alpha=alpha, beta=beta)


_PAIRS = (30, 80, 160, 320)
_SESSIONS = (10, 20, 40)
_TRIALS = (3, 5, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class More:
    """One setting changed, all others as they are."""

    what: str
    """`pairs`, `sessions` or `trials`."""
    count: int
    power: Power


def more_of(question: Question) -> Iterator[More]:
    """The figures with more of each setting that matters to this metric."""
    for count in _PAIRS:
        if question.sides and count != question.pairs:
            other = replace(question, pairs=count)
            yield More(what="pairs", count=count, power=answer(other))
    for count in _SESSIONS:
        if count > question.noise.level:
            noise = with_sessions(question.noise, count)
            yield More(what="sessions", count=count, power=answer(replace(question, noise=noise)))
    for count in sorted({*_TRIALS, 2 * question.trials}):
        if count > question.trials:
            noise = with_trials(question.noise, count)
            other = replace(question, noise=noise, trials=count)
            yield More(what="trials", count=count, power=answer(other))
