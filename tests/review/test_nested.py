"""Git is asked where the caller stands: no folder of the tree answers for its repository."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from builders import run_gate
from review.conftest import SAME, SLOW, only

FOLDERS = ("--profiles", "perf/profiles", "--baseline", "perf/baselines")


@pytest.fixture
def below(repository):
    """Profiles and baselines stand in `perf/`; the change measured something slow."""
    (repository.root / "perf").mkdir()
    repository.git("checkout", "-q", "main")
    repository.git("mv", "profiles", "baselines", "perf")
    repository.commit("perf")
    repository.git("checkout", "-q", "-B", "change")
    return repository


def of_a_stranger(place, source):
    """A repository whose branch main allows 50 %."""
    shutil.copytree(source, place)
    text = (place / "profiles/p.toml").read_text()
    (place / "profiles/p.toml").write_text(text.replace('"5%"', '"50%"'))
    who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", *who, *words], cwd=place, check=True)


def test_plain_files_that_look_like_a_repository_are_none(below, tmp_path):
    """HEAD, objects, refs and config can be committed: git would take them for a repository."""
    perf = below.root / "perf"
    of_a_stranger(tmp_path / "evil", perf)
    for name in ("HEAD", "objects", "refs", "config"):
        source = tmp_path / "evil/.git" / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, perf / name)
    (perf / "config").write_text("[core]\n\tbare = false\n\tworktree = .\n")
    answer, report = below.judge(*FOLDERS, sessions=SLOW, proposed=None)
    assert {f["tolerance"] for f in report["findings"]} == {0.05}, answer
    assert report["edits"] == []
    inside = run_gate(
        ["judge", "--session", below.root / SLOW[0], "--merge-base", "main", "--json"], cwd=perf
    )
    found = {f["tolerance"] for f in inside.json["findings"]}
    assert found == {0.05}, "git took plain files for a repository"


def test_a_submodule_is_refused(below, tmp_path):
    """The folder would be judged by a main branch that came with the change."""
    of_a_stranger(tmp_path / "evil", below.root / "perf")
    below.git("rm", "-rq", "perf")
    below.git("submodule", "add", "-q", str(tmp_path / "evil"), "perf")
    below.commit("a submodule")
    answer, _ = below.judge(*FOLDERS, sessions=SAME)
    told = answer.json["error"]
    assert (answer.status, told["code"]) == (2, "G242")
    assert "perf is another repository" in told["message"]


def test_folders_outside_of_the_repository_are_refused(repository, tmp_path):
    """Two folders of one repository, of which the caller stands in another."""
    shutil.copytree(repository.root, tmp_path / "other")
    words = ("--profiles", tmp_path / "other/profiles", "--baseline", tmp_path / "other/baselines")
    answer, _ = repository.judge(*words, sessions=SAME)
    assert (answer.status, answer.json["error"]["code"]) == (2, "G242")


def test_a_link_above_the_repository_is_the_callers_own(repository, tmp_path):
    (tmp_path / "link").symlink_to(repository.root)
    words = ("--profiles", tmp_path / "link/profiles", "--baseline", tmp_path / "link/baselines")
    answer, report = repository.judge(*words, sessions=SAME)
    assert (answer.status, report["edits"]) == (0, []), answer


def test_edits_are_shown_where_baselines_lie_in_the_folder_of_profiles(repository):
    """One folder inside the other is copied once."""
    repository.git("checkout", "-q", "main")
    repository.git("mv", "baselines", "profiles/baselines")
    repository.commit("nested")
    repository.git("checkout", "-q", "-B", "change")
    repository.swap("profiles/p.toml", '"5%"', '"50%"')
    words = ("--baseline", "profiles/baselines")
    _, report = repository.judge(*words, sessions=SAME, proposed=None)
    assert only(report)["headline"] == "tolerance of wall 5 % -> 50 %"
