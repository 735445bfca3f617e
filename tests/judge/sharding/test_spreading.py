"""Profiles spread over machines: whole, deterministic, and near the best there is."""

from __future__ import annotations

import random
from itertools import product

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from gate.judge.sharding import Weight, spread_works

SECONDS = st.one_of(st.just(0.0), st.integers(1, 20).map(float), st.floats(0, 1e6))
WORKS = st.lists(SECONDS, min_size=1, max_size=12).map(
    lambda many: [Weight(name=f"p{i}", seconds=s) for i, s in enumerate(many)]
)


@given(WORKS, st.integers(1, 15), st.integers(0, 1000))
@examples(2)
def test_each_profile_is_measured_once_whatever_the_order(works, shards, seed):
    """Nothing is lost or doubled, no shard is idle for nothing, and the order is of no matter."""
    parts = spread_works(works, shards)
    assert sorted(name for part in parts for name in part) == sorted(one.name for one in works)
    assert len(parts) == shards
    assert sum(not part for part in parts) == max(0, shards - len(works))
    shuffled = list(works)
    random.Random(seed).shuffle(shuffled)
    assert spread_works(shuffled, shards) == parts


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=7),
    st.integers(1, 3),
)
@examples(1.5)
def test_the_last_machine_ends_at_most_a_third_after_the_best_spread(seconds, shards):
    """Longest first is within 4/3 of the optimum, found here by trying every spread."""
    works = [Weight(name=f"p{i}", seconds=float(s)) for i, s in enumerate(seconds)]
    known = {one.name: one.seconds for one in works}
    ends = max(sum(known[name] for name in part) for part in spread_works(works, shards))
    best = min(
        max(sum(s for s, k in zip(seconds, choice, strict=True) if k == n) for n in range(shards))
        for choice in product(range(shards), repeat=len(seconds))
    )
    assert ends <= best * (4 / 3 - 1 / (3 * shards)) + 1e-9


def test_it_is_the_longest_first():
    """9, 7, 6, 5, 4 seconds on two machines end after 14 and 17."""
    works = [Weight(name=n, seconds=s) for n, s in zip("abcde", (9, 7, 6, 5, 4), strict=True)]
    assert spread_works(works, 2) == (("a", "d"), ("b", "c", "e"))


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0])
def test_no_time_is_refused(seconds):
    """A time that cannot be added up would make the spread a matter of luck."""
    with pytest.raises(ValueError, match="cannot take"):
        spread_works([Weight(name="a", seconds=seconds)], 1)
    with pytest.raises(ValueError, match="twice"):
        spread_works([Weight(name="a", seconds=1), Weight(name="a", seconds=1)], 1)
    with pytest.raises(ValueError, match="0 shards"):
        spread_works([Weight(name="a", seconds=1)], 0)
