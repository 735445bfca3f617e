"""Trials, pairs and intervals: what is drawn is what was measured."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model import Better, Evidence, Verdict
from gate.report.plots.losses import interval_plot, pairs_plot
from gate.report.plots.numbers import numbers
from gate.report.plots.trials import trials_plot
from tests.report.build import finding
from tests.report.plots.drawn import marks_of, path_of, texts_at, walked

NUMBERS = st.floats(min_value=1e-12, max_value=1e15)


def inside(drawn):
    """Whether every place of its paths lies in a picture of 1000 by 150."""
    places = [place for _, path in drawn.strokes for place in walked(path)]
    return all(0 <= x <= 1000 and 0 <= y <= 150 for x, y in places)


def place(drawn, look):
    """Where a path of an interval begins, across."""
    return int(re.match(r"M(\d+) ", path_of(drawn, look))[1])


def lengths(path):
    """Of bars that are drawn across, to the left or to the right."""
    return [abs(int(one)) for one in re.findall(r"h(-?\d+)", path)]


def test_every_trial_is_drawn_in_run_order_with_the_spread_beside_it():
    """The paths hold each value once, one link per pair, and each side has its box."""
    drawn = trials_plot(finding(verdict=Verdict.REGRESSED, pairs=14))
    assert marks_of(drawn, "base") == 30 + 14
    assert marks_of(drawn, "head") == 3 + 14
    assert marks_of(drawn, "links") == 14
    assert texts_at(drawn, 165) == ["baseline", "head", "pairs", "base", "head"]
    assert path_of(drawn, "box").count("Z") == 2


def test_without_pairs_the_spread_is_of_all_trials():
    """Accepted values and head values, strikes among them."""
    drawn = trials_plot(finding(strikes=2))
    assert marks_of(drawn, "base") == 30
    assert marks_of(drawn, "head") == 3 + 6
    assert texts_at(drawn, 165) == ["baseline", "head", "strikes", "base", "head"]
    assert texts_at(drawn, 179)[-1] == "of trials"


def test_two_heaps_of_values_are_seen_as_two():
    """A third of the values far above the others make a second bar, half as long as the first."""
    seen = Evidence(baseline=((1.0, 1.0, 2.0),) * 4, head=(1.5,))
    drawn = trials_plot(finding(unit="s", base=1.0, evidence=seen))
    low, high = sorted(lengths(path_of(drawn, "base bars")), reverse=True)
    assert low == pytest.approx(2 * high, abs=1)
    assert lengths(path_of(drawn, "head bars")) == [pytest.approx(low / 8, abs=1)]


def test_what_is_set_aside_is_drawn_hollow_and_listed_as_not_counted():
    """It stands beside the head's trials, never in the spread."""
    made = finding()
    made = replace(made, evidence=replace(made.evidence, aside=(500_000.0,)))
    drawn = trials_plot(made)
    assert marks_of(drawn, "hole") == 1
    assert marks_of(drawn, "head") == 3 + 1  # a hole is drawn into a mark of the head
    assert ("head, set aside, not counted", "500.0") in numbers(made).rows
    assert ("head", "4 trials") in [*zip(texts_at(drawn, 165), texts_at(drawn, 179), strict=False)]


def test_nothing_to_plot_is_no_plot():
    """Without a finite value there is no picture, and no error either."""
    assert trials_plot(finding(evidence=Evidence())) is None
    assert trials_plot(finding(evidence=Evidence(head=(float("nan"),)))) is None
    assert pairs_plot(finding()) is None
    assert interval_plot(replace(finding(), loss=None)) is None


ENDS = (1.7e308, -1.7e308, 5e-324, 1e-310, 0.0, 1.0, 1.0000000000000002)


@pytest.mark.parametrize("low", ENDS)
@pytest.mark.parametrize("high", ENDS)
@pytest.mark.parametrize("unit", ["s", "B/s", "1"])
def test_values_at_the_ends_of_a_float_are_no_error(low, high, unit):
    """What cannot be scaled is not plotted; the rest is, with nothing that is no number in it."""
    seen = Evidence(head=(low, high, low), pairs_base=(low, high), pairs_head=(high, low))
    made = replace(finding(evidence=seen, unit=unit), base_value=low, head_value=high)
    made = replace(made, loss=high, loss_low=low, loss_high=high)
    for drawn in (trials_plot(made), pairs_plot(made), interval_plot(made)):
        assert drawn is None or not re.search(r"nan|inf\b", str(drawn))


@given(
    st.lists(st.lists(NUMBERS, min_size=1, max_size=10).map(tuple), max_size=30).map(tuple),
    st.lists(NUMBERS, min_size=1, max_size=9).map(tuple),
    st.lists(st.tuples(NUMBERS, NUMBERS), max_size=100),
)
def test_every_mark_lies_inside_the_plot(baseline, head, pairs):
    """Whatever the values, no coordinate leaves the plot and the axis has few numbers."""
    seen = Evidence(
        baseline=baseline,
        head=head,
        pairs_base=tuple(base for base, _ in pairs),
        pairs_head=tuple(after for _, after in pairs),
    )
    made = replace(finding(evidence=seen), base_value=head[0], head_value=head[-1])
    drawn = trials_plot(made)
    assert inside(drawn)
    assert 1 <= len(drawn.y_ticks) <= 9
    assert len({tick.label for tick in drawn.y_ticks}) == len(drawn.y_ticks)
    if pairs:
        of_pairs = pairs_plot(made)
        assert inside(of_pairs)
        assert marks_of(of_pairs, "head", "base") == len(pairs)


def test_a_pair_shows_the_loss_whichever_way_is_better():
    """100 to 90 of a rate is 11.1 % more time for the same work; of a time it is a gain."""
    seen = Evidence(pairs_base=(100.0, 100.0), pairs_head=(90.0, 100.0))
    rate = pairs_plot(finding(evidence=seen))
    assert (marks_of(rate, "head"), marks_of(rate, "base")) == (1, 1)
    assert rate.result == "head is worse in 1 of 2 pairs, beyond the tolerance in 1"
    time = pairs_plot(finding(unit="s", evidence=seen))
    assert (path_of(time, "head"), marks_of(time, "base")) == ("", 2)


def test_the_interval_is_drawn_against_the_tolerance():
    """Zero, tolerance and interval stand in the order of their numbers, and are told."""
    drawn = interval_plot(finding(loss=0.111, half=0.013))
    low, high = (int(one) for one in re.match(r"M(\d+) 20H(\d+)", path_of(drawn, "span")).groups())
    places = [place(drawn, "zero"), place(drawn, "edge"), low, place(drawn, "point"), high]
    assert places == sorted(places)
    assert drawn.result == "loss +11.1 %, interval +9.8 % … +12.4 % at 99 %, tolerance 5.0 %"
    assert texts_at(drawn, 44) == ["+9.8 %", "+12.4 %"]
    assert (texts_at(drawn, 75), drawn.caption) == (["5.0 %"], "negligible 1.0 %")


@pytest.mark.parametrize("loss", [-3.0, -0.05, 0.0, 0.05, 3.0, 1000.0])
def test_there_is_room_for_the_names_and_figures(loss):
    """`no loss` to the left of zero, `tolerance` to the right of its mark, each end beside it."""
    drawn = interval_plot(finding(loss=loss, half=0.01))
    assert place(drawn, "zero") >= 190
    assert place(drawn, "edge") <= 740
    ends = re.match(r"M(\d+) 20H(\d+)", path_of(drawn, "span"))
    assert int(ends[1]) >= 190
    assert int(ends[2]) <= 810
    assert texts_at(interval_plot(finding(loss=1000.0)), 44) == ["+1e5 %"] * 2


def test_an_open_end_has_no_cap():
    """Where the data give no end, the bar goes to the edge."""
    drawn = interval_plot(replace(finding(), loss_high=None))
    low, cap = re.fullmatch(r"M(\d+) 20H960M(\d+) 12v16", path_of(drawn, "span")).groups()
    assert low == cap
    assert len(texts_at(drawn, 44)) == 1


def test_the_interval_stands_beside_the_pairs_where_it_fits():
    """One that is far wider than the pairs would make them look alike: it has its own plot."""
    near = pairs_plot(finding(loss=0.1, half=0.01, pairs=14))
    assert marks_of(near, "span") == 3
    assert marks_of(near, "point") == 1
    assert [tick.label for tick in near.x_ticks] == ["1", "14"]
    assert path_of(pairs_plot(finding(loss=0.1, half=9.0, pairs=14)), "span") == ""


@pytest.mark.parametrize("better", list(Better))
def test_the_tolerance_line_lies_on_the_worse_side(better):
    """Above the base where lower is better, below it where higher is."""
    drawn = trials_plot(replace(finding(), better=better))
    limit, base = (
        int(path_of(drawn, look).split(" ")[1].removesuffix("H1000"))
        for look in ("limit", "base-line")
    )
    worse = limit < base
    assert worse is (better is Better.LOWER)
