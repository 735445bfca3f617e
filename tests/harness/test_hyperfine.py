"""hyperfine: both export schemas, the real program, and its silent passes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import InputError, MeasureError, TrialFailed, TrialTimeout
from gate.harness import load_harness
from gate.harness.expand import expand
from gate.harness.hyperfine import _only_run, parse
from gate.model import Side, Work

HYPERFINE = load_harness("hyperfine")
OUTPUT = Path(__file__).parents[1] / "data" / "tool-output"


@pytest.fixture
def single(recorded):
    return recorded("hyperfine-1.20.0-single.json")


def test_single_1_15(recorded, figures):
    """A recorded single run of 1.15 gives wall, user, system and cpu, and no memory."""
    assert figures(_only_run(recorded("hyperfine-1.15.0-single.json")).values) == {
        "wall": 0.011264139000000001,
        "user": 0.000824,
        "system": 0.0,
        "cpu": 0.000824,
    }


def test_single_1_20(single, figures):
    """From 1.20 on the peak memory is there."""
    assert figures(_only_run(single).values) == {
        "wall": 0.011176388,
        "user": 0.0,
        "system": 0.000946,
        "cpu": 0.000946,
        "memory": 3149824.0,
    }


def test_schema_2(recorded, figures):
    """A recorded 2.0 export gives every run with all its values."""
    version, results = parse(recorded("hyperfine-2.0.0.json"))
    assert version == "2.0.0"
    assert [result.name for result in results] == ["cp-1[sz=1]", "cp-4[sz=4]"]
    assert [len(result.runs) for result in results] == [3, 3]
    assert figures(results[0].runs[1].values) == {
        "wall": 0.00387892,
        "user": 0.000992,
        "system": 0.0,
        "cpu": 0.000992,
        "memory": 3358720.0,
    }


def test_several_runs_have_no_cpu(recorded, figures):
    """1.x exports only means of user and system: with several runs they are no one's values."""
    _, results = parse(recorded("hyperfine-1.20.0.json"))
    assert [figures(run.values) for run in results[0].runs] == [
        {"wall": 0.0, "memory": 3403776},
        {"wall": 0.0009479384999999999, "memory": 3403776},
        {"wall": 0.005383003499999999, "memory": 3403776},
    ]


@pytest.mark.parametrize("schema", [1, 3, "2", True, None, [[]]])
def test_unknown_schema(recorded, schema):
    """An unknown schema_version is refused, not guessed."""
    raw = json.loads(recorded("hyperfine-2.0.0.json"))
    raw["schema_version"] = schema
    with pytest.raises(TrialFailed, match="schema_version"):
        parse(json.dumps(raw))


def test_mixed_schemas(recorded):
    """A 2.x marker on a 1.x body, and the other way round, is refused."""
    old = json.loads(recorded("hyperfine-1.15.0.json"))
    with pytest.raises(TrialFailed):
        parse(json.dumps({**old, "schema_version": 2}))
    new = json.loads(recorded("hyperfine-2.0.0.json"))
    del new["schema_version"]
    with pytest.raises(TrialFailed):
        parse(json.dumps(new))


def test_foreign_unit(recorded):
    """A time in another unit than seconds is refused."""
    text = recorded("hyperfine-2.0.0.json").replace('"unit": "second"', '"unit": "millisecond"')
    with pytest.raises(TrialFailed, match="unit"):
        parse(text)


def test_count_of_runs(recorded):
    """A trial takes exactly one result with exactly one run."""
    for name in ("hyperfine-1.15.0.json", "hyperfine-2.0.0.json"):
        with pytest.raises(TrialFailed, match="2 results with 6 runs"):
            _only_run(recorded(name))


def test_exit_codes(single):
    """A run with a non-zero or missing exit code is no measurement."""
    raw = json.loads(single)
    for code, said in ((1, "status 1"), (None, "a signal")):
        raw["results"][0]["exit_codes"] = [code]
        with pytest.raises(TrialFailed, match=said):
            _only_run(json.dumps(raw))
    raw["results"][0]["exit_codes"] = []
    with pytest.raises(TrialFailed, match="partial"):
        _only_run(json.dumps(raw))


@pytest.mark.parametrize("time", ["0.0", "-0.5", "NaN", "Infinity", "1e999", "null", "true"])
def test_bad_times(single, time):
    """Zero, negative and non-numbers are no times."""
    with pytest.raises(TrialFailed):
        _only_run(single.replace("0.011176388\n      ]", f"{time}\n      ]"))


def test_cut_anywhere(single):
    """An export that is cut off anywhere is refused."""
    for end in range(len(single.rstrip())):
        with pytest.raises(TrialFailed):
            parse(single[:end])


@given(st.text() | st.text().map(lambda text: '{"results": [' + text))
def test_arbitrary_text(text):
    """For any text the parser raises TrialFailed and nothing else."""
    with pytest.raises(TrialFailed):
        parse(text)


def test_tools(make):
    """The version is told."""
    context = make(Work(command="true"))
    assert HYPERFINE.tools(context.profile, context.environment)["hyperfine"][0] in "12"


@pytest.mark.parametrize(
    ("said", "code"), [("hyperfine 1.14.0", "G231"), ("hyperfine 3.0.0", "G231"), ("x", "G231")]
)
def test_versions(make, tmp_path, said, code):
    """Versions below 1.15 and from 3 on are refused."""
    program = tmp_path / "hyperfine"
    program.write_text(f"#!/bin/sh\necho '{said}'\n")
    program.chmod(0o755)
    with pytest.raises(MeasureError) as caught:
        HYPERFINE.tools(make(Work()).profile, {"PATH": f"{tmp_path}:/bin"})
    assert caught.value.code == code


def test_missing(make):
    """A missing hyperfine is G230."""
    with pytest.raises(MeasureError) as caught:
        HYPERFINE.tools(make(Work()).profile, {"PATH": "/nonexistent"})
    assert caught.value.code == "G230"


@pytest.mark.parametrize("shell", ["none", "sh", "default"])
def test_trial(make, tmp_path, shell, figures):
    """Prepare, warm-ups and the run happen in this order, in the project root."""
    (tmp_path / "log.sh").write_text('echo "$1" >> log\nsleep 0.02\n')
    work = Work(
        command="sh log.sh {n}",
        shell=shell,
        prepare="echo prepare >> log; true",
        warmup=2,
    )
    context = make(work, metrics=("wall", "user", "system", "cpu"), params={"n": "a b"})
    HYPERFINE.check(context)
    values = figures(HYPERFINE.trial(context).values)
    assert values["wall"] > 0
    assert (tmp_path / "log").read_text().split("\n") == ["prepare", "a b", "a b", "a b", ""]


@pytest.mark.parametrize(
    ("name", "memory"),
    [("hyperfine-1.20.0-single.json", 3149824.0), ("hyperfine-2.0.0-one-run.json", 2961408.0)],
)
def test_trial_of_newer_versions(make, tmp_path, figures, name, memory):
    """A trial with the recorded export of a newer version reads its peak memory."""
    program = tmp_path / "bin" / "hyperfine"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nwhile [ "$1" != --export-json ]; do shift; done\ncp "{OUTPUT / name}" "$2"\n'
    )
    program.chmod(0o755)
    context = make(
        Work(command="sleep 0.02"),
        metrics=("memory",),
        environment={"PATH": f"{program.parent}:/usr/bin:/bin"},
    )
    assert figures(HYPERFINE.trial(context).values)["memory"] == memory


def test_memory_of_the_installed_version(make):
    """Asking for memory gives it from 1.20 on, and before fails with the cure."""
    environment = {"PATH": "/usr/bin:/bin"}
    version = HYPERFINE.tools(make(Work()).profile, environment)["hyperfine"]
    context = make(Work(command="sleep 0.02"), metrics=("memory",), environment=environment)
    if tuple(map(int, version.split(".")[:2])) < (1, 20):
        with pytest.raises(TrialFailed, match=r"memory: hyperfine gives .* 1\.20"):
            HYPERFINE.trial(context)
    else:
        assert HYPERFINE.trial(context).values


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (Work(command="false"), "the command ended with status 1"),
        (Work(command="nonexistent-program"), "hyperfine ended with status"),
        (Work(command="sleep 0", prepare="exit 3"), "the prepare command ended with status 3"),
        (Work(command="sh -c 'exit 4'", warmup=1), "a warm-up run ended with status 4"),
    ],
)
def test_failures(make, work, said):
    """A failing command, prepare or warm-up is a failed trial."""
    with pytest.raises(TrialFailed, match=said):
        HYPERFINE.trial(make(work))


def test_timeout(make):
    """A hanging command is killed."""
    with pytest.raises(TrialTimeout):
        HYPERFINE.trial(make(Work(command="sleep 60"), timeout=0.5))


def test_expansion(make):
    """Values become single words whatever they hold, and doubled braces stay braces."""
    context = make(
        Work(), params={"n": "$(rm -rf x); '"}, side_directory=Path("/x y"), side=Side.BASE
    )
    assert expand("{side}/bin --n={n} {{x}} }}{{", context) == (
        "'/x y'/bin --n='$(rm -rf x); '\"'\"'' {x} }{"
    )


@pytest.mark.parametrize(
    "command", ["run {nn}", "run {", "run }", "run {n", "run {}", "run ${HOME}"]
)
def test_unknown_name(make, command):
    """An unknown or malformed name says what is allowed."""
    with pytest.raises(InputError, match=r"\{side\}, \{n\}") as caught:
        HYPERFINE.check(make(Work(command=command), params={"n": "1"}))
    assert caught.value.code == "G233"


def test_no_side(make):
    """`{side}` without a directory names the option."""
    with pytest.raises(InputError, match="--head DIR") as caught:
        HYPERFINE.check(make(Work(command="{side}/x")))
    assert caught.value.code == "G234"


@pytest.mark.parametrize("work", [Work(), Work(command="  "), Work(command="echo 'x")])
def test_bad_commands(make, work):
    """An absent, empty or unbalanced command is refused before anything runs."""
    with pytest.raises(InputError):
        HYPERFINE.check(make(work))
