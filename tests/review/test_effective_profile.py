"""`gate check --merge-base`: sides and all that no digest covers are those of the merge base."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders import QUIET, write_replay_project
from pipeline.ends import left
from review.test_check_merge_base import CHECK, _commit, git

from gate.errors import InputError
from gate.formats.profile.profile_file import load_profiles
from gate.model import Leeway
from gate.review.effective_profile import as_reviewed

SLOW = [1.2 * one for one in QUIET] * 40
MORE = {
    "timeout": 9.0,
    "loud": Leeway(times=1.0),
    "companions": ("server",),
    "expects": ("steal",),
    "needs": (),
    "control": True,
}


def profile_in(root, top="", tail=""):
    write_replay_project(root, top=top, tail=tail)
    return load_profiles(("p",), root / "profiles")[0]


def test_sides_that_the_change_adds_take_no_pairs(tmp_path):
    """Both sides slow alike would clear a loss of 20 % by pairs; the merge base has no sides."""
    project = write_replay_project(tmp_path / "p")
    project.accept()
    _commit(project.root)
    project.record({"b": SLOW}, {"b": SLOW})
    text = project.profile.read_text()
    sides = '[side.base]\nenv = { X = "1" }\n[side.head]\n[metric.wall]'
    project.profile.write_text(text.replace("[metric.wall]", sides))
    answer = project.gate(*CHECK)
    report, handover = left(project.root)
    assert (answer.status, report.findings[0].method) == (10, "strikes"), answer
    assert [one.headline for one in report.edits] == ["sides edited"]
    assert {session.sides for session in handover.sessions} == {False}


def test_an_environment_that_the_change_gives_the_base_side_is_not_set(tmp_path):
    """The merge base's own sides are, beside what the command line says."""
    project = write_replay_project(tmp_path / "p", sides=True)
    text = project.profile.read_text()
    project.profile.write_text(text.replace("[side.base]", '[side.base]\nenv = { MINE = "1" }'))
    project.accept()
    _commit(project.root)
    text = project.profile.read_text()
    project.profile.write_text(text.replace('MINE = "1"', 'SLOW = "1"'))
    project.record({"b": SLOW}, {"b": QUIET * 40})
    answer = project.gate(*CHECK, "--base-env", "TOLD=1")
    report, handover = left(project.root)
    assert (answer.status, report.findings[0].method) == (10, "pairs"), answer
    told = {s.subject.description for s in handover.sessions if s.side.value == "base"}
    assert told == {"MINE=1 TOLD=1"}


def test_all_that_the_digest_does_not_cover_is_the_merge_bases(tmp_path):
    tree = profile_in(tmp_path / "tree")
    reviewed = replace(profile_in(tmp_path / "scratch"), **MORE)
    found = as_reviewed(tree, reviewed)
    assert {key: getattr(found, key) for key in MORE} == MORE
    assert (found.root, found.path, found.work) == (tree.root, tree.path, tree.work)
    warm = replace(reviewed, work=replace(reviewed.work, warmup=7, python=f"{reviewed.root}/v/p"))
    work = as_reviewed(tree, warm).work
    assert (work.warmup, work.python) == (7, f"{tree.root}/v/p")
    assert as_reviewed(tree, None) is tree


def test_directories_of_sides_are_the_working_trees_and_stay_in_it(tmp_path):
    """Relative to the tree's project, never to the exported one; a link out of it is refused."""
    side = '[side.base]\ndir = "build"\n[side.head]'
    reviewed = profile_in(tmp_path / "scratch", top=side)
    tree = profile_in(tmp_path / "tree")
    found = as_reviewed(tree, reviewed)
    assert (found.sides["base"].directory, found.root) == ("build", str(tmp_path / "tree"))
    (Path(tree.root) / "build").symlink_to("/usr")
    with pytest.raises(InputError) as caught:
        as_reviewed(tree, reviewed)
    assert caught.value.code == "G254"


@pytest.fixture
def removed(tmp_path):
    """Profiles p and q on main; the change removes q."""
    project = write_replay_project(tmp_path / "p")
    project.accept()
    write_replay_project(project.root, name="q").accept()
    _commit(project.root)
    (project.root / "profiles/q.toml").unlink()
    git(project.root, "commit", "-qam", "without q")
    return project


def test_the_plan_names_what_the_change_removes(removed):
    """A matrix that leaves it out would leave nobody to tell that it is missing."""
    rows = removed.gate("plan", "--shards", "2", "--matrix", "--merge-base", "main").json
    assert [one["profiles"] for one in rows["include"]] == ["p", "q"]
    assert removed.gate("plan", "--matrix").json["include"][0]["profiles"] == "p"


@pytest.mark.parametrize(
    ("names", "status", "found"),
    [
        (["q"], 4, {"q": "missing"}),
        (["profiles/q.toml"], 4, {"q": "missing"}),
        (["p", "q"], 4, {"q": "missing", "p": "passed"}),
        (["p"], 0, {"p": "passed"}),
    ],
)
def test_a_named_profile_that_the_change_removes_is_missing(removed, names, status, found):
    """What was named and is gone closes the gate, and hides nothing of the others."""
    answer = removed.gate(*CHECK, "--shard", "2/2", *names)
    report, _ = left(removed.root)
    assert answer.status == status, answer
    assert {f.profile: f.verdict.value for f in report.findings} == found
