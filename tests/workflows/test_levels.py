"""The workflows' levels.sh: commits that a squash merge left on no branch are fetched, by real git."""

from __future__ import annotations

import subprocess

import pytest
from builders import run_gate
from review.accepted_history import GIT, AcceptedHistory
from workflows.acting import ROOT

SCRIPT = ROOT / ".github/actions/gate/levels.sh"


@pytest.fixture
def squashed(tmp_path):
    """A pull request that changes nothing, after one that cost 20 %, was accepted and squashed; and
    a fresh clone that has but it and main."""
    history = AcceptedHistory(tmp_path / "p")
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.merge("two", "squash")
    history.pull_request("same", 1.0)
    history.check()
    history.git("config", "uploadpack.allowAnySHA1InWant", "true")
    clone = history.clone(tmp_path / "clone", "main", "same")
    return history, clone


def levels(clone, origin):
    git = ["git", "-C", str(clone)]
    subprocess.run([*git, "remote", "add", "origin", str(origin)], check=True, env=GIT)
    return subprocess.run(
        ["bash", str(SCRIPT), str(clone), "HEAD", "baselines"],
        capture_output=True, text=True, check=False, env=GIT,
    )  # fmt: skip


def judged(history, clone):
    words = ("--proposed", "origin/same", "--merge-base", "origin/main", "--json")
    answer = run_gate(("judge", "--session", history.root / "out/session.json", *words), cwd=clone)
    return any("git cannot tell here" in one for one in answer.json["notes"]), answer


def test_a_commit_that_a_squash_left_behind_is_fetched(squashed):
    """Before, git cannot tell and the level does not count; after, its content is found in main."""
    history, clone = squashed
    unsure, _ = judged(history, clone)
    assert unsure
    done = levels(clone, history.root)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    unsure, answer = judged(history, clone)
    assert (unsure, answer.status) == (False, 0)
    assert answer.json["findings"][0]["evidence"]["epoch"] == 2


def test_what_cannot_be_fetched_is_told_and_opens_nothing(squashed, tmp_path):
    """With an origin that is gone the step goes on, names the commit, and the level does not count."""
    history, clone = squashed
    done = levels(clone, tmp_path / "gone")
    assert done.returncode == 0, done
    assert "of an accepted level cannot be fetched" in done.stdout
    unsure, answer = judged(history, clone)
    assert unsure, answer


def test_a_clone_that_has_them_all_asks_nobody(squashed, tmp_path):
    """Nothing is fetched, or told, where no commit is missing; nor where nothing was accepted."""
    history, _ = squashed
    done = levels(history.root, tmp_path / "gone")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
