"""fio's completion latencies as curves: exact points of recorded runs, and what is no curve."""

from __future__ import annotations

import json

import pytest
from formats.refusal import refusal
from hypothesis import example, given
from hypothesis import strategies as st

from gate.errors import TrialFailed
from gate.harness import load_harness
from gate.harness.exported import read_export
from gate.harness.fio.metrics import fio_latencies, fio_values
from gate.harness.fio.output import parse
from gate.model import Stage, Trial, TrialStatus, Work

DEFAULT = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99)
"""What fio prints where percentile_list is not given."""


def curves(text):
    return {one.kind: one for one in fio_latencies(parse(text))}


@pytest.fixture
def good(recorded):
    return recorded("fio-3.33-lat-percentiles.json")


def with_points(text, points, side="read"):
    """The document with other percentiles of one side."""
    raw = json.loads(text)
    raw["jobs"][0][side]["clat_ns"]["percentile"] = points
    return json.dumps(raw)


def test_every_point_by_kind(good):
    """Reads and writes keep every percentile that fio printed, in seconds and ascending."""
    found = curves(good)
    assert list(found) == ["read", "write"]
    assert found["read"].samples == 672
    assert found["read"].points == (
        (1.0, pytest.approx(25728e-9)),
        (5.0, pytest.approx(26240e-9)),
        (50.0, pytest.approx(28544e-9)),
        (95.0, pytest.approx(40192e-9)),
        (99.0, pytest.approx(78336e-9)),
        (99.9, pytest.approx(3555328e-9)),
    )
    assert found["write"].samples == 352
    assert found["write"].points[2] == (50.0, pytest.approx(3152e-9))


def test_the_maximum_is_no_percentile(good):
    """A list that asks for the 100th gets it from fio; a curve has nothing beyond it."""
    assert '"100.000000"' in good
    assert all(percent < 100 for one in curves(good).values() for percent, _ in one.points)


def test_completion_not_total_latency(good):
    """lat_percentiles prints those of the total beside: they are not taken for completion."""
    raw = json.loads(good)
    raw["jobs"][0]["read"]["lat_ns"]["percentile"] = {"50.000000": 9e9}
    assert curves(json.dumps(raw)) == curves(good)
    del raw["jobs"][0]["read"]["clat_ns"]["percentile"]
    assert list(curves(json.dumps(raw))) == ["write"]


def test_the_metrics_are_points_of_the_curve(recorded):
    """clat_p50, p99 and p999 say what the curve says there, of as many samples."""
    document = parse(recorded("fio-3.33-file-server-qd32.json"))
    values = {one.metric: one for one in fio_values(document)[0]}
    for curve in fio_latencies(document):
        points = dict(curve.points)
        for at, name in ((50.0, "p50"), (99.0, "p99"), (99.9, "p999")):
            metric = values[f"{curve.kind}_clat_{name}"]
            assert (points[at], curve.samples) == (metric.value, metric.samples)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("fio-3.33-grouped.json", ["read", "write"]),
        ("fio-3.33-unified.json", ["mixed"]),
        ("fio-3.33-several.json", []),
        ("fio-3.33-gtod-reduce.json", []),
        ("fio-3.33-no-percentiles.json", []),
    ],
)
def test_kinds_of_recorded_runs(recorded, name, kinds):
    """One entry for a group has curves; several entries cannot be merged, and so have none."""
    assert list(curves(recorded(name))) == kinds


def test_a_latency_of_nothing_is_left_out(recorded):
    """The recorded trims took 0 ns up to some percentile: below the clock there is no latency."""
    text = recorded("fio-3.33-trim.json")
    told = json.loads(text)["jobs"][0]["trim"]["clat_ns"]["percentile"]
    (found,) = curves(text).values()
    assert [percent for percent, _ in found.points] == [
        at for at, seconds in zip(DEFAULT, told.values(), strict=True) if seconds
    ]
    none = with_points(text, dict.fromkeys(told, 0), "trim")
    assert curves(none) == {}


@pytest.mark.parametrize(
    ("points", "why"),
    [
        ({"50.000000": 2000, "99.000000": 1000}, "fall over their percentiles"),
        ({f"{i}.5": 1000 for i in range(21)}, "21 percentiles, and it knows 20"),
    ],
    ids=["falling", "too-many"],
)
def test_what_contradicts_itself_fails_the_trial(good, points, why):
    """Latencies that fall, or more than fio can print, come from no fio: nothing is kept."""
    with pytest.raises(TrialFailed, match=why):
        curves(with_points(good, points))


@given(
    st.dictionaries(
        st.one_of(
            st.text(max_size=8),
            st.floats(-1, 200).map(lambda one: f"{one:.6f}"),
            st.sampled_from(["nan", "inf", "1e1", "5_0", " 50", "٥٠", "0.000000", "100.0"]),
        ),
        st.integers(-10, 10**12),
        max_size=30,
    )
)
@example({"٥0": 1, "50.000000": 1})
@example({"50.0": 1, "50.000000": 1})
def test_whatever_is_kept_can_be_read_again(points):
    """No key or value that fio's place prints makes a curve that a session may not hold."""
    side = {"total_ios": 9, "iops": 1.0, "bw_bytes": 1, "clat_ns": {"N": 9, "percentile": points}}
    text = json.dumps(
        {"fio version": "fio-3.33", "jobs": [{"jobname": "a", "error": 0, "read": side}]}
    )
    try:
        found = fio_latencies(parse(text))
    except TrialFailed:
        return
    trial = Trial(
        benchmark="b",
        sequence=0,
        stage=Stage.SCREEN,
        status=TrialStatus.OK,
        started="",
        duration=1.0,
        latencies=found,
    )
    assert refusal(trial) == []


def test_a_real_run_tells_them(make):
    """The real fio, asked for no list, prints the usual 17 percentiles, and all are kept."""
    job = "[j]\nioengine=psync\nsize=256k\nbs=4k\nrw=randread\n"
    reading = load_harness("fio").trial(make(Work(job_text=job, job_file="/p/jobs/j.fio")))
    (found,) = reading.latencies
    assert (found.kind, found.samples) == ("read", 64)
    assert tuple(percent for percent, _ in found.points) == DEFAULT


def test_an_import_keeps_them(good):
    """A file that fio exported elsewhere has the same curves."""
    (trial,) = read_export(good, "a.json").trials
    assert trial.latencies == tuple(curves(good).values())
