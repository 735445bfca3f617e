"""Laws of the order of trials, and that every arrangement of a block is equally likely."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.measure.order import block_order, remaining_trials, rounds
from gate.model import Side
from gate.model.plan import FIRST_BLOCK, NEXT_BLOCK, block_of, pairs_in

NAMES = st.lists(st.text(min_size=1, max_size=5), unique=True, max_size=6)
SEEDS = st.integers(0, 2**32 - 1)
DUE = st.dictionaries(st.text(min_size=1, max_size=5), st.integers(0, 5), max_size=6)


def alike(names, trials):
    return dict.fromkeys(names, trials)


@given(DUE, SEEDS)
def test_every_round_holds_every_name_still_due(due, seed):
    """Each round is the names that have trials left, once each, in some order."""
    order = list(rounds(due, seed))
    for number in range(max(due.values(), default=0)):
        still = [name for name, count in due.items() if count > number]
        assert sorted(order[: len(still)]) == sorted(still)
        del order[: len(still)]
    assert order == []


@given(NAMES, st.integers(0, 5), SEEDS)
def test_the_seed_decides_the_order(names, trials, seed):
    """The same seed gives the same order, and a longer order begins with the shorter one."""
    short, long = (rounds(alike(names, count), seed) for count in (trials, trials + 1))
    assert rounds(alike(names, trials), seed) == short
    assert long[: len(short)] == short


def test_seeds_and_rounds_differ():
    """Neither all seeds nor all rounds use one order: no benchmark is always first."""
    names = list("abcdef")
    assert len({rounds(alike(names, 1), seed) for seed in range(100)}) > 80
    order = rounds(alike(names, 100), 0)
    firsts = Counter(order[:: len(names)])
    assert set(firsts) == set(names)
    assert max(firsts.values()) < 40


@given(DUE, SEEDS, st.data())
def test_what_remains_of_a_stopped_order(due, seed, data):
    """Stopped anywhere, what remains is exactly the rest of the order."""
    order = rounds(due, seed)
    cut = data.draw(st.integers(0, len(order)))
    assert remaining_trials(order, order[:cut]) == order[cut:]


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abcd")))
def test_remaining_counts(order, done):
    """Whatever was done, every trial of the order is either done or remains, in its old place."""
    left = remaining_trials(order, done)
    assert Counter(left) == Counter(order) - Counter(done)
    rest = iter(order)
    assert all(name in rest for name in left), "not in the old order"
    assert remaining_trials(left, ()) == left
    assert remaining_trials(order, (*done, *left)) == ()


def test_blocks_of_pairs():
    """Pairs 0 to 4 are the first block, then two a block; every pair is in its block."""
    assert (FIRST_BLOCK, NEXT_BLOCK) == (5, 2)
    assert [block_of(pair) for pair in range(11)] == [0] * 5 + [1, 1, 2, 2, 3, 3]
    assert [list(pairs_in(block)) for block in range(3)] == [[0, 1, 2, 3, 4], [5, 6], [7, 8]]
    assert all(pair in pairs_in(block_of(pair)) for pair in range(2000))
    assert [pair for block in range(50) for pair in pairs_in(block)] == list(range(5 + 49 * 2))


@given(SEEDS, st.text(max_size=5), st.integers(0, 50))
def test_a_block_holds_each_trial_once(seed, name, block):
    """Each pair has a base and a head trial; on each side pairs are numbered in order of time."""
    order = block_order(seed, name, block)
    for side in Side:
        assert [pair for one, pair in order if one is side] == list(pairs_in(block))
    assert len(order) == 2 * len(pairs_in(block))
    assert block_order(seed, name, block) == order


def sides(seed, name, block):
    return "".join(side.value[0] for side, _ in block_order(seed, name, block))


@pytest.mark.parametrize(("block", "kinds", "worst"), [(0, 252, 266.2), (1, 6, 0.9), (7, 6, 2.7)])
def test_every_arrangement_is_equally_likely(block, kinds, worst):
    """Over 20,000 seeds each arrangement of a block comes as often as the others, by chi-square."""
    draws = 20_000
    seen = Counter(sides(seed, "b", block) for seed in range(draws))
    half = len(pairs_in(block))
    assert len(seen) == kinds == math.comb(2 * half, half)
    expected = draws / kinds
    distance = sum((count - expected) ** 2 / expected for count in seen.values())
    assert distance == pytest.approx(worst, abs=0.1)
    assert distance < kinds - 1 + 4 * math.sqrt(2 * (kinds - 1))


def test_neighbouring_blocks_are_independent():
    """Whatever the order of one block, the next one's, and another benchmark's, is any of six."""
    for other in (lambda seed: sides(seed, "b", 2), lambda seed: sides(seed, "c", 1)):
        seen = Counter((sides(seed, "b", 1), other(seed)) for seed in range(18_000))
        assert len(seen) == 36
        assert all(abs(count - 500) < 4 * math.sqrt(500) for count in seen.values())


def test_the_order_is_the_same_in_every_process():
    """A resumed check orders as the first one did, whatever Python's hash seed."""
    script = "from gate.measure.order import *; print([block_order(7, 'b', i) for i in range(9)])"
    told = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert told == {f"{[block_order(7, 'b', i) for i in range(9)]}\n"}
