"""Planting a loss: what is changed, what is refused, and that real harnesses really get slower."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest
from builders import run_gate

from gate.errors import TrialFailed
from gate.formats.baseline.calibration_file import read_rounds
from gate.formats.session.session_file import read_session
from gate.harness import HARNESSES, load_harness
from gate.harness.base import Outcome, Reading, TrialContext
from gate.harness.planted.planting import (
    PLANTERS,
    Planted,
    plantable,
    plantable_metrics,
    planted_loss,
    with_plant,
)
from gate.model import Benchmark, Better, Ending, Metric, Plant, Profile, Role, Side, Value, Work

JOB = "[global]\nioengine=psync\nsize=1m\nfilename=a.dat\n[j]\nrw=randread\n"


class Inner:
    """A harness that remembers what it was asked and answers from a table."""

    def __init__(self, name, answers=(1.0,), metric="cpu"):
        self.name, self.metric, self.kinds = name, metric, {}
        self.asked, self.answers = [], iter(answers)

    def tools(self, profile, environment):
        return {self.name: "1"}

    def check(self, context):
        self.asked.append(context)

    def prepare(self, context):
        pass

    def trial(self, context):
        self.asked.append(context)
        value = Value(metric=self.metric, value=next(self.answers))
        return Reading(values=(value,), notes=("one",))


@pytest.fixture
def context(tmp_path):
    """Builder of a trial's context."""

    def build(work, *, harness="hyperfine", metrics=("cpu",), params=None, run=None, **environment):
        benchmark = Benchmark(name="b", params=params or {})
        profile = Profile(
            name="p",
            path="profiles/p.toml",
            root=str(tmp_path),
            harness=harness,
            about="",
            digest="0",
            work=work,
            benchmarks=(benchmark,),
            metrics=tuple(Metric(name=one, unit="s", better=Better.LOWER) for one in metrics),
        )
        scratch = tmp_path / "a {scratch}"
        scratch.mkdir(exist_ok=True)
        return TrialContext(
            profile=profile,
            benchmark=benchmark,
            side=Side.HEAD,
            side_directory=None,
            environment=environment,
            work=tmp_path,
            scratch=scratch,
            index=0,
            run=run or _run,
        )

    return build


def _run(command):
    done = subprocess.run(
        command.argv,
        cwd=command.directory,
        env=dict(command.environment),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Outcome(
        status=done.returncode,
        output=done.stdout,
        errors=done.stderr,
        timed_out=False,
        duration=0.1,
    )


def command_of(shown):
    """The command of a context without the place of its wrapper."""
    place = str(shown.scratch).replace("{", "{{").replace("}", "}}")
    return shown.profile.work.command.replace(place, "SCRATCH")


def test_a_command_stands_behind_its_wrapper(context):
    """Without a shell the wrapper becomes the command; its path is quoted and its braces kept."""
    shown = PLANTERS["hyperfine"].slowed(
        context(Work(command="tool {side} 'a b'")), {"counts": "12"}
    )
    place = str(shown.scratch).replace("{", "{{").replace("}", "}}")
    assert shown.profile.work.command == f"sh '{place}/planted.sh' 12 tool {{side}} 'a b'"
    script = (shown.scratch / "planted.sh").read_text("utf-8")
    assert 'exec "$@"' in script


def test_a_shell_command_gets_a_line_of_its_own(context):
    """A pipe or a list of commands stays as it is, after the planted line."""
    work = Work(command="! a | b; c", shell="bash -e")
    shown = PLANTERS["hyperfine"].slowed(context(work), {"counts": "7"})
    first, second = shown.profile.work.command.split("\n")
    assert (first.endswith("planted.sh' 7"), second) == (True, "! a | b; c")
    assert shown.profile.work.shell == "bash -e"


@pytest.mark.parametrize(
    ("shell", "fit"),
    [
        ("none", True),
        ("default", True),
        ("/bin/bash -e", True),
        ("python3", False),
        ("fish", False),
    ],
)
def test_shells_of_another_grammar_are_refused(context, shell, fit):
    """A line of sh in front of Python would only break it."""
    names, why = plantable(context(Work(command="x", shell=shell)).profile)
    assert names == (("b",) if fit else ())
    assert ("of the shell" in why) == (not fit)


def test_the_wrapper_counts_and_becomes_the_command(context):
    """The script runs the command with its arguments and its exit status; alone it just counts."""
    shown = PLANTERS["hyperfine"].slowed(context(Work(command="x")), {"counts": "5"})
    script = str(shown.scratch / "planted.sh")
    done = subprocess.run(
        ["sh", script, "5", "sh", "-c", 'echo "$1"; exit 3', "-", "a  b"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "a  b\n", "")
    assert subprocess.run(["sh", script, "5"], check=False).returncode == 0


def test_a_plant_is_sized_by_what_was_measured(context):
    """5 % of 2 s, less what the wrapper costs, in counts of what counting costs."""
    inner = Inner("hyperfine", [2.0, 2.1, 1.9, 0.002, 0.001, 0.003, 0.402, 0.401, 0.403])
    settings = PLANTERS["hyperfine"].size(inner, context(Work(command="x", warmup=2)), 0.05, "cpu")
    assert settings == {"counts": str(round((0.1 - 0.002) / 1e-6))}
    assert [command_of(one) for one in inner.asked[::3]] == [
        "x",
        "sh 'SCRATCH/planted.sh' 0",
        "sh 'SCRATCH/planted.sh' 400000",
    ]
    assert [one.profile.work.warmup for one in inner.asked] == [2, 2, 2, 0, 0, 0, 0, 0, 0]


def test_a_command_too_short_is_refused(context):
    """Where the wrapper alone costs more than the loss, nothing honest can be planted."""
    inner = Inner("hyperfine", [0.01] * 3 + [0.001] * 3 + [0.401] * 3)
    with pytest.raises(TrialFailed, match="too short for so small a loss"):
        PLANTERS["hyperfine"].size(inner, context(Work(command="x")), 0.05, "cpu")


def fio(context, job=JOB, rate=10_000.0, loss=0.1, **more):
    """What fio would be set to."""
    shown = context(Work(job_text=job), harness="fio", metrics=("iops",), **more)
    inner = Inner("fio", [rate, rate * 1.1, rate * 0.9], "iops")
    return PLANTERS["fio"].size(inner, shown, loss, "iops")


def test_more_think_time_for_a_job_that_thinks(context):
    """100 us per I/O at 10 % are 10 us more, times the blocks between two thoughts."""
    assert fio(context, f"{JOB}thinktime=200\n") == {"thinktime": "210"}
    assert fio(context, f"{JOB}thinktime=1ms\nthinktime_blocks=4\n") == {"thinktime": "1040"}
    assert fio(context, f"{JOB}thinktime=${{PAUSE}}\n", PAUSE="200us") == {"thinktime": "210"}


def test_think_time_for_a_job_that_never_thinks(context):
    """10 us per I/O: a sleep of 2 ms after 200 of them."""
    assert fio(context) == {"thinktime": "2000", "thinktime_blocks": "200"}


def test_a_queue_runs_dry_before_a_sleep(context):
    """With 8 in flight the sleeps are rarer, and shorter by half a queue."""
    # 0.1 x 100 us x 700 blocks = 7000 us, less 100 us x 7 / 2.
    assert fio(context, f"{JOB}iodepth=8\n") == {"thinktime": "6650", "thinktime_blocks": "700"}


def test_jobs_share_the_rate(context):
    """Four jobs at 10 000 I/Os a second take 400 us each for one."""
    assert fio(context, f"{JOB}numjobs=4\nthinktime=10\n") == {"thinktime": "50"}
    matrix = fio(context, f"{JOB}numjobs=1\nthinktime=10\n", params={"numjobs": "4"})
    assert matrix == {"thinktime": "50"}


@pytest.mark.parametrize(
    ("job", "why"),
    [
        (f"{JOB}[k]\nrw=read\n", "one section, not of 2"),
        (f"{JOB}rate_iops=100\n", "held by rate_iops"),
        (f"{JOB}rate=1m\n", "held by rate"),
        (f"{JOB}thinktime_iotime=5\n", "held by thinktime_iotime"),
        (f"{JOB}thinktime=5\nthinktime=6\n", "think time twice"),
    ],
)
def test_jobs_that_more_think_time_need_not_slow_are_refused(context, job, why):
    """Each with its reason, before anything is measured."""
    names, told = plantable(context(Work(job_text=job), harness="fio", metrics=("iops",)).profile)
    assert (names, why in told) == ((), True)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("thinktime=soon", "not understood"),
        ("numjobs=${N}", "no plain number"),
        ("iodepth=0", "no plain number"),
    ],
)
def test_options_that_are_not_understood_are_no_plant(context, line, why):
    """A plant of unknown size is worse than none."""
    with pytest.raises(TrialFailed, match=why):
        fio(context, f"{JOB}{line}\n")


def test_a_planted_job_is_held_to_the_same_safety(context):
    """The slowed job is checked as it will run."""
    shown = context(Work(job_text=JOB), harness="fio", metrics=("iops",))
    plant = Plant(loss=0.1, benchmark="b", settings={"thinktime": "210"})
    inner = Inner("fio", metric="iops")
    Planted(inner, plant).check(shown)
    assert inner.asked[0].benchmark.params == {"thinktime": "210"}


def test_only_the_head_of_one_benchmark_is_slowed(context):
    """The base side, every other benchmark and an empty plant run as they are."""
    shown = context(Work(command="x"))
    plant = Plant(loss=0.1, benchmark="b", settings={"counts": "3"})
    inner = Inner("hyperfine", [1.0] * 3)
    harness = with_plant(inner, plant)
    other = replace(shown, benchmark=Benchmark(name="c"))
    for one in (shown, replace(shown, side=Side.BASE), other):
        reading = harness.trial(one)
        assert reading.notes == (("one", "planted: counts 3") if one is shown else ("one",))
    assert [command_of(one) for one in inner.asked] == ["sh 'SCRATCH/planted.sh' 3 x", "x", "x"]
    assert with_plant(inner, None) is inner
    assert with_plant(inner, Plant(loss=0.0)) is inner


def test_what_a_plant_reaches(context):
    """Gate metrics that grow by the asked share; the quietest is measured by."""
    profile = context(Work(command="x"), metrics=("wall", "system", "cpu")).profile
    assert plantable_metrics(profile) == ("cpu", "wall")
    watched = tuple(replace(one, role=Role.WATCH) for one in profile.metrics[:1])
    names, why = plantable(replace(profile, metrics=(profile.metrics[1], *watched)))
    assert (names, why) == (
        (),
        "a plant reaches only cpu, user, wall, and none of these may close the gate here",
    )


def test_a_function_too_short_is_refused(context):
    """Below some microseconds the waiting loop is coarser than the loss."""
    shown = context(Work(), harness="pytest-benchmark", metrics=("minimum",))
    inner = Inner("pytest-benchmark", [1e-5] * 3, "minimum")
    with pytest.raises(TrialFailed, match="500 ns cannot be waited for"):
        PLANTERS["pytest-benchmark"].size(inner, shown, 0.05, "minimum")


def test_no_loss_is_planted_into_counted_instructions(context):
    """The refusal says what to do instead, and no figure comes of asking all the same."""
    made = context(Work(), harness="instructions", metrics=("kernel_instructions",))
    assert plantable(made.profile) == (
        (),
        "a loss in instructions is a change of the kernel: plant it in a side of your own",
    )
    planter = PLANTERS["instructions"]
    for ask in (
        lambda: planter.size(None, None, 0.1, "kernel_instructions"),
        lambda: planter.slowed(None, {}),
        lambda: planter.reading(None, None, {}),
    ):
        with pytest.raises(TrialFailed, match="plant it in a side of your own"):
            ask()


def test_every_harness_has_a_planter():
    """A harness that cannot be slowed would be calibrated with unchanged rounds only."""
    assert PLANTERS.keys() == HARNESSES.keys()


def test_a_real_pytest_benchmark_gets_slower(context, tmp_path):
    """The planted plugin really lengthens what the stopwatch times, and nothing is left behind."""
    (tmp_path / "test_it.py").write_text(
        "def test_it(benchmark):\n"
        "    benchmark.pedantic(lambda: sum(range(20000)), rounds=20, warmup_rounds=2)\n",
        "utf-8",
    )
    shown = context(
        Work(python=sys.executable, directory=str(tmp_path).replace("{", "{{")),
        harness="pytest-benchmark",
        metrics=("minimum",),
        **{key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
    )
    shown = replace(shown, benchmark=Benchmark(name="test_it.py::test_it"))
    harness = load_harness("pytest-benchmark")
    plain = harness.trial(shown).values
    own = next(one.value for one in plain if one.metric == "minimum")
    settings = {"nanoseconds": str(round(own * 3e9))}
    plant = Plant(loss=3.0, benchmark="test_it.py::test_it", settings=settings)
    slowed = with_plant(harness, plant).trial(shown)
    assert next(one.value for one in slowed.values if one.metric == "minimum") > 2 * own
    assert slowed.notes[-1] == f"planted: nanoseconds {settings['nanoseconds']}"
    assert [path.name for path in tmp_path.glob("*planted*")] == []


SEED = next(seed for seed in range(100) if planted_loss(seed, 0, (0.6,)))
"""The first round of this draw is a planted one."""


def real(root, text, *files):
    """A project with a real profile p, and three accepted sessions."""
    (root / "profiles").mkdir()
    (root / "profiles/p.toml").write_text(text, "utf-8")
    for name, content in files:
        (root / name).write_text(content, "utf-8")
    answer = run_gate(["run", "p", "--repeat", "3", "--quiet"], cwd=root)
    assert answer.status == 0, answer
    sessions = sorted((root / "reports/sessions").glob("*.json"))
    answer = run_gate(
        ["baseline", "accept", *sessions, "--reason", "first", "--by", "me"], cwd=root
    )
    assert answer.status == 0, answer
    answer = run_gate(
        [
            "calibrate",
            "p",
            "--rounds",
            "1",
            "--plant",
            "60%",
            "--seed",
            str(SEED),
            "--quiet",
            "--json",
        ],
        cwd=root,
    )
    assert answer.status in {0, 5}, answer
    (done,) = read_rounds(root / "baselines")
    head = read_session(root / "reports/calibration/p/round-0001/p/head.json")
    plan = json.loads((root / "reports/calibration/p/round-0001/plan.json").read_text("utf-8"))
    return done, head, plan["plant"]


def check_ending(done):
    """Found with a loss of the right sign; on a loud machine undecided, or told as too small to see."""
    if done.ending is Ending.FOUND:
        assert done.achieved > 0.1
        assert done.trials >= 3
    elif done.ending is Ending.MISSED:
        assert done.tolerance > 0.3, done
    else:
        assert done.ending in {Ending.INCONCLUSIVE, Ending.VOID}, done


def values(session, metric):
    return [v.value for t in session.trials for v in t.values if v.metric == metric]


def test_a_real_command_gets_slower(tmp_path):
    """A planted round with real hyperfine: asked and achieved are recorded, the sign is right."""
    done, head, plant = real(
        tmp_path,
        'harness = "hyperfine"\ncommand = "sh {side}/work.sh"\n'
        "trials = { screen = 2, confirm_pairs = 9 }\n"
        '[side.head]\ndir = "."\n[metric.cpu]\ntolerance = "30%"\n',
        ("work.sh", 'n=60000\nwhile [ "$n" -gt 0 ]; do n=$((n - 1)); done\n'),
    )
    assert (done.planted, done.benchmark, head.planted) == (0.6, "p", 0.6)
    assert int(plant["settings"]["counts"]) > 1000
    assert {trial.note for trial in head.trials} == {
        f"planted: counts {plant['settings']['counts']}"
    }
    check_ending(done)
    assert median(values(head, "cpu")) > 0


@pytest.mark.alone
def test_a_real_fio_job_gets_slower(tmp_path):
    """A planted round with real fio: more think time, fewer I/Os, both recorded."""
    done, head, plant = real(
        tmp_path,
        'harness = "fio"\njob = "p.fio"\ntrials = { screen = 2, confirm_pairs = 9 }\n'
        '[metric.iops]\ntolerance = "30%"\n',
        (
            "profiles/p.fio",
            (
                "[j]\nioengine=psync\nfilename=a.dat\nsize=1m\nbs=4k\nrw=randread\ninvalidate=0\n"
                "time_based\nruntime=80ms\nthinktime=500\n"
            ),
        ),
    )
    assert (done.planted, done.benchmark, head.planted) == (0.6, "p", 0.6)
    assert int(plant["settings"]["thinktime"]) > 500
    assert {trial.note for trial in head.trials} == {
        f"planted: thinktime {plant['settings']['thinktime']}"
    }
    check_ending(done)
    assert not list(tmp_path.rglob("a.dat"))
    assert Path(tmp_path / "reports/calibration/p/round-0001/report.html").is_file()
