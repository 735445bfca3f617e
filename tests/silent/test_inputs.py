"""What ran is what was reviewed: a change that edits its own benchmark is measured by the old one."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from builders import run_gate

COMMAND = """
harness = "hyperfine"
command = "COMMAND"
trials = { screen = 2, confirm_pairs = 9 }
[metric.wall]
tolerance = "400%"
"""
TESTS = """
harness = "pytest-benchmark"
tests = ["bench/test_it.py::test_it"]
trials = { screen = 2, confirm_pairs = 9 }
[metric.minimum]
tolerance = "400%"
"""
TEST = """
import pathlib, tool
def test_it(benchmark):
    tool.note("LEVEL")
    benchmark(tool.work)
"""


class Project:
    """A project on `main`, checked out as ../base too; what is edited is the change."""

    def __init__(self, root, profile, files):
        self.root, self.log = root / "head", root / "log"
        self.log.touch()
        self.write({"profiles/p.toml": profile, ".gitignore": "out/\n__pycache__/\n", **files})
        self.git("init", "-q", "-b", "main")
        self.commit()
        self.git("worktree", "add", "-q", "--detach", str(root / "base"))

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("LOG", str(self.log)), encoding="utf-8")
            path.chmod(0o755)

    def git(self, *words):
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(("git", *who, "-C", self.root, *words), check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "one")

    def check(self, *more, sides=("--head", ".")):
        """`gate check` of what the change makes of the project, against its merge base."""
        shutil.rmtree(self.root / "out", ignore_errors=True)
        self.log.write_text("", encoding="utf-8")
        words = ("check", "p", "--merge-base", "main", *sides, "--no-why", "--out", "out", *more)
        self.answer = run_gate(words, cwd=self.root)
        return self.answer

    @property
    def report(self):
        return json.loads((self.root / "out/report.json").read_text("utf-8"))

    @property
    def ran(self):
        """The levels of the benchmark that any trial ran."""
        return set(self.log.read_text("utf-8").split())

    @property
    def edits(self):
        return " ".join(one["headline"] for one in self.report["edits"])


TOOL = "def note(level):\n    open('LOG', 'a').write(level + '\\n')\ndef work():\n    sum(range(999))\n"
SCRIPT = "echo old >> LOG\npython3 $1/tool.py\n"
BOTH = ("--base", "../base", "--head", ".")


def old_and_new(text):
    return text.replace("old", "new")


@pytest.mark.slow
def test_the_body_of_a_pytest_benchmark(tmp_path):
    """A test whose body the change edits is the merge base's on both sides, and the edit is shown."""
    files = {"bench/test_it.py": TEST.replace("LEVEL", "old"), "tool.py": TOOL}
    project = Project(tmp_path, TESTS, files)
    project.write({"bench/test_it.py": TEST.replace("LEVEL", "new")})
    answer = project.check(sides=BOTH)
    assert project.ran == {"old"}, answer
    assert "bench/test_it.py" in project.edits


@pytest.mark.slow
def test_a_new_conftest(tmp_path):
    """A conftest.py that the change adds, beside the tests or above them, is not in force."""
    conftest = "import tool\ntool.note('new')\n"
    files = {"bench/test_it.py": TEST.replace("LEVEL", "old"), "tool.py": TOOL}
    project = Project(tmp_path, TESTS, files)
    project.write({"conftest.py": conftest, "bench/conftest.py": conftest})
    answer = project.check()
    assert project.ran == {"old"}, answer
    assert "conftest.py" in project.edits


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("sh bench/run.sh {side}", "bench/run.sh"),
        ("sh -c 'cd profiles/work && sh run.sh {side}'", "profiles/work/run.sh"),
        ("sh -c 'cd profiles && cd work && ./run {side}'", "profiles/work/run"),
        ("profiles/work/run {side}", "profiles/work/run"),
    ],
)
def test_a_script_that_the_command_runs(tmp_path, command, script):
    """Named by the command outside profiles/, reached by `cd`, or without an extension."""
    text = f"#!/bin/sh\n{SCRIPT}"
    files = {script: text, "tool.py": "pass\n"}
    project = Project(tmp_path, COMMAND.replace("COMMAND", command), files)
    project.write({script: old_and_new(text)})
    answer = project.check()
    assert project.ran == {"old"}, answer
    assert script in project.edits


@pytest.mark.slow
def test_a_script_in_a_subfolder(tmp_path):
    """What a script runs in a folder below its own is the merge base's as well."""
    files = {
        "profiles/work/run.sh": "sh profiles/work/inner/more $1\n",
        "profiles/work/inner/more": SCRIPT,
        "tool.py": "pass\n",
    }
    project = Project(tmp_path, COMMAND.replace("COMMAND", "sh profiles/work/run.sh {side}"), files)
    project.write({"profiles/work/inner/more": old_and_new(SCRIPT)})
    answer = project.check()
    assert project.ran == {"old"}, answer
    assert "profiles/work/inner/more" in project.edits


@pytest.mark.slow
@pytest.mark.parametrize("how", ["named by the profile", "named by the command"])
def test_a_data_file_outside_profiles(tmp_path, how):
    """Data that the benchmark reads is the merge base's where it is an input."""
    command, inputs = "sh profiles/work/run.sh {side}", 'inputs = ["data/**"]\n'
    if how == "named by the command":
        command, inputs = f"{command} data/size", ""
    script = "cat data/size >> LOG\npython3 $1/tool.py\n"
    files = {"profiles/work/run.sh": script, "data/size": "old\n", "tool.py": "pass\n"}
    project = Project(tmp_path, inputs + COMMAND.replace("COMMAND", command), files)
    project.write({"data/size": "new\n"})
    answer = project.check()
    assert project.ran == {"old"}, answer
    assert "data/size" in project.edits


HALVES = """
import sys, time
until = time.process_time() + float(sys.argv[1])
while time.process_time() < until: pass
"""


@pytest.mark.night
def test_a_halved_benchmark_hides_no_loss(tmp_path):
    """A product of twice the cost, and a benchmark of half the work: the loss is proven."""
    files = {
        "bench/run.sh": "python3 $1/tool.py; python3 $1/tool.py\n",
        "tool.py": HALVES.replace("sys.argv[1]", "0.1"),
    }
    profile = COMMAND.replace("COMMAND", "sh bench/run.sh {side}").replace("400%", "20%")
    project = Project(tmp_path, profile.replace("confirm_pairs = 9", "confirm_pairs = 60"), files)
    project.write(
        {"bench/run.sh": "python3 $1/tool.py\n", "tool.py": HALVES.replace("sys.argv[1]", "0.2")}
    )
    answer = project.check(sides=BOTH)
    assert answer.status == 10, answer
