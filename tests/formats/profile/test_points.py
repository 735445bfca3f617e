"""The points of a matrix and the groups over it: names, order, members."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.document import Document
from gate.formats.profile.points import _names_cpus, groups, point_text, points
from gate.formats.profile.profile_form import ProfileForm
from gate.formats.profile.sizes import in_size
from gate.model import Better, Take

SWEPT = """\
harness = "fio"
job = "jobs/p.fio"
matrix = { iodepth = [1, 32, 64], bs = ["4k", "8k"] }
control = ["p[iodepth=1,bs=8k]", "p[iodepth=32,bs=8k]", "p[iodepth=64,bs=8k]"]
[metric.iops]
[metric.shape]
of = "iops"
over = "bs"
take = "scaling"
[metric.mean]
of = "clat_mean"
over = "iodepth"
take = "geomean"
floor = "1 us"
[metric.again]
of = "iops"
over = "iodepth"
take = "knee"
role = "watch"
"""


@pytest.mark.parametrize("whole", [True, False])
def test_a_whole_profile_of_controls(read, whole):
    """`control = true` makes every point and group a control; false makes none."""
    text = "\n".join(
        f"control = {str(whole).lower()}" if line.startswith("control") else line
        for line in SWEPT.splitlines()
    )
    profile = read(text)
    assert profile.control is whole
    assert {one.control for one in profile.benchmarks} == {whole}
    assert not read(SWEPT).control


def test_whether_a_benchmark_is_a_control_is_no_part_of_the_digest(read):
    """A profile that becomes one of controls runs the same, and keeps its baseline."""
    text = SWEPT.replace(
        '["p[iodepth=1,bs=8k]", "p[iodepth=32,bs=8k]", "p[iodepth=64,bs=8k]"]', "true"
    )
    assert read(text).control
    assert read(text).digest == read(SWEPT).digest


def test_groups(read):
    """Groups follow all points, key by key in the order of the metrics, the swept key starred."""
    profile = read(SWEPT)
    assert [one.name for one in profile.benchmarks] == [
        "p[iodepth=1,bs=4k]",
        "p[iodepth=1,bs=8k]",
        "p[iodepth=32,bs=4k]",
        "p[iodepth=32,bs=8k]",
        "p[iodepth=64,bs=4k]",
        "p[iodepth=64,bs=8k]",
        "p[iodepth=1,bs=*]",
        "p[iodepth=32,bs=*]",
        "p[iodepth=64,bs=*]",
        "p[iodepth=*,bs=4k]",
        "p[iodepth=*,bs=8k]",
    ]
    last = profile.benchmarks[-1]
    assert last.group == "iodepth"
    assert last.params == {"bs": "8k"}
    assert last.members == ("p[iodepth=1,bs=8k]", "p[iodepth=32,bs=8k]", "p[iodepth=64,bs=8k]")


def test_control_groups(read):
    """A group of controls alone is a control; one with a free point is none."""
    controls = {one.name for one in read(SWEPT).benchmarks if one.control and one.group}
    assert controls == {"p[iodepth=*,bs=8k]"}


def test_derived_metrics(read):
    """A geometric mean keeps the unit of its points, a ratio and a knee have none."""
    found = {one.name: one for one in read(SWEPT).metrics}
    assert found["iops"].derived is None
    assert (found["shape"].unit, found["shape"].better) == ("1", Better.HIGHER)
    assert (found["mean"].unit, found["mean"].better, found["mean"].floor) == (
        "s",
        Better.LOWER,
        1e-6,
    )
    assert found["again"].unit == "1"
    assert found["again"].derived.take is Take.KNEE


def test_load_and_cpus(read):
    """`load` and `cpus` make points and groups like any key."""
    profile = read(
        'harness = "hyperfine"\ncommand = "make"\n'
        'matrix = { load = ["alone", "loaded"], cpus = [1, "0-3,6"] }\n'
        '[background]\ncommand = "cp {side}/a b"\nleast = "0.1 op/s"\n'
        '[metric.wall]\n[metric.loaded_ratio]\nof = "wall"\nover = "load"\ntake = "scaling"\n'
    )
    assert [one.name for one in profile.benchmarks if one.group] == [
        "p[load=*,cpus=1]",
        "p[load=*,cpus=0-3,6]",
    ]
    assert profile.background.least == 0.1
    assert profile.metrics[1].unit == "1"


def test_tests_with_a_matrix(read):
    """A pytest test is swept by its environment; the test's id stays the target."""
    profile = read(
        'harness = "pytest-benchmark"\ntests = ["t.py::a", "t.py::b[x]"]\n'
        'environment = { JOBS = "{jobs}" }\nmatrix = { jobs = [1, 2] }\n'
        '[metric.median]\n[metric.speedup]\nof = "median"\nover = "jobs"\ntake = "scaling"\n'
    )
    assert [(one.name, one.target) for one in profile.benchmarks] == [
        ("t.py::a[jobs=1]", "t.py::a"),
        ("t.py::a[jobs=2]", "t.py::a"),
        ("t.py::b[x][jobs=1]", "t.py::b[x]"),
        ("t.py::b[x][jobs=2]", "t.py::b[x]"),
        ("t.py::a[jobs=*]", "t.py::a"),
        ("t.py::b[x][jobs=*]", "t.py::b[x]"),
    ]


def test_recorded_matrix(read):
    """Recorded values may be of a matrix too, with groups over it and no load to run."""
    profile = read(
        'harness = "replay"\nreplay = "p.json"\nmatrix = { load = ["alone", "loaded"] }\n'
        '[metric.wall]\n[metric.ratio]\nof = "wall"\nover = "load"\ntake = "scaling"\n'
    )
    names = [one.name for one in profile.benchmarks]
    assert names == ["p[load=alone]", "p[load=loaded]", "p[load=*]"]


NAMES = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3, unique=True)
VALUES = st.lists(st.integers(1, 9), min_size=2, max_size=4, unique=True)


@given(NAMES.flatmap(lambda keys: st.fixed_dictionaries(dict.fromkeys(keys, VALUES))))
def test_every_point_in_one_group_of_each_key(tmp_path_factory, matrix):
    """Over each key every point is a member of exactly one group, in the order of the matrix."""
    data = {"harness": "fio", "job": "p.fio", "matrix": matrix}
    form = ProfileForm.model_validate(data)
    path = tmp_path_factory.getbasetemp() / "p.toml"
    source = in_size(Document(data, "", str(path)), "full", path)
    every = points(form, source)
    assert [tuple(one.params.values()) for one in every] == [
        tuple(map(point_text, one)) for one in product(*matrix.values())
    ]
    params = {one.name: one.params for one in every}
    for key, values in matrix.items():
        found = groups(form, source, every, [key, key])
        members = [name for group in found for name in group.members]
        assert sorted(members) == sorted(params)
        for group in found:
            assert [params[name][key] for name in group.members] == [
                point_text(one) for one in values
            ]
            assert all(group.params.items() <= params[name].items() for name in group.members)
            assert key not in group.params


@pytest.mark.parametrize("text", ["1", "2", "64", "0-3", "0-3,6", "5-5", "0,2,4"])
def test_cpus(text):
    """A count and a list of processors are understood."""
    assert _names_cpus(text)
