"""Stage 2 without sides: what the further head sessions of a flagged metric say."""

from __future__ import annotations

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
    newest,
    recent_loss,
    strikes_needed,
    wins,
)
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.verdict.screening import Flagged
    from gate.judge.verdict.series import Series
    from gate.model import Finding, Session

_STEADY = "strikes assume that the host is as steady today as when the baseline was taken"


def by_strikes(flag: Flagged, sessions: tuple[Session, ...], alpha: float, beta: float) -> Finding:
    """By ranks against the accepted sessions: regressed. Else screen all heads together."""
    series = flag.series
    trials = (trials_by_benchmark(one).get(series.benchmark, ()) for one in sessions)
    raw = tuple(values_in(own, series.metric.name) for own in trials)
    if (broken := _broken(flag, sessions, raw)) is not None:
        return broken
    strikes = tuple(log_costs(values, series.metric.better) for values in raw)
    again = _together(flag, (series.costs, *strikes), beta)
    with_asides = _together(flag, tuple(_heads_with_asides(series, sessions, raw)), beta)
    among = newest(series.session_costs)
    accepted, needed = len(among), strikes_needed(len(among), alpha)
    luck = chance(wins(strikes, among, flag.limits.dead), accepted, len(strikes))
    enough = needed is not None and len(strikes) >= needed
    shown, heads = percent(ratio(again.loss)), len(strikes) + 1
    if enough and luck <= alpha and _is_large(flag, strikes):
        code, verdict, ended = "G061", Verdict.REGRESSED, "loss proven"
        text = f"{shown} loss: {len(strikes)} fresh sessions rank beyond {accepted} accepted ones"
    elif luck > alpha and not (again.flagged or with_asides.flagged):
        code, verdict, ended = "G001", Verdict.PASSED, "not borne out"
        text = f"{shown} over {heads} head sessions; the flag was not borne out"
    else:
        code, verdict, ended = "G025", Verdict.INCONCLUSIVE, "neither proven nor cleared"
        text = f"{shown} over {heads} head sessions; neither proven nor cleared"
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
        path=(*flag.path, *_steps(len(strikes), needed, accepted, luck, alpha, ended)),
        warnings=(*flag.warnings, _STEADY),
        evidence=Evidence(strikes=raw),
        **_numbers(flag, strikes, again),
    )


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


def _is_large(flag: Flagged, strikes: Sequence[Sequence[float]]) -> bool:
    """Whether the loss is near the tolerance, and seen against the newest session alone too."""
    accepted = newest(flag.series.session_costs)
    least = least_loss(flag.series.metric.tolerance, flag.limits)
    large = estimated_loss(strikes, accepted) >= least
    return large and recent_loss(strikes, accepted) > flag.limits.dead


def _steps(
    count: int, needed: int | None, accepted: int, luck: float, alpha: float, ended: str
) -> tuple[str, str]:
    against = f"against {accepted} accepted"
    needs = f" of {needed} needed, ranked {against}" if needed else ""
    taken = f"{count} fresh head sessions{needs or f'; no number proves a loss {against}'}"
    by_luck = f"by luck with chance {percent(luck, signed=False)} on a steady host"
    return taken, f"{ended}: {by_luck}, {percent(alpha, signed=False)} allowed"


def _heads_with_asides(
    series: Series, sessions: Sequence[Session], raw: Sequence[tuple[float, ...]]
) -> Iterator[tuple[float, ...]]:
    """Log costs of all head sessions, with the trials that the head may have disturbed itself."""
    yield series.costs_with_asides
    for one, values in zip(sessions, raw, strict=True):
        asides = aside_values(own_asides(one).get(series.benchmark, ()), series.metric.name)
        yield log_costs((*values, *asides), series.metric.better)


def _together(flag: Flagged, heads: tuple[tuple[float, ...], ...], beta: float) -> Screened:
    """All head sessions as one, the screened one among them."""
    if flag.noise is None:
        raise ValueError("strikes need accepted sessions enough to screen by")
    return screen(
        [median(head) for head in heads],
        centre(reference(flag.series).sessions),
        flag.noise,
        flag.limits,
        beta,
        trials=min(len(head) for head in heads),
        sessions=len(heads),
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
