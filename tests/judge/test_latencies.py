"""Latency curves of a judged suite: medians over trials, base beside head, what lies beyond."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.build import WALL, baseline, decide, pair_sessions, series, session

from gate.judge.context.latencies import latencies
from gate.judge.verdict.suite import arrange
from gate.model import Metric, Percentiles, TrialStatus

POINTS = {50.0: 100e-6, 99.0: 400e-6, 99.9: 900e-6}
SCALES = (1.0, 1.1, 0.9)


def curve(scale=1.0, kind="read", samples=20_000, points=None):
    return Percentiles(
        kind=kind,
        samples=samples,
        points=tuple((at, one * scale) for at, one in (points or POINTS).items()),
    )


def curved(made, *rows):
    """The session with these curves, one row for each trial; a row is a curve or several."""
    rows = [row if isinstance(row, tuple) else (row,) for row in rows]
    return replace(
        made,
        trials=tuple(
            replace(one, latencies=rows[at % len(rows)]) for at, one in enumerate(made.trials)
        ),
    )


def screen(**more):
    return curved(session(**more), *(curve(one) for one in SCALES))


def micro(found):
    return {
        one.percentile: tuple(
            None if v is None else round(v * 1e6, 3) for v in (one.base, one.head)
        )
        for one in found.points
    }


def test_the_median_over_trials_at_every_percentile():
    """Of three trials at 1, 1.1 and 0.9 the first is the middle, at each point."""
    (found,) = decide(screen()).latencies
    assert (found.profile, found.benchmark, found.kind) == ("p", "b", "read")
    assert (found.trials_base, found.trials_head) == (0, 3)
    assert micro(found) == {50.0: (None, 100.0), 99.0: (None, 400.0), 99.9: (None, 900.0)}


def test_what_lies_beyond_is_of_the_shortest_trial():
    """10 of 10,000 samples lie beyond the 99.9th percentile, not 9.9999 of them."""
    made = curved(session(), curve(samples=50_000), curve(samples=10_000), curve(samples=20_000))
    (found,) = decide(made).latencies
    assert [one.beyond for one in found.points] == [5000.0, 100.0, 10.0]


def pairs(base, head):
    made = pair_sessions({"b": (1.0,) * 3}, {"b": (1.0,) * 3})
    sides = [curved(one, *rows) for one, rows in zip(made, (base, head), strict=True)]
    return decide([screen(sides=True), *sides]).latencies


def test_pairs_stand_for_both_sides():
    """Both sides are of one day; the samples of both say what lies beyond."""
    base = [curve(2 * one, samples=1000) for one in SCALES]
    (found,) = pairs(base, [curve(3 * one) for one in SCALES])
    assert (found.trials_base, found.trials_head) == (3, 3)
    assert micro(found)[99.0] == (800.0, 1200.0)
    assert found.points[1].beyond == 10.0


def test_a_kind_that_only_one_side_of_the_pairs_has():
    """Then the screen's head is shown, without a base."""
    (found,) = pairs([curve(kind="write")], [curve(3.0)])
    assert (found.kind, found.trials_base) == ("read", 0)
    assert micro(found)[50.0] == (None, 100.0)


def test_a_point_that_a_trial_lacks_is_no_point_of_its_side():
    """Every point describes the same trials: the other side may still have it."""
    short = curve(points={50.0: 100e-6, 99.0: 400e-6})
    (found,) = pairs([curve(), short, curve()], [curve()])
    assert micro(found) == {50.0: (100.0, 100.0), 99.0: (400.0, 400.0), 99.9: (None, 900.0)}


def test_kinds_are_told_apart_and_in_order():
    """Reads and writes of one trial are two curves, and benchmarks stand by name."""
    both = (curve(2.0, "write"), curve())
    made = curved(session({"c": (1.0,) * 3, "b": (1.0,) * 3}), both)
    found = decide(made, baseline(series(), series("c"))).latencies
    assert [(one.benchmark, one.kind) for one in found] == [
        ("b", "read"),
        ("b", "write"),
        ("c", "read"),
        ("c", "write"),
    ]


def test_only_trials_that_count():
    """A trial that failed or was set aside is not in the curve."""
    made = curved(session({"b": (1.0,) * 5}), *(curve(one) for one in (1.0, 1.0, 1.0, 9.0, 9.0)))
    *kept, first, second = made.trials
    failed = replace(first, status=TrialStatus.FAILED)
    made = replace(made, trials=(*kept, failed, replace(second, status=TrialStatus.ASIDE)))
    (found,) = decide(made).latencies
    assert (found.trials_head, micro(found)[50.0]) == (3, (None, 100.0))


def accepted(*names, unit="s"):
    """A baseline that holds these percentiles as metrics, at 200 µs for the middle session."""
    rows = [
        series(metric=Metric(name=name, unit=unit, better=WALL.better), trials=(2e-4,) * 3)
        for name in names
    ]
    return baseline(series(), *rows)


@pytest.mark.parametrize(
    ("names", "bases"),
    [
        (("clat_p50", "clat_p999"), {50.0: 200.0, 99.0: None, 99.9: 200.0}),
        (("read_clat_p99",), {50.0: None, 99.0: 200.0, 99.9: None}),
        (("write_clat_p99", "clat_mean"), {50.0: None, 99.0: None, 99.9: None}),
    ],
)
def test_accepted_percentiles_stand_in(names, bases):
    """Where no pairs ran, the base is the median of the accepted sessions' medians, if it is kept."""
    (found,) = decide(screen(), accepted(*names)).latencies
    assert {at: base for at, (base, _) in micro(found).items()} == bases
    assert found.trials_base == (15 if any(bases.values()) else 0)


def test_a_metric_without_a_kind_is_of_the_only_kind():
    """Of reads and writes nobody knows whose clat_p99 it would be."""
    made = curved(session(), (curve(), curve(2.0, "write")))
    assert {one.trials_base for one in decide(made, accepted("clat_p99")).latencies} == {0}


def test_what_was_accepted_elsewhere_is_no_base():
    """Another host, or another unit, is not compared."""
    known = accepted("clat_p99")
    other = replace(screen(), host=replace(session().host, stable={"cpu": "y"}))
    assert decide(other, known).latencies[0].trials_base == 0
    assert decide(screen(), accepted("clat_p99", unit="1")).latencies[0].trials_base == 0


def test_without_latencies_there_are_none():
    """A harness that tells no percentiles has no curve."""
    assert decide(session()).latencies == ()


@given(
    st.lists(
        st.lists(st.floats(1e-9, 10), min_size=4, max_size=4).map(sorted), min_size=1, max_size=6
    )
)
def test_a_curve_of_medians_never_falls(trials):
    """The median of curves that rise rises too."""
    ats = (10.0, 50.0, 90.0, 99.0)
    rows = [curve(points=dict(zip(ats, one, strict=True))) for one in trials]
    made = curved(session({"b": (1.0,) * len(rows)}), *rows)
    (found,) = latencies(arrange([made], [], {}))
    heads = [one.head for one in found.points]
    assert heads == sorted(heads)
    assert min(min(one) for one in trials) <= heads[0] <= heads[-1] <= max(map(max, trials))
