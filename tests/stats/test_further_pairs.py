"""How many pairs are likely to be needed still: a plan, near what the rule then takes."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from statistics import mean

import pytest

from gate.model.plan import FIRST_BLOCK, NEXT_BLOCK
from gate.stats.detectable import further_pairs
from gate.stats.martingale import PairRule, decide
from gate.stats.tails import Tails

RULE = PairRule(
    negligible=math.log1p(0.01),
    tolerance=math.log1p(0.05),
    sigma=0.02,
    alpha=0.01,
    beta=0.02,
    limit=100,
    tails=Tails(screened=(0.0, 0.001, -0.001), stake=0.04),
)
UNSCREENED = replace(
    RULE, tails=Tails(screened=RULE.tails.screened, stake=0.2, least=18, clear=0.2)
)


def block(dice, pairs, loss, sigma):
    noise = sigma / math.sqrt(2)
    base, head = ([dice.gauss(one, noise) for _ in range(pairs)] for one in (0.0, loss))
    return tuple(base), tuple(head)


def played(seed, loss, rule=RULE, sigma=None):
    """All blocks up to the decision."""
    dice, blocks = random.Random(seed), []
    while not blocks or decide(blocks, rule, limits=False).verdict == "undecided":
        pairs = NEXT_BLOCK if blocks else FIRST_BLOCK
        blocks.append(block(dice, pairs, loss, sigma or rule.sigma))
    return blocks


def pairs_of(blocks):
    return sum(len(base) for base, _ in blocks)


def test_before_the_first_pair_it_is_what_an_unchanged_metric_takes():
    """The first block where that is enough; runs enough to look for slow ones where none were."""
    assert further_pairs((), replace(RULE, sigma=0.005)) == 5
    assert further_pairs((), replace(RULE, sigma=0.05)) == 5 + 2 * math.ceil((12.5 - 5) / 2)
    assert further_pairs((), replace(UNSCREENED, sigma=0.005)) == 15


@pytest.mark.parametrize("loss", [0.0, 0.08])
def test_it_is_near_to_what_the_rule_takes(loss):
    """After the first block, mean of forty: within four pairs of what was taken then."""
    rule = replace(RULE, sigma=0.05)
    runs = [played(seed, loss, rule) for seed in range(40)]
    open_ = [blocks for blocks in runs if len(blocks) > 1]
    expected = mean(further_pairs(blocks[:1], rule) for blocks in open_)
    took = mean(pairs_of(blocks) - FIRST_BLOCK for blocks in open_)
    assert len(open_) > 20
    assert expected == pytest.approx(took, abs=4)


def test_what_lies_between_both_answers_needs_most():
    """Mean of thirty after nine pairs; and never more than the limit leaves."""
    loud, dice = replace(RULE, sigma=0.05), random.Random(2)
    needs = {
        loss: [
            further_pairs([block(dice, 5, loss, 0.05), *_twos(dice, 2, loss)], loud)
            for _ in range(30)
        ]
        for loss in (0.0, 0.028, 0.1)
    }
    assert mean(needs[0.028]) > 1.5 * mean(needs[0.0])
    assert mean(needs[0.028]) > 1.5 * mean(needs[0.1])
    assert max(needs[0.028]) <= loud.limit - 9 + 1


def _twos(dice, count, loss):
    return [block(dice, NEXT_BLOCK, loss, 0.05) for _ in range(count)]


@pytest.mark.parametrize("seed", range(5))
def test_it_is_whole_blocks_and_ends_where_the_limit_does(seed):
    """Five pairs first, then twos; nothing where all pairs are spent."""
    rule = replace(UNSCREENED, limit=30)
    blocks = played(seed, 0.03, rule)
    for count in range(len(blocks)):
        more = further_pairs(blocks[:count], rule)
        first = FIRST_BLOCK if not count else 0
        assert more >= first
        assert (more - first) % NEXT_BLOCK == 0
    spent = [block(random.Random(seed), 30, 0.03, 0.02)]
    assert further_pairs(spent, rule) == 0


def test_runs_that_were_never_looked_at_are_counted():
    """A shift may be ruled out long before there are runs enough to look for slow ones."""
    quiet = [block(random.Random(1), 5, 0.0, 0.002)]
    assert further_pairs(quiet, replace(RULE, sigma=0.002)) == 0
    assert further_pairs(quiet, replace(UNSCREENED, sigma=0.002)) == 10
