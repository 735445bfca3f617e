"""Where a change comes from: the commits, the words, and the address of its files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from builders import QUIET, Project, write_replay_project
from shell import begin, commit_all, git

from gate.errors import Interrupted
from gate.formats.session.session_file import read_report, read_session
from gate.judge.sharding import Shard
from gate.measure.process.stop import StopRequested
from gate.pipeline.check import _resumable
from gate.pipeline.provenance import _of_ci, _of_remote
from gate.pipeline.request import (
    CheckRequest,
    HostOptions,
    OutputOptions,
    PolicyOptions,
    Selection,
    SideOptions,
)
from gate.report.wording.links import profile_address

HOME = {"CI": "", "GITHUB_SERVER_URL": "", "GITHUB_REPOSITORY": "", "CI_PROJECT_URL": ""}
GITHUB = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "o/r"}


@pytest.mark.parametrize(
    ("environment", "address"),
    [
        (GITHUB, "https://github.com/o/r/blob"),
        (GITHUB | {"GITHUB_SERVER_URL": "https://git.example.org/"}, "https://git.example.org/o/r/blob"),
        (GITHUB | {"GITEA_ACTIONS": "true"}, "https://github.com/o/r/src/commit"),
        ({"CI_PROJECT_URL": "https://gitlab.example.org/a/b/c"}, "https://gitlab.example.org/a/b/c/-/blob"),
        (GITHUB | {"GITHUB_SERVER_URL": "http://intern"}, ""),
        (GITHUB | {"GITHUB_REPOSITORY": "../x"}, ""),
        ({"CI_PROJECT_URL": "https://user:token@gitlab.com/a/b"}, ""),
        ({}, ""),
    ],
)  # fmt: skip
def test_the_address_that_ci_tells(environment, address):
    """GitHub, Gitea and GitLab by their own variables; nothing of what is no plain https address."""
    assert _of_ci(environment) == address


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("git@github.com:o/r.git", "https://github.com/o/r/blob"),
        ("https://github.com/o/r", "https://github.com/o/r/blob"),
        ("https://me:secret@github.com/o/r.git", "https://github.com/o/r/blob"),
        ("ssh://git@github.com:22/o/r.git/", "https://github.com/o/r/blob"),
        ("git@gitlab.com:a/b/c.git", "https://gitlab.com/a/b/c/-/blob"),
        ("https://gitlab.example.org/a/b.git", "https://gitlab.example.org/a/b/-/blob"),
        ("https://codeberg.org/o/r.git", "https://codeberg.org/o/r/src/commit"),
        ("https://example.org/o/r.git", ""),
        ("https://github.com.example.org/o/r.git", ""),
        ("/srv/git/r.git", ""),
        ("git@github.com:../../x", ""),
        ("file:///github.com/o/r", ""),
        ("", ""),
    ],
)
def test_the_address_that_a_remote_tells(remote, address):
    """The hosts whose addresses are known, without user and password; nothing for another."""
    assert _of_remote(remote) == address


@pytest.fixture(scope="module")
def accepted(tmp_path_factory):
    """An accepted project, made once."""
    made = write_replay_project(tmp_path_factory.mktemp("accepted") / "p")
    made.accept()
    return made.root


@pytest.fixture
def project(accepted, tmp_path):
    """A repository with a base checkout beside it, and one commit more."""
    made = Project(shutil.copytree(accepted, tmp_path / "p"), "p")
    begin(made.root)
    made.record({"b": QUIET * 30})
    good = commit_all(made.root)
    git(made.root, "worktree", "add", "--detach", "../base", good)
    bad = commit_all(made.root, "change")
    return made, good, bad


def origin(project, place="out"):
    return read_report(project.root / place / "report.json").origin


def test_the_origin_of_a_check_at_home(project):
    """Both commits, the words as they were given, the usual ones left out; no host, no address."""
    made, good, bad = project
    made.gate("check", "p", "--base", "../base", "--head", ".", "--baseline", "baselines",
              "--base-env", "A=1", "--head-env", "A=2", "--out", "out", "--quiet", env=HOME)  # fmt: skip
    told = origin(made)
    assert (told.base_commit, told.head_commit, told.dirty, told.checkout) == (
        good,
        bad,
        False,
        False,
    )
    assert told.options == (
        "--base",
        "../base",
        "--base-env",
        "A=1",
        "--head",
        ".",
        "--head-env",
        "A=2",
    )
    assert (told.out, told.profiles, told.files) == ("out", "profiles", "")


def test_a_variable_that_looks_like_a_secret_is_told_by_its_name_alone(project):
    """Neither the commands of the report nor the subject of a session hold what it is set to."""
    made, _, _ = project
    made.gate("check", "p", "--base", "../base", "--head", ".", "--base-env", "MY_TOKEN=hunter2",
              "--head-env", "db_Password=hunter2", "--head-env", "DB=pg://me:hunter2@lab/x",
              "--head-env", "A=2", "--out", "out", "--quiet", env=HOME)  # fmt: skip
    told = origin(made).options
    assert [word for word in told if "=" in word] == [
        *("MY_TOKEN=...", "db_Password=...", "DB=...", "A=2"),
    ]
    session = read_session(made.root / "out/p/head.json")
    assert session.subject.description.endswith("A=2 DB=... db_Password=...")
    held = [path for path in (made.root / "out").rglob("*") if path.is_file()]
    assert len(held) > 3
    assert [path for path in held if b"hunter2" in path.read_bytes()] == []


def test_the_origin_of_a_check_in_ci(project):
    """What a job leaves no reader is not told; the base side is a checkout to be made again."""
    made, good, bad = project
    base = made.root.parent / "base"
    made.gate("check", "p", "--base", base, "--head", made.root, "--size", "full",
              "--host-class", "other", "--out", made.root / "out", "--quiet",
              env=HOME | GITHUB | {"CI": "true"})  # fmt: skip
    told = origin(made)
    assert (told.base_commit, told.checkout, told.out) == (good, True, "")
    assert told.options == ("--host-class", "other")
    report = read_report(made.root / "out/report.json")
    assert profile_address(report, "p") == f"https://github.com/o/r/blob/{bad}/profiles/p.toml"


@pytest.mark.parametrize("inside", [True, False])
def test_no_path_of_a_job_is_told(project, inside):
    """Profiles and baselines as the repository names them, or else by nothing but their name."""
    made, _, _ = project
    place = made.root / "perf" if inside else made.root.parent / "perf"
    place.mkdir()
    for one in ("profiles", "baselines"):
        shutil.copytree(made.root / one, place / one)
    made.gate("check", "p", "--profiles", place / "profiles", "--baseline", place / "baselines",
              "--out", "out", "--quiet", env=HOME | {"CI": "true"})  # fmt: skip
    told = origin(made)
    words = ("--profiles", "perf/profiles", "--baseline", "perf/baselines")
    assert told.options == (words if inside else ())
    assert told.profiles == ("perf/profiles" if inside else "profiles")


def test_a_profile_named_by_its_path(project):
    """Its folder is what its commands need, as they name it without."""
    made, _, _ = project
    shutil.copytree(made.root / "profiles", made.root / "other")
    made.gate("check", "other/p.toml", "--out", "out", "--quiet", env=HOME)
    assert (origin(made).options, origin(made).profiles) == (("--profiles", "other"), "other")


def test_an_interrupted_check_tells_how_it_was_started():
    """The line that goes on has the benchmarks, the pairs and the sides, quoted for a shell."""
    sides = SideOptions(base_dir=Path("../ba se"), head_dir=Path(), base_env=("A=1",))
    request = CheckRequest(
        selection=Selection(
            names=("p",),
            profiles=Path("profiles"),
            size="full",
            benchmarks=("b[x=1]",),
            pairs=60,
        ),
        sides=sides,
        policy=PolicyOptions(baseline=Path("baselines"), alpha=0.01, beta=0.01),
        shard=Shard(),
        host=HostOptions(wait=0.01),
        output=OutputOptions(out=Path("out")),
        place=Path("out"),
    )
    with pytest.raises(Interrupted) as told, _resumable(request):
        raise StopRequested(2)
    assert told.value.cure == (
        "Continue with the same options and: gate check p --benchmark 'b[x=1]' --pairs 60 "
        "--base '../ba se' --base-env A=1 --head . --out out --resume"
    )


def test_a_head_with_changes_that_no_commit_holds(project):
    """Told as dirty, so that nobody bisects commits that do not hold the loss."""
    made, _, bad = project
    made.record({"b": [2 * one for one in QUIET]})
    made.gate("check", "p", "--out", "out", "--quiet", env=HOME)
    assert (origin(made).head_commit, origin(made).dirty) == (bad, True)


def test_the_newest_accepted_commit_stands_for_a_base_side(project):
    """Without a base side: what the accepted sessions were built of, where they tell."""
    made, _, bad = project
    path = made.session()
    made.gate("baseline", "accept", path, "--reason", "more", "--by", "me")
    commit_all(made.root)
    made.gate("check", "p", "--out", "out", "--quiet", env=HOME)
    assert origin(made).base_commit == bad


def test_the_origin_of_what_was_judged_elsewhere(project):
    """`gate judge`: the commits by name, a base side that no profile declares, and no words."""
    made, good, _ = project
    made.record({"b": [1.1 * one for one in QUIET] * 30}, {"b": QUIET * 30})
    slow = commit_all(made.root, "slower")
    made.gate("check", "p", "--base", "../base", "--head", ".", "--out", "out", "--quiet", env=HOME)
    answer = made.gate("judge", "--session", "out/session.json", "--merge-base", good,
                       "--proposed", slow, "--out", "judged", env=HOME | GITHUB)  # fmt: skip
    assert answer.status == 10, answer
    told = origin(made, "judged")
    assert (told.base_commit, told.head_commit, told.checkout) == (good, slow, True)
    assert (told.options, told.out) == ((), "")
    assert told.files == f"https://github.com/o/r/blob/{slow}"
