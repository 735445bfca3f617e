"""What of the environment reaches a workload: a few names, and what the profile names."""

from __future__ import annotations

import json
import shutil

import pytest
from builders import run_gate
from silent.passes import OUT

STRANGERS = {
    "PYTHONPATH": "/x", "PYTHONHASHSEED": "7", "LD_LIBRARY_PATH": "/x", "OMP_NUM_THREADS": "1",
    "GOMAXPROCS": "1", "AMOUNT": "7", "PYTEST_ADDOPTS": "--benchmark-timer=no.such",
    "MALLOC_ARENA_MAX": "1", "NODE_OPTIONS": "--x", "UNHEARD_OF": "1",
}  # fmt: skip
PROFILE = 'harness = "hyperfine"\ntrials = { screen = 2 }\n[metric.wall]\ntolerance = "400%"\n'


@pytest.fixture
def write(tmp_path):
    def into(text, **files):
        (tmp_path / "profiles").mkdir(exist_ok=True)
        for name, content in {"p.toml": text, **files}.items():
            (tmp_path / "profiles" / name).write_text(content, encoding="utf-8")
        return tmp_path

    return into


def run(root, *words, **env):
    shutil.rmtree(root / "reports", ignore_errors=True)
    return run_gate(("run", "p", "--quiet", *words), cwd=root, env=env)


def session(root, number=1):
    return json.loads((root / f"reports/sessions/p-{number:03}.json").read_text("utf-8"))


def test_what_the_profile_does_not_name_does_not_arrive(write):
    """Of ten variables of the gate's own environment none reaches the command; PATH and HOME do."""
    root = write("command = 'sh -c \"env > $GATE_WORK/../../../../seen\"'\n" + PROFILE)
    answer = run(root, **STRANGERS)
    assert answer.status == 0, answer
    lines = (root / "seen").read_text("utf-8").splitlines()
    names = {line.partition("=")[0] for line in lines}
    assert not names & STRANGERS.keys()
    assert {"PATH", "HOME", "LC_ALL", "GATE_WORK"} <= names


def test_options_of_pytest_do_not_arrive(write):
    """PYTEST_ADDOPTS of the gate's environment changes no timer of a pytest benchmark."""
    root = write(
        'harness = "pytest-benchmark"\ntests = ["test_a.py::test_a"]\ntrials = { screen = 2 }\n'
        "[metric.minimum]\n"
    )
    (root / "test_a.py").write_text("def test_a(benchmark): benchmark(int)\n", "utf-8")
    answer = run(root, PYTEST_ADDOPTS="--benchmark-timer=no.such")
    assert answer.status == 0, answer


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ("command = 'sh -c \"sleep 0.0$AMOUNT\"'\n", "command"),
        ("command = 'true'\nprepare = 'test ${{AMOUNT:-3}} = 7'\n", "prepare"),
        ("command = 'sleep 0.2'\n[background]\ncommand = 'sleep 0.0$AMOUNT'\n", "background"),
    ],
)
def test_a_variable_that_a_command_uses_must_be_named(write, keys, place):
    """$AMOUNT in a command is refused with the line to write; named, it arrives."""
    text = keys + PROFILE if "[" not in keys else keys.replace("[", PROFILE + "[", 1)
    root = write(text)
    answer = run(root, AMOUNT="7")
    assert answer.status == 2, answer
    assert "error[G286]" in answer.err
    assert 'inherits = ["AMOUNT"]' in " ".join(answer.err.split())
    root = write('inherits = ["AMOUNT"]\n' + text)
    assert run(root, AMOUNT="7").status == 0


def test_a_variable_that_a_job_uses_must_be_named(write):
    """${AMOUNT} in a fio job, likewise."""
    job = "[j]\nioengine=psync\nsize=${AMOUNT}k\nrw=write\n"
    text = 'harness = "fio"\njob = "j.fio"\ntrials = { screen = 2 }\n[metric.iops]\n'
    root = write(text, **{"j.fio": job})
    answer = run(root, AMOUNT="64")
    assert (answer.status, "error[G286]" in answer.err) == (2, True), answer
    root = write('inherits = ["AMOUNT"]\n' + text)
    assert run(root, AMOUNT="64").status == 0
    known = session(root)["environment"]
    assert known["AMOUNT"].startswith("sha256:")
    assert "64" not in known["AMOUNT"][:9]


def test_a_variable_of_the_shells_own_is_no_stranger(write):
    """What a command sets itself, or the profile does, needs no naming."""
    root = write(
        "command = 'sh -c \"for i in 1 2; do a=$i; echo $a $B; done; read c </dev/null; echo $c\"'\n"
        'environment = { B = "1" }\n' + PROFILE
    )
    assert run(root, i="x", a="x", c="x").status == 0


@pytest.mark.slow
def test_another_value_than_the_baselines_is_a_finding(write):
    """A baseline with AMOUNT=1 is not compared with a check under AMOUNT=2."""
    text = PROFILE.replace("400%", "60%")
    root = write('inherits = ["AMOUNT"]\ncommand = \'sh -c "sleep 0.$AMOUNT"\'\n' + text)
    assert run(root, "--repeat", "5", AMOUNT="1").status == 0
    sessions = sorted((root / "reports/sessions").glob("*.json"))
    answer = run_gate(("baseline", "accept", *sessions, "--reason", "first"), cwd=root)
    assert answer.status == 0, answer
    assert run_gate(("check", "p", *OUT), cwd=root, env={"AMOUNT": "1"}).status == 0
    shutil.rmtree(root / "out")
    answer = run_gate(("check", "p", *OUT), cwd=root, env={"AMOUNT": "2"})
    assert answer.status == 5, answer
    found = json.loads((root / "out/report.json").read_text("utf-8"))["findings"]
    assert [one["code"] for one in found] == ["G049"]
    assert "AMOUNT" in found[0]["headline"]


@pytest.mark.slow
def test_compare_passes_what_its_commands_name(tmp_path):
    """`gate compare` of two commands that use $AMOUNT needs no profile: what they name arrives."""
    words = ("compare", "test $AMOUNT = 7 && sleep 0.01", 'test "${AMOUNT}" = 7; sleep 0.01')
    more = ("--pairs", "9", "--tolerance", "400%")
    answer = run_gate((*words, *more), cwd=tmp_path, env={"AMOUNT": "7", "OTHER": "1"})
    assert answer.status == 0, answer
