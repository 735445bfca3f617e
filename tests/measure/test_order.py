"""Laws of the order of trials and of the coin of each pair."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from gate.measure.order import base_first, remaining, rounds

NAMES = st.lists(st.text(min_size=1, max_size=5), unique=True, max_size=6)
SEEDS = st.integers(0, 2**32 - 1)
TRIALS = st.integers(0, 5)


@given(NAMES, TRIALS, SEEDS)
def test_every_round_holds_every_name_once(names, trials, seed):
    """However long the order, each stretch of a round's length is the names in some order."""
    order = rounds(names, trials, seed)
    assert len(order) == len(names) * trials
    for start in range(0, len(order), len(names) or 1):
        assert sorted(order[start : start + len(names)]) == sorted(names)


@given(NAMES, TRIALS, SEEDS)
def test_the_seed_decides_the_order(names, trials, seed):
    """The same seed gives the same order, and a longer order begins with the shorter one."""
    assert rounds(names, trials, seed) == rounds(names, trials, seed)
    assert rounds(names, trials + 1, seed)[: len(names) * trials] == rounds(names, trials, seed)


def test_seeds_and_rounds_differ():
    """Neither all seeds nor all rounds use one order: no benchmark is always first."""
    names = list("abcdef")
    assert len({rounds(names, 1, seed) for seed in range(100)}) > 80
    order = rounds(names, 100, 0)
    firsts = Counter(order[:: len(names)])
    assert set(firsts) == set(names)
    assert max(firsts.values()) < 40


@given(NAMES, TRIALS, SEEDS, st.data())
def test_what_remains_of_a_stopped_order(names, trials, seed, data):
    """Stopped anywhere, what remains is exactly the rest of the order."""
    order = rounds(names, trials, seed)
    cut = data.draw(st.integers(0, len(order)))
    assert remaining(order, order[:cut]) == order[cut:]


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abcd")))
def test_remaining_counts(order, done):
    """Whatever was done, every trial of the order is either done or remains, in its old place."""
    left = remaining(order, done)
    assert Counter(left) == Counter(order) - Counter(done)
    rest = iter(order)
    assert all(name in rest for name in left), "not in the old order"
    assert remaining(left, ()) == left
    assert remaining(order, (*done, *left)) == ()


def test_the_coin_is_fair_and_varies():
    """Over benchmarks, pairs and seeds half the pairs begin with base, and none always does."""
    tosses = {
        (seed, name, pair): base_first(seed, name, pair)
        for seed in range(20)
        for name in "abcde"
        for pair in range(40)
    }
    # Four standard deviations of 4000 tosses; the seeds are fixed, so this never changes.
    assert abs(sum(tosses.values()) - 2000) < 4 * 31.7
    by_pair = [tuple(tosses[0, "a", pair] for pair in range(40)), (True,) * 40, (False,) * 40]
    other_name = tuple(tosses[0, "b", pair] for pair in range(40))
    other_seed = tuple(tosses[1, "a", pair] for pair in range(40))
    assert len({*by_pair, other_name, other_seed}) == 5
    runs = sum(tosses[s, n, p] == tosses[s, n, p + 1] for s, n, p in tosses if p < 39)
    assert abs(runs - 1950) < 4 * 31.3, "neighbouring pairs are not independent"


def test_the_coin_is_the_same_in_every_process():
    """A resumed check tosses as the first one did, whatever Python's hash seed."""
    script = "from gate.measure.order import *; print([base_first(7, 'b', i) for i in range(20)])"
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
    assert told == {f"{[base_first(7, 'b', i) for i in range(20)]}\n"}
