"""`gate compare`: a first verdict without a profile, a baseline or a file left behind."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from builders import run_gate, tree

from gate.errors import InputError
from gate.formats.profile.comparison import ComparedWork, comparison_profile, comparison_text
from gate.formats.profile.profile_file import read_profile

SPIN = "import sys\nfor _ in range(int(sys.argv[1])): sum(range(1000))\n"


@pytest.fixture
def place(tmp_path):
    """A directory with a command whose work is its argument."""
    (tmp_path / "spin.py").write_text(SPIN, encoding="utf-8")
    return tmp_path


def compare(place, *arguments):
    return run_gate(["compare", *arguments], cwd=place)


@pytest.mark.slow
def test_a_slower_command_is_proven_without_any_set_up(place):
    """Twice the work, by CPU time on whatever machine: status 10, and nothing is left behind."""
    before = tree(place)
    done = compare(place, "--metric", "cpu", "python3 spin.py 4000", "python3 spin.py 12000")
    assert done.status == 10, done
    assert done.out.startswith("✗ regressed: cpu\n")
    assert "proven by" in done.out
    assert "can detect" in done.out
    assert len(done.out.splitlines()) <= 10
    assert tree(place) == before


@pytest.mark.night
def test_one_command_in_two_trees(place):
    """{side} stands for either tree; the report is kept where a directory was named for it."""
    for side, work in (("old", 12000), ("new", 4000)):
        (place / side).mkdir()
        (place / side / "tool.py").write_text(SPIN.replace("int(sys.argv[1])", str(work)), "utf-8")
    trees = ["--base", "old", "--head", "new", "--metric", "cpu", "--out", "kept"]
    done = compare(place, *trees, "--", "python3", "{side}/tool.py")
    assert done.status in {0, 5}, done  # a gain this large may have to be accepted first
    report = json.loads((place / "kept/report.json").read_text("utf-8"))
    assert [one["loss"] < -0.2 for one in report["findings"] if one["role"] == "gate"] == [True]
    assert (place / "kept/report.html").is_file()
    assert compare(place, *trees, "--", "python3", "{side}/tool.py").status == 2  # never over it


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], "G200", "there must be one thing to compare"),
        (["true"], "G200", "two commands are compared, and 1 are given"),
        (["a", "b", "c"], "G200", "two commands are compared, and 3 are given"),
        (["sleep 1", "sleep  1"], "G237", "both commands are the same: sleep 1"),
        (["--fio", "x.fio", "a", "b"], "G200", "there must be one thing to compare"),
        (["--fio", "x.fio"], "G201", "the fio job cannot be read"),
        (["--tolerance", "0", "a", "b"], "G200", "--tolerance"),
        (["--base", "a", "--head", "b", "--", "true"], "G237", "nothing that is run differs"),
        (["--metric", "speed", "a", "b"], "G210", "error[G210]: hyperfine has no metric speed"),
        (["--base", "a", "--head", "b", "--pytest", "x.py"], "G201", "pytest finds no test there"),
    ],
)
def test_what_cannot_be_compared_is_said_with_its_cure(place, arguments, code, said):
    """Each before anything is measured, with status 2 and nothing written."""
    for side in "ab":
        (place / side).mkdir()
    before = tree(place)
    done = compare(place, *arguments)
    assert done.status == 2, done
    assert f"error[{code}]" in done.err
    assert said in done.err
    assert tree(place) == before


@pytest.mark.parametrize(
    "asked",
    [
        ComparedWork(words=("./old 'a b' | cat", './new "x"'), sides=False),
        ComparedWork(words=("{side}/tool --all",), sides=True, metrics=("cpu",), tolerance="2%"),
        ComparedWork(words=("{side}/tool", "a b", "--x={side}"), sides=True),
        ComparedWork(tests=("bench.py::test_x", "b.py::T::test_y[1]"), sides=True, pairs=30),
    ],
)
def test_the_profile_that_was_used_is_what_is_saved(tmp_path, asked):
    """The text reads back as the profile that was measured, but for where it stands."""
    path = tmp_path / "profiles/compare.toml"
    path.parent.mkdir()
    path.write_text(comparison_text(asked), encoding="utf-8")
    tomllib.loads(comparison_text(asked))
    saved, used = read_profile(path), comparison_profile(asked)
    assert (saved.digest, saved.metrics, saved.trials) == (used.digest, used.metrics, used.trials)
    assert saved.sides == used.sides
    assert Path(used.root) == Path.cwd()


def test_a_saved_profile_knows_its_sides_and_its_job(tmp_path, monkeypatch):
    """A job elsewhere in the project is named from the profile, and the sides keep their variables."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/read.fio").write_text("[r]\nsize=1m\nthinktime=${PAUSE_US}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    asked = ComparedWork(job=Path("jobs/read.fio"), sides=True)
    text = comparison_text(asked, {"base": {"PAUSE_US": "1"}, "head": {}}, Path("profiles"))
    Path("profiles/saved.toml").write_text(text, "utf-8")
    saved = read_profile(Path("profiles/saved.toml"))
    assert saved.work.job_text == Path("jobs/read.fio").read_text("utf-8")
    assert saved.sides["base"].environment == {"PAUSE_US": "1"}


def test_a_pipe_needs_a_shell_that_tells_of_its_parts(monkeypatch):
    """Without bash a command behind a pipe could fail unnoticed, which would look like a gain."""
    monkeypatch.setattr("gate.formats.profile.comparison.shutil.which", lambda _: None)
    with pytest.raises(InputError, match="a pipe ends as its last part does"):
        comparison_text(ComparedWork(words=("a | b", "c | d"), sides=False))
    assert 'shell = "sh"' in comparison_text(ComparedWork(words=("a", "c"), sides=False))


def test_a_profile_that_cannot_be_saved_costs_no_measurement(place):
    """The wrong place is an error at once, before any trial."""
    done = compare(place, "--save-profile", "spin.py/x.toml", "true", "sleep 0")
    assert done.status != 0
    assert "trial" not in done.err


@pytest.mark.slow
def test_fio_is_compared_by_its_iops(place):
    """A job of which each side has its own pause: the slower one is proven."""
    (place / "read.fio").write_text(
        "[r]\nioengine=psync\nrw=randread\nbs=4k\nsize=1m\ntime_based\nruntime=200ms\n"
        "thinktime=${PAUSE_US}\n",
        encoding="utf-8",
    )
    sides = ["--base-env", "PAUSE_US=300", "--head-env", "PAUSE_US=900"]
    done = compare(place, *sides, "--fio", "read.fio")
    assert done.status == 10, done
    assert done.out.startswith("✗ regressed: iops\n")
    assert [path.name for path in place.iterdir() if path.suffix != ".py"] == ["read.fio"]


@pytest.mark.night
def test_tests_of_two_trees_are_compared(place):
    """pytest-benchmark in each tree's own directory: the slower one is proven."""
    for side, work in (("old", 300), ("new", 900)):
        (place / side).mkdir()
        text = f"def test_it(benchmark):\n    benchmark.pedantic(lambda: sum(range({work}00)), rounds=20)\n"
        (place / side / "test_bench.py").write_text(text, encoding="utf-8")
    done = compare(
        place, "--base", "old", "--head", "new", "--metric", "minimum", "--pytest", "test_bench.py"
    )
    assert done.status == 10, done
