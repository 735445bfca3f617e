"""The demo: real fio, hyperfine and pytest-benchmark on this machine, however loud it is.

At night nothing watches the machine, so that the demo comes to its end also beside other work; as
a newcomer runs it, on a machine that must be quiet, it is a proof (`make proof`).
"""

import contextlib
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
from types import SimpleNamespace
from unittest import mock

import pytest
from builders import Answer, run_gate, tree
from night import at_night

from gate.formats.profile.shipped import shipped_profiles
from gate.harness.base import Reading
from gate.harness.fio.fio import Fio
from gate.harness.hyperfine import Hyperfine
from gate.harness.pytest_benchmark import PytestBenchmark
from gate.model import Better, Disturbance, Limits, Value

GATE = [sys.executable, "-m", "gate"]
SHORT = {
    "smoke-*.toml": ("screen = 3, confirm_pairs = 60", "screen = 2, confirm_pairs = 9"),
    "smoke-command.toml": ("warmup = 1", "warmup = 0"),
    "jobs/smoke-fio.fio": ("runtime=600ms", "runtime=200ms"),
    "subject/test_codec.py": ("rounds=60, warmup_rounds=5", "rounds=10, warmup_rounds=1"),
}
"""What makes the shipped profiles of the demo short enough for any machine. The command stays as long
as it is: of a shorter one the planted work is less than its tolerance, as Python has to start."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """One run of the demo in a directory that holds something else already."""
    place, short = tmp_path_factory.mktemp("unwatched"), tmp_path_factory.mktemp("short")
    (place / "mine.txt").write_text("not yours", encoding="utf-8")
    shutil.copytree(shipped_profiles(), short / "profiles")
    for name, (long, brief) in SHORT.items():
        for path in (short / "profiles").glob(name):
            text = path.read_text(encoding="utf-8")
            assert long in text
            path.write_text(text.replace(long, brief), encoding="utf-8")
    said = []

    def inside(arguments, **_):
        """One command of the demo, in this process and unwatched."""
        assert arguments[:3] == GATE
        answer = run_gate(arguments[3:])
        said.append(answer.err)
        return SimpleNamespace(returncode=answer.status)

    with (
        mock.patch("gate.cli.demo.subprocess", SimpleNamespace(run=inside)),
        mock.patch("gate.cli.demo.shipped_profiles", return_value=short / "profiles"),
    ):
        done = run_gate(["demo"], cwd=place)
    return place, done._replace(err="\n".join([done.err, *said]))


def report(place, name):
    path = place / "reports/demo/reports" / name / "report.json"
    return json.loads(path.read_text(encoding="utf-8"))


def unsound(found):
    """Findings that no noise explains."""
    fine = {"passed", "improved", "inconclusive", "regressed"}
    return [
        (one["profile"], one["metric"], one["verdict"], one["headline"])
        for one in found["findings"]
        if one["verdict"] not in fine
    ]


@pytest.mark.night
@pytest.mark.alone
def test_an_unchanged_system_is_never_called_regressed(demo):
    """The same code again leaves the gate open, or undecided on a loud host, never regressed."""
    place, _ = demo
    unchanged = report(place, "unchanged")
    assert unchanged["exit_status"] in {0, 5}, unsound(unchanged)
    assert not unsound(unchanged)


@pytest.mark.night
@pytest.mark.alone
def test_a_planted_slowdown_is_never_let_in(demo):
    """About 20 % more real work is proven, or undecided; what passes says that it could not see it.

    Whatever is called regressed is proven with its bound and its pairs.
    """
    place, done = demo
    slower = report(place, "slower")
    assert slower["exit_status"] in {0, 5, 10}, unsound(slower)
    assert not unsound(slower)
    for one in slower["findings"]:
        if one["verdict"] == "regressed":
            assert slower["exit_status"] == 10
            assert one["loss_low"] > one["negligible"]
            assert one["trials_head"] >= 5
        elif one["verdict"] == "passed" and one["role"] == "gate":
            assert one["tolerance_used"] > one["tolerance"], one
            assert any("too noisy for" in warning for warning in one["warnings"]), one
    for name in ("unchanged", "slower"):
        assert f"reports/demo/reports/{name}/report.html" in done.out


@pytest.mark.night
@pytest.mark.alone
def test_the_demo_reports_its_two_checks_by_its_exit_status(demo):
    """Status 0 stands for open and closed as expected, 5 for a host too noisy to show it."""
    place, done = demo
    seen = (report(place, "unchanged")["exit_status"], report(place, "slower")["exit_status"])
    assert done.status == (0 if seen == (0, 10) else 5)
    assert "Traceback" not in done.err


class Beside:
    """A watch that tells after every trial of a neighbour on a processor."""

    limits, blind = Limits(), ()

    def begin(self):
        """Nothing has to be looked at."""

    def end(self, used):
        """What others used meanwhile."""
        return (Disturbance(kind="foreign_cpu", text="others used 0.97 CPUs"),)


def beside_a_neighbour(seed):
    """Trials as they come where another program uses a processor in bursts.

    Neighbouring ones differ by 6 %, as they did beside two such programs; one of ten is a quarter
    longer, and all of them get slower by a third meanwhile.
    """
    clock = itertools.count()

    def trial(harness, context):
        dice = random.Random(f"{seed} {context.benchmark.name} {context.side} {context.index}")
        slower = context.environment.get("SMOKE_PAUSE_US") == "240"
        time = dice.lognormvariate(0, 0.042) * (1.25 if dice.random() < 0.1 else 1)
        time *= (1.2 if slower else 1) * (1 + min(next(clock), 100) / 300)
        return Reading(
            values=tuple(
                Value(metric=name, value=time if kind.better is Better.LOWER else 1e4 / time)
                for name, kind in harness.kinds.items()
            )
        )

    return trial


@pytest.mark.parametrize("seed", [0, *at_night(range(1, 20))])
def test_the_demo_opens_and_closes_beside_a_neighbour(seed, tmp_path):
    """Played: foreign work in every trial, 6 % between neighbours, a host that gets slower: 0 and 10."""

    def inside(arguments, **_):
        return SimpleNamespace(
            returncode=run_gate([*arguments[3:], "--no-why"], watch=Beside()).status
        )

    played = [
        mock.patch.multiple(
            harness,
            tools=lambda *_: {"played": "1"},
            check=lambda *_: None,
            prepare=lambda *_: None,
            trial=beside_a_neighbour(seed),
        )
        for harness in (Fio, Hyperfine, PytestBenchmark)
    ]
    with contextlib.ExitStack() as stack:
        for one in played:
            stack.enter_context(one)
        stack.enter_context(mock.patch("gate.cli.demo.subprocess", SimpleNamespace(run=inside)))
        done = run_gate(["demo"], cwd=tmp_path)
    assert done.status == 0, done
    unchanged, slower = report(tmp_path, "unchanged"), report(tmp_path, "slower")
    assert (unchanged["gate"], slower["verdict"]) == ("open", "regressed")
    assert {one["code"] for one in slower["findings"] if one["role"] == "gate"} == {"G060"}


def test_a_demo_that_cannot_measure_says_so(tmp_path):
    """A check that failed ends the demo with 4, and the second one is not begun."""
    called = mock.Mock(return_value=SimpleNamespace(returncode=4))
    with mock.patch("gate.cli.demo.subprocess", SimpleNamespace(run=called)):
        done = run_gate(["demo"], cwd=tmp_path)
    assert done.status == 4, done
    assert "error[G050]: gate check" in done.err
    assert called.call_count == 1
    assert not (tmp_path / "reports/demo/reports").exists()


@pytest.mark.proof
def test_the_demo_as_a_newcomer_runs_it(tmp_path):
    """Watched, in processes of its own: open for the same code, closed for about 20 % more work."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("GATE_", "PYTEST_"))}
    process = subprocess.run(
        [*GATE, "demo"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    done = Answer(process.returncode, process.stdout, process.stderr)
    assert "Traceback" not in done.err
    unchanged, slower = report(tmp_path, "unchanged"), report(tmp_path, "slower")
    assert unchanged["exit_status"] in {0, 5}, done.err
    assert slower["exit_status"] in {5, 10}, done.err
    if done.status == 5:
        pytest.skip("the machine was too noisy for the demo, and its checks said so")
    assert (slower["gate"], slower["verdict"], slower["exit_status"]) == ("closed", "regressed", 10)
    assert done.status == 0


@pytest.mark.night
@pytest.mark.alone
def test_the_demo_writes_only_below_its_own_directory(demo):
    """Nothing beside reports/demo/ appears or changes, and no data file of fio is left."""
    place, _ = demo
    assert sorted(path.name for path in place.iterdir()) == ["mine.txt", "reports"]
    assert (place / "mine.txt").read_text(encoding="utf-8") == "not yours"
    assert [path.name for path in (place / "reports").iterdir()] == ["demo"]
    assert not list(place.rglob("*.dat"))


def test_the_demo_refuses_a_directory_it_did_not_make(tmp_path):
    """A directory with somebody's files is named and left as it is."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "precious.json").write_text("{}", encoding="utf-8")
    before = tree(tmp_path)
    done = subprocess.run(
        [*GATE, "demo", "--out", "results"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "error[G222]: results:" in done.stderr
    assert tree(tmp_path) == before
