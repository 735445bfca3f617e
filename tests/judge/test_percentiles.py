"""A percentile is judged only with ten samples beyond it, in every trial that counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from judge.build import (
    LEVELS,
    at,
    baseline,
    decide,
    only,
    outcome,
    pair_sessions,
    series,
    session,
    strikes,
)

from gate.harness.exported import read_export
from gate.judge.verdict.validity import percentile_of
from gate.model import Better, Metric, Role

P99 = Metric(name="clat_p99", unit="s", better=Better.LOWER)
OUTPUT = Path(__file__).parents[1] / "data" / "tool-output"


def with_samples(one, samples, trial=None):
    """The session with so many samples in each value, or in those of one trial."""
    return replace(
        one,
        trials=tuple(
            replace(t, values=tuple(replace(v, samples=samples) for v in t.values))
            if trial in {None, number}
            else t
            for number, t in enumerate(one.trials)
        ),
    )


def head(metric=P99, **more):
    return session({"b": {metric.name: at(1)}}, metrics=(metric,), **more)


def judged(*sessions, metric=P99):
    """The outcome against a quiet baseline of the metric."""
    report = decide(list(sessions), baseline(series(metric=metric)))
    return outcome(report, metric=metric.name), only(report, metric=metric.name)


@pytest.mark.parametrize(
    ("name", "samples", "code"),
    [
        ("clat_p99", 1000, "G001"),
        ("clat_p99", 999, "G027"),
        ("write_clat_p999", 10_000, "G001"),
        ("write_clat_p999", 9_999, "G027"),
        ("clat_p50", 20, "G001"),
        ("clat_p50", 19, "G027"),
        ("p95", 200, "G001"),
        ("p95", 199, "G027"),
        ("clat_mean", 1, "G001"),
        ("iops", 2, "G001"),
    ],
)
def test_ten_samples_beyond(name, samples, code):
    """n (1 - q) of at least 10 is judged, one sample less is not; other metrics do not care."""
    metric = replace(P99, name=name)
    (found, _, status), _ = judged(with_samples(head(metric), samples), metric=metric)
    assert (found, status) == (code, 0 if code == "G001" else 5)


def test_the_finding_says_how_many():
    """Samples, samples beyond, and the cure."""
    _, found = judged(with_samples(head(), 250))
    assert found.verdict == "inconclusive"
    assert found.headline == (
        "a trial has 250 samples, 2 of them beyond the percentile; 10 are needed"
    )
    assert "run longer" in found.advice
    assert 'role = "watch"' in found.advice


def test_of_unknown_samples():
    """A percentile of one sample, or of nobody knows how many, is not judged either."""
    _, found = judged(head())
    assert (found.code, found.headline) == (
        "G027",
        "a trial does not tell of how many samples its percentile is",
    )


def test_one_poor_trial_is_enough():
    """Every trial of the head must have them."""
    poor = with_samples(with_samples(head(), 5000), 400, trial=1)
    assert judged(poor)[0] == ("G027", "inconclusive", 5)


def test_watched_percentiles_are_only_shown():
    """A watched metric closes nothing, so nothing is asked of it."""
    watched = replace(P99, role=Role.WATCH)
    wall = Metric(name="wall", unit="s", better=Better.LOWER)
    one = session({"b": {"clat_p99": at(1), "wall": at(1)}}, metrics=(watched, wall))
    report = decide(one, baseline(series(metric=watched), series(metric=wall)))
    assert only(report, metric="clat_p99").code == "G001"
    assert report.exit_status == 0


def test_pairs_need_them_too():
    """Ten beyond in the screen and fewer in the pairs, on either side, is not enough."""
    noise = [1 + 0.002 * ((7 * i) % 5 - 2) for i in range(31)]
    rows = {"b": {"clat_p99": noise}}
    base, other = pair_sessions(rows, rows, metrics=(P99,))
    screen = with_samples(session({"b": {"clat_p99": at(1.06)}}, metrics=(P99,), sides=True), 5000)
    rich = [with_samples(one, 5000) for one in (base, other)]
    assert judged(screen, *rich)[0] == ("G002", "passed", 0)
    for poor in ([with_samples(base, 100), rich[1]], [rich[0], with_samples(other, 100, trial=7)]):
        assert judged(screen, *poor)[0] == ("G027", "inconclusive", 5)


def test_strikes_need_them_too():
    """And so do further head sessions."""
    further = [with_samples(replace(one, metrics=(P99,)), 5000) for one in strikes([1.0] * 3)]
    further = [
        replace(
            one,
            trials=tuple(
                replace(t, values=tuple(replace(v, metric="clat_p99") for v in t.values))
                for t in one.trials
            ),
        )
        for one in further
    ]
    screen = with_samples(head(), 5000)
    assert judged(screen, *further)[0][0] == "G001"
    poor = with_samples(further[1], 10)
    assert judged(screen, further[0], poor)[0][0] == "G027"


def test_a_broken_trial_is_told_first():
    """What has no usable number is broken, whatever its samples."""
    one = session({"b": {"clat_p99": (1.0, float("nan"), 1.0)}}, metrics=(P99,))
    assert judged(one)[0][0] == "G051"


@pytest.mark.parametrize(
    ("file", "metric", "samples", "code"),
    [
        ("fio-3.33-file-server-qd32.json", "write_clat_p999", 51_909, "G001"),
        ("fio-3.33-grouped.json", "read_clat_p999", 13_859, "G001"),
        ("fio-3.33-unified.json", "clat_p99", 11_647, "G001"),
        ("fio-3.33-trim.json", "clat_p50", 256, "G001"),
        ("fio-3.33-trim.json", "clat_p999", 256, "G027"),
        ("fio-3.33-text-before.json", "write_clat_p99", 71, "G027"),
        ("fio-3.33-text-before.json", "write_clat_p50", 71, "G001"),
    ],
)
def test_recorded_fio_output(file, metric, samples, code):
    """What fio really printed carries its number of completed I/Os into the rule."""
    export = read_export((OUTPUT / file).read_text(encoding="utf-8"), file)
    (trial,) = export.trials
    value = next(v for v in trial.values if v.metric == metric)
    assert value.samples == samples
    kind = replace(P99, name=metric)
    accepted = series(metric=kind, levels=[value.value * one for one in LEVELS])
    rows = {"b": {metric: at(value.value)}}
    one = with_samples(session(rows, metrics=(kind,)), value.samples)
    assert only(decide(one, baseline(accepted)), metric=metric).code == code


@pytest.mark.parametrize(
    ("name", "digits"),
    [
        ("clat_p99", "99"),
        ("read_clat_p999", "999"),
        ("p50", "50"),
        ("clat_mean", None),
        ("p9", None),
        ("step99", None),
        ("pp99", None),
    ],
)
def test_names_of_percentiles(name, digits):
    """p and at least two digits, alone or after an underscore."""
    assert percentile_of(name) == digits
