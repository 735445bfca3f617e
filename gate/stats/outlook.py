"""How many more pairs a metric is likely to need until it is decided; a plan, and no decision.

A proof needs a log wealth w*, log(1/alpha) or log(1/beta), and has grown to w in n pairs. Before
any of them it was expected to take N (`detectable`). Its pace is taken to be

    p = (w + w*) / (n + N)

a pair, as if the expected pairs had been seen too: so few pairs that went well or badly by chance
do not rule what is measured next. What is left is (w* - w) / p, and no end in sight where p <= 0.
A metric also passes only when enough runs of the head were looked at (`tails`). The nearer of both
ends counts, in whole blocks, and never more than the limit leaves.

Standard library only: the measuring process asks between blocks.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from gate.model.plan import FIRST_BLOCK, NEXT_BLOCK
from gate.stats.detectable import pairs_to_pass, pairs_to_prove
from gate.stats.martingale import log_wealth
from gate.stats.tails import is_clear, runs_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.stats.martingale import Block, PairRule


def further_pairs(blocks: Sequence[Block], rule: PairRule) -> int:
    """Pairs until these blocks of log costs, and more like them, are likely to be decided."""
    pairs = sum(len(base) for base, _ in blocks)
    to_pass = max(_until_none(blocks, rule, pairs), _until_clear(blocks, rule, pairs))
    likely = min(to_pass, _until_loss(blocks, rule, pairs), max(rule.limit - pairs, 0))
    return _whole_blocks(likely, pairs)


def _until_none(blocks: Sequence[Block], rule: PairRule, pairs: int) -> float:
    """Until a loss of the tolerance is ruled out; its proof stands once it is there."""
    wealth = max(log_wealth(blocks, rule, rule.tolerance, -1), default=0.0)
    expected = pairs_to_pass(rule.tolerance, rule.sigma)
    return _left(wealth, -math.log(rule.beta), pairs, expected)


def _until_loss(blocks: Sequence[Block], rule: PairRule, pairs: int) -> float:
    wealth = log_wealth(blocks, rule, rule.negligible, 1)
    expected = pairs_to_prove(rule.tolerance, rule.negligible, rule.sigma)
    if not wealth:
        return math.inf  # before the first pair a metric is taken to be unchanged
    return _left(wealth[-1], -math.log(rule.shift_alpha), pairs, expected)


def _left(wealth: float, needed: float, pairs: int, expected: float) -> float:
    pace = (wealth + needed) / (pairs + expected)
    return max(needed - wealth, 0.0) / pace if pace > 0 else math.inf


def _until_clear(blocks: Sequence[Block], rule: PairRule, pairs: int) -> float:
    """Until the head is cleared of slow runs, if no further run of either side is one."""
    runs, most = runs_in(blocks, rule.tails.screened, rule.slow), max(rule.limit - pairs, 0)
    for more in range(most):
        ahead = replace(runs, head_runs=runs.head_runs + more, base_runs=runs.base_runs + more)
        if is_clear(ahead, rule.tails, last=False):
            return more
    return most


def _whole_blocks(more: float, pairs: int) -> int:
    """As many pairs as the blocks hold that bring so many more."""
    first = max(FIRST_BLOCK - pairs, 0)
    rest = max(more - first, 0.0)
    return first + NEXT_BLOCK * math.ceil(rest / NEXT_BLOCK)
