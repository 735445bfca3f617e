"""Sweeps of a judged suite: the points' own findings as a curve, in one voice with the group's."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge.build import decide, only
from judge.test_shape import (
    CURVE,
    GROUP,
    IOPS,
    POINTS,
    PROFILE,
    check,
    group_session,
    known,
)

from gate.model import Better, Metric, Role, Verdict


def sweep(report, metric="iops"):
    """The one curve of a metric."""
    (found,) = (one for one in report.sweeps if one.metric == metric)
    return found


def test_points_stand_as_their_findings_tell_them():
    """Values and verdicts are those of the points' findings, in the profile's order."""
    report = check((1000.0, 3000.0, 3200.0))
    found = sweep(report)
    assert (found.profile, found.group, found.parameter) == ("p", GROUP, "iodepth")
    assert (found.unit, found.better) == ("op/s", Better.HIGHER)
    assert [one.place for one in found.points] == ["1", "32", "256"]
    for point in found.points:
        of = only(report, point.benchmark, "iops")
        assert (point.base, point.head, point.verdict) == (of.base_value, of.head_value, of.verdict)
    assert found.points[2].verdict is Verdict.REGRESSED
    assert found.told == (
        "no longer grows beyond iodepth 32 (base grew up to 256), seen in the medians"
    )


def test_the_groups_own_metrics_are_no_curve():
    """A scaling is one number of the whole curve, and has no sweep of its own."""
    assert [one.metric for one in check(CURVE).sweeps] == ["iops"]


def test_an_unchanged_curve_has_nothing_to_tell():
    """Noise of a third of a per cent is no change of shape."""
    assert sweep(check(CURVE)).told == ""


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ((1065.0, 3000.0, 4600 * 0.935), "loss grows with iodepth: -6 % at 1, +7 % at 256"),
        ((1150.0, 3000.0, 4600.0), "gain shrinks with iodepth: loss -13 % at 1, 0 % at 256"),
    ],
)
def test_in_one_voice_with_the_headline(head, told):
    """Where the scaling's headline says that it grows less, the curve says where it lost."""
    report = check(head)
    assert only(report, GROUP, "scaling").headline.startswith(
        "no longer grows with iodepth as it did"
    )
    assert sweep(report).told == f"{told}, seen in the medians"


def test_a_proof_is_never_without_its_words():
    """A scaling proven worse by less than the points' tolerance of 8 % is told of the curve too."""
    report = check((1030.0, 3000.0, 4600 * 0.97))
    assert only(report, GROUP, "scaling").verdict is Verdict.REGRESSED
    assert sweep(report).told == (
        "loss grows with iodepth: -3 % at 1, +3 % at 256, seen in the medians"
    )


def with_metric(metric):
    """The report of a screen whose points have one more metric, without accepted values of it."""
    head = group_session(CURVE)
    trials = tuple(
        replace(one, values=(*one.values, replace(one.values[0], metric=metric.name)))
        if one.benchmark in POINTS
        else one
        for one in head.trials
    )
    metrics = (*head.metrics, metric)
    head = replace(head, trials=trials, metrics=metrics, sides=False)
    return decide(head, known(), profile=replace(PROFILE, metrics=metrics))


@pytest.mark.parametrize(
    ("name", "role", "shown"),
    [
        ("efficiency", Role.WATCH, True),
        ("cpu_per_io", Role.WATCH, True),
        ("cpu_per_op", Role.WATCH, True),
        ("clat_p99", Role.WATCH, False),
        ("throughput", Role.GATE, True),
    ],
)
def test_which_metrics_are_curves(name, role, shown):
    """What closes the gate, what the group is made of, and what operations cost."""
    metric = Metric(name=name, unit="op/s", better=Better.HIGHER, role=role)
    report = with_metric(metric)
    wanted = {"iops", name} if shown else {"iops"}
    assert {one.metric for one in report.sweeps} == wanted


def test_a_new_point_has_no_base_and_tells_nothing():
    """Without accepted values the curve is shown, and compared with nothing."""
    metric = Metric(name="efficiency", unit="op/s", better=Better.HIGHER)
    found = sweep(with_metric(metric), "efficiency")
    assert [one.base for one in found.points] == [None] * 3
    assert [one.verdict for one in found.points] == [Verdict.NEW] * 3
    assert found.told == ""


def test_what_may_not_be_compared_is_not_told():
    """On another host the curve is drawn, and its change is nobody's."""
    head = group_session((1000.0, 3000.0, 3200.0))
    other = replace(head, host=replace(head.host, stable={"cpu": "y"}), sides=False)
    found = sweep(decide(other, known(), profile=PROFILE))
    assert {one.verdict for one in found.points} == {Verdict.INCOMPARABLE}
    assert found.points[2].head == pytest.approx(3200, rel=0.01)
    assert found.told == ""


def test_a_profile_without_groups_sweeps_nothing():
    """A single benchmark is no curve."""
    head = group_session(CURVE)
    assert len(decide(head, known()).sweeps) == 1
    points = tuple(one for one in head.planned if not one.group)
    assert decide(replace(head, planned=points, metrics=(IOPS,)), known()).sweeps == ()
