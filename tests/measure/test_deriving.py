"""What a group makes of one trial of each of its points: exact figures, and its own errors."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.build import reviewed, session

from gate.errors import TrialFailed
from gate.measure.groups import _join_points, derived_values
from gate.model import (
    BACKGROUND_RATE,
    Background,
    Benchmark,
    Better,
    Derived,
    Metric,
    Role,
    Take,
    TrialStatus,
    Value,
)

DEPTHS = ("1", "32", "64", "256")


def group(places=DEPTHS, key="iodepth"):
    members = tuple(f"x[{key}={place}]" for place in places)
    return Benchmark(name=f"x[{key}=*]", group=key, members=members)


def metric(take, name="shape", over="iodepth", of="iops"):
    return Metric(
        name=name, unit="1", better=Better.HIGHER, derived=Derived(of=of, over=over, take=take)
    )


def made(values, take, *, resolutions=None, places=DEPTHS, samples=None):
    """The one value of the group's one metric."""
    steps = resolutions or [0.0] * len(values)
    counts = samples or [1] * len(values)
    one = group(places)
    points = {
        name: (Value(metric="iops", value=value, resolution=step, samples=count),)
        for name, value, step, count in zip(one.members, values, steps, counts, strict=True)
    }
    wanted = (metric(take), metric(take, over="clients"))
    ((value,), lacking) = derived_values(one, places, points, wanted)
    assert not lacking
    return value


def test_exact_figures():
    """Scaling is last over first, geomean the mean of logs, the knee a place between two points."""
    curve = (100.0, 400.0, 800.0, 1000.0)
    assert made(curve, Take.SCALING).value == 10.0
    assert made(curve, Take.GEOMEAN).value == pytest.approx((100 * 400 * 800 * 1000) ** 0.25)
    # 900 lies half-way between 800 at 64 and 1000 at 256, on a log scale at 128.
    assert made(curve, Take.KNEE).value == pytest.approx(128.0)


def test_a_curve_that_starts_saturated_has_a_knee_below_its_first_point():
    """A flat curve's knee moves with the first value: 0.9 of 1000 over 950 and over 990, times 1."""
    assert made((950.0, 1000.0, 990.0, 980.0), Take.KNEE).value == pytest.approx(900 / 950)
    assert made((990.0, 1000.0, 990.0, 980.0), Take.KNEE).value == pytest.approx(900 / 990)


@given(st.lists(st.floats(0.99, 1.01), min_size=4, max_size=4, unique=True))
def test_a_flat_noisy_curve_is_no_constant(noise):
    """Noise on a flat curve reaches its knee: it is never the place of a point."""
    assert made([1000 * one for one in noise], Take.KNEE).value not in {1.0, 32.0, 64.0, 256.0}


def test_the_resolution_of_a_scaling():
    """Relative resolutions add: 1 of 100 and 5 of 1000 leave 1.5 % of 10, up to second order."""
    value = made((100.0, 400.0, 800.0, 1000.0), Take.SCALING, resolutions=(1.0, 0, 0, 5.0))
    assert value.resolution == pytest.approx(10 / 0.99 - 10 + 0.05)
    assert value.resolution == pytest.approx(0.15, rel=0.02)


def test_the_resolution_of_a_mean_and_of_a_knee():
    """A point's resolution of 1 % moves a mean of four by 0.25 %, and the knee by what it moves."""
    mean = made((100.0,) * 4, Take.GEOMEAN, resolutions=(1.0, 0, 0, 0))
    assert mean.resolution == pytest.approx(100 * (1 - 0.99**0.25))
    knee = made((100.0, 400.0, 800.0, 1000.0), Take.KNEE, resolutions=(0, 0, 8.0, 0))
    # 808: 92 of 192 of the way from 64 to 256; 792: 108 of 208.
    up, down = (64 * 4 ** (part) for part in (92 / 192, 108 / 208))
    assert knee.resolution == pytest.approx(max(abs(up - 128), abs(down - 128)))


def test_unknown_resolutions_stay_unknown():
    """Where no point tells its resolution, the group tells none."""
    assert made((1.0, 2.0, 3.0, 4.0), Take.KNEE).resolution == 0.0


def test_the_fewest_samples_count():
    """A derived percentile is as good as its worst point."""
    assert made((1.0, 2.0, 3.0, 4.0), Take.SCALING, samples=(9, 1000, 800, 20)).samples == 9


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_a_point_that_is_no_number_fails_the_group(value):
    """Zero, negative and infinite values name metric and point; nothing is made of them."""
    with pytest.raises(TrialFailed, match=r"shape cannot be made: iops of x\[iodepth=64\] is"):
        made((100.0, 400.0, value, 1000.0), Take.SCALING)


def test_a_point_that_lacks_the_metric_fails_the_group():
    """A lacking value is told with the point's name."""
    one = group(("1", "2"))
    points = {one.members[0]: (Value(metric="iops", value=1.0),), one.members[1]: ()}
    with pytest.raises(TrialFailed, match=r"x\[iodepth=2\] gave no iops"):
        derived_values(one, ("1", "2"), points, (metric(Take.SCALING),))


def test_a_watched_metric_without_values_does_not_break_a_gated_one():
    """The gated scaling is 2; the watched one has no value, and its note names the point."""
    one = group(("1", "2"))
    points = {
        name: (Value(metric="iops", value=level),)
        for name, level in zip(one.members, (100.0, 200.0), strict=True)
    }
    watched = replace(metric(Take.SCALING, name="eye", of="energy_per_io"), role=Role.WATCH)
    values, lacking = derived_values(one, ("1", "2"), points, (watched, metric(Take.SCALING)))
    assert [(value.metric, value.value) for value in values] == [("shape", 2.0)]
    assert lacking == ("no eye: x[iodepth=1] gave no energy_per_io",)


def test_a_group_that_cannot_have_a_metric_does_not_need_it():
    """Beside a load that does not run there is no rate of it: the group has its scaling, 2, alone."""
    members = ("x[n=1,load=alone]", "x[n=2,load=alone]")
    points = [
        Benchmark(name=name, params={"n": place, "load": "alone"})
        for name, place in zip(members, ("1", "2"), strict=True)
    ]
    one = Benchmark(name="x[n=*,load=alone]", params={"load": "alone"}, group="n", members=members)
    rate = metric(Take.SCALING, name="rate_shape", over="n", of=BACKGROUND_RATE)
    profile = reviewed(
        metrics=(metric(Take.SCALING, over="n"), rate),
        benchmarks=(*points, one),
        background=Background(command="true"),
    )
    screen = session({members[0]: {"iops": [100.0]}, members[1]: {"iops": [200.0]}})
    trial = _join_points(profile, screen, one, screen.trials)
    assert trial.status is TrialStatus.OK
    assert [(value.metric, value.value) for value in trial.values] == [("shape", 2.0)]


def test_a_single_point_is_no_curve():
    """One point alone makes neither scaling nor knee."""
    with pytest.raises(TrialFailed, match="scaling needs 2 points, and there are 1"):
        made((100.0,), Take.SCALING, places=("1",))
    with pytest.raises(TrialFailed, match="knee needs 3 points, and there are 2"):
        made((100.0, 200.0), Take.KNEE, places=("1", "2"))


def test_a_knee_needs_numbers():
    """Places that are words have no knee."""
    with pytest.raises(TrialFailed, match="a knee needs numbers, and the points are at a, b, c"):
        made((1.0, 2.0, 3.0), Take.KNEE, places=("a", "b", "c"))


def test_values_too_far_apart_fail():
    """A ratio that no number can hold is no value."""
    with pytest.raises(TrialFailed, match="came out as inf"):
        made((1e-200, 1e200), Take.SCALING, places=("1", "2"))
