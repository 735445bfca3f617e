"""The fio harness end to end, with the real fio."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from gate.errors import InputError, MeasureError, TrialFailed, TrialTimeout
from gate.harness import load_harness
from gate.harness.base import Outcome
from gate.model import Work

FIO = load_harness("fio")
JOB = (
    "[global]\nioengine=psync\nsize=256k\nbs=4k\ntime_based=1\nruntime=300ms\n"
    "percentile_list=50:99:99.9\n[j]\nrw=randread\n"
)


def spec(text=JOB):
    return Work(job_text=text, job_file="/p/jobs/j.fio")


def test_tools(make):
    """The version is told without its prefix."""
    context = make(spec())
    assert FIO.tools(context.profile, context.environment)["fio"].startswith("3.")


def test_missing(make):
    """A missing fio names the package manager's line and warns of the stranger on PyPI."""
    with pytest.raises(MeasureError) as caught:
        FIO.tools(make(spec()).profile, {"PATH": "/nonexistent"})
    assert caught.value.code == "G230"
    assert "apt install fio" in str(caught.value)
    assert "PyPI" in str(caught.value)


@pytest.mark.parametrize("said", ["fio-3.32", "fio-2.99", "fio 1", "", "hello"])
def test_old_version(make, tmp_path, said):
    """An old fio, and one that does not say its version, is refused."""
    program = tmp_path / "bin" / "fio"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '{said}'\n")
    program.chmod(0o755)
    with pytest.raises(MeasureError) as caught:
        FIO.tools(make(spec()).profile, {"PATH": f"{program.parent}:/bin:/usr/bin"})
    assert caught.value.code == "G231"


def test_trial(make, figures):
    """A real run gives positive values and leaves its data in the work directory only."""
    metrics = ("iops", "throughput", "clat_p999", "cpu_per_io")
    context = make(spec(), metrics=metrics, params={"bs": "8k"})
    FIO.check(context)
    FIO.prepare(context)
    assert [path.name for path in context.work.iterdir()] == ["j.0.0"]
    reading = FIO.trial(context)
    values = figures(reading.values)
    assert values["throughput"] == pytest.approx(8192 * values["iops"], rel=0.01)
    assert values["read_iops"] == values["iops"] > 0
    assert 0 < values["clat_p50"] <= values["clat_p99"] <= values["clat_p999"]
    assert [path.name for path in context.work.iterdir()] == ["j.0.0"]


def test_metric_not_there(make):
    """A metric that the run cannot give is a failure with the reason, not a silence."""
    with pytest.raises(TrialFailed, match="no value for write_iops: the job did no writes"):
        FIO.trial(make(spec(), metrics=("write_iops",)))


def test_fio_fails(make):
    """fio's own complaint is quoted."""
    with pytest.raises(TrialFailed, match=r"status 1: .*allow_file_create"):
        FIO.trial(make(spec(JOB + "allow_file_create=0\n")))


def test_timeout(make):
    """A run over its time is killed and is a timeout."""
    with pytest.raises(TrialTimeout, match="its time was up"):
        FIO.trial(make(spec(), params={"runtime": "60"}, timeout=0.7))


def test_unsafe_place(make):
    """A refused line is named by file and line, also below lines that the matrix adds."""
    context = make(spec(JOB + "filename=/dev/sda\n"), params={"iodepth": "4"})
    with pytest.raises(InputError) as caught:
        FIO.check(context)
    assert (caught.value.code, caught.value.place) == ("G232", "/p/jobs/j.fio:10")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("filename", "/dev/sda"),
        ("bs", "4k\nfilename=/dev/sda"),
        ("bs", "4k # x"),
        ("nosuch", "1"),
        ("[/dev/sda]\nbs", "4k"),
        ("exec_prerun", "true"),
    ],
)
def test_unsafe_matrix(make, name, value):
    """The matrix cannot bring in what the job may not hold."""
    with pytest.raises(InputError) as caught:
        FIO.check(make(spec(), params={name: value}))
    assert caught.value.place == "profiles/p.toml"


def test_matrix_replaces_variable(make):
    """A line that the matrix replaces is not read: its variables need not be set."""
    FIO.check(make(spec(JOB + "iodepth=${NOWHERE}\n"), params={"iodepth": "4"}))


@pytest.mark.parametrize("step", [FIO.prepare, FIO.trial])
@pytest.mark.parametrize("text", ["[/dev/sda]\nrw=write\n", "rw=write\n"])
def test_trial_never_runs_unsafe(make, step, text):
    """Each step refuses an unsafe job on its own, before any process is started."""

    def run(command):
        raise AssertionError(command)

    with pytest.raises(TrialFailed, match="must not be run"):
        step(make(spec(text), run=run))


@pytest.mark.parametrize(("status", "text"), [(0, None), (0, ""), (-9, "{}"), (1, "{}")])
def test_no_output(make, status, text):
    """A run that dies or leaves nothing is a failure, and an older export is never read."""

    def run(command):
        output = next(word for word in command.argv if word.startswith("--output="))
        if text is not None:
            Path(output.removeprefix("--output=")).write_text(text)
        return Outcome(status=status, output="", errors="", timed_out=False, duration=0.1)

    context = make(spec(), run=run)
    (context.scratch / "job.json").write_text("stale")
    with pytest.raises(TrialFailed, match=r"export|ended"):
        FIO.trial(context)


def test_cannot_start(make):
    """A program that cannot be started is a failed trial, not a traceback."""
    context = make(spec())
    context = dataclasses.replace(context, environment={"PATH": "/nonexistent"})
    with pytest.raises(TrialFailed, match="cannot be started"):
        FIO.trial(context)


def test_no_job(make):
    """A profile without a job is told so."""
    with pytest.raises(InputError, match="no fio job"):
        FIO.check(make(dataclasses.replace(spec(), job_text=None)))
