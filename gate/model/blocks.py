"""Blocks: how many base/head pairs are run in one random order.

The first block is five pairs: ten trials in an order drawn from all 252, so that one block alone
can prove a loss at 1 %. Later ones are two pairs, so that a decision comes soon and a drifting
host has little time to drift inside one. A block is the unit of randomisation; a pair is a base
and a head trial of one block, and pairs are what is counted.
"""

from __future__ import annotations

FIRST_BLOCK = 5
NEXT_BLOCK = 2


def block_of(pair: int) -> int:
    """The block of a pair, both numbered from 0."""
    return 0 if pair < FIRST_BLOCK else 1 + (pair - FIRST_BLOCK) // NEXT_BLOCK


def pairs_in(block: int) -> range:
    """The numbers of a block's pairs."""
    if block == 0:
        return range(FIRST_BLOCK)
    start = FIRST_BLOCK + (block - 1) * NEXT_BLOCK
    return range(start, start + NEXT_BLOCK)
