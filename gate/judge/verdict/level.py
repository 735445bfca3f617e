"""The level: whether what runs here still stands where it was accepted, apart from the change.

Where both sides can run, the change is judged by head against base, both measured here and now,
and the accepted sessions answer this other question. They still lend the screen their noise. Where
they tell nothing of this host as it is now, nothing can be screened: then pairs decide all.

A level that slid closes the gate: what was accepted since the anchor, and this change with it, are
beyond the tolerance. What the base side lost today by itself is told and closes nothing, for it is
the host's, or that of changes that were merged before.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.judge.host_stability.standing import host_refusal, is_renewed, renewal
from gate.judge.verdict.comparable import OTHER_QUANTITY
from gate.judge.verdict.epochs import accepted_change, allowed_step, reference
from gate.judge.verdict.findings import advice_of
from gate.judge.verdict.series import asked_limits, key_of
from gate.judge.verdict.suite import Pairing
from gate.judge.verdict.validity import accepted_gap
from gate.model import Finding, LevelStanding, LevelState, Verdict
from gate.stats.costs import log_costs, ratio, usable
from gate.stats.screen import ANCHORS, CONFIDENCE, centre, rises, slide_since_anchor
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.judge.host_stability.standing import ScreenedCase
    from gate.judge.verdict.series import Series, SeriesKey
    from gate.judge.verdict.suite import Refusal
    from gate.stats.noise import Noise

_HOST = frozenset({"G011", "G035", "G036", "G039", "G041"})
"""Reasons that lie in the host as it is now."""


def unknown_level(
    one: ScreenedCase, noises: Mapping[SeriesKey, Noise], machine_moved: Refusal | None
) -> Refusal | None:
    """Why a case with both sides cannot be screened, if there is a reason."""
    case = one.case
    if one.stale is not None:
        return one.stale
    if is_renewed(case):
        return renewal(case)
    return host_refusal(case, one.every, noises, machine_moved)


def without_other_quantity(series: Series, unknown: Refusal | None) -> Series:
    """The series without accepted values of something else, from which no limit may come."""
    other = unknown is not None and unknown.code in OTHER_QUANTITY
    return replace(series, accepted=None) if other or accepted_gap(series) else series


class LevelQuestion(NamedTuple):
    """What is known of one series for the question whether its level was kept."""

    series: Series
    noise: Noise | None
    unknown: Refusal | None
    """Why its case could not be screened."""


def with_level(found: Finding, question: LevelQuestion) -> Finding:
    """The finding with its level beside it; a slide takes the place of what would open the gate."""
    if found.method == "none":  # no numbers were judged
        return found
    level = level_of(found, question)
    if level.state is LevelState.KEPT:
        return replace(found, level=level)
    step = (*found.path, str(level))
    if level.state is not LevelState.SLID:
        return replace(found, level=level, path=step)
    return replace(
        found,
        level=level,
        code="G023",
        verdict=Verdict.INCONCLUSIVE,
        headline=f"{level.text}; the change itself: {found.headline}",
        advice=advice_of("G023", found.role),
        path=step,
    )


def level_of(found: Finding, question: LevelQuestion) -> LevelStanding:
    """Where the series stands; `found` is its finding, whose pairs tell of the base side."""
    series, noise, unknown = question
    if unknown is not None:
        state = LevelState.MOVED if unknown.code in _HOST else LevelState.UNKNOWN
        return LevelStanding(state=state, text=unknown.reason)
    if gap := accepted_gap(series):
        return LevelStanding(state=LevelState.UNKNOWN, text=gap)
    if noise is None:
        count = len(reference(series).sessions)
        few = f"only {count} accepted session{'s' if count != 1 else ''} of this profile text"
        return LevelStanding(state=LevelState.UNKNOWN, text=few)
    today = base_today(series)
    if found.verdict.opens and (slide := _slide(found, series, at_home=bool(today))):
        return LevelStanding(state=LevelState.SLID, text=slide)
    if today:
        costs = log_costs(today, series.metric.better)
        now = median(costs)
        away = now + allowed_step(now, accepted_change(series)) - centre(reference(series).sessions)
        reach = noise.reach(0.5 + CONFIDENCE / 2, len(costs))
        if abs(away) > max(reach, asked_limits(series).dead):
            text = f"the base side itself is {percent(ratio(away))} against what was accepted"
            return LevelStanding(state=LevelState.MOVED, text=text)
    return LevelStanding(state=LevelState.KEPT, text="")


def base_today(series: Series) -> tuple[float, ...]:
    """What the base side measured in this check: in pairs where there are any."""
    case = series.case
    blocks = Pairing(case.pair_base, case.pair_head, series.benchmark).values(series.metric.name)
    values = tuple(value for base, _ in blocks for value in base) or series.base or ()
    return values if usable(values) else ()


def _slide(found: Finding, series: Series, *, at_home: bool) -> str:
    """How far the accepted sessions and this change slid since the anchor, where it is too far.

    By the asked tolerance: a slide widens the scale that a raised one comes from, and a
    resolution that hides a small loss must not hide that losses add up. Where the base side was
    measured today, the change is what lies between the sides; what the host did today is on both.
    """
    costs: Sequence[float] = series.costs
    if not usable(series.head):
        return ""
    if at_home and found.loss is not None and found.loss > -1:
        costs = [centre(series.session_costs[-ANCHORS:]) + math.log1p(found.loss)]
    if not rises([median(session) for session in series.session_costs]):
        return ""
    slide = slide_since_anchor(costs, series.session_costs, asked_limits(series))
    since = "since the first sessions of this epoch"
    return "" if slide is None else f"slid {percent(ratio(slide))} {since}"


def levels_of(
    findings: Sequence[Finding], questions: Mapping[SeriesKey, LevelQuestion]
) -> tuple[Finding, ...]:
    """The findings of cases with both sides, each with its level."""
    keys = ((one, (one.profile, one.benchmark, one.metric)) for one in findings)
    return tuple(with_level(one, questions[key]) if key in questions else one for one, key in keys)


def question_of(
    series: Series, noises: Mapping[SeriesKey, Noise], unknown: Refusal | None
) -> LevelQuestion:
    """What the first stage knows of a series."""
    return LevelQuestion(series, noises.get(key_of(series)), unknown)
