"""Stage 2 without sides: what the further head sessions of a flagged metric say.

Like is compared with like: a sitting counts once, of the head as of the accepted sessions. What
was taken in the screen's own sitting joins the screen and may clear; sessions of later sittings are
ranked among the accepted ones and may prove.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.verdict.epochs import reference
from gate.judge.verdict.exclusions import aside_values, own_asides
from gate.judge.verdict.findings import make_finding
from gate.judge.verdict.screening import screen_numbers
from gate.judge.verdict.suite import trials_by_benchmark, values_in
from gate.judge.verdict.tolerance import too_noisy
from gate.judge.verdict.validity import two_trials_agree
from gate.model import Evidence, Verdict
from gate.stats.costs import log_costs, ratio, usable, value_of
from gate.stats.screen import Screened, centre, screen
from gate.stats.strikes import (
    chance,
    estimated_loss,
    least_loss,
    looked_at,
    newest,
    recent_loss,
    sittings,
    strikes_needed,
    wins,
)
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.verdict.screening import Flagged
    from gate.judge.verdict.series import Series
    from gate.model import Finding, Session

    Costs = tuple[float, ...]

_STEADY = "strikes assume that the host is as steady today as when the baseline was taken"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranks:
    """Where the head sessions of later sittings rank among the accepted ones."""

    strikes: tuple[Costs, ...]
    """A session of each later sitting, as log costs."""
    among: Sequence[Costs]
    luck: float
    needed: int | None
    alpha: float

    @property
    def enough(self) -> bool:
        """Whether as many as a proof takes are there."""
        return self.needed is not None and len(self.strikes) >= self.needed


def accepted_sittings(series: Series) -> tuple[Costs, ...]:
    """The first accepted session of each sitting, oldest first, as log costs."""
    baseline, accepted = series.case.baseline, series.accepted
    known = {one.id: one.started for one in baseline.sessions} if baseline else {}
    starts = [known.get(point.session, "") for point in accepted.current] if accepted else []
    return _firsts(series.session_costs, sittings(starts))


def sittings_needed(series: Series, alpha: float) -> int | None:
    """Head sessions of other sittings that a proof takes; None where no number proves anything."""
    return strikes_needed(len(newest(accepted_sittings(series))), alpha)


def by_strikes(flag: Flagged, sessions: tuple[Session, ...], alpha: float, beta: float) -> Finding:
    """By ranks against the accepted sessions: regressed. Else screen all heads together."""
    series = flag.series
    trials = (trials_by_benchmark(one).get(series.benchmark, ()) for one in sessions)
    raw = tuple(values_in(own, series.metric.name) for own in trials)
    if (broken := _broken(flag, sessions, raw)) is not None:
        return broken
    strikes = tuple(log_costs(values, series.metric.better) for values in raw)
    places = sittings([one.started for one in (series.case.head, *sessions)])
    again = _together(flag, (series.costs, *strikes), places, beta)
    with_asides = _together(flag, _heads_with_asides(series, sessions, raw), places, beta)
    ranks = _ranked(flag, strikes, places, alpha)
    shown, heads = percent(ratio(again.loss)), len(strikes) + 1
    looked = looked_at(len(ranks.strikes), ranks.needed)
    if ranks.enough and ranks.luck <= alpha and _is_large(flag, ranks):
        code, verdict, ended = "G061", Verdict.REGRESSED, "loss proven"
        ranked = f"{len(ranks.strikes)} fresh sessions rank beyond {len(ranks.among)} accepted ones"
        text = f"{shown} loss: {ranked}"
    elif looked and ranks.luck > alpha and not (again.flagged or with_asides.flagged):
        code, verdict, ended = "G001", Verdict.PASSED, "not borne out"
        text = f"{shown} over {heads} head sessions; the flag was not borne out"
    else:
        code, verdict, ended = "G025", Verdict.INCONCLUSIVE, "neither proven nor cleared"
        text = f"{shown} over {heads} head sessions; {_lacking(ranks) or ended}"
        if flag.in_force.deaf:
            code, text = "G024", f"{text}; {too_noisy(series.metric, flag.in_force.can_detect)}"
        elif not again.flagged and with_asides.flagged:
            text = f"{text}: with what was set aside it looks {percent(ratio(with_asides.loss))}"
    return make_finding(
        series,
        code,
        verdict,
        text,
        limits=flag.limits,
        path=(*flag.path, *_steps(ranks, len(strikes), ended)),
        warnings=(*flag.warnings, _STEADY),
        evidence=Evidence(strikes=raw),
        **_numbers(flag, strikes, again),
    )


def _ranked(
    flag: Flagged, strikes: tuple[Costs, ...], places: Sequence[int], alpha: float
) -> _Ranks:
    among = newest(accepted_sittings(flag.series))
    later = _firsts((flag.series.costs, *strikes), places)[1:]
    won = wins(later, among, flag.limits.dead) if later else 0
    return _Ranks(
        strikes=later,
        among=among,
        luck=chance(won, len(among), len(later)),
        needed=strikes_needed(len(among), alpha),
        alpha=alpha,
    )


def _firsts(sessions: Sequence[Costs], places: Sequence[int]) -> tuple[Costs, ...]:
    """The first session of each sitting."""
    new = [place not in places[:at] for at, place in enumerate(places)]
    return tuple(one for one, first in zip(sessions, new, strict=True) if first)


def _lacking(ranks: _Ranks) -> str:
    """What a proof lacks, where more sittings can bring it."""
    if ranks.needed is None or ranks.enough:
        return ""
    return f"a proof takes {ranks.needed} later sittings, {len(ranks.strikes)} taken"


def _broken(
    flag: Flagged, sessions: Sequence[Session], raw: tuple[tuple[float, ...], ...]
) -> Finding | None:
    series = flag.series
    planned = [p.trials for s in sessions for p in s.planned if p.benchmark == series.benchmark]
    if any(len(values) < trials for values, trials in zip(raw, planned, strict=True)):
        code, text = "G053", "a further head session lacks trials of it"
    elif not all(usable(values) for values in raw):
        code = "G051"
        text = "a further head session lacks this metric or gave a value not above zero"
    elif two_trials_agree(series) and {*series.head} == {v for values in raw for v in values}:
        count = len(series.head) + sum(map(len, raw))
        code = "G052"
        text = f"all {count} trials of {1 + len(raw)} sessions gave exactly {series.head[0]:g}"
    else:
        return None
    evidence = Evidence(strikes=raw)
    return make_finding(series, code, Verdict.BROKEN, text, evidence=evidence, path=flag.path)


def _is_large(flag: Flagged, ranks: _Ranks) -> bool:
    """Whether the loss is near the tolerance, and seen against the newest session alone too."""
    least = least_loss(flag.series.metric.tolerance, flag.limits)
    large = estimated_loss(ranks.strikes, ranks.among) >= least
    newer = (*ranks.among, flag.series.session_costs[-1])
    return large and recent_loss(ranks.strikes, newer) > flag.limits.dead


def _steps(ranks: _Ranks, taken: int, ended: str) -> tuple[str, ...]:
    accepted, later = len(ranks.among), len(ranks.strikes)
    against = f"against {accepted} accepted"
    needs = f" of {ranks.needed} needed, ranked {against}" if ranks.needed else ""
    own = (f"{taken - later} more of the screen's own sitting or another's, which prove nothing",)
    luck = percent(ranks.luck, signed=False)
    by_luck = f"by luck with chance {luck} on a steady host"
    return (
        *(own if taken > later else ()),
        f"{later} fresh head sessions{needs or f'; no number proves a loss {against}'}",
        f"{ended}: {by_luck}, {percent(ranks.alpha, signed=False)} allowed",
    )


def _heads_with_asides(
    series: Series, sessions: Sequence[Session], raw: Sequence[tuple[float, ...]]
) -> tuple[Costs, ...]:
    """Log costs of all head sessions, with the trials that the head may have disturbed itself."""
    heads = [series.costs_with_asides]
    for one, values in zip(sessions, raw, strict=True):
        asides = aside_values(own_asides(one).get(series.benchmark, ()), series.metric.name)
        heads.append(log_costs((*values, *asides), series.metric.better))
    return tuple(heads)


def _together(
    flag: Flagged, heads: Sequence[Costs], places: Sequence[int], beta: float
) -> Screened:
    """All head sessions as one, the screened one among them; those of one sitting are one."""
    if flag.noise is None:
        raise ValueError("strikes need accepted sessions enough to screen by")
    every: dict[int, Costs] = {}
    for place, head in zip(places, heads, strict=True):
        every[place] = every.get(place, ()) + head
    alone = len(every) == 1
    return screen(
        every[0] if alone else [median(head) for head in every.values()],
        centre(reference(flag.series).sessions),
        flag.noise,
        flag.limits,
        beta,
        trials=min(len(head) for head in every.values()),
        sessions=len(every),
    )


def _numbers(
    flag: Flagged, strikes: tuple[tuple[float, ...], ...], again: Screened
) -> dict[str, object]:
    series, level = flag.series, centre(flag.series.session_costs)
    heads = [median(head) for head in (series.costs, *strikes)]
    # Today's sessions may scatter more than the accepted ones did; the interval must hold them.
    return screen_numbers(again) | {
        "loss_low": ratio(min(again.low, min(heads) - level)),
        "loss_high": ratio(max(again.high, max(heads) - level)),
        "base_value": value_of(level, series.metric.better),
        "head_value": value_of(level + again.loss, series.metric.better),
        "method": "strikes",
        "can_detect": flag.in_force.can_detect,
        "trials_head": len(series.head) + sum(len(strike) for strike in strikes),
    }
