"""Latencies from the real fio to the report; a harness that tells none leaves none."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from builders import run_gate

from gate.formats.session.session_file import as_json, read_session

JOB = "[j]\nioengine=psync\nsize=512k\nbs=4k\nrw=randrw\nrwmixread=67\n"
FIO = """
harness = "fio"
about = "reads and writes"
job = "j.fio"
matrix = { bs = ["4k", "8k"] }
trials = { screen = 2 }
[metric.iops]
tolerance = "50%"
"""
HYPERFINE = """
harness = "hyperfine"
about = "nothing"
command = "true"
trials = { screen = 2 }
[metric.wall]
tolerance = "50%"
"""


@pytest.fixture
def measured(tmp_path):
    """Measure a profile for real; gives its session and what `gate judge` makes of it."""

    def measure(profile):
        (tmp_path / "profiles").mkdir()
        (tmp_path / "baselines").mkdir()
        (tmp_path / "profiles/p.toml").write_text(profile, "utf-8")
        (tmp_path / "profiles/j.fio").write_text(JOB, "utf-8")
        answer = run_gate(["run", "p", "--json", "--quiet"], cwd=tmp_path)
        assert answer.status == 0, answer.err
        path = tmp_path / answer.json["sessions"][0]["path"]
        judged = run_gate(["judge", "--session", path, "--allow", "new", "--json"], cwd=tmp_path)
        assert judged.status == 0, judged.err
        return read_session(path), judged.json

    return measure


def test_fio(measured):
    """Each trial keeps a curve of each kind, and the report has the medians of them."""
    session, report = measured(FIO)
    assert [[one.kind for one in trial.latencies] for trial in session.trials] == [
        ["read", "write"]
    ] * 4
    assert {len(one.points) for trial in session.trials for one in trial.latencies} == {17}
    names = [f"p[bs={bs}]" for bs in ("4k", "8k")]
    assert [(one["benchmark"], one["kind"], one["trials_head"]) for one in report["latencies"]] == [
        (name, kind, 2) for name in names for kind in ("read", "write")
    ]
    for one in report["latencies"]:
        own = [
            dict(curve.points)
            for trial in session.trials
            for curve in trial.latencies
            if (trial.benchmark, curve.kind) == (one["benchmark"], one["kind"])
        ]
        for point in one["points"]:
            low, high = sorted(curve[point["percentile"]] for curve in own)
            assert point["head"] == pytest.approx((low + high) / 2)
            assert point["base"] is None
        assert len(one["points"]) == 17
    json.dumps(report, allow_nan=False)


def test_what_a_session_grows_by(measured):
    """A curve of 17 points takes about a kilobyte of a session, of which there are two here."""
    session, _ = measured(FIO)
    without = tuple(replace(one, latencies=()) for one in session.trials)
    gained = len(as_json(session)) - len(as_json(replace(session, trials=without)))
    curves = sum(len(one.latencies) for one in session.trials)
    assert 600 < gained / curves < 1400


def test_hyperfine(measured):
    """hyperfine times whole runs: there is no latency of anything inside."""
    session, report = measured(HYPERFINE)
    assert [trial.latencies for trial in session.trials] == [(), ()]
    assert report["latencies"] == []
