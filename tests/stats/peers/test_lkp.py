"""LKP's gap between ranges, on both sides of each of its conditions."""

from __future__ import annotations

from gate.calibrate.peers.lkp import LKP, base_samples
from gate.calibrate.peers.peer import Comparison

BASE = ((8.0, 9.0, 10.0),) * 3


def closes(head, *history):
    return LKP.closes(Comparison(head=head, history=history))


def test_gap_of_more_than_half_the_medians_difference():
    """Base 8..10 about 9: a head of 11 has a gap of 1 and half a difference of 1."""
    assert closes((11.0,) * 3, *BASE) is False
    assert closes((11.1,) * 3, *BASE) is True
    assert closes((11.1, 20.0, 20.0), *BASE) is False
    upper = ((8.0, 8.0, 10.0), (8.0, 8.0, 10.0), (10.0,) * 3)
    assert closes((11.0,) * 3, *upper) is True


def test_ranges_that_overlap_pass():
    """One head run inside the base's range is enough to pass."""
    assert closes((10.0, 20.0, 20.0), *BASE) is False
    assert closes((3.0,) * 3, *BASE) is False


def test_ratio_of_a_kpi():
    """A ratio of medians of 1.01 passes, more closes, however quiet the samples are."""
    quiet = ((100.0,) * 3,) * 3
    assert closes((101.0,) * 3, *quiet) is False
    assert closes((101.1,) * 3, *quiet) is True
    assert closes((0.504,) * 3, *[(0.5,) * 3] * 3) is False


def test_few_head_runs_need_five_ranges():
    """With two head runs the gap must exceed 5 times the base's range of 2."""
    assert closes((20.0, 20.0), *BASE) is False
    assert closes((20.1, 20.1), *BASE) is True
    assert closes((20.1,), *BASE) is True
    assert closes((20.1, 22.2), *BASE) is False
    wide_once = ((8.0, 9.0, 10.0), (8.5, 9.0, 9.5), (8.5, 9.0, 9.5))
    assert closes((19.9,), *wide_once) is False


def test_base_is_the_newest_three_with_nine_samples():
    """Sessions are merged from the newest on, until there are three of them and nine samples."""
    assert base_samples(((1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12))) == [
        *(10, 11, 12),
        *(7, 8, 9),
        *(4, 5, 6),
    ]
    assert base_samples(((0,),) * 20) == [0] * 9
    assert base_samples(((1,) * 9, (2,) * 9, (), (3,) * 9)) == [3] * 9 + [2] * 9 + [1] * 9


def test_extremes_of_many_samples_are_cut():
    """Of 32 samples one is cut off at each end, of 31 none."""
    many = ((9.0,) * 11, (9.0,) * 11, (9.0,) * 8 + (1.0, 50.0))
    fewer = ((9.0,) * 11, (9.0,) * 11, (9.0,) * 7 + (1.0, 50.0))
    assert closes((10.0,) * 3, *many) is True
    assert closes((10.0,) * 3, *fewer) is False


def test_at_most_three_are_cut():
    """Of 128 samples three are cut off at each end: the fourth wild one still overlaps."""
    quiet = (9.0,) * 40
    assert closes((10.0,) * 3, quiet, quiet, (9.0,) * 45 + (50.0,) * 3) is True
    assert closes((10.0,) * 3, quiet, quiet, (9.0,) * 44 + (50.0,) * 4) is False


def test_median_is_the_upper_one():
    """Of four head runs the third smallest is the median: here it makes the gap too small."""
    assert closes((11.1, 11.1, 11.1, 20.0), *BASE) is True
    assert closes((11.1, 11.1, 20.0, 20.0), *BASE) is False


def test_degenerate():
    """Too few base samples and no head are not compared; no spread closes above 1 %."""
    assert closes((9.0,) * 3) is False
    assert closes((9.0,) * 3, (1.0,), (1.0,)) is False
    assert closes((9.0,) * 3, (1.0,), (1.0,), (1.0,)) is True
    assert closes((), *BASE) is False
    assert closes((9.0,) * 3, *[(9.0,) * 3] * 3) is False
    assert closes((9.1,), *[(9.0,) * 3] * 3) is True
    assert closes((0.1,) * 3, *[(0.0,) * 3] * 3) is True
    assert closes((0.0,) * 3, *[(0.0,) * 3] * 3) is False
