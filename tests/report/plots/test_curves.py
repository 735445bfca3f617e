"""Histories, bills, latencies and sweeps: places, words and tables agree."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model import (
    Accepted,
    Better,
    Bill,
    Evidence,
    Latency,
    Level,
    Quantile,
    Share,
    Sweep,
    SweepPoint,
    Verdict,
)
from gate.report.plots.cpu_time import costs_plot
from gate.report.plots.curves import history_plot, latency_plot, sweep_plot
from gate.report.plots.picture import Axis
from tests.report.build import finding
from tests.report.plots.drawn import marks_of, path_of

ANY = st.floats(allow_nan=False, allow_infinity=False)
SOME = st.one_of(st.none(), ANY)


def drawable(text):
    """Whether a plot's places are all numbers."""
    return not re.search(r"\b(nan|inf)\b", text)


def sweep(points, **changes):
    made = Sweep(
        profile="p",
        group="b[iodepth=*]",
        parameter="iodepth",
        metric="iops",
        unit="op/s",
        better=Better.HIGHER,
        points=tuple(
            SweepPoint(
                place=place, benchmark=f"b[iodepth={place}]", base=base, head=head, verdict=verdict
            )
            for place, base, head, verdict in points
        ),
    )
    return replace(made, **changes)


def test_a_sweep_draws_both_curves_over_the_logarithm_of_its_parameter():
    """1, 8 and 64 stand equally far from each other; what regressed is ringed and said."""
    drawn = sweep_plot(
        sweep(
            [
                ("1", 20e3, 20e3, Verdict.PASSED),
                ("8", 60e3, 40e3, Verdict.REGRESSED),
                ("64", 80e3, 40e3, Verdict.REGRESSED),
            ],
            told="no longer grows beyond iodepth 8",
        )
    )
    assert [tick.at for tick in drawn.x_ticks] == ["5%", "50%", "95%"]
    assert marks_of(drawn, "mark") == 2
    assert drawn.result == "iops no longer grows beyond iodepth 8; regressed at 8, 64"
    assert drawn.table.columns == ("iodepth", "base [k op/s]", "head [k op/s]", "loss", "verdict")
    assert drawn.table.rows[1] == ("8", "60.00", "40.00", "+50.0 %", "regressed")


def test_a_sweep_is_broken_where_a_point_has_no_value():
    """A missing point is not bridged by a line, and its verdict is told."""
    points = [(str(n), 10.0, None if n == 2 else 9.0, Verdict.PASSED) for n in range(1, 6)]
    points[1] = ("2", 10.0, None, Verdict.MISSING)
    drawn = sweep_plot(sweep(points))
    assert marks_of(drawn, "base-curve") == 1
    assert len(re.findall("[Ll]", path_of(drawn, "head-curve"))) == 2
    assert drawn.result.endswith("the curve kept its shape; missing at 2")


def test_labels_that_would_touch_are_left_out():
    """Of thirty names a phone shows a few, evenly; where there is room there are more."""
    points = [(f"size-{n:02d}", float(n + 1), float(n + 1), Verdict.PASSED) for n in range(30)]
    ticks = sweep_plot(sweep(points)).x_ticks
    narrow = [tick.label for tick in ticks if "noun" not in tick.kind]
    assert narrow == ["size-00", "size-16", "size-28"]
    assert len(ticks) > 4


def test_a_sweep_over_words_stands_in_the_profile_s_order():
    """Alone and loaded have no numbers: they stand one after the other."""
    points = [("alone", 2.0, 2.0, Verdict.PASSED), ("loaded", 1.0, None, Verdict.MISSING)]
    drawn = sweep_plot(sweep(points))
    assert [tick.label for tick in drawn.x_ticks] == ["alone", "loaded"]
    assert drawn.table.rows[1] == ("loaded", "1.000", "?", "?", "missing")


@given(st.lists(st.tuples(SOME, SOME), max_size=12))
def test_any_sweep_is_drawn_or_not(values):
    """No value of a curve is an error, and no place of a drawn one is none."""
    points = [(str(2**n), base, head, Verdict.PASSED) for n, (base, head) in enumerate(values)]
    drawn = sweep_plot(sweep(points))
    assert drawn is None or drawable(repr(drawn))


def latency(points):
    return Latency(
        profile="p",
        benchmark="b",
        kind="read",
        trials_base=3,
        trials_head=3,
        points=tuple(
            Quantile(percentile=q, base=base, head=head, beyond=beyond)
            for q, base, head, beyond in points
        ),
    )


def test_the_tail_of_a_latency_is_stretched():
    """p90, p99 and p99.9 stand equally far apart; single hiccups are drawn hollow and named."""
    drawn = latency_plot(
        latency(
            [
                (90.0, 1e-5, 1e-5, 900.0),
                (99.0, 2e-5, 2e-5, 90.0),
                (99.9, 4e-5, 8e-5, 9.0),
            ]
        )
    )
    assert [(tick.at, tick.label) for tick in drawn.x_ticks] == [
        ("0", "p90"),
        ("50%", "p99"),
        ("100%", "p99.9"),
    ]
    assert marks_of(drawn, "hole") == 2
    assert ("weak", "fewer than 10 samples beyond: single hiccups") in drawn.keys
    assert drawn.table.rows[2] == ("99.9", "40.00", "80.00", "+100.0 %", "9")


@given(st.lists(st.tuples(SOME, SOME, st.floats(0, 1e9)), max_size=20))
def test_any_latency_is_drawn_or_not(values):
    """No value of a curve is an error."""
    points = [
        (99.9 * (n + 1) / 20, base, head, beyond) for n, (base, head, beyond) in enumerate(values)
    ]
    drawn = latency_plot(latency(points))
    assert drawn is None or drawable(repr(drawn))


def history(epochs, sessions):
    """A finding whose series was accepted so often in each of so many epochs."""
    earlier = tuple(
        Level(session=f"s{epoch}-{n}", epoch=epoch, value=100.0 + epoch)
        for epoch in range(1, epochs)
        for n in range(sessions)
    )
    seen = Evidence(
        baseline=tuple((200.0, 201.0, 202.0) for _ in range(sessions)),
        baseline_sessions=tuple(f"s{epochs}-{n}" for n in range(sessions)),
        earlier=earlier,
        epoch=epochs,
        head=(250.0,),
    )
    return replace(finding(unit="s", evidence=seen), base_value=201.0, head_value=250.0)


def test_a_history_shows_epochs_anchors_and_the_head():
    """Two epochs: a rule between them, an anchor each, the head at the right end."""
    accepted = {
        ("iometer", "s2-0"): Accepted(
            profile="iometer",
            session="s2-0",
            started="2026-08-01T03:00:00Z",
            commit="",
            accepted="2026-08-02T09:00:00Z",
            by="ada",
            reason="io_uring by default",
        )
    }
    drawn = history_plot(history(2, 3), accepted)
    assert marks_of(drawn, "base") == 6
    assert marks_of(drawn, "rule") == 1
    assert marks_of(drawn, "mark") == 2
    assert path_of(drawn, "head").startswith("M960 ")
    assert [tick.label for tick in drawn.x_ticks] == ["1", "2"]
    assert drawn.x_name == "epoch"
    assert [one.text for one in drawn.texts if one.look == "last"] == ["head 250.0"]
    assert "2026-08-01" in drawn.result


@pytest.mark.parametrize(
    ("days", "told"),
    [
        ((1, 9), [("0", "2026-08-01"), ("80.7%", "2026-08-09")]),
        ((1, 1), [("0", "2026-08-01")]),
        ((1, 2), [("0", "2026-08-01 to 2026-08-02")]),
    ],
)
def test_the_days_of_a_history_stand_below_their_sessions(days, told):
    """First and last, the last not below the head; one of two days, and two in one line."""
    count = 6 if days == (1, 9) else 2
    accepted = {
        ("iometer", f"s1-{n}"): Accepted(
            profile="iometer",
            session=f"s1-{n}",
            started=f"2026-08-0{days[0] if n == 0 else days[1]}T03:00:00Z",
            commit="",
            accepted="2026-08-09T09:00:00Z",
            by="ada",
            reason="first",
        )
        for n in range(count)
    }
    drawn = history_plot(history(1, count), accepted)
    assert [(one.at, one.text) for one in drawn.texts if one.look != "last"] == told


def test_many_epochs_are_separated_anchored_and_numbered():
    """Six epochs of ten sessions have room for all numbers; of forty the newest keep theirs."""
    drawn = history_plot(history(6, 10), {})
    assert marks_of(drawn, "rule") == 5
    assert marks_of(drawn, "mark") == 6
    assert [tick.label for tick in drawn.x_ticks] == ["1", "2", "3", "4", "5", "6"]
    many = [int(tick.label) for tick in history_plot(history(40, 1), {}).x_ticks]
    assert len(many) < 20
    assert many[-1] == 40


def test_a_single_level_is_no_history():
    """One accepted session and no head is nothing to compare."""
    made = finding(evidence=Evidence(baseline=((1.0,),)))
    assert history_plot(replace(made, head_value=None), {}) is None
    assert history_plot(finding(evidence=Evidence()), {}) is None


@given(st.lists(ANY, min_size=1, max_size=60), SOME)
def test_any_history_is_drawn_or_not(values, head):
    """No value is an error."""
    seen = Evidence(baseline=tuple((value,) for value in values))
    drawn = history_plot(replace(finding(evidence=seen), head_value=head), {})
    assert drawn is None or drawable(repr(drawn))


def bill(**changes):
    made = Bill(
        profile="p",
        benchmark="b",
        word="I/O",
        trials_base=14,
        trials_head=14,
        base=4e-6,
        head=5e-6,
        owners=(
            Share(name="own processes in the kernel", base=3e-6, head=3e-6),
            Share(name="kernel threads (loop)", base=1e-6, head=2e-6),
        ),
        contexts=(Share(name="soft interrupts", base=0.0, head=1e-7),),
    )
    return replace(made, **changes)


def test_a_bill_shows_the_largest_move_first():
    """Bars are as long as their share of the largest cost, and the move is printed."""
    drawn = costs_plot(bill())
    assert (drawn.total.base, drawn.total.head, drawn.total.move) == ("4.000", "5.000", "+25.0 %")
    assert (drawn.total.base_width, drawn.total.head_width) == ("800", "1000")
    assert [one.name for one in drawn.owners] == [
        "kernel threads (loop)",
        "own processes in the kernel",
    ]
    assert drawn.contexts[0].move == ""
    assert drawn.unit == "µs"


def test_a_bill_without_a_base_shows_the_head_alone():
    """What is not known is not drawn as nothing."""
    drawn = costs_plot(bill(base=None, owners=(Share(name="x", base=None, head=1e-6),)))
    assert (drawn.total.base, drawn.total.base_width) == ("", "0")
    assert drawn.owners[0].base == ""


@given(st.lists(st.tuples(SOME, ANY), max_size=30), SOME, ANY)
def test_any_bill_is_drawn(shares, base, head):
    """No cost is an error, and no bar is longer than the picture."""
    owners = tuple(Share(name=f"o{n}", base=b, head=h) for n, (b, h) in enumerate(shares))
    drawn = costs_plot(bill(owners=owners, base=base, head=head))
    assert len(drawn.owners) <= 10
    for one in (drawn.total, *drawn.owners):
        assert 0 <= int(one.base_width) <= 1000
        assert 0 <= int(one.head_width) <= 1000


def test_a_logarithmic_axis_has_few_round_numbers():
    """From 20 µs to 5 ms: ones and threes, none twice."""
    axis = Axis([20e-6, 5e-3], (1e-6, "µs"), log=True)
    assert [tick.label for tick in axis.ticks()] == ["30", "100", "300", "1000", "3000"]
