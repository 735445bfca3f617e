"""Stage 1 of the verdict: what the screen clears, what it cannot look at, what it flags."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.verdict.epochs import accepted_change, allowed_step, fresh_acceptance, reference
from gate.judge.verdict.findings import make_finding
from gate.judge.verdict.series import Series, asked_limits, key_of, too_coarse
from gate.judge.verdict.tolerance import InForce, beyond, by_pairs, in_force_of, too_noisy
from gate.judge.verdict.validity import accepted_gap, two_trials_agree, unfit
from gate.model import Verdict
from gate.stats.base_today import BaseToday, locate_base
from gate.stats.costs import LEAST_SESSIONS, LossLimits, ratio, usable
from gate.stats.martingale import PairRule
from gate.stats.noise import (
    known_sigma,
    noise_of,
    pair_sigma,
    provable_with_strikes,
    suite_noises,
)
from gate.stats.screen import CONFIDENCE, SHARE, Screened, centre, screen, slide_since_anchor
from gate.stats.tails import is_scattered, slow_margin, slow_runs, tails_of, usual_share
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gate.judge.verdict.series import SeriesKey
    from gate.judge.verdict.suite import Policy
    from gate.model import Finding
    from gate.stats.noise import Noise


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagged:
    """A series that the screen could not clear; the second stage decides it."""

    series: Series
    in_force: InForce
    screened: Screened | None
    """Absent with fewer accepted sessions than the screen needs."""
    noise: Noise | None
    """Absent likewise."""
    path: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def limits(self) -> LossLimits:
        """The limits in force."""
        return self.in_force.limits

    @property
    def sigma(self) -> float:
        """Expected noise of a pair difference, in logs."""
        return (
            known_sigma(self.noise) if self.noise else pair_sigma(reference(self.series).sessions)
        )

    @property
    def strength(self) -> float:
        """Loss beyond tau in standard errors of the screen; 0 where nothing was screened."""
        if self.screened is None:
            return 0.0
        return (self.screened.loss - self.limits.dead) / self.screened.error

    def rule(self, alpha: float, beta: float) -> PairRule:
        """The pair rule at this metric's share of alpha; of beta the screen has had its own."""
        margin = slow_margin(self.limits.most, self.sigma)
        return PairRule(
            negligible=self.limits.dead,
            tolerance=self.limits.most,
            sigma=self.sigma,
            alpha=alpha,
            beta=(1 - SHARE) * beta,
            limit=self.series.case.head.pairs,
            tails=tails_of(
                self.series.costs,
                reference(self.series).sessions,
                margin,
                known=self.screened is not None,
            ),
        )


def noises_in(suite: Iterable[Series]) -> dict[SeriesKey, Noise]:
    """The noise of each series that has enough accepted sessions to tell."""
    alone: dict[SeriesKey, Noise] = {}
    for series in suite:
        if series.sessions and all(map(usable, series.sessions)):
            known, level = reference(series)
            if len(known) >= LEAST_SESSIONS:
                alone[key_of(series)] = noise_of(known, level=level)
    return suite_noises(alone)


def screen_series(
    series: Series, policy: Policy, noise: Noise | None, unknown: str = ""
) -> Finding | Flagged:
    """The screen's answer; `noise` is absent where too few sessions were accepted to tell it.

    `unknown` is why the accepted level tells nothing, where pairs are to decide.
    """
    if (refused := unfit(series)) is not None:
        return refused
    if noise is None or unknown:
        return _not_screened(series, noise, unknown)
    force = _in_force(series, noise)
    warnings = *_warnings(series, force), *fresh_acceptance(series)
    answer = _compare(series, force, warnings, policy, noise)
    return _unjudgeable(series, force, answer) or answer


def _compare(
    series: Series, force: InForce, warnings: tuple[str, ...], policy: Policy, noise: Noise
) -> Finding | Flagged:
    """Compare with the accepted sessions and sort into flagged, improved, slid and passed."""
    limits = force.limits
    level, today = _level_today(series, noise)
    costs, result = max(
        (
            (some, screen(some, level, today or noise, limits, policy.beta))
            for some in dict.fromkeys((series.costs, series.costs_with_asides))
        ),
        key=lambda one: (one[1].flagged, one[1].loss),  # the worse of both
    )
    step = _step(series, result, len(series.aside) if costs != series.costs else 0)
    slide = "" if series.case.by_pairs else _slide(series, costs)
    agree, scatter = two_trials_agree(series), _scatter(series, limits, noise)
    moved = _moved(series, today)
    if result.flagged or agree or scatter or moved:
        twice = f"both trials gave exactly {series.head[0]:g}: a stuck counter, or chance"
        return Flagged(
            series=series,
            in_force=force,
            screened=result,
            noise=noise,
            path=(step, *[twice] * agree, *filter(None, (scatter, moved))),
            warnings=warnings,
        )
    code, verdict, text, path = _cleared(series, force, result, slide)
    numbers = screen_numbers(result) | {"limits": limits, "warnings": warnings}
    numbers["can_detect"] = force.can_detect
    return make_finding(series, code, verdict, text, path=(step, *path), **numbers)


def _level_today(series: Series, noise: Noise) -> tuple[float, BaseToday | None]:
    """The log cost to compare with: what was accepted, and where the base stands today with it."""
    level = centre(reference(series).sessions)
    if not series.base_costs:
        return level, None
    step = allowed_step(median(series.base_costs), accepted_change(series))
    today = locate_base(noise, level, [cost + step for cost in series.base_costs])
    return today.level, today


def _moved(series: Series, today: BaseToday | None) -> str:
    """Why the accepted level does not tell where the base stands in this sitting."""
    if today is None:
        lacks = series.base is not None
        return "flagged: the base side beside it gave no value" if lacks else ""
    if today.holds:
        return ""
    away = percent(ratio(today.away))
    return f"flagged: the base side beside it is {away} against what was accepted"


def _cleared(
    series: Series, force: InForce, result: Screened, slide: str
) -> tuple[str, Verdict, str, tuple[str, ...]]:
    """Code, verdict, headline and last steps of what the screen does not flag."""
    loss, used = ratio(result.loss), percent(force.limits.tolerance, signed=False)
    if slide:
        return "G023", Verdict.INCONCLUSIVE, slide, (slide,)
    if result.improved:
        text = f"{percent(-loss, signed=False)} better than what was accepted"
        better = "better by more than its noise and what is negligible"
        return "G003", Verdict.IMPROVED, text, (better,)
    if beyond(force.limits.tolerance, force.most):  # a resolution lifts it as far as it must
        text = "; ".join((*_hidden(series, force), too_noisy(series.metric, force.can_detect)))
        return "G024", Verdict.INCONCLUSIVE, text, (f"only a loss of {used} is ruled out",)
    return "G001", Verdict.PASSED, f"{percent(loss)}, within the tolerance of {used}", ()


def _scatter(series: Series, limits: LossLimits, noise: Noise) -> str:
    """Where some trials of the head are slow as accepted ones were not: how many."""
    head, accepted = series.costs, reference(series).sessions
    margin = slow_margin(limits.most, known_sigma(noise))
    usual = usual_share(accepted, margin)
    if not is_scattered(head, usual, margin):
        return ""
    far, share = (percent(one, signed=False) for one in (ratio(margin), usual))
    slow = f"{slow_runs(head, margin)} of {len(head)} trials more than {far} beyond their median"
    return f"flagged for its scatter: {slow}; of the accepted {share} were"


def _slide(series: Series, costs: Sequence[float]) -> str:
    # By the asked tolerance: a slide widens the scale that a raised one comes from, and a
    # resolution that hides a small loss must not hide that losses add up.
    limits = asked_limits(series)
    slide = slide_since_anchor(costs, series.session_costs, limits)
    since = "since the first sessions of this epoch"
    return "" if slide is None else f"slid {percent(ratio(slide))} {since}"


def _step(series: Series, result: Screened, asides: int) -> str:
    known, level = reference(series)
    with_asides = f" with {asides} set aside" if asides else ""
    accepted = f"{level} accepted session{'s' if level != 1 else ''}"
    borrowed = "" if len(known) == level else ", noise of the epoch before"
    borrowed += ", with the base side beside it" if series.base_costs else ""
    return (
        f"{'flagged' if result.flagged else 'not flagged'} in the screen at "
        f"{percent(ratio(result.loss))}{with_asides} "
        f"(flagged above {percent(ratio(result.threshold))}, {accepted}{borrowed})"
    )


def screen_numbers(screened: Screened) -> dict[str, object]:
    """A screen's numbers as fields of a finding."""
    return {
        "loss": ratio(screened.loss),
        "loss_low": ratio(screened.low),
        "loss_high": ratio(screened.high),
        "method": "screen",
        "confidence": CONFIDENCE,
    }


def _not_screened(series: Series, noise: Noise | None, unknown: str) -> Finding | Flagged:
    """For pairs to decide, where both sides can run."""
    count = len(reference(series).sessions)
    text = f"only {count} accepted session{'s' if count != 1 else ''} of this profile text"
    if not series.case.head.sides:
        needed = f"{text}; {LEAST_SESSIONS} are needed"
        return make_finding(series, "G022", Verdict.INCONCLUSIVE, needed)
    # What nobody knows the noise of is judged as asked for: nothing is raised by a guess.
    force = in_force_of(series, None) if noise is None else _in_force(series, noise)
    if unknown:  # nor is its noise of today: the pairs are to show whether more of them promise
        force = replace(force, can_detect=None)
    return Flagged(
        series=series,
        in_force=force,
        screened=None,
        noise=noise,
        path=(f"not screened: {unknown or accepted_gap(series) or text}",),
        warnings=_warnings(series, force),
    )


def _in_force(series: Series, noise: Noise) -> InForce:
    """The limits to judge by, with the tolerance that the metric's noise can hold."""
    if series.case.head.sides:
        return in_force_of(series, by_pairs(known_sigma(noise), series.case.head.pairs))
    clears = provable_with_strikes(noise, len(series.head))
    return in_force_of(series, lambda _: clears)


def _warnings(series: Series, force: InForce) -> tuple[str, ...]:
    """That it is judged coarser than asked, and what floor or resolution hide."""
    figure, hidden = force.can_detect, _hidden(series, force)
    if figure is None or force.limits.tolerance <= force.asked:
        return hidden
    asked = percent(series.metric.tolerance, signed=False)
    able = f"can detect {percent(figure, signed=False)}" if math.isfinite(figure) else "no loss"
    return f"too noisy for {asked}: {able}", *hidden


def _hidden(series: Series, force: InForce) -> tuple[str, ...]:
    hidden = too_coarse(series, force.limits)
    if not hidden and force.limits.negligible > series.metric.tolerance:
        hides = percent(force.limits.negligible, signed=False)
        hidden = f"its floor hides losses below {hides}"
    return (hidden,) if hidden else ()


def _unjudgeable(series: Series, force: InForce, answer: Finding | Flagged) -> Finding | None:
    """Without a base side what is deaf is not worth further sessions, unless it is far off.

    Strikes find a loss that the screen tells from noise; they clear no metric that it cannot.
    """
    if series.case.head.sides or not force.deaf or not isinstance(answer, Flagged):
        return None
    if answer.screened is not None and answer.screened.low > force.limits.dead:
        return None
    # A slide widens the scale between sessions: then it is the slide that must be reported.
    code, text = "G024", too_noisy(series.metric, force.can_detect)
    if slide := _slide(series, series.costs):
        code, text = "G023", slide
    numbers: dict[str, object] = screen_numbers(answer.screened) if answer.screened else {}
    return make_finding(
        series,
        code,
        Verdict.INCONCLUSIVE,
        text,
        limits=force.limits,
        can_detect=force.can_detect,
        path=answer.path,
        warnings=answer.warnings,
        **numbers,
    )
