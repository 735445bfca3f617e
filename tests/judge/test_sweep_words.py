"""How a curve's change of shape is told: exact sentences, and laws that hold for every curve."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.judge.context.sweep_words import SEEN, CurvePoint, describe_curve
from gate.model import Better

DEPTHS = ("1", "8", "32", "128")
BASE = (1000.0, 4000.0, 9000.0, 12000.0)


def places(base, head, names=DEPTHS, tolerance=0.05):
    return [CurvePoint(*row, tolerance) for row in zip(names, base, head, strict=True)]


def said(head, *, base=BASE, better=Better.HIGHER, names=DEPTHS, tolerance=0.05, **more):
    """The sentence without what every sentence ends with."""
    text = describe_curve("iodepth", better, places(base, head, names, tolerance), **more)
    return text.removesuffix(f", {SEEN}")


def test_every_sentence_says_that_it_is_seen():
    """No sentence claims a proof."""
    text = describe_curve("iodepth", Better.HIGHER, places(BASE, (1000, 4000, 7000, 7100)))
    assert text == "no longer grows beyond iodepth 32 (base grew up to 128), seen in the medians"


@pytest.mark.parametrize(
    ("head", "sentence"),
    [
        (BASE, ""),
        ([0.7 * one for one in BASE], ""),
        ((1020, 3950, 9100, 11800), ""),
        ((1000, 4000, 9000, 9100), "no longer grows beyond iodepth 32 (base grew up to 128)"),
        ((1000, 4000, 4100, 4050), "no longer grows beyond iodepth 8 (base grew up to 128)"),
        (
            (1000, 4000, 9000, 6750),
            "falls beyond iodepth 32, by 25 % at 128 (base grew by 33 %)",
        ),
        ((1300, 4000, 9000, 11900), "gain shrinks with iodepth: loss -23 % at 1, +1 % at 128"),
        ((980, 3700, 7800, 9800), "loss grows with iodepth: +2 % at 1, +22 % at 128"),
        ((800, 3700, 8800, 12000), "loss shrinks with iodepth: +25 % at 1, 0 % at 128"),
        (
            (1000, 3000, 9000, 12000),
            "loss differs most at iodepth 8: +33 %, against 0 % at 1 and 0 % at 128",
        ),
    ],
)
def test_a_growing_curve(head, sentence):
    """Of a curve that should grow it is told where it ends, falls, or where the loss lies."""
    assert said(head) == sentence


def test_better_shapes():
    """A curve that grows further, or falls no longer, is told as such."""
    flat = (1000.0, 4000.0, 4100.0, 4200.0)
    assert said((1000, 4000, 6000, 8000), base=flat) == (
        "grows further, up to iodepth 128 (base up to 8)"
    )
    falling = (1000.0, 4000.0, 4100.0, 3000.0)
    assert said((1000, 4000, 4100, 4150), base=falling) == (
        "no longer falls beyond iodepth 32 (base fell by 27 % at 128)"
    )


def test_a_fall_that_both_sides_have_is_no_change():
    """A curve that falls as the base does has kept its shape."""
    falling = (1000.0, 4000.0, 4100.0, 3000.0)
    assert said([1.1 * one for one in falling], base=falling) == ""
    assert said((1000, 4000, 4100, 2000), base=falling) == (
        "falls beyond iodepth 32, by 51 % at 128 (base fell by 27 %)"
    )


def test_a_cost_is_told_by_its_losses_alone():
    """A cost is not meant to grow: where more of it is paid is what counts."""
    cost = (8e-6, 4e-6, 3e-6, 3e-6)
    head = (8e-6, 4.1e-6, 3.3e-6, 3.9e-6)
    assert said(head, base=cost, better=Better.LOWER) == (
        "loss grows with iodepth: 0 % at 1, +30 % at 128"
    )


@pytest.mark.parametrize(("tolerance", "tells"), [(0.10, True), (0.12, False)])
def test_what_points_may_lose_is_no_change_of_shape(tolerance, tells):
    """Losses 11.1 % apart differ at a tolerance of 10 %, and agree at one of 12 %."""
    head = (1000.0, 4000.0, 9000.0, 10800.0)
    assert bool(said(head, tolerance=tolerance)) is tells


def test_one_loud_point_does_not_silence_the_others():
    """The mean of both points' tolerances counts: two quiet ones still differ."""
    rows = places(BASE, (1000, 4000, 9000, 6000))
    rows[1] = rows[1]._replace(tolerance=5.0)
    assert "falls beyond iodepth 32, by 33 %" in describe_curve("iodepth", Better.HIGHER, rows)


def test_places_are_numbers_in_their_order():
    """The order of the profile does not matter; 128 stands behind 32, not before it as text."""
    rows = places(BASE, (1000, 4000, 7000, 7100))
    assert describe_curve("iodepth", Better.HIGHER, rows[::-1]) == describe_curve(
        "iodepth", Better.HIGHER, rows
    )


def test_two_places_need_no_numbers():
    """Alone and loaded have an order of their own; three words have none, and nothing is told."""
    assert said((990, 3000), base=(1000.0, 4000.0), names=("alone", "loaded")) == (
        "loss grows with iodepth: +1 % at alone, +33 % at loaded"
    )
    assert said((990, 2000, 4000), base=(1000.0,) * 3, names=("ext4", "xfs", "btrfs")) == ""
    assert said((990, 2000, 4000), base=(1000.0,) * 3, names=("1", "01", "2")) == ""


def test_one_place_is_no_curve():
    """Nothing is told of a single point, or none."""
    assert said((1.0,), base=(2.0,), names=("1",)) == ""
    assert describe_curve("iodepth", Better.HIGHER, []) == ""


def test_a_proven_shape_is_told_though_it_is_small():
    """Where the group's finding proved it, what lies within the tolerances is told too."""
    head = (1000, 3950, 8700, 11500)
    assert said(head) == ""
    assert said(head, changed=True) == "loss grows with iodepth: 0 % at 1, +4 % at 128"
    assert said(BASE, changed=True) == ""


@pytest.mark.parametrize(
    "head",
    [(1000, 4000, 6000, 8000), (1000, 4000, 4100, 5000), (900, 4000, 4100, 4300)],
)
def test_a_proven_loss_is_never_told_as_a_gain(head):
    """Medians that say the opposite of the proof are not put into a sentence about growth."""
    flat = (1000.0, 4000.0, 4100.0, 4200.0)
    assert said(head, base=flat)
    told_beside = said(head, base=flat, changed=True)
    assert not any(word in told_beside for word in ("further", "no longer falls", "shrinks"))
    assert "gain grows" not in told_beside


values = st.floats(1e-3, 1e6)
curves = st.lists(st.tuples(values, values), min_size=2, max_size=7)


def rows_of(pairs, tolerance):
    return [
        CurvePoint(str(2**at), base, head, tolerance)
        for at, (base, head) in enumerate(pairs, start=1)
    ]


@given(st.lists(values, max_size=7), st.sampled_from(Better), st.booleans())
def test_equal_curves_have_one_shape(curve, better, changed):
    """Whatever the curve, against itself nothing is told."""
    assert (
        describe_curve("n", better, rows_of(zip(curve, curve, strict=True), 0.05), changed=changed)
        == ""
    )


@given(st.lists(values, max_size=7), st.floats(0.1, 10), st.sampled_from(Better))
def test_one_loss_for_all_keeps_the_shape(curve, factor, better):
    """A head that is the base times any factor has its shape."""
    pairs = [(one, one * factor) for one in curve]
    assert describe_curve("n", better, rows_of(pairs, 0.05)) == ""


@given(curves, st.integers(-60, 60), st.sampled_from(Better), st.booleans())
def test_the_scale_says_nothing(pairs, power, better, changed):
    """Both curves in another unit are told in the same words."""
    factor = math.ldexp(1.0, power)  # a power of two: nothing is rounded anew
    scaled = [(base * factor, head * factor) for base, head in pairs]
    plain = describe_curve("n", better, rows_of(pairs, 0.05), changed=changed)
    assert describe_curve("n", better, rows_of(scaled, 0.05), changed=changed) == plain


@given(curves, st.sampled_from(Better), st.floats(0.001, 5.0))
def test_within_the_tolerances_nothing_is_told(pairs, better, tolerance):
    """Losses that all lie within one tolerance of each other agree."""
    losses = [math.log(head / base) for base, head in pairs]
    text = describe_curve("n", better, rows_of(pairs, tolerance))
    if max(losses) - min(losses) < math.log1p(tolerance) * 0.999:
        assert text == ""


@given(curves)
def test_words_and_scaling_never_contradict(pairs):
    """Growth is told only as the scaling, last over first, moved: never the other way."""
    (b0, h0), (b1, h1) = pairs[0], pairs[-1]
    text = describe_curve("n", Better.HIGHER, rows_of(pairs, 0.05))
    if h1 / h0 < b1 / b0 * (1 - 1e-9):
        assert not any(word in text for word in ("further", "no longer falls", "gain grows"))
        assert "loss shrinks" not in text
    elif h1 / h0 > b1 / b0 * (1 + 1e-9):
        assert not any(word in text for word in ("no longer grows", "loss grows", "gain shrinks"))
