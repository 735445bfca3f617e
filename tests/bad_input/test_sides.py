"""Sides that make no difference, and paths that would let everything through."""

import pytest
from builders import run_gate, unchanged, write_replay_project

HYPERFINE = """harness = "hyperfine"
command = "{command}"
[side.base]
dir = "a"
[side.head]
dir = "b"
[metric.cpu]
"""


@pytest.fixture
def project(tmp_path):
    """A project with two side directories and no profile yet."""
    for name in ("a", "b", "profiles"):
        (tmp_path / name).mkdir()
    return tmp_path


def write(project, command, tail=""):
    text = HYPERFINE.format(command=command) + tail
    (project / "profiles" / "p.toml").write_text(text, encoding="utf-8")


def test_a_command_that_ignores_its_sides_is_refused(project):
    """Two directories for a command without {side} would compare a thing with itself."""
    write(project, "./tool")
    with unchanged(project):
        answer = run_gate(["check", "p", "--quiet"], cwd=project)
    assert answer.status == 2
    assert "error[G237]: profiles/p.toml: sides are given" in answer.err


def test_directories_of_the_command_line_are_refused_likewise(project):
    """--base and --head for a command without {side} do not pass in silence either."""
    (project / "profiles" / "p.toml").write_text(
        'harness = "hyperfine"\ncommand = "true"\n[metric.cpu]\n', encoding="utf-8"
    )
    for options in (["--base", "a", "--head", "b"], ["--head", "b"], ["--base", "a"]):
        answer = run_gate(["check", "p", "--quiet", *options], cwd=project)
        assert (answer.status, "error[G237]" in answer.err) == (2, True), options


def test_environments_make_a_difference(project):
    """Sides that differ by a variable are sides, whatever the command says."""
    write(project, "true", '[side.head.env]\nMODE = "new"\n')
    text = (project / "profiles" / "p.toml").read_text(encoding="utf-8")
    (project / "profiles" / "p.toml").write_text(
        text.replace('[side.head]\ndir = "b"\n', "").replace("[side.head.env]", "[side.head.env]"),
        encoding="utf-8",
    )
    answer = run_gate(["run", "p", "--quiet"], cwd=project)
    assert "G237" not in answer.err


def test_a_parameter_that_the_command_ignores_is_refused(project):
    """A matrix key that the command does not use would measure one thing under two names."""
    (project / "profiles" / "p.toml").write_text(
        'harness = "hyperfine"\ncommand = "true"\nmatrix = { n = [1, 2] }\n[metric.cpu]\n',
        encoding="utf-8",
    )
    answer = run_gate(["run", "p"], cwd=project)
    assert answer.status == 2
    assert "profiles/p.toml:3: matrix: the command does not use {n}." in answer.err


def test_new_is_not_let_through_where_there_is_no_baseline_directory(tmp_path):
    """--allow new with a mistyped directory is an error, not an open gate."""
    project = write_replay_project(tmp_path)
    answer = project.gate("check", "p", "--allow", "new", "--baseline", "baslines", "--quiet")
    assert answer.status == 2
    assert "error[G201]: baslines: there is no such directory" in answer.err
