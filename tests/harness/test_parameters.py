"""Parameters and environment: who gets what of a profile's keys."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate.errors import InputError
from gate.harness import load_harness
from gate.harness.expand import expand, own_environment
from gate.harness.fio.fio import _checked_job
from gate.harness.fio.job import job_options
from gate.harness.pytest_benchmark import _target
from gate.measure.process.environment import child_environment
from gate.model import Background, Side, Subject, Work
from gate.subject.command import ActiveSide

JOB = "[global]\nrw=read\n[p]\nsize=1m\n"


def test_fio_options(make):
    """Fixed parameters and the point of the matrix are options; `load` and `cpus` never are."""
    work = Work(job_text=JOB, parameters={"size": "2m", "runtime": "1", "cpus": "2"})
    context = make(work, params={"iodepth": "32", "load": "loaded"})
    assert job_options(context.profile, context.benchmark) == {
        "size": "2m",
        "runtime": "1",
        "iodepth": "32",
    }
    assert _checked_job(context) == "[global]\nruntime=1\niodepth=32\nrw=read\n[p]\nsize=2m\n"


def test_fio_options_elsewhere(make):
    """A key that the environment or the background load uses is no option of the job."""
    work = Work(job_text=JOB, environment={"JOBS": "{jobs}"}, parameters={"bs": "4k", "rate": "9"})
    context = make(work, params={"jobs": "2"})
    background = Background(command="load {rate}")
    context = replace(context, profile=replace(context.profile, background=background))
    assert job_options(context.profile, context.benchmark) == {"bs": "4k"}


@pytest.mark.parametrize("name", ["iodepth", "blocksize", "size", "odd_one"])
def test_an_option_of_fio_is_nothing_else(make, name):
    """A key that is fio's own, or stands in the job, and is used elsewhere is refused."""
    work = Work(job_text=f"{JOB}odd_one=1\n", environment={"X": f"{{{name}}}"})
    with pytest.raises(InputError, match=f"{name} is an option of fio") as refused:
        load_harness("fio").check(make(work, params={name: "4"}))
    assert refused.value.code == "G232"


def test_fio_parameter_checked(make):
    """A fixed parameter is held to the same safety as the job."""
    for parameters in ({"filename": "/dev/sda"}, {"exec_prerun": "x"}, {"bs": "4k\nfilename=x"}):
        with pytest.raises(InputError) as refused:
            load_harness("fio").check(make(Work(job_text=JOB, parameters=parameters)))
        assert refused.value.code == "G232"


def test_commands(make):
    """A fixed parameter and the reserved keys can be used in commands, each one word."""
    work = Work(command="x", parameters={"n": "a b", "cpus": "0-1"})
    context = make(work, params={"load": "alone"})
    assert expand("x {n} {cpus} {load} {{n}}", context) == "x 'a b' 0-1 alone {n}"


def test_environment(make, tmp_path):
    """Variables hold `{side}` and parameters as they are, without a shell's quotes."""
    work = Work(
        environment={"WHERE": "{side}/x y", "N": "{n}{m}", "PLAIN": "{{}}"}, parameters={"n": "a b"}
    )
    context = make(work, params={"m": "c"}, side_directory=tmp_path)
    assert own_environment(context) == {"WHERE": f"{tmp_path}/x y", "N": "a bc", "PLAIN": "{}"}


def test_side_wins(monkeypatch):
    """The profile's variable replaces the inherited one, and a side's own replaces both."""
    monkeypatch.setenv("A", "inherited")
    monkeypatch.setenv("B", "inherited")
    side = ActiveSide(side=Side.HEAD, directory=None, environment={"B": "side"}, subject=Subject())
    found = child_environment(side, {"A": "profile", "B": "profile"})
    assert (found["A"], found["B"]) == ("profile", "side")


def test_environment_reaches_the_command(make, figures):
    """hyperfine's command sees the variable that the profile sets for this point."""
    from gate.model import Better, Output

    output = Output(name="n", pattern="^n=([0-9]+)$", unit="1", better=Better.HIGHER)
    work = Work(command='echo "n=$N"', shell="sh", environment={"N": "{n}"}, outputs=(output,))
    context = make(work, harness="hyperfine", params={"n": "7"})
    context = replace(context, environment={**context.environment, **own_environment(context)})
    assert figures(load_harness("hyperfine").trial(context).values)["n"] == 7.0


def test_pytest_target(make, tmp_path, figures):
    """A swept test runs under its own id, with the point in its environment."""
    (tmp_path / "test_x.py").write_text(
        "import os\ndef test_a(benchmark):\n    assert os.environ['JOBS'] == '2'\n    benchmark(sum, range(9))\n"
    )
    work = Work(environment={"JOBS": "{jobs}"})
    context = make(
        work, harness="pytest-benchmark", name="test_x.py::test_a[jobs=2]", params={"jobs": "2"}
    )
    benchmark = replace(context.benchmark, target="test_x.py::test_a")
    context = replace(context, benchmark=benchmark)
    assert _target(context) == "test_x.py::test_a"
    context = replace(context, environment={**context.environment, **own_environment(context)})
    assert figures(load_harness("pytest-benchmark").trial(context).values)["minimum"] > 0
