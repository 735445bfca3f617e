"""Curves: metrics of groups in the judge, what a changed shape closes, and what excuses it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from judge.build import (
    LEVELS,
    TRIALS,
    at,
    baseline,
    decide,
    only,
    outcome,
    pair_sessions,
    reviewed,
    series,
    session,
)

from gate.formats.session.consistency import session_complaints
from gate.judge.context.sweeps import _start_explains, lost_points, place_of
from gate.model import (
    Benchmark,
    Better,
    Derived,
    Finding,
    Metric,
    Planned,
    Role,
    Take,
    Trials,
    Verdict,
    plan_of,
)
from gate.model.metric import take_of

PLACES = ("1", "32", "256")
POINTS = tuple(f"p[iodepth={one}]" for one in PLACES)
GROUP = "p[iodepth=*]"
IOPS = Metric(name="iops", unit="op/s", better=Better.HIGHER, tolerance=0.08)
SCALING = Metric(
    name="scaling",
    unit="1",
    better=Better.HIGHER,
    tolerance=0.1,
    derived=Derived(of="iops", over="iodepth", take=Take.SCALING),
)
KNEE = replace(SCALING, name="knee", derived=Derived(of="iops", over="iodepth", take=Take.KNEE))
METRICS = (IOPS, SCALING, KNEE)
CURVE = (1000.0, 3000.0, 4600.0)
COUNT = 30
NOISE = (1.0, 1.002, 0.9985, 1.001, 0.999)

PROFILE = reviewed(
    metrics=METRICS,
    benchmarks=(
        *(Benchmark(name=n, params={"iodepth": v}) for n, v in zip(POINTS, PLACES, strict=True)),
        Benchmark(name=GROUP, group="iodepth", members=POINTS),
    ),
    trials=Trials(screen=3),
)


def rows(curve, count=3, shift=0):
    """Trials of every point and of the group made of them, with a little noise of each."""
    columns = [
        [level * NOISE[(i * (2 + k) + k + shift) % 5] for i in range(count)]
        for k, level in enumerate(curve)
    ]
    found = {name: {"iops": column} for name, column in zip(POINTS, columns, strict=True)}
    found[GROUP] = {
        "scaling": [last / first for first, last in zip(columns[0], columns[-1], strict=True)],
        "knee": [
            take_of(Take.KNEE, list(point), [1.0, 32.0, 256.0])
            for point in zip(*columns, strict=True)
        ],
    }
    return found


def group_session(curve, **more):
    """A head session of the whole sweep."""
    planned = tuple(plan_of(PROFILE, one, 3) for one in PROFILE.benchmarks)
    return session(rows(curve), metrics=METRICS, planned=planned, sides=True, **more)


def known(curve=CURVE):
    """Five accepted sessions at the curve."""
    found = []
    for level in range(len(LEVELS)):
        for name, columns in rows(curve, shift=level).items():
            for metric, values in columns.items():
                found.append((name, metric, [v * LEVELS[level] for v in values], level))
    names = {(name, metric) for name, metric, _, _ in found}
    made = []
    for name, metric in sorted(names):
        kind = next(m for m in METRICS if m.name == metric)
        one = replace(series(name, metric=kind), made=kind.made)
        points = tuple(
            replace(point, values=tuple(values))
            for point, values in zip(
                one.points, (v for n, m, v, _ in found if (n, m) == (name, metric)), strict=True
            )
        )
        made.append(replace(one, points=points))
    return baseline(*made)


def check(head, base=CURVE, accepted=None, *, law=True, **more):
    """The report on a head curve, everything that was flagged confirmed by pairs."""
    pairs = pair_sessions(rows(base, COUNT), rows(head, COUNT, 1), metrics=METRICS)
    return decide(
        [group_session(head, **more), *pairs],
        accepted or known(),
        profile=PROFILE if law else None,
    )


def verdicts(report):
    return {(f.benchmark, f.metric): f.verdict.value for f in report.findings}


def test_an_unchanged_curve_passes():
    """Each point has its own metric, the group has the metrics that are made of them: 5 findings."""
    report = check(CURVE)
    assert report.exit_status == 0
    assert verdicts(report) == dict.fromkeys(
        [*((name, "iops") for name in POINTS), (GROUP, "scaling"), (GROUP, "knee")], "passed"
    )


def test_a_curve_that_stops_growing_is_found_though_no_point_is():
    """+6.5 % at the start and -6.5 % at the end are within 8 % each; the scaling lost 12 %."""
    report = check((1065.0, 3000.0, 4600 * 0.935))
    assert {v for (name, _), v in verdicts(report).items() if name != GROUP} <= {
        "passed",
        "improved",
    }
    found = only(report, GROUP, "scaling")
    assert (found.code, found.verdict) == ("G060", Verdict.REGRESSED)
    assert found.head_value / found.base_value == pytest.approx(0.878, abs=0.005)
    assert found.headline.startswith("no longer grows with iodepth as it did: iodepth 256 gave 4.6")
    assert ", now 4.0" in found.headline
    assert report.exit_status == 10


def test_a_better_start_is_no_loss():
    """The first point gained 15 %, the last lost nothing: the scaling fell, and the gate is open."""
    report = check((1150.0, 3000.0, 4600.0))
    found = only(report, GROUP, "scaling")
    assert (found.code, found.verdict) == ("G005", Verdict.PASSED)
    assert found.headline == (
        "no longer grows with iodepth as it did: iodepth 256 gave 4.600 times iodepth 1, now 4.002 "
        "times, because "
        "p[iodepth=1] became better and p[iodepth=256] lost nothing"
    )
    assert found.warnings
    assert "Accept the new level" in found.advice
    assert only(report, POINTS[0], "iops").verdict is Verdict.IMPROVED
    assert report.exit_status == 0


def test_a_better_start_does_not_excuse_a_worse_end():
    """The last point lost 4 %, within its tolerance and beyond its tau: it stays regressed."""
    report = check((1150.0, 3000.0, 4600 / 1.04))
    assert only(report, POINTS[-1], "iops").verdict.opens
    assert only(report, GROUP, "scaling").verdict is Verdict.REGRESSED
    assert report.exit_status == 10


def point(loss, high, verdict=Verdict.PASSED):
    """A finding of a point or of the group's scaling, at a tolerance of 8 %."""
    return Finding(
        **dict.fromkeys(("profile", "benchmark", "metric", "headline", "advice"), "x"),
        code="G002",
        verdict=verdict,
        role=Role.GATE,
        unit="1",
        better=Better.HIGHER,
        tolerance=0.08,
        tolerance_used=0.08,
        negligible=0.016,
        loss=loss,
        loss_high=high,
    )


@pytest.mark.parametrize(
    ("loss", "first", "last", "excused"),
    [
        (0.15, (-0.13, -0.12), (0.0, 0.01), True),
        (0.12, (-0.0001, 0.02), (0.0099, 0.02), False),
        (0.15, (-0.13, 0.001), (0.0, 0.01), False),
        (0.17, (-0.13, -0.12), (0.0, 0.01), False),
        (0.16, (-0.13, -0.12), (0.0, 0.0801), False),
        (0.16, (-0.13, -0.12), (0.0, None), True),
    ],
    ids=["explained", "noise", "unproven", "too large", "last unsure", "last without limits"],
)
def test_only_a_proven_and_sufficient_gain_excuses(loss, first, last, excused):
    """A scaling's loss is excused where 1.15 * 0.87 - 1 is at most tau, and never by noise."""
    points = [point(*first), point(*last)]
    assert _start_explains(point(loss, None), SCALING.derived, points) is excused


def test_a_first_point_that_barely_moved_excuses_no_knee():
    """Of a knee too the first point must be proven better; all others must have lost nothing."""
    better, same = point(-0.13, -0.12), point(0.0, 0.01)
    knees = KNEE.derived
    assert _start_explains(point(0.3, None), knees, [better, same, same])
    assert not _start_explains(point(0.3, None), knees, [point(-0.0001, 0.02), same, same])
    assert not _start_explains(point(0.3, None), knees, [better, point(0.017, 0.02), same])


def test_the_knee_moved():
    """A middle that became better moves the knee to the left; told, and no loss where none lost."""
    better = check((1150.0, 4000.0, 4600.0))
    found = only(better, GROUP, "knee")
    assert (found.code, found.verdict) == ("G005", Verdict.PASSED)
    assert found.headline.startswith("the knee moved from iodepth 1")
    worse = check((1000.0, 4000.0, 4600.0))
    found = only(worse, GROUP, "knee")
    # The start did not improve: it cannot be the cause.
    assert found.verdict is Verdict.REGRESSED
    assert found.headline.startswith("the knee moved from iodepth 1")


def test_a_watched_shape_is_told_too():
    """A watched scaling that fell has its headline and closes nothing."""
    metrics = (IOPS, replace(SCALING, role=Role.WATCH), KNEE)
    report = decide(
        [
            group_session((1065.0, 3000.0, 4600 * 0.935)),
            *pair_sessions(
                rows(CURVE, COUNT), rows((1065.0, 3000.0, 4600 * 0.935), COUNT, 1), metrics=METRICS
            ),
        ],
        known(),
        profile=replace(PROFILE, metrics=metrics),
    )
    assert only(report, GROUP, "scaling").headline.startswith("no longer grows with iodepth")


@examples(0.6)
@given(
    st.lists(
        st.sampled_from([0.7, 0.9, 0.95, 0.99, 1.0, 1.01, 1.05, 1.15, 1.4]), min_size=3, max_size=3
    )
)
def test_the_shape_rule_never_opens_what_the_points_close(factors):
    """Whatever the points did: an excused group's points all open the gate, or it stays closed."""
    report = check([one * factor for one, factor in zip(CURVE, factors, strict=True)])
    points = [f for f in report.findings if f.benchmark != GROUP]
    assert len(points) == 3
    if any(not f.verdict.opens for f in points):
        assert report.gate == "closed"
        assert report.exit_status != 0
    for found in report.findings:
        if found.code == "G005":
            last = only(report, POINTS[-1], "iops")
            assert last.verdict in {Verdict.PASSED, Verdict.IMPROVED}
            assert last.loss <= last.negligible
            assert only(report, POINTS[0], "iops").loss < 0


def test_a_lost_point_is_missing_and_so_is_its_group():
    """A matrix that shrank: the point is missing, and its curve is not the one that was accepted."""
    shorter = replace(
        PROFILE,
        benchmarks=(
            *PROFILE.benchmarks[:2],
            Benchmark(name=GROUP, group="iodepth", members=POINTS[:2]),
        ),
    )
    report = decide(group_session(CURVE), known(), profile=shorter)
    assert outcome(report, POINTS[-1], "iops")[:2] == ("G040", "missing")
    for metric in ("scaling", "knee"):
        found = only(report, GROUP, metric)
        assert (found.code, found.verdict) == ("G040", Verdict.MISSING)
        assert found.headline == (f"its point {POINTS[-1]} is in the baseline and was not measured")
    assert report.exit_status == 4


def test_a_group_that_is_gone_is_missing():
    """A profile without its group leaves the accepted curve missing, never passed."""
    flat = replace(PROFILE, benchmarks=PROFILE.benchmarks[:3], metrics=(IOPS,))
    report = decide(group_session(CURVE), known(), profile=flat)
    assert outcome(report, GROUP, "scaling") == ("G040", "missing", 4)


def test_a_group_without_records_is_broken():
    """Planned and not recorded: the group's metrics are broken."""
    head = group_session(CURVE)
    bare = replace(head, trials=tuple(t for t in head.trials if t.benchmark != GROUP))
    report = decide(bare, known(), profile=PROFILE)
    assert outcome(report, GROUP, "scaling") == ("G053", "broken", 4)
    assert outcome(report, GROUP, "knee")[1] == "broken"


def test_a_group_that_says_it_is_none_is_missing():
    """A session that calls its group a plain benchmark has none of the accepted curve."""
    head = group_session(CURVE)
    planned = tuple(
        replace(plan, group="", members=()) if plan.benchmark == GROUP else plan
        for plan in head.planned
    )
    report = decide(replace(head, planned=planned, trials=head.trials[:9]), known())
    assert only(report, GROUP, "scaling").verdict is Verdict.MISSING
    assert only(report, GROUP, "iops").verdict is Verdict.BROKEN


def test_a_derived_percentile_needs_samples_too():
    """A scaling of a 99th percentile rests on its worst point's samples, as the percentile does."""
    p99 = Metric(name="clat_p99", unit="s", better=Better.LOWER)
    shape = Metric(
        name="shape",
        unit="1",
        better=Better.LOWER,
        derived=Derived(of="clat_p99", over="iodepth", take=Take.SCALING),
    )
    group = Planned(benchmark="g", trials=3, group="iodepth", members=("a", "b"))
    head = session({"g": {"shape": at(1)}}, metrics=(p99, shape), planned=(group,))
    report = decide(head, baseline(replace(series("g", metric=shape), made=shape.made)))
    assert outcome(report, "g", "shape")[:2] == ("G027", "inconclusive")


def test_another_curve_of_that_name_is_not_compared():
    """Accepted as a scaling of something else: the numbers mean another thing, none is judged."""
    other = known()
    changed = replace(
        other,
        series=tuple(
            replace(one, made="scaling of bandwidth over iodepth")
            if one.metric == "scaling"
            else one
            for one in other.series
        ),
    )
    report = decide(replace(group_session(CURVE), sides=False), changed, profile=PROFILE)
    found = only(report, GROUP, "scaling")
    assert (found.code, found.verdict) == ("G033", Verdict.INCOMPARABLE)
    assert found.headline == (
        "baseline: 1, higher is better, scaling of bandwidth over iodepth; "
        "session: 1, higher is better, scaling of iops over iodepth"
    )


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("x[a=1,iodepth=32,b=2]", "32"),
        ("x[a=1,iodepth=0-3,6,b=2]", "0-3,6"),
        ("x[a=1,iodepth=,b=2]", None),
        ("x[a=2,iodepth=32,b=2]", None),
        ("x[a=1,iodepth=32,b=3]", None),
        ("y[a=1,iodepth=32,b=2]", None),
    ],
)
def test_points_are_known_by_name(name, place):
    """The value of the swept key is read off a point's name, of this group's points alone."""
    plan = Planned(benchmark="x[a=1,iodepth=*,b=2]", trials=3, group="iodepth")
    assert place_of(plan, name) == place
    assert lost_points(plan, [name]) == ((name,) if place else ())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"members": ("a",)}, "a group has two different members at least"),
        ({"members": ("a", "a")}, "a group has two different members at least"),
        ({"members": ("a", "c")}, "'c' is no benchmark of this session"),
        ({"trials": 4}, "'a' has fewer trials than the group made of it"),
        ({"group": ""}, "only a group has members"),
    ],
)
def test_groups_that_contradict_their_session(change, told):
    """A session whose group cannot be made of its points is refused when it is read."""
    group = Planned(benchmark="g", trials=3, group="n", members=("a", "b"))
    made = session({"a": TRIALS, "b": TRIALS})
    fine = replace(made, planned=(*made.planned, group))
    assert not list(session_complaints(fine))
    bad = replace(made, planned=(*made.planned, replace(group, **change)))
    assert told in {what for _, what in session_complaints(bad)}
