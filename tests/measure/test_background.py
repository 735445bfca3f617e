"""The background load with real programs: at work, proven, held to its rate, and always ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from gate.errors import InputError, TrialFailed
from gate.harness.base import Command, TrialContext
from gate.measure.process import background as module
from gate.measure.process.background import background_load, check_background, prepare_background
from gate.measure.process.process import run_process
from gate.measure.process.rounds import ProcessUsage, Rounds, read_rounds_done
from gate.measure.process.stop import Stop, StopRequested
from gate.model import Background, Benchmark, Better, Metric, Profile, Role, Side, Work

RATE = Metric(name="background_rate", unit="op/s", better=Better.HIGHER)
JOB = "[bg]\nioengine=psync\nrw=randwrite\nbs=4k\nsize=1m\nruntime=1\n"


@pytest.fixture
def beside(tmp_path):
    """A trial's context with this background, in directories of its own."""

    def make(command=None, *, job=None, metrics=(), load="loaded", **more):
        (tmp_path / "work").mkdir(exist_ok=True)
        (tmp_path / "scratch").mkdir(exist_ok=True)
        profile = Profile(
            name="p",
            path="profiles/p.toml",
            root=str(tmp_path),
            harness="hyperfine",
            about="",
            digest="sha256:1",
            work=Work(),
            benchmarks=(),
            metrics=metrics,
            background=Background(command=command, job_text=job, job_file=job and "bg.fio", **more),
        )
        return TrialContext(
            profile=profile,
            benchmark=Benchmark(name="b", params={"load": load}),
            side=Side.HEAD,
            side_directory=None,
            environment=dict(os.environ),
            work=tmp_path / "work",
            scratch=tmp_path / "scratch",
            index=0,
            run=lambda command: run_process(command, module_stop),
        )

    module_stop = Stop()
    return make


def foreground(stop, seconds=0.5):
    """The measured process."""
    return run_process(
        Command(
            argv=("sleep", str(seconds)), directory=Path.cwd(), environment=os.environ, timeout=60
        ),
        stop,
    )


def measured(context, stop, seconds=0.5):
    """Values and notes of a load beside a process of some seconds."""
    with background_load(context, stop) as load:
        load.begin()
        foreground(stop, seconds)
        load.end()
        return load.finish()


def processes(marker):
    """Living processes whose command line holds a marker."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and marker.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return [one for one in found if one != os.getpid()]


def none_left(marker):
    until = time.monotonic() + 10
    while processes(marker) and time.monotonic() < until:
        time.sleep(0.02)
    return not processes(marker)


def test_a_loop_at_work(beside, stop):
    """Rounds of 0.1 s at least: the rate is told, at most 10 per second, with its resolution."""
    values, notes = measured(beside("sleep 0.1"), stop, 0.6)
    (value,) = values
    assert value.metric == "background_rate"
    # A round takes 0.1 s at least, and the clock tells 0.01 s.
    assert 0 < value.value < 0.1 / 0.09 * 10.1
    assert value.samples >= 1
    assert value.resolution > 0
    assert notes == ()


def test_no_load_beside_alone(beside, stop):
    """A trial that is alone has no load, and so has a profile without one."""
    with background_load(beside("touch ran", load="alone"), stop) as load:
        assert load is None
    context = beside("true")
    bare = replace(context, profile=replace(context.profile, background=None))
    with background_load(bare, stop) as load:
        assert load is None
    assert not Path(context.profile.root, "ran").exists()


def test_braces_are_expanded(beside, tmp_path, stop):
    """Parameters stand in the command as anywhere else."""
    measured(beside("touch {load}.txt; sleep 0.05"), stop, 0.2)
    assert (tmp_path / "loaded.txt").exists()


def test_a_load_that_fails_at_once(beside, stop):
    """A command that ends with an error is told with its status and its last words."""
    with (
        pytest.raises(
            TrialFailed, match=r"background load died after \d+\.\d s with status 3: boo"
        ),
        background_load(beside("echo boo >&2; exit 3"), stop),
    ):
        raise AssertionError("it must not be at work")


def test_a_load_that_is_no_program(beside, stop):
    """A program that does not exist is a load that died."""
    with (
        pytest.raises(TrialFailed, match=r"died after .* with status 127: .*not found"),
        background_load(beside("no-such-program-anywhere"), stop),
    ):
        raise AssertionError("it must not be at work")


def test_a_load_that_dies_during_the_trial(beside, stop):
    """A load that was at work and is dead at the end fails the trial, with the time it lasted."""
    command = "if [ -e once ]; then echo gone >&2; exit 1; fi; touch once; sleep 0.2"
    with pytest.raises(TrialFailed, match=r"died after \d+\.\d s with status 1: gone"):
        measured(beside(command), stop, 0.6)


def test_a_load_killed_by_a_signal(beside, stop):
    """A load that somebody kills outright is told as such."""
    with background_load(beside("sleep 0.05"), stop) as load:
        load.begin()
        os.kill(load._child.pid, signal.SIGKILL)
        foreground(stop, 0.2)
        load.end()
        with pytest.raises(
            TrialFailed, match=r"died within \d+\.\d s by signal 9 and said nothing"
        ):
            load.finish()


def test_a_load_that_never_starts(beside, stop, monkeypatch):
    """A command that only waits shows no sign of life and is given up."""
    monkeypatch.setattr(module, "_FIRST_SIGN", 0.5)
    with (
        pytest.raises(TrialFailed, match=r"no sign of life within 0\.5 s"),
        background_load(beside("sleep 987654"), stop),
    ):
        raise AssertionError("it must not be at work")
    assert none_left("987654")


def test_a_load_that_stops_working(beside, stop):
    """At work before the trial and idle during it: alive is not enough."""
    command = "if [ -e once ]; then sleep 987655; fi; touch once"
    with background_load(beside(command), stop) as load:
        time.sleep(0.3)
        load.begin()
        foreground(stop, 0.3)
        load.end()
        with pytest.raises(TrialFailed, match=r"did nothing during the \d+\.\d s of the trial"):
            load.finish()


def test_a_round_longer_than_the_trial(beside, stop):
    """Processor time used counts as work: no rate is made up, and the note says how it is known."""
    busy = f"{sys.executable} -c 'while True: pass'"
    values, notes = measured(beside(busy), stop)
    assert values == ()
    (note,) = notes
    assert note.startswith("no round of the background load ended in ")
    assert "CPU-seconds" in note
    with pytest.raises(TrialFailed, match="no value for background_rate: no round of the load"):
        measured(beside(busy, metrics=(RATE,)), stop)
    assert measured(beside(busy, metrics=(replace(RATE, role=Role.WATCH),)), stop)[0] == ()


def test_a_load_slower_than_asked(beside, stop):
    """Fewer rounds per second than `least` fail the trial; so does a rate that nobody knows."""
    with pytest.raises(TrialFailed, match=r"too slow: \d+ rounds .* at least 1000 op/s"):
        measured(beside("sleep 0.1", least=1000.0), stop)
    busy = f"{sys.executable} -c 'while True: pass'"
    with pytest.raises(TrialFailed, match=r"too slow: no round of it ended .* 0 op/s"):
        measured(beside(busy, least=0.1), stop)


def test_everything_it_started_is_killed(beside, stop):
    """Children in the background, in other groups and sessions end with the load."""
    command = "sleep 987656 & setsid sleep 987656 & sleep 0.05"
    values, _ = measured(beside(command), stop, 0.2)
    assert values
    assert none_left("987656")


def test_it_ends_when_the_trial_fails(beside, stop):
    """An error of the foreground ends the load too."""
    with pytest.raises(RuntimeError), background_load(beside("sleep 987657 & sleep 0.05"), stop):
        raise RuntimeError
    assert none_left("987657")


def test_a_signal_while_it_starts(beside, stop, handlers):
    """A Ctrl-C while the gate waits for the first sign of life ends the load at once."""
    sender = ["sh", "-c", f"sleep 0.3; kill -INT {os.getpid()}"]
    with (
        pytest.raises(StopRequested),
        stop.listening(),
        subprocess.Popen(sender),
        background_load(beside("sleep 987658"), stop),
    ):
        raise AssertionError("it must not be at work")
    assert none_left("987658")


def test_a_gate_killed_outright(tmp_path):
    """SIGKILL of the gate: the kernel tells the load, and its loop kills its whole group."""
    script = tmp_path / "killed.py"
    script.write_text(
        f"""
import os, sys, signal
from pathlib import Path
from gate.harness.base import TrialContext
from gate.measure.process.background import background_load
from gate.measure.process.stop import Stop
from gate.model import Background, Benchmark, Profile, Side, Work
place = Path({str(tmp_path)!r})
background = Background(command="sleep 987659 & sleep 987659.5 & sleep 0.05")
profile = Profile(name="p", path="", root=str(place), harness="hyperfine", about="", digest="",
                  work=Work(), benchmarks=(), metrics=(), background=background)
context = TrialContext(profile=profile, benchmark=Benchmark(name="b"), side=Side.HEAD,
                       side_directory=None, environment=dict(os.environ), work=place,
                       scratch=place, index=0, run=None)
with background_load(context, Stop()):
    os.kill(os.getpid(), signal.SIGKILL)
""",
        "utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], check=False, timeout=60)
    assert done.returncode == -9
    assert none_left("987659")


def test_its_processor_time_is_known(beside, stop):
    """A loop that spins uses processor time, of one processor at most, and the hook says so."""
    busy = f"{sys.executable} -c 'while True: pass'"
    with background_load(beside(busy), stop) as load:
        before, began = load.cpu(), time.monotonic()
        time.sleep(0.8)
        used, lasted = load.cpu() - before, time.monotonic() - began
    assert 0 < used <= 1.05 * lasted + 0.03


def test_a_fio_job_at_work(beside, stop):
    """A job of one second runs until it is stopped, and its rate is fio's own count."""
    context = beside(job=JOB)
    prepare_background(context)
    assert (context.work / "bg.0.0").stat().st_size == 1 << 20
    values, notes = measured(context, stop, 1.5)
    (value,) = values
    assert value.metric == "background_rate"
    assert value.value > 0
    assert value.samples > 0
    assert value.resolution == pytest.approx(value.value / value.samples)
    assert notes == ()
    assert none_left("background.fio")


def test_a_fio_job_with_threads_and_a_limited_rate(beside, stop):
    """Jobs that are threads of fio count too, and a slow one is held to `least`."""
    job = f"{JOB}thread=1\nrate_iops=50\n"
    (value,), _ = measured(beside(job=job), stop, 1.0)
    assert 0 < value.value < 100
    with pytest.raises(TrialFailed, match=r"too slow: \d+ I/Os in .* at least 1000 op/s"):
        measured(beside(job=job, least=1000.0), stop, 1.0)


def test_a_fio_job_that_fails(beside, stop):
    """A job that cannot run is a load that died, with fio's words."""
    context = beside(job="[bg]\nioengine=psync\nrw=read\nsize=1m\nallow_file_create=0\n")
    with pytest.raises(TrialFailed, match=r"background load died within .* with status 1"):
        measured(context, stop, 2.0)


def test_an_unsafe_job_is_refused(beside, stop):
    """The background's job is held to the same rules as any other, before and at the trial."""
    context = beside(job="[/dev/sda]\nrw=write\n")
    with pytest.raises(InputError, match="the background's fio job must not be run") as told:
        check_background(context)
    assert told.value.code == "G232"
    with pytest.raises(TrialFailed, match="must not be run"), background_load(context, stop):
        raise AssertionError("it must not be at work")


def test_an_unknown_brace_is_refused(beside):
    """A name that stands for nothing is found before anything is measured."""
    with pytest.raises(InputError) as told:
        check_background(beside("cp {nothing} x"))
    assert told.value.code == "G233"


def test_the_rate_is_over_whole_rounds():
    """From the last end before the window to the last in it: 3 rounds in 6 s are 0.5 per second."""
    rounds = Rounds(0.0, (2.0, 4.0, 6.0, 8.0))
    assert rounds.during(3.0, 9.0) == (3, 0.5, pytest.approx(0.5 * 0.01 / 6))
    assert rounds.during(8.5, 9.0) is None
    assert Rounds(1.0, (3.0,)).during(2.0, 4.0) == (1, 0.5, pytest.approx(0.0025))


@pytest.mark.parametrize(
    "text", ["x\n", "5.0 1 1\n4.0 1 1\n", "nan 1 1\n", "\n5.0 1 1\n", "5.0\n", "5.0 1 x\n"]
)
def test_a_spoilt_record_is_no_record(tmp_path, text):
    """Whoever writes into the record of the rounds gets no rate out of it."""
    path = tmp_path / "rounds"
    path.write_text(text, "utf-8")
    with pytest.raises(TrialFailed, match="spoilt"):
        read_rounds_done(path, 0.0)


def test_half_a_line_waits(tmp_path):
    """A line that is being written is read the next time."""
    path = tmp_path / "rounds"
    path.write_text("5.00 1 1\n6.0 1", "utf-8")
    assert read_rounds_done(path, 4.0).ends == (5.0,)


def test_a_load_that_stalls_after_some_rounds(beside, stop):
    """Rounds at the trial's start do not stand for the rest of it, in which nothing was done."""
    command = "echo >> n; [ $(wc -l < n) -lt 5 ] || exec sleep 987661; sleep 0.1"
    with pytest.raises(TrialFailed, match=r"stalled: \d rounds .* none in its last \d\.\d s"):
        measured(beside(command), stop, 2.5)
    assert none_left("987661")


def test_rounds_are_counted_over_the_whole_trial(beside, stop):
    """Few rounds in a long trial are a low rate, whatever their own pace was."""
    command = "echo >> n; [ $(wc -l < n) -lt 4 ] || exec sleep 987662; sleep 0.1"
    with pytest.raises(TrialFailed, match=r"too slow: \d rounds .* at least 4 op/s"):
        measured(beside(command, least=4.0), stop, 1.5)


def test_a_long_round_at_the_end_is_no_stall(beside, stop):
    """Short rounds and then one that computes for long: it is at work, by the kernel's count."""
    busy = f"exec {sys.executable} -c 'while True: pass'"
    command = f"echo >> n; [ $(wc -l < n) -lt 4 ] || {busy}; sleep 0.1"
    (value,), _ = measured(beside(command), stop, 2.0)
    assert 1 <= value.samples <= 3


def test_silence_is_told_with_what_was_used_in_it():
    """From the last end in the window: 3 s, in which 0.5 CPU-seconds and 10 bytes were used."""
    rounds = Rounds(0.0, (2.0, 4.0), used=(ProcessUsage(1.0, 5), ProcessUsage(2.0, 20)))
    assert rounds.silence(1.0, 7.0, ProcessUsage(2.5, 30)) == (3.0, ProcessUsage(0.5, 10))


@pytest.mark.parametrize("option", ["number_ios=5", "io_size=1m", "io_limit=1m", "loops=2"])
def test_a_job_that_ends_is_no_load(beside, option):
    """A load must last as long as the trial: what ends a job is refused, with its line."""
    with pytest.raises(InputError, match="must run until it is stopped") as told:
        check_background(beside(job=f"{JOB}{option}\n"))
    assert (told.value.code, told.value.place) == ("G232", "bg.fio:7")
