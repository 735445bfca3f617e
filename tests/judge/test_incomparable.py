"""What must agree before a number is judged, with the exit status of each refusal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge import build
from judge.build import (
    TRIALS,
    WALL,
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

from gate.model import Better, Host, Role


def test_g030_another_host_class():
    """A baseline of another kind of machine is not compared with."""
    report = decide(session(), baseline(host_class="other"))
    assert outcome(report) == ("G030", "incomparable", 5)


def test_g031_a_stable_fact_differs():
    """The same class name does not help when a fact that must agree does not, or is unknown."""
    other = Host(host_class="lab", fingerprint="f", stable={"cpu": "y"}, epoch={})
    assert outcome(decide(session(host=other))) == ("G031", "incomparable", 5)
    silent = replace(other, stable={})
    assert outcome(decide(session(host=silent))) == ("G031", "incomparable", 5)


def test_g032_the_profile_runs_something_else():
    """A session of another profile text is not compared."""
    assert outcome(decide(session(profile_digest="sha256:2"))) == ("G032", "incomparable", 5)


def test_g033_another_unit_or_direction():
    """Neither unit nor direction may differ from what was accepted."""
    for metric in (replace(WALL, unit="1"), replace(WALL, better=Better.HIGHER)):
        assert outcome(decide(session(metrics=(metric,)))) == ("G033", "incomparable", 5)


def test_g033_the_session_contradicts_the_profile():
    """Where the reviewed profile says seconds and the session something else, nothing is judged."""
    head = session(metrics=(replace(WALL, unit="op/s"),))
    assert outcome(decide(head, profile=build.reviewed())) == ("G033", "incomparable", 5)


@pytest.mark.parametrize("version", ["2.0", "unknown", ""])
def test_g034_another_major_version(version):
    """Another major version of a tool, or one that is not known, is not compared."""
    assert outcome(decide(session(tools={"replay": version}))) == ("G034", "incomparable", 5)


def test_g034_minor_versions_are_compared():
    """A minor version is the same tool; a further tool or another harness is not."""
    assert outcome(decide(session(tools={"replay": "1.99"}))) == ("G001", "passed", 0)
    more = session(tools={"replay": "1.2", "python": "3.11"})
    assert outcome(decide(more)) == ("G034", "incomparable", 5)
    assert outcome(decide(session(harness="fio"))) == ("G034", "incomparable", 5)


def test_g035_a_moved_control_makes_incomparable():
    """When the control moved, slow metrics beside it are incomparable and never regressed."""
    known = baseline(series("b"), series("calm"))
    head = session({"b": at(1.2), "calm": at(1.2)}, controls=("calm",))
    report = decide([head, *strikes([1.2] * 10)], known)
    assert outcome(report, "b") == ("G035", "incomparable", 5)
    still = session({"b": at(1.2), "calm": at(1.005)}, controls=("calm",))
    assert outcome(decide([still, *strikes([1.2] * 10)], known), "b") == ("G061", "regressed", 10)


def test_g035_a_faster_control_counts_too():
    """A control that got faster moved as well."""
    known = baseline(series("b"), series("calm"))
    head = session({"b": at(1), "calm": at(0.8)}, controls=("calm",))
    assert outcome(decide(head, known), "b") == ("G035", "incomparable", 5)


SHAKY = (1.0, 1.06, 0.95)
"""Three trials that scatter thirty times as much as the accepted ones."""


NAMES = [f"b{i}" for i in range(6)]


def scattered(shaky, trials=SHAKY, count=6):
    """A report on so many benchmarks, of which some scatter as never before."""
    names = NAMES[:count]
    rows = {name: at(1, trials if name in names[:shaky] else TRIALS) for name in names}
    return decide(session(rows), baseline(*(series(name) for name in names)))


@pytest.mark.parametrize("shaky", [4, 6])
def test_g039_trials_that_scatter_as_never_before(shaky):
    """Where most metrics' trials scatter far more than accepted ones, the host is in doubt."""
    report = scattered(shaky)
    assert {f.code for f in report.findings} == {"G039"}
    assert (report.verdict, report.exit_status) == ("incomparable", 5)
    assert only(report, "b5").headline == (
        "trials scatter 26 times as much as in the accepted sessions, over most of 6 metrics"
    )


@pytest.mark.parametrize("shaky", [1, 2])
def test_g039_needs_most_of_the_profile(shaky):
    """Fewer than half may scatter by the change itself: the rest is judged as ever."""
    codes = {f.code for f in scattered(shaky).findings}
    assert "G039" not in codes
    assert "G001" in codes


def test_g039_a_little_more_scatter_is_usual():
    """Three times the accepted scatter over all metrics is a day like others."""
    report = scattered(6, tuple(1 + 3 * (one - 1) for one in TRIALS))
    assert {f.code for f in report.findings} == {"G001"}


def test_g039_few_metrics_say_nothing_of_the_host():
    """Of four metrics that all scatter it may well be the change."""
    assert "G039" not in {f.code for f in scattered(4, count=4).findings}


def test_g039_watched_metrics_condemn_no_host():
    """The scatter of metrics that are only shown says nothing of those that gate."""
    eye = replace(WALL, name="eye", role=Role.WATCH)
    rows = {name: {"eye": at(1, SHAKY), "wall": at(1)} for name in NAMES}
    known = baseline(*(series(name, metric=m) for name in NAMES for m in (WALL, eye)))
    report = decide(session(rows, metrics=(eye, WALL)), known)
    assert "G039" not in {f.code for f in report.findings}


def test_g039_hides_nothing_worse():
    """A benchmark that is missing or broken stays so on an unsteady host."""
    rows = {name: at(1, SHAKY) for name in NAMES} | {"b0": (1.0, None, 1.0)}
    known = baseline(*(series(name) for name in (*NAMES, "gone")))
    report = decide(session(rows), known)
    assert {f.code for f in report.findings} == {"G039", "G040", "G050"}
    assert report.exit_status == 4


def test_g036_disturbed():
    """A disturbed sitting is not judged, even one that looks fine, nor one disturbed later."""
    report = decide(session(disturbances=("the machine slept",)))
    assert outcome(report) == ("G036", "incomparable", 5)
    late = pair_sessions({"b": [1.0] * 30}, {"b": [1.0] * 30}, disturbances=("it slept",))
    assert outcome(decide([session({"b": at(1.2)}, sides=True), *late]))[0] == "G036"


@pytest.mark.parametrize(
    "change",
    [
        {"boot": "another"},
        {"host": replace(build.HOST, fingerprint="g")},
        {"profile_digest": "sha256:2"},
        {"tools": {"replay": "1.3"}},
        {"harness": "fio"},
        {"metrics": (replace(WALL, unit="1"),)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_g037_the_sides_were_not_measured_alike(change):
    """Pairs of another host, boot, profile, tool or unit prove nothing."""
    base, head = build.pairs(0.2)
    report = decide([session({"b": at(1.2)}, sides=True), base, replace(head, **change)])
    assert outcome(report) == ("G037", "incomparable", 5)


@pytest.mark.parametrize("kept", [0, 1])
def test_g037_half_the_pairs(kept):
    """One side of the pairs alone is incomparable."""
    report = decide([session({"b": at(1.2)}, sides=True), build.pairs(0.2)[kept]])
    assert outcome(report) == ("G037", "incomparable", 5)


def test_g038_judged_against_itself():
    """A session that was accepted into the baseline is not compared with that baseline."""
    assert outcome(decide(session(id="a03"))) == ("G038", "incomparable", 5)


def test_missing_beats_incomparable():
    """A refusal does not hide that a benchmark is missing."""
    known = baseline(series("b"), series("gone"), host_class="lab", profile_digest="sha256:9")
    report = decide(session(), known)
    assert {f.code for f in report.findings} == {"G032", "G040"}
    assert report.exit_status == 4


def test_g049_another_value_of_a_variable():
    """Of a named variable the value is that of the newest accepted session; PATH, which nobody
    names, is shown where it differs and refuses nothing."""
    known = baseline()
    newest = replace(known.sessions[-1], environment={"AMOUNT": "1", "PATH": "1"})
    known = replace(known, sessions=(*known.sessions[:-1], newest))
    assert decide(session(environment={"AMOUNT": "1", "PATH": "2"}), known).exit_status == 0
    for environment in ({"AMOUNT": "2", "PATH": "1"}, {"AMOUNT": "unset"}, {}):
        report = decide(session(environment=environment), known)
        assert outcome(report) == ("G049", "incomparable", 5)


def test_g049_between_the_sides():
    """Base and head of a check that got different values are not compared."""
    head = session({"b": at(1.2)}, sides=True, environment={"AMOUNT": "1"})
    base, mine = (replace(one, environment={"AMOUNT": "1"}) for one in build.pairs(0.0))
    assert decide([head, base, mine]).exit_status == 0
    base = replace(base, environment={"AMOUNT": "2"})
    assert outcome(decide([head, base, mine])) == ("G049", "incomparable", 5)
