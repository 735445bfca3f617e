"""Whatever was measured, a plot is drawn inside its picture or not at all."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model import (
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
from tests.report.build import finding
from tests.report.plots.drawn import of_bill, of_finding, of_latency, of_sweep, outside

ENDS = (1e308, -1e308, 5e-324, 1e-310, 0.0, 1.0, 1.0000000000000002, 712_400.0)
VALUES = st.one_of(
    st.sampled_from(ENDS),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(min_value=1e-9, max_value=1e9),
)
SOME = st.lists(VALUES, max_size=9).map(tuple)
MAYBE = st.none() | VALUES
TEXT = st.text(st.characters(exclude_categories=["C"]), max_size=300)
"""What scrubbing leaves of a string."""
UNITS = st.sampled_from(["s", "op/s", "B/s", "1"])


@st.composite
def findings(draw):
    """Findings whose numbers need not agree with one another."""
    levels = draw(st.lists(st.tuples(st.integers(1, 6), VALUES), max_size=9))
    baseline = tuple(draw(st.lists(SOME, max_size=6)))
    made = finding(
        unit=draw(UNITS),
        evidence=Evidence(
            baseline=baseline,
            baseline_sessions=tuple(f"now{n}" for n in range(len(baseline))),
            head=draw(SOME),
            pairs_base=draw(SOME),
            pairs_head=draw(SOME),
            strikes=tuple(draw(st.lists(SOME, max_size=3))),
            aside=draw(SOME),
            earlier=tuple(
                Level(session=f"s{n}", epoch=epoch, value=value)
                for n, (epoch, value) in enumerate(levels)
            ),
            epoch=draw(st.integers(0, 7)),
        ),
    )
    return replace(
        made,
        better=draw(st.sampled_from(Better)),
        base_value=draw(MAYBE),
        head_value=draw(MAYBE),
        loss=draw(MAYBE),
        loss_low=draw(MAYBE),
        loss_high=draw(MAYBE),
        tolerance=draw(st.sampled_from([0.0, 0.05, 1e308, 5e-324])),
        tolerance_used=draw(st.sampled_from([0.0, 0.05, 0.4])),
        negligible=draw(st.sampled_from([0.0, 0.01, 3.0])),
    )


@given(findings())
def test_plots_of_any_finding_stay_inside(made):
    """Every coordinate is a number inside its picture, whatever the evidence holds."""
    html = of_finding(made)
    assert outside(html) == []


@pytest.mark.parametrize("low", ENDS)
@pytest.mark.parametrize("high", ENDS)
def test_the_ends_of_a_float_are_no_error(low, high):
    """Values as far apart as floats can be, and as near, are drawn or left out."""
    made = replace(
        finding(evidence=Evidence(head=(low, high, low), pairs_base=(low,), pairs_head=(high,))),
        base_value=low,
        head_value=high,
    )
    assert outside(of_finding(made)) == []


@given(
    st.lists(st.tuples(TEXT, MAYBE, VALUES), max_size=20),
    MAYBE,
    VALUES,
)
def test_any_bill_stays_inside(shares, base, head):
    """Payers of any name and cost, also without a base side, have bars within their column."""
    payers = tuple(Share(name=name, base=left, head=right) for name, left, right in shares)
    bill = Bill(
        profile="p",
        benchmark="b",
        word="I/O",
        trials_base=0 if base is None else 3,
        trials_head=3,
        base=base,
        head=head,
        owners=payers,
        contexts=payers[:4],
    )
    assert outside(of_bill(bill)) == []


@given(
    st.lists(
        st.tuples(
            st.floats(min_value=0, max_value=100, exclude_min=True, exclude_max=True),
            MAYBE,
            MAYBE,
            st.floats(min_value=0, max_value=1e12),
        ),
        max_size=20,
    )
)
def test_any_latency_stays_inside(points):
    """Percentiles as near 100 as floats go, zero and missing latencies: drawn inside or left out."""
    latency = Latency(
        profile="p",
        benchmark="b",
        kind="read",
        trials_base=3,
        trials_head=3,
        points=tuple(
            Quantile(percentile=at, base=base, head=head, beyond=beyond)
            for at, base, head, beyond in sorted(points, key=lambda point: point[0])
        ),
    )
    assert outside(of_latency(latency)) == []


PLACES = st.one_of(
    st.sampled_from(["1", "32", "0", "-4", "nan", "inf", "1e308", "5e-324", "4k", ""]),
    TEXT,
)


@given(
    st.lists(st.tuples(PLACES, MAYBE, MAYBE, st.sampled_from(Verdict)), max_size=20),
    UNITS,
)
def test_any_sweep_stays_inside(points, unit):
    """A parameter of any name, numbers that are none among them, and points without a value."""
    sweep = Sweep(
        profile="p",
        group="g",
        parameter="iodepth",
        metric="iops",
        unit=unit,
        better=Better.HIGHER,
        points=tuple(
            SweepPoint(place=place, benchmark=f"b{n}", base=base, head=head, verdict=verdict)
            for n, (place, base, head, verdict) in enumerate(points)
        ),
    )
    assert outside(of_sweep(sweep)) == []
