"""Laws of the comparison: no edit where trees judge alike, and one wherever they do not."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from judge.build import WALL, baseline, reviewed, series

from gate.model import (
    Activation,
    Background,
    Benchmark,
    Better,
    Derived,
    Ending,
    EpochPolicy,
    Expectation,
    Guest,
    KnownHost,
    Leeway,
    Limits,
    Metric,
    Need,
    Output,
    Plant,
    Profile,
    Role,
    Round,
    SideSpec,
    Storage,
    SubjectKind,
    Take,
    Trials,
    Waiver,
    Work,
)
from gate.review.edits import edits_of
from gate.review.terms import Terms

PROFILE = replace(
    reviewed("b", "c"), name="p", inputs=("data",), input_files={"profiles/work/a.sh": "1"}
)
WAIVER = Waiver(
    profile="p", benchmark="b", metric="wall", ceiling=0.2, since="2026-01-01",
    expires="2026-06-30", issue="#1", reason="known",
)  # fmt: skip
HOST = KnownHost(host_class="lab", stable={"cpu": "x"}, epoch={"kernel": "6"}, path="/a")
ROUND = Round(
    id="r1", host_class="lab", profile="p", date="2026-01-01T00:00:00Z", planted=0.0,
    ending=Ending.CLEAR, benchmark="", achieved=None, tolerance=None, metrics=1, regressed=0,
    inconclusive=0, trials=3, seconds=1.0, digest="sha256:1", gate="1", rule="1", alpha=0.01,
    beta=0.025, seed=1, number=1,
)  # fmt: skip
TREE = Terms(
    profiles={"p": PROFILE},
    baselines=(baseline(series(), series("c")),),
    waivers=(WAIVER,),
    hosts=(HOST,),
    rounds=(ROUND,),
)


def profile_with(**more):
    return replace(TREE, profiles={"p": replace(PROFILE, **more)})


def metric_with(**more):
    return profile_with(metrics=(replace(WALL, **more),))


def work_with(**more):
    return profile_with(work=replace(PROFILE.work, **more))


ACCEPTED = TREE.baselines[0]
POINT = ACCEPTED.series[0].points[0]


def points_with(*points):
    first, *rest = ACCEPTED.series
    return replace(
        TREE,
        baselines=(replace(ACCEPTED, series=(replace(first, points=points), *rest)),),
    )


def baseline_with(**more):
    return replace(TREE, baselines=(replace(ACCEPTED, **more),))


OTHERS = {
    "tolerance": metric_with(tolerance=0.06),
    "negligible": metric_with(negligible=0.02),
    "floor": metric_with(floor=0.1),
    "role": metric_with(role=Role.WATCH),
    "unit": metric_with(unit="B"),
    "better": metric_with(better=Better.HIGHER),
    "derived": metric_with(derived=Derived(of="x", over="y", take=Take.KNEE)),
    "metric added": profile_with(metrics=(WALL, Metric(name="m", unit="s", better=Better.LOWER))),
    "metric removed": profile_with(metrics=()),
    "benchmark removed": profile_with(benchmarks=PROFILE.benchmarks[:1]),
    "benchmark added": profile_with(benchmarks=(*PROFILE.benchmarks, Benchmark(name="d"))),
    "benchmark order": profile_with(benchmarks=PROFILE.benchmarks[::-1], digest="sha256:2"),
    "control benchmark": profile_with(
        benchmarks=(replace(PROFILE.benchmarks[0], control=True), PROFILE.benchmarks[1])
    ),
    "parameters": profile_with(
        benchmarks=(replace(PROFILE.benchmarks[0], params={"x": "1"}), PROFILE.benchmarks[1])
    ),
    "digest": profile_with(digest="sha256:2"),
    "harness": profile_with(harness="fio"),
    "trials": profile_with(trials=Trials(screen=9)),
    "pairs": profile_with(trials=replace(PROFILE.trials, confirm_pairs=999)),
    "timeout": profile_with(timeout=9999.0),
    "loud": profile_with(loud=Leeway(times=1.0)),
    "sides": profile_with(sides={"base": SideSpec(directory="x")}),
    "size": profile_with(size="small"),
    "needs": profile_with(needs=(Need(program="x", install="y"),)),
    "background": profile_with(background=Background(command="x")),
    "control": profile_with(control=not PROFILE.control),
    "companions": profile_with(companions=("x",)),
    "expects": profile_with(expects=("steal",)),
    "storage": profile_with(storage=Storage()),
    "subject": profile_with(subject=Activation(kind=SubjectKind.MODULE)),
    "plant": profile_with(plant=Plant()),
    "profile removed": replace(TREE, profiles={}),
    "profile added": replace(TREE, profiles={"p": PROFILE, "q": replace(PROFILE, name="q")}),
    "input_files": profile_with(input_files={"profiles/work/a.sh": "2"}),
    "inputs": profile_with(inputs=()),
    "script gone": profile_with(input_files={}),
    **{
        f"work.{key}": work_with(**{key: value})
        for key, value in {
            "command": "x", "shell": "sh", "prepare": "x", "warmup": 7, "job_text": "x",
            "python": "x", "directory": "x", "arguments": ("x",), "parameters": {"x": "1"},
            "environment": {"X": "1"}, "inherits": ("X",), "operations": "x", "transferred": "x", "guest": Guest(),
            "expect": Expectation(status=3),
            "outputs": (Output(name="x", pattern="(x)", unit="s", better=Better.LOWER),),
        }.items()
    },
    "baseline removed": replace(TREE, baselines=()),
    "values": points_with(replace(POINT, values=(9.0,)), *ACCEPTED.series[0].points[1:]),
    "epoch": points_with(replace(POINT, epoch=2), *ACCEPTED.series[0].points[1:]),
    "point removed": points_with(*ACCEPTED.series[0].points[1:]),
    "series removed": baseline_with(series=ACCEPTED.series[1:]),
    "session facts": baseline_with(
        sessions=(replace(ACCEPTED.sessions[0], reason="other"), *ACCEPTED.sessions[1:])
    ),
    "session added": baseline_with(
        sessions=(*ACCEPTED.sessions, replace(ACCEPTED.sessions[0], id="more"))
    ),
    "baseline digest": baseline_with(profile_digest="sha256:9"),
    "baseline harness": baseline_with(harness="fio"),
    **{
        f"waiver.{key}": replace(TREE, waivers=(replace(WAIVER, **{key: value}),))
        for key, value in {
            "profile": "x", "benchmark": "x", "metric": "x", "ceiling": 0.3,
            "since": "2026-02-01", "expires": "2026-07-01", "issue": "x", "reason": "x",
        }.items()
    },
    "waiver removed": replace(TREE, waivers=()),
    "stable": replace(TREE, hosts=(replace(HOST, stable={"cpu": "y"}),)),
    "epoch fact": replace(TREE, hosts=(replace(HOST, epoch={}),)),
    "policy": replace(TREE, hosts=(replace(HOST, policy=EpochPolicy.NEW_BASELINE),)),
    "tune": replace(TREE, hosts=(replace(HOST, tune=("swap",)),)),
    "cpus": replace(TREE, hosts=(replace(HOST, measured_cpus="1"),)),
    **{
        f"limit.{one.name}": replace(
            TREE, hosts=(replace(HOST, limits=replace(Limits(), **{one.name: 0.9})),)
        )
        for one in fields(Limits)
    },
    "host removed": replace(TREE, hosts=()),
    "round removed": replace(TREE, rounds=()),
    "round edited": replace(TREE, rounds=(replace(ROUND, ending=Ending.ALARM, regressed=1),)),
    "unread": replace(TREE, unread={("file", "x"): "x cannot be read: it is no plain file"}),
}  # fmt: skip
STRICTER = {
    "metric added", "benchmark added", "pairs", "profile added", "loud", "waiver removed",
    "waiver.issue", "waiver.reason", "limit.foreign_io",
}  # fmt: skip
"""Edits after which nothing more gets in; after all others it might."""


@pytest.mark.parametrize("name", OTHERS)
def test_whatever_differs_is_told(name):
    """Every way in which a tree can differ gives an edit with a headline, an advice and a code."""
    found = edits_of(TREE, OTHERS[name])
    assert found, name
    for one in found:
        assert one.headline
        assert one.advice
        assert "G070" <= one.code <= "G083"
    loosens = any(one.loosens for one in found)
    assert loosens or name in STRICTER | {"trials"}, [one.headline for one in found]


@pytest.mark.parametrize("name", sorted(STRICTER))
def test_what_only_makes_it_stricter_loosens_nothing(name):
    """More to measure, less that is excused: nobody has to be warned."""
    assert not any(one.loosens for one in edits_of(TREE, OTHERS[name]))


def test_every_field_of_a_profile_is_compared():
    """A field that comes with a later version must be thought of here, or edits of it are lost."""
    shown = {"name", "path", "root", "about", "metrics", "work", "benchmarks", "digest"}
    shown |= {"left_out"}  # said by the command line, by no file
    assert {one.name for one in fields(Profile)} - shown <= OTHERS.keys() | {"trials"}
    told = {key.removeprefix("work.") for key in OTHERS if key.startswith("work.")}
    assert {one.name for one in fields(Work)} == told | {"job_file", "replay_file"}


def test_where_a_tree_stands_is_no_edit():
    """The same project exported to two places is the same."""
    moved = replace(
        PROFILE,
        path="/b/profiles/p.toml",
        root="/b",
        about="other words",
        work=replace(PROFILE.work, job_file="/b/x", replay_file="/b/y", python="/b/env/python"),
    )
    here = replace(PROFILE, root="/a", work=replace(PROFILE.work, python="/a/env/python"))
    before = replace(TREE, profiles={"p": here})
    after = replace(
        TREE,
        profiles={"p": moved},
        baselines=(replace(ACCEPTED, path="/b"),),
        hosts=(replace(HOST, path="/b"),),
    )
    assert edits_of(before, after) == ()


@examples(0.6)
@given(st.sampled_from(sorted(OTHERS)), st.sampled_from(sorted(OTHERS)))
def test_edits_are_none_exactly_for_equal_trees(one, other):
    """Compared with itself a tree has no edits; with another it has some, in both directions."""
    first, second = OTHERS[one], OTHERS[other]
    told = [e for e in edits_of(first, second) if e.after != "cannot be read"]
    assert bool(told) == (one != other and {one, other} != {"unread"} and differ(first, second))
    assert edits_of(first, second) == edits_of(first, second)


def differ(first, second):
    return replace(first, unread={}) != replace(second, unread={})


def test_order_and_cap():
    """Loosening first, then by profile; of more than 500 the last counts what is left out."""
    many = {f"x{n:04}": replace(PROFILE, name=f"x{n:04}") for n in range(700)}
    found = edits_of(TREE, replace(TREE, profiles=many))
    assert len(found) == 500
    assert (found[0].headline, found[0].profile, found[0].loosens) == ("profile removed", "p", True)
    assert found[-1].headline == "202 further edits are not shown"
    assert not found[-1].loosens
    assert [one.profile for one in found[1:4]] == ["x0000", "x0001", "x0002"]


def test_what_cannot_be_read_is_not_told_as_removed():
    """A broken profile is one edit, and not also a profile that went."""
    after = replace(TREE, profiles={}, unread={("profile", "p"): "profiles/p.toml cannot be read"})
    assert [one.headline for one in edits_of(TREE, after)] == ["profiles/p.toml cannot be read"]
    nothing = Terms(unread={("tree",): "all of it"})
    assert [one.headline for one in edits_of(TREE, nothing)] == ["all of it"]
