"""Stage 1 of the verdict: what the screen clears, what it cannot look at, what it flags."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.judge.verdict.epochs import fresh_acceptance, reference
from gate.judge.verdict.findings import make_finding
from gate.judge.verdict.series import (
    Series,
    asked_limits,
    beyond,
    key_of,
    largest_tolerance,
    limits_of,
    too_coarse,
)
from gate.judge.verdict.validity import accepted_gap, two_trials_agree, unfit
from gate.model import Verdict
from gate.stats.costs import LEAST_SESSIONS, LossLimits, ratio, usable
from gate.stats.martingale import PairRule
from gate.stats.noise import (
    known_sigma,
    noise_of,
    pair_sigma,
    provable_with_pairs,
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
    limits: LossLimits
    screened: Screened | None
    """Absent with fewer accepted sessions than the screen needs."""
    noise: Noise | None
    """Absent likewise."""
    path: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def sigma(self) -> float:
        """Expected noise of a pair difference, in logs."""
        return _sigma(self.series, self.noise)

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
    limits, warnings = _raised_limits(series, noise)
    answer = _compare(series, limits, (*warnings, *fresh_acceptance(series)), policy, noise)
    # A slide widens the scale between sessions: then it is the slide that must be reported.
    if not isinstance(answer, Flagged) and answer.code == "G023":
        return answer
    return too_noisy(series, limits, warnings) or answer


def _compare(
    series: Series, limits: LossLimits, warnings: tuple[str, ...], policy: Policy, noise: Noise
) -> Finding | Flagged:
    """Compare with the accepted sessions and sort into flagged, improved, slid and passed."""
    level_costs = centre(reference(series).sessions)
    costs, result = max(
        (
            (some, screen(some, level_costs, noise, limits, policy.beta))
            for some in dict.fromkeys((series.costs, series.costs_with_asides))
        ),
        key=lambda one: (one[1].flagged, one[1].loss),  # the worse of both
    )
    step = _step(series, result, len(series.aside) if costs != series.costs else 0)
    slide = "" if series.case.by_pairs else _slide(series, costs)
    agree, scatter = two_trials_agree(series), _scatter(series, limits, noise)
    if result.flagged or agree or scatter:
        twice = f"both trials gave exactly {series.head[0]:g}: a stuck counter, or chance"
        return Flagged(
            series=series,
            limits=limits,
            screened=result,
            noise=noise,
            path=(step, *[twice] * agree, *[scatter] * bool(scatter)),
            warnings=warnings,
        )
    loss = ratio(result.loss)
    code, verdict, path = "G001", Verdict.PASSED, [step]
    text = f"{percent(loss)}, within the tolerance of {percent(limits.tolerance, signed=False)}"
    if slide:
        code, verdict, text, path = "G023", Verdict.INCONCLUSIVE, slide, [step, slide]
    elif result.improved:
        code, verdict = "G003", Verdict.IMPROVED
        text = f"{percent(-loss, signed=False)} better than what was accepted"
        path = [step, "better by more than its noise and what is negligible"]
    numbers = screen_numbers(result) | {"limits": limits, "warnings": warnings}
    return make_finding(series, code, verdict, text, path=tuple(path), **numbers)


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
        "minimum_detectable_loss": ratio(screened.detectable),
    }


def _not_screened(series: Series, noise: Noise | None, unknown: str) -> Finding | Flagged:
    """For pairs to decide, where both sides can run."""
    count = len(reference(series).sessions)
    text = f"only {count} accepted session{'s' if count != 1 else ''} of this profile text"
    if not series.case.head.sides:
        needed = f"{text}; {LEAST_SESSIONS} are needed"
        return make_finding(series, "G022", Verdict.INCONCLUSIVE, needed)
    limits, warnings = _raised_limits(series, noise)
    path = (f"not screened: {unknown or accepted_gap(series) or text}",)
    return too_noisy(series, limits, warnings) or Flagged(
        series=series, limits=limits, screened=None, noise=noise, path=path, warnings=warnings
    )


def _raised_limits(series: Series, noise: Noise | None) -> tuple[LossLimits, tuple[str, ...]]:
    """The limits, with the tolerance raised to what the metric's noise can support."""
    limits = limits_of(series)
    if noise is None or series.case.head.sides:
        sigma = _sigma(series, noise)
        provable = provable_with_pairs(limits, sigma, series.case.head.pairs)
    else:
        provable = provable_with_strikes(noise, len(series.head))
    hidden = too_coarse(series, limits)
    if not hidden and limits.negligible > series.metric.tolerance:
        hidden = f"its floor hides losses below {percent(limits.negligible, signed=False)}"
    warnings = (hidden,) if hidden else ()
    if provable <= limits.tolerance:
        return limits, warnings
    asked, least = (percent(one, signed=False) for one in (series.metric.tolerance, provable))
    noisy = f"too noisy for {asked}: the noise allows no tolerance below {least}"
    return replace(limits, tolerance=provable), (noisy, *warnings)


def _sigma(series: Series, noise: Noise | None) -> float:
    return known_sigma(noise) if noise else pair_sigma(reference(series).sessions)


def too_noisy(series: Series, limits: LossLimits, warnings: tuple[str, ...]) -> Finding | None:
    """Refuse to judge at a raised tolerance, by policy or because it would be a fiction."""
    if not beyond(limits.tolerance, largest_tolerance(series)):
        return None
    return make_finding(
        series, "G024", Verdict.INCONCLUSIVE, warnings[0], limits=limits, warnings=warnings[1:]
    )
