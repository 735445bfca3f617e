"""Runs that are slow now and then: counting them, and saying whether the head has more of them.

A median does not notice that one run in five takes twice as long. A run is *slow* when it is dearer
than the middle of its own side by more than

    max(log(1 + 4 T), 4 standard deviations of a trial).

A quarter of the runs slower by 4 T cost the mean the tolerance T; of normal noise one run in
thirty thousand is beyond.

*Proof.* In each block of pairs the scores tell which values are beyond a limit learnt from what
came before it; their weight is the odds that a slow run is the head's, by the slow runs before it.
The e-values (`evalues`) multiply to a wealth that has a mean of at most 1 while no head trial is
dearer by more than tau, and so reaches 1/a with chance a at most (Ville). A block without a slow
run changes nothing; one on the head's side is worth a factor 2 at most, so random order alone
takes seven for 1 %, and more for a share of it.

*Look.* With h of n head runs slow and r the share that is usual, the head is *clear* when

    L = (q/r)^h ((1 - q)/(1 - r))^(n - h) < 1/4,    q = r + max(0.15, r),

the likelihood of 15 points more than usual, or of twice the usual, against that of the usual.
Once the pairs are spent L < 1 will do. The usual share is the base side's, (s + 1/2)/(m + 1) of m
runs, or the accepted sessions' if they had more. Where no screen has looked at the head before,
it is L < 1/5, and 18 runs at least; where a screen of k trials saw scatter, 18 besides them, for
it was asked because of it. Like any rule that lets pass it bounds no alarm: it costs
pairs, or ends `inconclusive`.

Chosen by simulation. Of heads that are twice as slow in a fifth (a tenth) of their runs it stops
95 % (62 %) within 60 pairs where nothing was screened, and 98 % (82 %) where the screen saw one
such run. Of unchanged metrics with a tenth (a fifth) of such runs on both sides 3 % (5 %) end
inconclusive after 100 pairs. After a lone slow run in the screen, 20 pairs clear the head.
Standard library only: the measuring process asks between blocks.
"""

from __future__ import annotations

import math
from bisect import insort
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from gate.stats import evalues

if TYPE_CHECKING:
    from collections.abc import Sequence

    Block = tuple[tuple[float, ...], tuple[float, ...]]
    "Log costs of a block's base and head trials, as many of each."

_MULTIPLE = 4
"""Of the tolerance, what makes a run slow: a quarter of such runs cost the mean the tolerance."""
_DEVIATIONS = 4
_MORE = 0.15
"""Share of further slow runs that is to be ruled out, or as many again as are usual."""
_MOST = 0.98
_CLEAR, _CLEAR_UNSCREENED = 0.25, 0.2
_BY_CHANCE = 0.2
"""The screen is not surprised by slow runs that the accepted share explains with this chance."""
_UNSCREENED_RUNS = _SCATTERED_RUNS = 18
ENOUGH_TO_SHOW = 11
"""Head trials of a screen that show a fifth of slow runs in nine of ten checks."""
_SCREENED_STAKE, _UNSCREENED_STAKE, _SCATTERED_STAKE = 0.04, 0.2, 0.5
_HEADS, _BASES = 5.0, 0.2
"""Slow runs of each side before any was seen: the bet begins with odds of 25 on the head's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tails:
    """What is known of a metric's slow runs before its first pair."""

    screened: tuple[float, ...] = ()
    """Log costs of the head's screen trials; they count as runs of the head."""
    usual: float = 0.0
    """Share of the accepted trials that were slow."""
    stake: float
    """Of alpha, what the proof of slow runs may spend; the proof of a shift has the rest."""
    least: int = 0
    """Runs of the head that it takes to pass."""
    clear: float = _CLEAR
    """Largest likelihood ratio L of a clear head."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowRuns:
    """How many runs of each side were slow."""

    head: int
    head_runs: int
    base: int
    base_runs: int

    def excess(self, usual: float) -> float:
        """Log L: how much likelier more slow runs than usual are than the usual share."""
        share = max((self.base + 0.5) / (self.base_runs + 1), usual)
        more = min(share + max(share, _MORE), _MOST)
        if more <= share:
            return -math.inf
        quick = self.head_runs - self.head
        return self.head * math.log(more / share) + quick * math.log((1 - more) / (1 - share))


def tails_of(
    screened: tuple[float, ...], sessions: Sequence[Sequence[float]], margin: float, *, known: bool
) -> Tails:
    """What the screen's trials and the accepted sessions (log costs) say of slow runs.

    `known` is whether there are sessions enough to have screened the metric.
    """
    usual = usual_share(sessions, margin)
    if not known:
        return Tails(
            screened=screened,
            usual=usual,
            stake=_UNSCREENED_STAKE,
            least=_UNSCREENED_RUNS,
            clear=_CLEAR_UNSCREENED,
        )
    quick = sorted(screened)[(len(screened) - 1) // 4] if screened else 0.0
    if not is_scattered(screened, usual, margin, middle=quick):
        return Tails(screened=screened, usual=usual, stake=_SCREENED_STAKE)
    return Tails(
        screened=screened,
        usual=usual,
        stake=_SCATTERED_STAKE,
        least=len(screened) + _SCATTERED_RUNS,
    )


def slow_margin(tolerance: float, sigma: float) -> float:
    """How far beyond its side's middle a run is slow; all in logs, `sigma` that of a pair."""
    return max(math.log1p(_MULTIPLE * math.expm1(tolerance)), _DEVIATIONS * sigma / math.sqrt(2))


def slow_runs(costs: Sequence[float], margin: float, middle: float | None = None) -> int:
    """How many are dearer by more than the margin than the middle, by default their median."""
    if middle is None:
        middle = median(costs) if costs else 0.0
    return sum(cost > middle + margin for cost in costs)


def usual_share(sessions: Sequence[Sequence[float]], margin: float) -> float:
    """Share of slow runs in accepted sessions, each about its own middle."""
    runs = sum(map(len, sessions))
    return sum(slow_runs(session, margin) for session in sessions) / runs if runs else 0.0


def is_scattered(
    head: Sequence[float], usual: float, margin: float, *, middle: float | None = None
) -> bool:
    """Whether a few head trials hold more slow ones than the accepted share explains."""
    slow, runs = slow_runs(head, margin, middle), len(head)
    fewer = sum(
        math.comb(runs, count) * usual**count * (1 - usual) ** (runs - count)
        for count in range(slow)
    )
    return slow > 0 and 1 - fewer < _BY_CHANCE


def chance_to_show(trials: int, share: float = 0.2) -> float:
    """How likely so many trials hold a slow run at all, where that share of all runs is slow."""
    return 1 - (1 - share) ** trials


def runs_in(blocks: Sequence[Block], screened: Sequence[float], margin: float) -> SlowRuns:
    """Slow runs of the pairs so far, the head's screen trials included."""
    base = [cost for before, _ in blocks for cost in before]
    head = [cost for _, after in blocks for cost in after]
    return SlowRuns(
        head=slow_runs(head, margin) + slow_runs(screened, margin),
        head_runs=len(head) + len(screened),
        base=slow_runs(base, margin),
        base_runs=len(base),
    )


def is_clear(runs: SlowRuns, tails: Tails, *, last: bool) -> bool:
    """Whether the head has no more slow runs than usual, as far as can be told.

    `last` is whether there are no further pairs to ask.
    """
    if last:
        return runs.excess(tails.usual) < 0
    return runs.head_runs >= tails.least and runs.excess(tails.usual) < math.log(tails.clear)


def wealth_of_slow_runs(
    blocks: Sequence[Block], tails: Tails, centre: float, margin: float
) -> tuple[float, ...]:
    """Log wealth after each block against "no head trial is dearer by more than the centre".

    The limit of each block is made of what came before it, so the block's own order has no say in
    it. Where nothing was screened the first block has none, and no bet.
    """
    known = sorted(tails.screened)
    heads, bases, wealth, grown = _HEADS, _BASES, 0.0, []
    for base, head in blocks:
        lowered = [x - centre for x in head]
        if known:
            limit = median(known) + margin
            odds = max(heads / bases, 1.0)
            wealth += evalues.slow_evidence(base, lowered, limit, odds)
            heads += sum(x > limit for x in lowered)
            bases += sum(x > limit for x in base)
        for x in (*base, *lowered):
            insort(known, x)
        grown.append(wealth)
    return tuple(grown)
