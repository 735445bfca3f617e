"""What the workload really opens: what nobody named is told, and a pass that read no change is empty."""

from __future__ import annotations

import pytest
from builders import run_gate
from silent.test_inputs import COMMAND, TEST, TESTS, Project

from gate.measure import file_trace, trial

READS = "cat data/size > /dev/null\npython3 $1/tool.py\n"
HEAD = ("--head", "src")
PAIRS = ("--base", "../base/src", "--head", "src")
pytestmark = pytest.mark.slow


@pytest.fixture
def project(tmp_path):
    """A script that reads data which nobody named, and a product below src/."""
    files = {
        "profiles/work/run.sh": READS,
        "data/size": "old\n",
        "src/tool.py": "import part\n",
        "src/part.py": "pass\n",
        "notes/a": "a\n",
    }
    profile = COMMAND.replace("COMMAND", "sh profiles/work/run.sh {side}")
    return Project(tmp_path, profile, files)


def touched(project):
    return [one["headline"] for one in project.report["touched"]]


def test_an_edited_file_that_nobody_named_is_not_in_force(project):
    """Data that is read, edited by the change, below no side and no input: no pass counts."""
    project.write({"data/size": "new\n"})
    answer = project.check(sides=PAIRS)
    assert answer.status == 5, answer
    assert [one["code"] for one in project.report["findings"]] == ["G056"]
    assert "data/size is run as the change edits it" in project.report["findings"][0]["headline"]


def test_a_file_that_nobody_named_is_told(project):
    """The same data as it was at the merge base is named in a note, and closes nothing."""
    project.write({"src/part.py": "a = 1\n"})
    answer = project.check(sides=PAIRS)
    assert answer.status == 0, answer
    notes = " ".join(project.report["notes"])
    assert "neither below {side} nor named as inputs: data/size" in notes
    assert touched(project) == ["1 of 1 changed file read: src/part.py"]


def test_a_helper_in_the_root_that_is_the_head(tmp_path):
    """Where the head's directory is the project itself, the base's run tells whose a file is."""
    files = {"profiles/work/run.sh": "cat data/size\npython3 $1/tool.py\n", "data/size": "old\n",
             "tool.py": "pass\n"}  # fmt: skip
    profile = COMMAND.replace("COMMAND", "sh profiles/work/run.sh {side}")
    project = Project(tmp_path, profile, files)
    project.write({"data/size": "new\n", "tool.py": "pass \n"})
    answer = project.check(sides=("--base", "../base", "--head", "."))
    assert answer.status == 5, answer
    assert [one["code"] for one in project.report["findings"]] == ["G056"]


def test_a_change_that_nothing_reads_makes_an_empty_pass(project):
    """Three changed files, of which the workload opens none: the pass is empty, and that is said."""
    project.write({"notes/a": "b\n", "notes/b": "b\n", "notes/c": "c\n"})
    project.check(sides=HEAD)
    assert touched(project) == ["none of 3 changed files was read: this pass is empty"]
    assert "this pass is empty" in project.answer.out


@pytest.mark.night
def test_an_empty_pass_closes_where_the_profile_asks_for_it(project):
    """untouched = "close" in [subject], as for kernels."""
    path = project.root / "profiles/p.toml"
    path.write_text(path.read_text("utf-8") + '[subject]\nuntouched = "close"\n', "utf-8")
    project.commit()
    project.write({"notes/a": "b\n"})
    answer = project.check(sides=PAIRS)
    assert answer.status == 5, answer
    assert [one["code"] for one in project.report["findings"]] == ["G043"]


def test_what_was_built_of_the_change_is_not_known(project):
    """A changed source that nobody reads says nothing where a file is read that git ignores."""
    project.write({".gitignore": "out/\n__pycache__/\n*.bin\n", "src/made.bin": "x",
                   "src/tool.py": "open(__file__.replace('tool.py', 'made.bin'))\n"})  # fmt: skip
    project.commit()
    project.write({"src/code.c": "int a;\n"})
    project.check(sides=HEAD)
    said = "whether any of 1 changed file counted is unknown, because src/made.bin was read"
    assert touched(project) == [f"{said}, which git does not keep"]


def test_a_compiled_module_stands_for_its_source(tmp_path):
    """Python opens no source of a module whose compiled form is fresh; it was read all the same."""
    tool = "def note(level): pass\ndef work():\n    sum(range(999))\n"
    files = {"bench/test_it.py": TEST.replace("LEVEL", "old"), "tool.py": tool}
    project = Project(tmp_path, TESTS, files)
    project.write({"tool.py": tool.replace("999", "998")})
    project.check()
    assert touched(project) == ["1 of 1 changed file read: tool.py"]


def test_strace_where_there_is_no_root(project, monkeypatch):
    """Somebody else than root traces by strace, and finds the same."""
    monkeypatch.setattr(file_trace.os, "geteuid", lambda: 1000)
    project.write({"src/part.py": "a = 1\n", "data/size": "new\n"})
    project.check(sides=HEAD)
    assert touched(project) == ["1 of 1 changed file read: src/part.py"] or touched(project) == [
        "1 of 2 changed files read: src/part.py"
    ]
    session = (project.root / "out/p/head.json").read_text("utf-8")
    assert '"data/size"' in session.split('"edited"')[1]


def test_where_nothing_can_trace_that_is_said(project, monkeypatch):
    """Neither root nor strace: nobody knows, and the report says so; nothing is called empty."""
    monkeypatch.setattr(file_trace.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(file_trace, "is_installed", lambda _: False)
    project.write({"notes/a": "b\n"})
    project.check(sides=HEAD)
    assert "takes root, or strace, which is not installed" in touched(project)[0]
    assert "is not known of all: files were not traced" in " ".join(project.report["notes"])


def test_a_base_trial_in_the_screen_is_not_traced_again(project, monkeypatch):
    """One look at a benchmark in a check: among the head's trials, not once more for the base's."""
    run_gate(["run", "p", "--head", "src", "--repeat", "5", "--out", "first"], cwd=project.root)
    sessions = sorted((project.root / "first").rglob("*.json"))
    words = ["baseline", "accept", *sessions, "--reason", "r", "--by", "me"]
    assert run_gate(words, cwd=project.root).status == 0
    project.commit()
    project.write({"src/part.py": "a = 1\n"})
    looked = []
    trace = trial.trace_files
    monkeypatch.setattr(
        trial, "trace_files", lambda run, one: looked.append(one.name) or trace(run, one)
    )
    project.check(sides=PAIRS)
    assert (project.root / "out/p/base.json").is_file(), project.answer
    assert looked == ["p"]
