"""The tolerance in force: the reviewed one, or up to half more where the noise cannot hold it.

A metric too loud for its tolerance is judged at the smallest one that it can detect, at most at 1.5
times what was asked (or at what the profile's `loud` allows), and the first line of the report says
so. One that would need more is *deaf*: it is inconclusive, with the line to commit. A proof of a
loss rests on no tolerance, so with both sides pairs are taken all the same: the first block, or 20
where so many may still clear it, and on while the loss that they show is above the tolerance, or
while they turn out to be quieter than the accepted sessions were.

Normal noise, tolerance 5 %, at most 100 pairs, 150 draws each, mean pairs in brackets. Of a metric
that can detect 9 % the pairs clear 97 % at 7.5 % when nothing was changed (11) and prove 100 % of
losses of 10 % (10). At 15 % they clear 1 % (7), which 20 pairs would 52 % (18), and prove 78 % of
losses of 10 % (15) and 99 % of 15 % (12). At 40 % they clear none (13; all 100 would not either),
and prove 40 % of losses of 10 % (46), 92 % of 20 % (36) and all of 40 % (20); 20 pairs and no more
would prove 0, 3 and 69 %.

Light: the measuring process asks between blocks whether it goes on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.judge.verdict.series import at_resolution, centre_of, floor_values, limits_for
from gate.model.metric import MOST_TOLERANCE
from gate.model.plan import FIRST_BLOCK
from gate.stats.detectable import can_detect, is_held, pairs_to_pass, provable_with_pairs, round_up
from gate.stats.robust import FLOOR, shift, within_session
from gate.units import percent, written_percent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gate.judge.verdict.series import Series
    from gate.model import Finding, Leeway, Metric
    from gate.stats.costs import LossLimits
    from gate.stats.martingale import Block, PairRule

    Provable = Callable[[LossLimits], float]

_PATIENCE = 20
"""Pairs that a metric may take before it is asked whether more promise an answer: one of unknown
noise, and a deaf one that so many may still clear at the largest tolerance allowed."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """The limits that a metric is judged by, and what it can detect."""

    limits: LossLimits
    can_detect: float | None
    """The smallest tolerance that it can hold here; absent where its noise is not known."""
    asked: float
    """The tolerance of the profile, its floor and its resolution folded in."""
    most: float
    """The largest tolerance that anything of it may pass at."""

    @property
    def deaf(self) -> bool:
        """Whether its noise is known not to hold even the largest tolerance allowed."""
        return self.can_detect is not None and is_deaf(self.can_detect, self.most)


def beyond(tolerance: float, most: float) -> bool:
    """Whether a tolerance is above what may be judged at; rounding is not."""
    return tolerance > most * (1 + _ROUNDING)


def is_deaf(figure: float, most: float) -> bool:
    """Whether a metric that can detect this is too loud for so large a tolerance."""
    return beyond(figure, round_up(most))  # the figure is rounded, too


def in_force(
    metric: Metric,
    sessions: Sequence[Sequence[float]],
    loud: Leeway,
    provable: Provable | None,
    limits_at: Callable[[float], LossLimits] | None = None,
) -> InForce:
    """What a metric of these accepted values is judged by; `provable` is absent without a noise.

    `limits_at` gives the limits of any tolerance where there is more to them than the floor.
    """
    at = limits_at or (lambda one: limits_for(with_tolerance(metric, one), sessions))
    limits = at(metric.tolerance)
    # A resolution is no floor that somebody reviewed: it does not lift what may be judged at.
    most = loud.most(limits_for(metric, sessions).tolerance)
    figure = None
    if provable is not None:
        figure = can_detect(at, provable)
        if is_held(limits, provable):
            lifted = limits.tolerance > metric.tolerance
            figure = figure if lifted else min(figure, metric.tolerance)
        else:
            limits = replace(limits, tolerance=max(limits.tolerance, min(figure, most)))
    asked = at(metric.tolerance).tolerance
    return InForce(limits=limits, can_detect=figure, asked=asked, most=most)


def with_tolerance(metric: Metric, tolerance: float) -> Metric:
    """The metric as a profile would have it with another line for its tolerance.

    The negligible loss stays a fifth of it, unless the profile has a line for that too.
    """
    tau = metric.negligible
    own = tau is not None and not math.isclose(tau, metric.tolerance / 5)
    return replace(metric, tolerance=tolerance, negligible=tau if own else None)


def in_force_of(series: Series, provable: Provable | None) -> InForce:
    """The same of a series, with the resolution that its trials have."""
    centre, metric, known = centre_of(series), series.metric, floor_values(series)

    def at(tolerance: float) -> LossLimits:
        plain = limits_for(with_tolerance(metric, tolerance), known)
        return at_resolution(plain, series.resolution, centre, metric.better)

    return in_force(metric, known, series.case.head.loud, provable, at)


def by_pairs(sigma: float, pairs: int) -> Provable:
    """What at most so many pairs of this noise can hold."""
    return lambda limits: provable_with_pairs(limits, sigma, pairs)


def line_to_commit(metric: str, figure: float | None) -> str:
    """Where a profile says the tolerance that a metric can hold, and how; empty where none does."""
    if figure is None or figure > MOST_TOLERANCE:
        return ""
    return f'under [metric."{metric}"]: tolerance = "{written_percent(figure)}"'


def too_noisy(metric: Metric, figure: float | None) -> str:
    """Why a metric is not cleared at its tolerance, and what to commit to have it judged."""
    asked = f"too noisy for {percent(metric.tolerance, signed=False)}"
    line = line_to_commit(metric.name, figure)
    if figure is None or not line:
        return f"{asked}: no tolerance that a profile can name is held"
    return f"{asked}: can detect {percent(figure, signed=False)}; line to commit, {line}"


def told_first(gating: Sequence[Finding], verdicts: str) -> str:
    """What the first line of a report says of these findings, which may close the gate.

    `verdicts` are the counts of their verdicts. The ceiling that a profile states comes before
    them, and what passed at a coarser tolerance than was asked for behind.
    """
    ceilings = {one.ceiling for one in gating if one.ceiling is not None}
    compared = [one for one in gating if one.method != "none"]
    coarse = [one for one in compared if one.verdict.opens and one.tolerance_used > one.tolerance]
    parts = [verdicts]
    if ceilings:
        most = percent(max(ceilings), signed=False)
        parts.insert(0, f"tolerances raised up to a ceiling of {most}")
    if coarse:
        worst = max(coarse, key=lambda one: (one.tolerance_used / one.tolerance, one.tolerance))
        used, asked = (
            percent(one, signed=False) for one in (worst.tolerance_used, worst.tolerance)
        )
        count = f"{len(coarse)} of {len(compared)} judged coarser than asked"
        parts.append(f"{count}: up to {used} for {asked}")
    return "; ".join(parts)


def patience(known: InForce, rule: PairRule) -> int:
    """Pairs after which it is asked whether more of them promise an answer."""
    if known.can_detect is None:
        return _PATIENCE
    if not known.deaf:
        return rule.limit
    return _PATIENCE if pairs_to_pass(rule.tolerance, rule.sigma) <= _PATIENCE else FIRST_BLOCK


def promises(known: InForce, rule: PairRule, blocks: Sequence[Block]) -> bool:
    """Whether further pairs may decide what these blocks of log costs have not."""
    pairs = sum(len(base) for base, _ in blocks)
    if pairs < patience(known, rule):
        return True
    most = rule.limit if known.can_detect is None else _PATIENCE
    if pairs_to_pass(rule.tolerance, max(own_sigma(blocks), FLOOR)) <= most:
        return True
    return shift(blocks) > math.log1p(known.asked)


def own_sigma(blocks: Sequence[Block]) -> float:
    """The noise of a pair difference as the blocks themselves show it, in logs."""
    return math.sqrt(2) * within_session([side for block in blocks for side in block])
