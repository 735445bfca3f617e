"""pytest-benchmark: the recorded JSON, the real plugin, and its silent passes."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import InputError, MeasureError, TrialFailed, TrialTimeout
from gate.harness import load_harness
from gate.harness.pytest_benchmark import parse
from gate.model import Work

PYTEST = load_harness("pytest-benchmark")
SUITE = """
import time
import pytest

@pytest.mark.parametrize("n", [64, 128])
def test_sum(benchmark, n):
    benchmark.pedantic(sum, args=(range(n),), rounds=5, iterations=10)

@pytest.mark.skip
def test_skipped(benchmark):
    benchmark(sum, [])

def test_fails_after(benchmark):
    benchmark.pedantic(sum, args=([],), rounds=2)
    assert 0

def test_plain():
    pass

def test_unused(benchmark):
    pass

def test_hangs(benchmark):
    time.sleep(60)

class TestIt:
    def test_inside(self, benchmark):
        benchmark.pedantic(sum, args=([1],), rounds=3, iterations=10)
"""


@pytest.fixture
def good(recorded):
    return recorded("pytest-benchmark-5.3.1.json")


@pytest.fixture
def trial(make, tmp_path):
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "test_x.py").write_text(SUITE)

    def go(name, **more):
        context = make(more.pop("work", Work()), name=name, **more)
        PYTEST.check(context)
        return PYTEST.trial(context)

    return go


def test_recorded(good, figures):
    """The recorded file gives exactly the plugin's own summary, with its rounds."""
    _, found = parse(good)
    assert list(found) == [f"test_bench.py::test_{name}" for name in ("crc32", "pread_4k", "spawn")]
    values = found["test_bench.py::test_crc32"]
    assert figures(values) == {
        "median": 0.0002592858500065631,
        "mean": 0.0005109487700110549,
        "minimum": 0.00024262970000563656,
    }
    assert {value.samples for value in values} == {10}


@pytest.mark.parametrize("value", ["NaN", "Infinity", "0", "-1", "null", '"1"', "true"])
def test_no_time(good, value):
    """NaN, zero, negative and non-numbers are no times."""
    with pytest.raises(TrialFailed):
        parse(good.replace("0.0002592858500065631", value))


def test_no_rounds(good):
    """A test that ran no round measured nothing."""
    raw = json.loads(good)
    raw["benchmarks"][0]["stats"]["rounds"] = 0
    with pytest.raises(TrialFailed, match="no round"):
        parse(json.dumps(raw))


def test_twice(good):
    """The same test twice in one file is refused."""
    raw = json.loads(good)
    raw["benchmarks"].append(raw["benchmarks"][0])
    with pytest.raises(TrialFailed, match="twice"):
        parse(json.dumps(raw))


def test_cut_anywhere(good):
    """A file that is cut off anywhere is refused."""
    for end in range(0, len(good.rstrip()), 83):
        with pytest.raises(TrialFailed):
            parse(good[:end])


@given(st.text() | st.text().map(lambda text: '{"version": "5", "benchmarks": [{' + text))
def test_arbitrary_text(text):
    """For any text the parser raises TrialFailed and nothing else."""
    with pytest.raises(TrialFailed):
        parse(text)


def test_tools(make):
    """Python, pytest and the plugin are named with their versions."""
    context = make(Work())
    tools = PYTEST.tools(context.profile, context.environment)
    assert list(tools) == ["python", "pytest", "pytest-benchmark"]
    assert tools["pytest-benchmark"].startswith("5.")


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ("3.11.7 9.2.0 -", "G230"),
        ("3.11.7 - -", "G230"),
        ("", "G230"),
        ("3.11.7 9.2.0 4.0.0", "G231"),
        ("3.11.7 9.2.0 6.0", "G231"),
    ],
)
def test_versions(make, tmp_path, lines, code):
    """A missing plugin is G230, one of another major version G231."""
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' {lines}\n")
    program.chmod(0o755)
    context = make(Work(python=str(program)))
    with pytest.raises(MeasureError) as caught:
        PYTEST.tools(context.profile, context.environment)
    assert caught.value.code == code


def test_missing_python(make):
    """A missing interpreter is G230."""
    context = make(Work(python="/nonexistent/python"))
    with pytest.raises(MeasureError) as caught:
        PYTEST.tools(context.profile, context.environment)
    assert caught.value.code == "G230"


def test_trial(trial, figures):
    """One parametrised test is measured alone, from the project root."""
    reading = trial("bench/test_x.py::test_sum[64]", metrics=("median", "mean", "minimum"))
    values = figures(reading.values)
    assert 0 < values["minimum"] <= values["median"]
    assert {value.samples for value in reading.values} == {5}


def test_directory_of_side(trial, tmp_path):
    """`{side}` in directory, and the side directory by default, is where pytest starts."""
    side = tmp_path / "bench"
    work = Work(directory="{side}", python=sys.executable)
    assert trial("test_x.py::TestIt::test_inside", work=work, side_directory=side).values
    assert side.joinpath("test_x.py").exists()


def test_side_by_default(trial, tmp_path):
    """Without a directory the side's own is used."""
    assert trial("test_x.py::test_sum[64]", side_directory=tmp_path / "bench").values


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bench/test_x.py::test_sum", r"got 2: .*test_sum\[128\]"),
        ("bench/test_x.py::test_gone", "status 4"),
        ("bench/test_y.py::test_sum", "status 4"),
        ("bench/test_x.py::test_skipped", "got none|without writing"),
        ("bench/test_x.py::test_plain", "got none|without writing"),
        ("bench/test_x.py::test_unused", "got none|without writing|status"),
        ("bench/test_x.py::test_fails_after", "the test failed"),
        ("bench/test_x.py::TestIt", "got 1: .*test_inside"),
    ],
)
def test_silent_passes(trial, name, said):
    """Renamed, skipped, failed, unmeasured and several tests close the gate."""
    with pytest.raises(TrialFailed, match=said):
        trial(name)


def test_deselected(trial):
    """A filter that matches nothing closes the gate."""
    with pytest.raises(TrialFailed, match="status 5"):
        trial("bench/test_x.py::test_sum[64]", work=Work(arguments=("-k", "nothing")))


def test_disabled(trial):
    """Settings and arguments that disable benchmarks are overruled: the test is measured."""
    reading = trial("bench/test_x.py::test_sum[64]", work=Work(arguments=("--benchmark-disable",)))
    assert {value.samples for value in reading.values} == {5}


def test_rootdir_elsewhere(trial, tmp_path):
    """An ini file in another place does not change the test's name."""
    (tmp_path / "bench" / "pytest.ini").write_text("[pytest]\n")
    assert trial("bench/test_x.py::test_sum[64]").values


def test_timeout(trial):
    """A hanging test is killed."""
    with pytest.raises(TrialTimeout):
        trial("bench/test_x.py::test_hangs", timeout=1.5)


def test_check(make):
    """A directory that is not there, and an id that looks like an option, are refused."""
    with pytest.raises(InputError, match="no directory"):
        PYTEST.check(make(Work(directory="nowhere"), name="x"))


@pytest.mark.parametrize(
    ("work", "why"),
    [
        ({"directory": ".."}, "outside the project"),
        ({"directory": "/"}, "outside the project"),
        ({"directory": "~"}, "holds a ~"),
        ({"directory": "$HOME"}, "holds a variable"),
        ({"directory": "link"}, "outside the project"),
        ({"arguments": ("--basetemp=bench",)}, "would empty a directory"),
        ({"arguments": ("-o", "addopts=--basetemp=bench")}, "would empty a directory"),
        ({"arguments": ("--junitxml=/var/x.xml",)}, "outside the project"),
        ({"arguments": ("--junitxml", "../../x.xml")}, "outside the project"),
        ({"arguments": ("--junitxml=link/x.xml",)}, "outside the project"),
        ({"arguments": ("--junitxml=$HOME/x.xml",)}, "holds a variable"),
        ({"arguments": ("--log-file=~/x",)}, "holds a ~"),
        ({"arguments": ("-c/etc/x.ini",)}, "outside the project"),
        ({"environment": {"PYTEST_ADDOPTS": "-q --basetemp=/x"}}, "would empty a directory"),
    ],
    ids=str,
)
def test_pytest_stays_in_the_project(make, tmp_path, work, why):
    """A profile starts pytest, and lets it write, inside the project only."""
    (tmp_path / "bench").mkdir()
    (tmp_path / "link").symlink_to("/etc")
    with pytest.raises(InputError, match=why) as caught:
        PYTEST.check(make(Work(**work), name="bench/t.py::t"))
    assert caught.value.code == "G254"


def test_ordinary_arguments_of_pytest_pass(make, tmp_path):
    """Options, expressions and paths of the project are not refused."""
    (tmp_path / "bench").mkdir()
    arguments = (
        "-k",
        "not slow and a/b",
        "-p",
        "no:randomly",
        "--junitxml=out/x.xml",
        "-W",
        "error",
    )
    PYTEST.check(make(Work(arguments=arguments, directory="bench"), name="t.py::t"))
