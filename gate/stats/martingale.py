"""Stage 2 with sides: an anytime-valid test martingale on blocks of trials in random order.

For a centre c, each block k gives an e-value E_k(c) by linear and one by rank scores
(`evalues`: mean at most 1 for every true loss at most c, given all that came before). From each
kind a wealth grows,

    W_n(c) = prod_k (1 - b + b E_k(c)),    0 < b < 1,

and the two wealths are averaged, 0.6 of the linear one and 0.4 of the other. Each is a
nonnegative supermartingale, so by Ville's inequality
P(sup_n W_n(c) >= 1/a) <= a, at any stopping time and with any rule for what is measured next.

- `regressed` when W(log(1 + tau)) reaches 1/alpha: a loss above tau is proven.
- `passed` when the mirrored W(log(1 + T)) reaches 1/beta: a loss of T or more is ruled out. It is
  `improved` when the mirrored W(-log(1 + tau)) has reached 1/beta by then: a gain above tau.
- `sometimes_slow` when the wealth of slow runs (below) reaches its own 1/alpha: the two proofs of a
  loss divide alpha between them.

1 - b keeps a share of the wealth out of every bet, so that one block spoilt by wild trials costs
no more than a factor 20. The slope of a bet is the likelihood ratio's for the distance between
tau and T, at the noise expected for that block: the geometric mean of the baseline's and of the
gaps seen in earlier blocks (a bet may depend on the past in any way). A geometric mean barely
notices a few wild gaps.

*Slow runs*, which no median sees, have a wealth of their own and a look that keeps a metric from
passing while the head may have them: `tails`.

Assumptions: the order inside a block is random and fair; the change multiplies the value of
every trial by no more than the factor in question; nothing carries over from trial to trial.
Skewed, heavy-tailed, bimodal, autocorrelated or drifting noise breaks none of them. What it can
break is speed: noise that grows inside a block needs more pairs. Not covered: a change that slows
some trials and quickens others so that the mean moves by less than each.

Compared with pairs that toss a coin each (the usual test by signs, at least 7 pairs for 1 %), a
clear loss is proven by 5 pairs. docs/evidence.md holds the table against Wald's bound for normal
noise of known variance.

Sources: Ville 1939; Shafer 2021 (betting); Howard et al. 2021 (confidence sequences).
Standard library only: the measuring process evaluates this between blocks.

How the flagged metrics share the suite's alpha.

The chance that any of m unchanged metrics is called regressed is at most the sum of their error
bounds, however they depend on each other. The bounds need not be equal: the pairs are fresh data,
so any shares that the screen alone decides, and that sum to 1, keep the promise. A metric far
beyond its noise gets nearly all, so that a clear loss is proven as quickly as if it stood alone;
one that was flagged because it could not be cleared needs its share only if it turns out to be
slower after all, and then pays with a pair or two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from gate.model.plan import NEXT_BLOCK
from gate.stats import evalues
from gate.stats.tails import SlowRuns, Tails, is_clear, runs_in, slow_margin, wealth_of_slow_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Block = tuple[tuple[float, ...], tuple[float, ...]]
    "Log costs of a block's base and head trials, as many of each."


BET = 0.95
"""b: the largest share of the wealth that one block can lose."""
_STEEPEST = 5.7
"""Largest slope, in standard deviations of one trial: beyond it evidence hardly grows."""
_STRAIGHT = 0.6
"""Of the wealth, what begins with linear scores; ranks have the rest, for when trials run wild."""
_RANK_SLOPE = 1.25
"""Slope of the rank scores per standard deviation of distance; near the best for normal noise."""
_STEEPEST_RANK = 6.0
_PRIOR_GAPS = 8
"""The baseline's noise counts as many gaps as this."""
_QUIETEST = 1 / 8
"""A gap counts as no less than this share of the baseline's noise: ties are a coarse clock."""
_LOG_GAP = 0.6352
"""-E log|Z| of a standard normal Z, (Euler's constant + log 2) / 2."""
_HALVINGS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRule:
    """The settings of one flagged metric's confirmation, all in log loss."""

    negligible: float
    """log(1 + tau): `regressed` needs a loss proven above this."""
    tolerance: float
    """log(1 + T): `passed` needs a loss proven below this."""
    sigma: float
    """Expected standard deviation of a pair difference; rules speed, never validity."""
    alpha: float
    """Error bound of `regressed` for this metric, its share of the suite's."""
    beta: float
    """Error bound of `passed`."""
    limit: int
    """Most pairs that may be spent."""
    tails: Tails

    @property
    def slow(self) -> float:
        """How far beyond the usual a run is slow."""
        return slow_margin(self.tolerance, self.sigma)

    @property
    def shift_alpha(self) -> float:
        """Of alpha, what the proof of a shift may spend."""
        return (1 - self.tails.stake) * self.alpha


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDecision:
    """What the blocks so far say."""

    verdict: str
    """`regressed`, `sometimes_slow`, `passed`, `improved`, `undecided`, `spent`, or `suspected`:
    spent, and what keeps it from passing are slow runs alone."""
    blocks: int
    """Blocks seen when it was decided, or so far."""
    pairs: int
    """Pairs in them."""
    low: float | None
    """Lower limit of the log loss at the level of `regressed`; absent with too few pairs."""
    high: float | None
    """Upper limit at level beta."""
    runs: SlowRuns
    """Slow runs in them and in the screen."""


def decide(blocks: Sequence[Block], rule: PairRule, *, limits: bool = True) -> PairDecision:
    """Run through the blocks in order and stop at the first proof.

    `limits` False leaves the confidence limits out; the looks between blocks need none.
    """
    found, at = _first_proof(blocks, rule)
    upto = blocks[:at]
    low, high = confidence_limits(upto, rule) if limits else (None, None)
    return PairDecision(
        verdict=found,
        blocks=len(upto),
        pairs=_pairs(upto),
        low=low,
        high=high,
        runs=runs_in(upto, rule.tails.screened, rule.slow),
    )


def _first_proof(blocks: Sequence[Block], rule: PairRule) -> tuple[str, int]:
    """The verdict, and the number of blocks that it rests on."""
    proof_of_loss, proof_of_none = -math.log(rule.shift_alpha), -math.log(rule.beta)
    for_loss = log_wealth(blocks, rule, rule.negligible, 1)
    for_none = log_wealth(blocks, rule, rule.tolerance, -1)
    for_slow = wealth_of_slow_runs(blocks, rule.tails, rule.negligible, rule.slow)
    within, last = False, False
    for at, (loss, none, slow) in enumerate(zip(for_loss, for_none, for_slow, strict=True), 1):
        if loss >= proof_of_loss:
            return "regressed", at
        if slow >= -math.log(rule.tails.stake * rule.alpha):
            return "sometimes_slow", at
        within = within or none >= proof_of_none
        last = _pairs(blocks[:at]) + NEXT_BLOCK > rule.limit
        if within and _clear(blocks[:at], rule, last=last):
            gain = _peak_of(blocks[:at], rule, -1)(-rule.negligible)
            return "improved" if gain >= proof_of_none else "passed", at
    unspent = "undecided", len(blocks)
    return ("suspected" if within else "spent", len(blocks)) if last else unspent


def _clear(blocks: Sequence[Block], rule: PairRule, *, last: bool) -> bool:
    runs = runs_in(blocks, rule.tails.screened, rule.slow)
    return is_clear(runs, rule.tails, last=last)


def _pairs(blocks: Sequence[Block]) -> int:
    return sum(len(base) for base, _ in blocks)


def log_wealth(
    blocks: Sequence[Block], rule: PairRule, centre: float, sign: int
) -> tuple[float, ...]:
    """Log wealth after each block against "the loss is at most" (sign 1) the centre.

    With sign -1 against "at least": all costs are mirrored.
    """
    distance = _distance(rule, sign)
    straight, ranked = math.log(_STRAIGHT), math.log1p(-_STRAIGHT)
    grown = []
    for (base, head), noise in zip(blocks, _noises(blocks, rule), strict=True):
        before = [sign * x for x in base]
        after = [sign * (x - centre) for x in head]
        steps = distance / noise
        straight += _kept(evalues.linear(before, after, min(steps, _STEEPEST) / noise))
        slope = min(_RANK_SLOPE * steps, _STEEPEST_RANK)
        ranked += _kept(evalues.rank_evidence(before, after, slope))
        grown.append(_log_sum(straight, ranked))
    return tuple(grown)


def _distance(rule: PairRule, sign: int) -> float:
    """How far apart the two answers are that a bet is to tell apart.

    A loss of T against tau; and, mirrored, no loss at all against T.
    """
    return rule.tolerance - (rule.negligible if sign > 0 else 0.0)


def _kept(log_evidence: float) -> float:
    """log(1 - b + b E), with E as large as it likes."""
    return _log_sum(math.log1p(-BET), math.log(BET) + log_evidence)


def _log_sum(one: float, other: float) -> float:
    low, high = (one, other) if one < other else (other, one)
    return high + math.log1p(math.exp(low - high))


def _noises(blocks: Sequence[Block], rule: PairRule) -> tuple[float, ...]:
    """Standard deviation of one trial expected for each block, from what came before it."""
    expected = rule.sigma / math.sqrt(2)
    total, count = _PRIOR_GAPS * math.log(expected), _PRIOR_GAPS
    noises = []
    for block in blocks:
        noises.append(math.exp(total / count))
        for side in block:
            for one, other in list(pairwise(side))[::2]:
                gap = max(abs(one - other) / math.sqrt(2), _QUIETEST * expected)
                total += math.log(gap) + _LOG_GAP
                count += 1
    return tuple(noises)


def confidence_limits(blocks: Sequence[Block], rule: PairRule) -> tuple[float | None, float | None]:
    """Confidence limits of the log loss: the same martingale, inverted over its centre.

    The lower limit is the largest c that the blocks refute from below at the level of a shift, so
    `regressed` and "lower limit above log(1 + tau)" are one statement; likewise the upper limit,
    level beta, and that a loss of T is ruled out, or of less than no gain of tau. Slow runs move
    neither. Absent where the blocks refute no c at all.
    """
    if not blocks:
        return None, None
    losses = [after - before for base, head in blocks for before in base for after in head]
    # Beyond the outermost differences ranks are parted entirely and nothing more can be proven
    # but by linear scores of a spread that small; ten times the noise is far enough for those.
    # The centres that the decision asks about lie inside in any case.
    reach = 10 * max(_noises(blocks, rule))
    least = min(min(losses) - reach, -rule.negligible)
    most = max(max(losses) + reach, rule.tolerance)
    low = _crossing(_peak_of(blocks, rule, 1), -math.log(rule.shift_alpha), least, most)
    high = _crossing(_peak_of(blocks, rule, -1), -math.log(rule.beta), most, least)
    return low, high


def _peak_of(blocks: Sequence[Block], rule: PairRule, sign: int) -> Callable[[float], float]:
    return lambda centre: max(log_wealth(blocks, rule, centre, sign))


def _crossing(
    wealth: Callable[[float], float], needed: float, proven: float, open_end: float
) -> float | None:
    """The centre nearest `open_end` that is still refuted; None if not even `proven` is."""
    if wealth(proven) < needed:
        return None
    inside, outside = proven, open_end
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if wealth(middle) >= needed:
            inside = middle
        else:
            outside = middle
    return inside


_EQUAL_PART = 0.1
"""This much is shared equally, whatever the screen saw."""
_MOST = 8.0


def shares(strengths: Sequence[float]) -> tuple[float, ...]:
    """Shares of alpha that sum to 1.

    `strengths` are the flagged metrics' losses beyond tau in standard errors of the screen.
    """
    weights = [math.exp(min(max(strength, 0.0), _MOST)) for strength in strengths]
    total = sum(weights)
    return tuple(
        _EQUAL_PART / len(weights) + (1 - _EQUAL_PART) * weight / total for weight in weights
    )
