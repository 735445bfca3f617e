"""E-values against all assignments written out, and what makes them evidence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stats import brute

from gate.stats import evalues

KINDS = [evalues.linear, evalues.rank_evidence]
values = st.floats(-1, 1)
slopes = st.floats(0, 60)


@st.composite
def blocks(draw, most=5, element=values):
    count = draw(st.integers(1, most))
    side = st.lists(element, min_size=count, max_size=count)
    return tuple(draw(side)), tuple(draw(side))


def mean_over_all_assignments(kind, block, slope):
    logs = [kind(base, head, slope) for base, head in brute.assignments(block)]
    return math.fsum(map(math.exp, logs)) / len(logs)


@given(blocks(), slopes)
def test_linear_agrees_with_all_assignments_written_out(block, slope):
    """The polynomial gives what summing over all C(2n, n) assignments gives."""
    assert evalues.linear(*block, slope) == pytest.approx(brute.linear(*block, slope), abs=1e-9)


@given(blocks(), slopes)
def test_ranked_agrees_with_all_assignments_written_out(block, slope):
    """The same for ranks."""
    assert evalues.rank_evidence(*block, slope) == pytest.approx(
        brute.ranked(*block, slope), abs=1e-9
    )


@pytest.mark.parametrize("size", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_scores_that_no_exponential_holds(size, count):
    """Beyond the floats' exponents the sums go on in logs and stay those of all assignments."""
    dice = np.random.default_rng(int(size) + count)
    for _ in range(20):
        base, head = (tuple(map(float, side)) for side in dice.normal(0, 1, (2, count)))
        for kind, plain in ((evalues.linear, brute.linear), (evalues.rank_evidence, brute.ranked)):
            seen, expected = kind(base, head, size), plain(base, head, size)
            assert seen == pytest.approx(expected, rel=1e-12, abs=1e-6)


def test_the_two_ways_of_summing_meet():
    """Just below and just above the switch to logs the value is the same function."""
    base, head = (0.0, 0.1, 0.2, 0.3, 0.4), (0.05, 0.6, 0.7, 0.8, 1.0)
    largest = (1.0 - sum((*base, *head)) / 10) * 5
    switch = evalues._LARGEST / largest
    below, above = (evalues.linear(base, head, switch * (1 + d)) for d in (-1e-9, 1e-9))
    assert below == pytest.approx(above, rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("slope", [0.3, 5.0, 200.0])
def test_the_mean_over_all_assignments_is_one(kind, count, slope):
    """Where every order is equally likely E is 1 on average, exactly, whatever the values are."""
    dice = np.random.default_rng(count)
    wild = dice.standard_cauchy((2, count))
    block = tuple(tuple(map(float, side)) for side in wild)
    assert mean_over_all_assignments(kind, block, slope) == pytest.approx(1, rel=1e-12)


@given(blocks(most=3, element=st.sampled_from([0.0, 0.1, 0.2])), slopes)
def test_ties_only_weaken_evidence(block, slope):
    """With equal values the mean is 1 for linear scores and at most 1 for ranks."""
    straight = mean_over_all_assignments(evalues.linear, block, slope)
    assert straight == pytest.approx(1, rel=1e-9)
    assert mean_over_all_assignments(evalues.rank_evidence, block, slope) <= 1 + 1e-9


@pytest.mark.parametrize("kind", KINDS)
@given(block=blocks(), slope=slopes, place=st.integers(0, 4), more=st.floats(0, 2))
def test_evidence_grows_with_every_head_value(kind, block, slope, place, more):
    """A dearer head trial never lowers E: so a loss of at most c has a mean of at most 1."""
    base, head = block
    dearer = [x + more * (i == place % len(head)) for i, x in enumerate(head)]
    assert kind(base, dearer, slope) >= kind(base, head, slope) - 1e-9


@pytest.mark.parametrize("kind", KINDS)
@given(block=blocks(), slope=slopes, place=st.integers(0, 4), more=st.floats(0, 2))
def test_evidence_falls_with_every_base_value(kind, block, slope, place, more):
    """A dearer base trial never raises E."""
    base, head = block
    dearer = [x + more * (i == place % len(base)) for i, x in enumerate(base)]
    assert kind(dearer, head, slope) <= kind(base, head, slope) + 1e-9


@pytest.mark.parametrize("kind", KINDS)
@given(block=blocks(), slope=slopes, shift=st.sampled_from([-4.0, 0.5, 8.0]))
def test_the_level_does_not_matter(kind, block, slope, shift):
    """The same amount on every trial, base and head, changes nothing."""
    block = tuple(tuple(round(x * 64) / 64 for x in side) for side in block)  # exact sums
    moved = tuple(tuple(x + shift for x in side) for side in block)
    assert kind(*moved, slope) == pytest.approx(kind(*block, slope), abs=1e-9)


@pytest.mark.parametrize(
    ("count", "most"), [(1, 2), (2, 6), (5, 252)], ids=["one pair", "two pairs", "five pairs"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_most_that_a_block_is_worth(kind, count, most):
    """Sides parted entirely, at an endless slope: E is the number of assignments and no more."""
    base, head = tuple(range(count)), tuple(range(count, 2 * count))
    assert kind(base, head, 1e6) == pytest.approx(math.log(most))
    assert kind(base, head, 3.0) < math.log(most)


@pytest.mark.parametrize("kind", KINDS)
def test_no_slope_no_evidence(kind):
    """At slope 0, and for values that are all equal under linear scores, E is 1."""
    assert kind((0.0, 0.1), (0.5, 0.9), 0.0) == pytest.approx(0)
    assert evalues.linear((0.3, 0.3), (0.3, 0.3), 50.0) == pytest.approx(0)


def test_equal_values_count_against_the_head():
    """Of ties the head's rank lower: a clock that always says the same is evidence of nothing."""
    worst = evalues.rank_evidence((2.0, 3.0), (0.0, 1.0), 2.0)
    assert evalues.rank_evidence((1.0, 1.0), (1.0, 1.0), 2.0) == pytest.approx(worst)


def test_one_wild_trial_moves_ranks_no_further():
    """A head trial ten times or a million times beyond the others is worth the same rank."""
    base, head = (0.0, 0.1, 0.2, 0.3, 0.4), (0.05, 0.15, 0.25, 0.35)
    near, far = (evalues.rank_evidence(base, (*head, x), 2.0) for x in (5.0, 5e6))
    assert near == far


def test_linear_is_the_likelihood_ratio_of_normal_noise():
    """With slope distance / variance and many trials, log E nears that of the shifted normals."""
    dice = np.random.default_rng(5)
    spread, distance, count = 0.02, 0.01, 400
    base = dice.normal(0, spread, count)
    head = dice.normal(distance, spread, count)
    seen = evalues.linear(list(map(float, base)), list(map(float, head)), distance / spread**2)
    # Known mean of both sides unknown: half the distance each way from their common mean.
    middle = (base.mean() + head.mean()) / 2
    ratio = ((head - middle).sum() - (base - middle).sum()) * distance / 2 / spread**2
    ratio -= 2 * count * (distance / 2) ** 2 / 2 / spread**2
    assert seen == pytest.approx(float(ratio), abs=1.0)
    assert 20 < seen < 80
