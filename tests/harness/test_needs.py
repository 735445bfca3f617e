"""Needed programs: found on the path of what is measured, told apart by version or content."""

from __future__ import annotations

import hashlib
import json

import pytest
from builders import write_replay_project

from gate.errors import TrialFailed
from gate.harness.process import demand_needs, version_of, versions_of
from gate.judge.verdict.comparable import other_tool
from gate.model import Need


@pytest.fixture
def program(tmp_path):
    """Write a program `tool` of this shell text into a directory of its own; its environment."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def write(text):
        path = folder / "tool"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return {"PATH": f"{folder}:/usr/bin:/bin"}

    return write


def need(version="", name="tool"):
    return Need(program=name, install="apt install tool", version=version)


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("4.00", "4.00"),
        ("dbench version 4.00 - Copyright", "4.00"),
        ("bzip2, a file compressor.  Version 1.0.8, 13-Jul-2019.", "1.0.8"),
        ("Version: ImageMagick 6.9.11-60 Q16", "6.9.11-60"),
        ("POV-Ray 3.7.0.10.unofficial", "3.7.0.10.unofficial"),
        ("release 12", "release 12"),
    ],
)
def test_version(program, said, version):
    """The version begins with its number, so that what stands before the first dot is the major."""
    environment = program(f"echo '{said}'; echo 9.9 more")
    assert version_of(need("tool --version"), environment) == version


def test_version_on_standard_error(program):
    """Some programs say their version on standard error."""
    assert version_of(need("tool -V"), program("echo 'tool 2.1' >&2")) == "2.1"


def test_content(program, tmp_path):
    """Without a version command twelve digits of the program's hash stand in."""
    environment = program("true")
    digest = hashlib.sha256((tmp_path / "bin" / "tool").read_bytes()).hexdigest()
    assert version_of(need(), environment) == f"sha256:{digest[:12]}"


def test_absolute_path(program, tmp_path):
    """A program may be named by its absolute path."""
    program("true")
    assert version_of(need(name=str(tmp_path / "bin" / "tool")), {}).startswith("sha256:")


@pytest.mark.parametrize(
    ("text", "word"),
    [("exit 3", "status 3"), ("true", "says nothing"), ("echo", "says nothing")],
)
def test_no_version(program, text, word):
    """A version command that fails or prints nothing is an error, not an empty version."""
    environment = program(text)
    with pytest.raises(TrialFailed, match=word):
        version_of(need("tool --version"), environment)
    assert versions_of([need("tool --version")], environment) == {}
    with pytest.raises(TrialFailed, match=word):
        demand_needs([need("tool --version")], {}, environment)


@pytest.mark.parametrize("path", ["/usr/bin", "", None])
def test_missing(program, path):
    """A missing program is named with the way to install it, whatever the gate's own path."""
    program("true")
    environment = {} if path is None else {"PATH": path}
    with pytest.raises(TrialFailed) as failure:
        demand_needs([need()], {}, environment)
    assert str(failure.value) == "tool is not installed: apt install tool"


def test_not_executable(program, tmp_path):
    """A file that may not be run is no program."""
    environment = program("true")
    (tmp_path / "bin" / "tool").chmod(0o644)
    with pytest.raises(TrialFailed, match="not installed"):
        demand_needs([need()], {}, environment)


def test_came_later(program):
    """A program that came after the sitting began is of a version that the session lacks."""
    with pytest.raises(TrialFailed, match="start anew"):
        demand_needs([need()], {}, program("true"))


@pytest.mark.parametrize(
    ("before", "after", "other"),
    [
        ("4.00", "4.01", False),
        ("4.00", "5.00", True),
        ("sha256:aaaaaaaaaaaa", "sha256:aaaaaaaaaaaa", False),
        ("sha256:aaaaaaaaaaaa", "sha256:aaaaaaaaaaab", True),
        ("4.00", "sha256:aaaaaaaaaaaa", True),
    ],
)
def test_comparable(before, after, other):
    """Another major version, or other content, is another tool."""
    assert (other_tool({"tool": before}, {"tool": after}) is not None) == other


NEEDS = '[needs.tool]\ninstall = "apt install tool"\nversion = "tool --version"'


def project_with_tool(tmp_path, program, version):
    environment = program(f"echo {version}")
    project = write_replay_project(tmp_path, tail=NEEDS)
    return project, environment


def session(project, environment, ends=(0,)):
    answer = project.gate("run", "p", "--json", "--quiet", env=environment)
    assert answer.status in ends, answer
    return project.root / answer.json["sessions"][0]["path"]


def accepted(project, environment):
    paths = [session(project, environment) for _ in range(5)]
    answer = project.gate("baseline", "accept", *paths, "--reason", "first", "--by", "me")
    assert answer.status == 0, answer


def codes(answer):
    return {(one["code"], one["verdict"]) for one in answer.json["findings"]}


def test_session_knows_it(tmp_path, program):
    """A session tells the version of each needed program among its tools."""
    project, environment = project_with_tool(tmp_path, program, "4.00")
    tools = json.loads(session(project, environment).read_text())["tools"]
    assert tools["tool"] == "4.00"


def test_absolute_path_in_a_baseline(tmp_path, program):
    """A program named by its path stands in the baseline and is compared from there."""
    environment = program("true")
    tail = f'[needs."{tmp_path}/bin/tool"]\ninstall = "make tool"'
    project = write_replay_project(tmp_path, tail=tail)
    accepted(project, environment)
    assert project.gate("check", "p", "--out", "o", "--quiet", env=environment).status == 0
    program("true # other content")
    answer = project.gate("check", "p", "--out", "q", "--json", "--quiet", env=environment)
    assert codes(answer) == {("G034", "incomparable")}


def test_missing_is_broken(tmp_path, program):
    """Without its program a profile is broken, never skipped, and the others are measured."""
    project, environment = project_with_tool(tmp_path, program, "4.00")
    accepted(project, environment)
    write_replay_project(tmp_path, name="q")
    (tmp_path / "bin" / "tool").unlink()
    answer = project.gate(
        "check", "p", "q", "--out", "o", "--allow", "new", "--json", "--quiet", env=environment
    )
    verdicts = {one["profile"]: (one["code"], one["verdict"]) for one in answer.json["findings"]}
    assert verdicts["p"] == ("G050", "broken")
    assert verdicts["q"][1] == "new"
    assert answer.status == 4
    said = next(one["headline"] for one in answer.json["findings"] if one["profile"] == "p")
    assert "tool is not installed: apt install tool" in said


def test_other_major_is_incomparable(tmp_path, program):
    """Another major version of a needed program cannot be compared with the baseline."""
    project, environment = project_with_tool(tmp_path, program, "4.00")
    accepted(project, environment)
    program("echo 5.00")
    answer = project.gate("check", "p", "--out", "o", "--json", "--quiet", env=environment)
    assert codes(answer) == {("G034", "incomparable")}


def test_minor_version_is_comparable(tmp_path, program):
    """A newer minor version of a needed program is compared."""
    project, environment = project_with_tool(tmp_path, program, "4.00")
    accepted(project, environment)
    program("echo 4.10")
    answer = project.gate("check", "p", "--out", "o", "--json", "--quiet", env=environment)
    assert answer.status == 0, answer
