"""A level holds for code that contains the commit that earned it."""

from __future__ import annotations

import random
import re
import subprocess
from unittest import mock

import pytest
from builders import run_gate, unchanged
from review.accepted_history import AcceptedHistory

from gate.vcs_history import holds_content


@pytest.fixture
def history(tmp_path):
    return AcceptedHistory(tmp_path / "p")


def test_accepting_in_one_pull_request_opens_no_other(history):
    """The level of #2 (+20 %) is merged, its code is not: another one that lost 20 % closes."""
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.pull_request("three", 1.2)
    answer, report = history.check()
    (found,) = report["findings"]
    assert (answer.status, found["verdict"]) == (10, "regressed"), report["headline"]
    assert found["loss"] == pytest.approx(0.2, abs=0.01)
    assert any("+20.0 %" in one and "is not in force here" in one for one in report["notes"])


def test_without_sides_neither(tmp_path):
    """The same where only the head can run: the head is ranked among the sessions of before."""
    history = AcceptedHistory(tmp_path / "p", sides=False)
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.pull_request("three", 1.2)
    answer, report = history.check()
    assert (answer.status, report["verdict"]) == (10, "regressed"), report["headline"]


def test_the_pull_request_that_earned_it_opens(history):
    """With main merged into it, its head contains the commit that was accepted: open."""
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.git("merge", "-q", "main", "-m", "update")
    answer, report = history.check()
    assert (answer.status, report["verdict"]) == (0, "passed"), report["headline"]
    assert not any("in force" in one for one in report["notes"])


@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
def test_once_its_code_is_merged_the_level_holds_for_everyone(history, how):
    """However it was merged: unchanged code stands at the level, another loss of 20 % closes."""
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.pull_request("else", 1.0)
    history.merge("else")
    history.merge("two", how)
    history.pull_request("same", 1.0)
    answer, report = history.check()
    (found,) = report["findings"]
    assert (answer.status, found["method"], found["evidence"]["epoch"]) == (0, "screen", 2), report
    history.pull_request("four", 1.2)
    answer, report = history.check(out="out-2")
    assert (answer.status, report["verdict"]) == (10, "regressed"), report["headline"]


def test_the_measured_machine_and_the_judging_one_agree(history, tmp_path):
    """What was measured is judged again in another clone, by its own git: the same verdicts."""
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.pull_request("three", 1.2)
    first, _ = history.check()
    history.git("checkout", "-q", "two")
    history.git("merge", "-q", "main", "-m", "update")
    second, _ = history.check(out="out-2")
    assert (first.status, second.status) == (10, 0)
    clone = history.clone(tmp_path / "clone")
    for head, out, status in (("three", "out", 10), ("two", "out-2", 0)):
        words = ("--proposed", f"origin/{head}", "--merge-base", "origin/main", "--json")
        answer = run_gate(
            ("judge", "--session", history.root / out / "session.json", *words), cwd=clone
        )
        assert answer.status == status, answer
        in_force = not any("is not in force here" in one for one in answer.json["notes"])
        assert in_force == (head == "two")


def test_a_clone_that_lacks_the_commit_never_opens_by_it(history, tmp_path):
    """The branch is gone and nobody fetched it: the level of before counts, and that is said."""
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.pull_request("three", 1.2)
    history.check()
    clone = history.clone(tmp_path / "clone", "main", "three")
    words = ("--proposed", "origin/three", "--merge-base", "origin/main", "--json")
    session = history.root / "out" / "session.json"
    answer = run_gate(("judge", "--session", session, *words), cwd=clone)
    assert answer.status == 10, answer
    assert any(
        "git cannot tell here whether the base has commit" in n for n in answer.json["notes"]
    )


def test_a_shallow_clone_never_opens_by_it(history, tmp_path):
    """History that was cut tells of no commit that it is not there."""
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.pull_request("three", 1.2)
    history.check()
    clone = tmp_path / "clone"
    history.git(
        "clone", "-q", "--depth", "2", "--no-single-branch", f"file://{history.root}", str(clone)
    )
    words = ("--proposed", "origin/three", "--merge-base", "origin/main", "--json")
    session = history.root / "out" / "session.json"
    answer = run_gate(("judge", "--session", session, *words), cwd=clone)
    assert answer.status == 10, answer
    assert any("git cannot tell here" in one for one in answer.json["notes"])


def test_baselines_of_another_repository_count_as_before_and_that_is_said(history):
    """Git knows none of the commits: no level is taken away, and a warning tells of it."""
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.git("checkout", "-q", "main")
    text = history.project.baseline.read_text()
    other = re.sub(r'commit = "([0-9a-f]{20})([0-9a-f]{20})"', r'commit = "\2\1"', text)
    history.project.baseline.write_text(other)
    history.commit("baselines of elsewhere")
    history.pull_request("three", 1.2)
    answer, report = history.check()
    assert answer.status == 0, report["headline"]
    assert any(
        "git was not asked, or does not know" in w for w in report["findings"][0]["warnings"]
    )


@pytest.mark.parametrize(
    "commit", ["--all", "HEAD", "main", "-" * 40, "a" * 40 + "\\n--all", "^main"]
)
def test_a_commit_is_a_full_hash_or_no_commit(history, commit):
    """Whatever stands in a baseline, git sees full hashes alone: no name and no option."""
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.git("checkout", "-q", "main")
    text = history.project.baseline.read_text()
    earned = re.search(r'reason = "it is worth it"(?s:.*?)commit = "([0-9a-f]{40})"', text)
    history.project.baseline.write_text(text.replace(earned[1], commit))
    history.commit("an odd commit")
    history.pull_request("same", 1.0)
    with mock.patch.object(subprocess, "run", wraps=subprocess.run) as calls:
        history.check()
    asked = [
        (call.args[0], call.kwargs.get("input") or b"")
        for call in calls.call_args_list
        if call.kwargs.get("start_new_session")
    ]
    assert asked
    lines = [line for words, given in asked if "cat-file" in words for line in given.splitlines()]
    assert lines
    assert all(re.fullmatch(rb"[0-9a-f]{40}", line) for line in lines if not line.startswith(b"^"))
    assert not [words for words, _ in asked if commit in words and commit not in {"HEAD", "main"}]


def test_uncommitted_changes_earn_no_level_for_their_commit(history):
    """Measured with changes in the tree, the commit is main's own, and every base has it."""
    history.branch("two")
    (history.root / "code" / "start.txt").write_text("1.2\n")
    text = history.accept(level=1.2)
    history.git("checkout", "-q", "-f", "main")
    history.project.baseline.write_text(text)
    history.commit("accept two")
    history.pull_request("three", 1.2)
    answer, report = history.check()
    assert (answer.status, report["verdict"]) == (10, "regressed"), report["headline"]
    assert any("with changes that are not in commit" in one for one in report["notes"])


def test_a_change_cannot_claim_the_level_for_itself(history):
    """Its own tree says that its commit earned the level: that is an edit, and not in force."""
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    commit = history.pull_request("three", 1.2)
    text = history.project.baseline.read_text()
    earned = re.search(r'reason = "it is worth it"(?s:.*?)commit = "([0-9a-f]{40})"', text)
    history.project.baseline.write_text(text.replace(earned[1], commit))
    history.commit("claim it")
    answer, report = history.check()
    assert (answer.status, report["verdict"]) == (10, "regressed"), report["headline"]
    assert [one["code"] for one in report["edits"]] == ["G078"]


@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
def test_a_level_accepted_and_merged_with_its_code_holds(history, how):
    """Baseline and code in one pull request: as an edit before, in force once it is merged."""
    history.pull_request("two", 1.2)
    history.accept()
    history.commit("accept two")
    answer, report = history.check()
    assert (answer.status, report["edits"][0]["code"]) == (10, "G078"), report["headline"]
    history.pull_request("else", 1.0)
    history.merge("else")
    history.merge("two", how)
    history.pull_request("same", 1.0)
    answer, report = history.check(out="out-2")
    assert (answer.status, report["findings"][0]["method"]) == (0, "screen"), report["headline"]


def test_a_cherry_picked_change_has_earned_its_level_too(history):
    """The commit was picked into another branch, which holds all that it did."""
    commit = history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.branch("picked")
    history.git("cherry-pick", commit)
    answer, report = history.check()
    assert (answer.status, report["verdict"]) == (0, "passed"), report["headline"]


def test_later_edits_of_the_same_lines_take_no_level_away(history):
    """Squashed, then edited further: the history held it once, and that is enough."""
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.merge("two", "squash")
    history.change("two", 1.2, "1.2 # told apart\n")
    history.pull_request("same", 1.0)
    answer, report = history.check()
    assert (answer.status, report["findings"][0]["method"]) == (0, "screen"), report["headline"]


def test_the_default_branch_goes_on_with_its_own_epoch(history):
    """Sessions of main between the acceptance and the merge join the level that main has."""
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.git("checkout", "-q", "main")
    history.accept()
    history.commit("a session of main")
    epochs = re.findall(r"epoch = (\d)", history.project.baseline.read_text())
    assert epochs == ["1"] * 6 + ["2"]
    history.git("checkout", "-q", "two")
    history.git("merge", "-q", "main", "-m", "update")
    answer, report = history.check()
    assert answer.status == 0, report["headline"]
    history.merge("two")
    history.pull_request("same", 1.0)
    answer, report = history.check(out="out-2")
    (found,) = report["findings"]
    assert (answer.status, found["method"], found["evidence"]["epoch"]) == (0, "screen", 2), found


def test_at_a_desk_the_base_side_is_the_base(history, tmp_path):
    """Without --merge-base, with --base DIR: the commit of that directory decides."""
    history.pull_request("two", 1.2)
    history.accept_alone("two")
    history.git("worktree", "add", "-q", "--detach", str(tmp_path / "main"), "main")
    words = ("check", "--base", str(tmp_path / "main"), "--out", "out", "--quiet")
    history.pull_request("three", 1.2)
    history.play()
    answer = history.project.gate(*words)
    assert answer.status == 10, answer
    history.git("checkout", "-q", "two")
    history.git("merge", "-q", "main", "-m", "update")
    history.play()
    answer = history.project.gate(*words[:-2], "out-2", "--quiet")
    assert answer.status == 0, answer


def test_at_a_desk_a_change_may_accept_for_itself(history, tmp_path):
    """What the base's own tree has not accepted was accepted by the change, as it always could."""
    history.git("worktree", "add", "-q", "--detach", str(tmp_path / "main"), "main")
    history.branch("two")
    (history.root / "code" / "start.txt").write_text("1.2\n")
    history.accept(level=1.2)
    history.commit("two, measured before it was committed")
    history.play()
    words = ("check", "--base", str(tmp_path / "main"), "--out", "out", "--quiet")
    answer = history.project.gate(*words)
    assert answer.status == 0, answer


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.night) for seed in range(1, 6))]
)
def test_in_whatever_order_accepting_opens_no_other(history, seed):
    """Random histories: acceptances, updates and merges of two pull requests in any order.

    After every step a third one that lost 20 % is closed and an unchanged one is open; what was
    accepted just now opens, once main is merged into it.
    """
    dice = random.Random(seed)
    names = ["two", "three"]
    for name in names:
        history.pull_request(name, 1.2 if name == "two" else 1.5)
    steps = [(act, name) for name in names for act in ("accept", "merge")]
    dice.shuffle(steps)
    merged = set()
    for number, (act, name) in enumerate(steps):
        history.git("checkout", "-q", name)
        if act == "accept" and name not in merged:
            history.accept_alone(name)
        elif act == "merge":
            history.merge(name, dice.choice(["merge", "squash", "rebase"]))
            merged.add(name)
        history.pull_request(f"lost-{number}", 1.2)
        answer, report = history.check(out=f"out-lost-{number}")
        assert answer.status == 10, (steps[: number + 1], report["headline"])
        history.pull_request(f"same-{number}", 1.0)
        answer, report = history.check(out=f"out-same-{number}")
        assert answer.status == 0, (steps[: number + 1], report["headline"])
        if act == "accept" and name not in merged:
            history.branch(f"{name}-{number}", name)
            history.git("merge", "-q", "main", "-m", "update")
            answer, report = history.check(out=f"out-own-{number}")
            assert answer.status == 0, (steps[: number + 1], report["headline"])


def test_asking_git_leaves_nothing_in_the_repository(history):
    """Trial merges write no object, and touch neither index nor tree."""
    history.pull_request("two", 1.2)
    commit = history.change("two", 1.2, "1.2 # again\n")
    history.pull_request("else", 1.0)
    history.merge("else")
    history.merge("two", "squash")
    with unchanged(history.root):
        before = sorted((history.root / ".git").rglob("*"))
        assert holds_content(history.root, commit, "main", "baselines") is True
        assert holds_content(history.root, commit, "else", "baselines") is False
        assert sorted((history.root / ".git").rglob("*")) == before


def test_power_counts_the_levels_that_a_check_does(history):
    """A level whose code is not merged lends `gate power` no sessions, as it lends a check none."""
    history.pull_request("two", 1.2)
    history.accept_alone("two", 2)
    history.pull_request("three", 1.0)
    words = ("power", "p", "--json", "--warn")
    elsewhere = history.project.gate(*words).json["rows"]
    history.git("checkout", "-q", "two")
    history.git("merge", "-q", "main", "-m", "update")
    own = history.project.gate(*words).json["rows"]
    history.git("checkout", "-q", "main")
    history.git("reset", "-q", "--hard", "main~1")
    before = history.project.gate(*words).json["rows"]
    assert elsewhere == before
    assert own != before
