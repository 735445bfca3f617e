"""Curves: geometric mean, scaling and knee, against figures made by hand."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model import Take
from gate.model.metric import take_of

DEPTHS = (1.0, 32.0, 64.0, 128.0, 256.0)


def knee(places, values):
    return take_of(Take.KNEE, values, places)


def test_geomean():
    """The square root of a product: 2 and 8 give 4."""
    assert take_of(Take.GEOMEAN, [2.0, 8.0]) == pytest.approx(4.0)
    assert take_of(Take.GEOMEAN, [1e-300, 1e300]) == pytest.approx(1.0)


def test_scaling():
    """The last over the first, whatever lies between."""
    assert take_of(Take.SCALING, [2.0, 100.0, 1.0]) == 0.5


def test_knee_between_two_points():
    """100 at most, so 90: half way from 80 to 100 over the logs of 4 and 16 is 8."""
    assert knee([1, 4, 16], [20.0, 80.0, 100.0]) == pytest.approx(8.0)


def test_knee_at_a_point():
    """A point that reaches nine tenths exactly is the knee."""
    assert knee([1, 4, 16], [20.0, 90.0, 100.0]) == pytest.approx(4.0)


def test_knee_of_a_curve_that_starts_saturated():
    """Below the first point it is proportional: 100 at depth 1 reaches 90 at 0.9."""
    assert knee(DEPTHS, [100.0] * 5) == pytest.approx(0.9)
    assert knee(DEPTHS, [90.0, 100.0, 100.0, 100.0, 100.0]) == pytest.approx(1.0)


def test_knee_of_a_curve_that_falls():
    """Sequential writes that halve with depth are saturated from the start."""
    assert knee(DEPTHS, [100.0, 90.0, 80.0, 60.0, 50.0]) == pytest.approx(0.9)


def test_knee_is_the_first_place():
    """A dip behind it moves nothing: the curve has been there."""
    assert knee([1, 2, 4, 8], [50.0, 95.0, 60.0, 100.0]) == pytest.approx(2 ** (40 / 45))


values = st.lists(st.floats(0.01, 1e6), min_size=3, max_size=5)


@given(values, st.sampled_from(Take), st.floats(0.001, 1000.0))
def test_the_unit_of_the_values(numbers, take, factor):
    """A geometric mean has the unit of its values; scaling and knee do not depend on it."""
    places = DEPTHS[: len(numbers)]
    scaled = take_of(take, [factor * number for number in numbers], places)
    wanted = take_of(take, numbers, places) * (factor if take is Take.GEOMEAN else 1)
    assert scaled == pytest.approx(wanted, rel=1e-6)


@given(values, st.randoms(use_true_random=False))
def test_the_knee_does_not_depend_on_the_order(numbers, dice):
    """Places are sorted: a matrix written from deep to shallow has the same knee."""
    pairs = list(zip(DEPTHS, numbers, strict=False))
    straight = knee(*zip(*pairs, strict=True))
    dice.shuffle(pairs)
    assert knee(*zip(*pairs, strict=True)) == straight


@given(values)
def test_the_knee_lies_inside(numbers):
    """Never beyond the place of the largest value, never below nine tenths of the first place."""
    places = DEPTHS[: len(numbers)]
    found = knee(places, numbers)
    largest = places[numbers.index(max(numbers))]
    assert 0.9 * (1 - 1e-9) <= found <= largest * (1 + 1e-9)


@given(values)
def test_the_curve_reaches_nine_tenths_there_and_not_before(numbers):
    """The polyline over log(place), walked in small steps, against the formula."""
    places = DEPTHS[: len(numbers)]
    wanted, found = 0.9 * max(numbers), knee(places, numbers)
    curve = list(zip(map(math.log, places), numbers, strict=True))

    def at(place):
        if place <= places[0]:
            return numbers[0] * place / places[0]
        x = math.log(place)
        ((x0, y0), (x1, y1)) = next((a, b) for a, b in pairwise(curve) if x <= b[0] + 1e-12)
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0)

    assert at(found) == pytest.approx(wanted, rel=1e-6)
    for step in range(1, 50):
        assert at(found * step / 50) <= wanted * (1 + 1e-6)


@pytest.mark.parametrize("take", Take)
@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_no_number_is_made_of_a_bad_one(take, bad):
    """Zero, negative or no number: refused, whichever place it has."""
    for place in range(3):
        numbers = [1.0, 2.0, 3.0]
        numbers[place] = bad
        with pytest.raises(ValueError, match="not finite and above zero"):
            take_of(take, numbers, [1, 2, 4])


@pytest.mark.parametrize(
    ("take", "numbers", "places", "said"),
    [
        (Take.GEOMEAN, [1.0], (), "geomean needs 2 points, and there are 1"),
        (Take.SCALING, [], (), "scaling needs 2 points, and there are 0"),
        (Take.KNEE, [1.0, 2.0], [1, 2], "knee needs 3 points, and there are 2"),
        (Take.KNEE, [1.0, 2.0, 3.0], [1, 2], "2 places for 3 values"),
        (Take.KNEE, [1.0, 2.0, 3.0], [0, 1, 2], "not finite and above zero"),
        (Take.KNEE, [1.0, 2.0, 3.0], [1, 1, 2], "two points at 1"),
    ],
)
def test_too_little(take, numbers, places, said):
    """Too few points, places that are none: refused with what is wrong."""
    with pytest.raises(ValueError, match=said):
        take_of(take, numbers, places)
