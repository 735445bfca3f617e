"""A level that a change had accepted for itself: in force where its content is named, and told."""

from __future__ import annotations

import json

import pytest
from builders import run_gate
from review.accepted_history import AcceptedHistory

BASELINE = "baselines/lab/p.toml"
WORKFLOW = ".github/workflows/driftgate.yml"


@pytest.fixture
def history(tmp_path):
    """A pull request that costs 20 %, which was measured and closed."""
    made = AcceptedHistory(tmp_path / "p")
    made.measured = made.pull_request("two", 1.2)
    answer, _ = made.check()
    assert answer.status == 10, answer
    return made


def accepted(history, name="out/p/head.json"):
    """The measured session accepted on the branch itself; the commit, and the file's hash."""
    answer = history.project.gate(
        "baseline", "accept", history.root / name, "--reason", "worth it", "--by", "me"
    )
    assert answer.status == 0, answer
    commit = history.commit("accept it here")
    return commit, history.git("rev-parse", f"{commit}:{BASELINE}")


def judged(history, commit, *more):
    words = ("--merge-base", "main", "--proposed", commit, "--json")
    return run_gate(
        ("judge", "--session", history.root / "out/session.json", *words, *more), cwd=history.root
    )


def test_what_was_measured_is_judged_by_the_level_that_its_change_had_accepted(history):
    """Nothing is measured again: the new commit differs by baselines alone, and says so."""
    commit, content = accepted(history)
    answer = judged(history, commit, "--measured", history.measured, "--accepted", content)
    assert answer.status == 0, answer
    notes = answer.json["notes"]
    assert f"{BASELINE} is in force as this change has it: it was accepted for this change" in notes
    assert "p: the level is the very session that is judged, accepted by me: worth it" in notes


def test_a_level_in_a_change_counts_only_where_its_content_is_named(history):
    """Whoever can push can write a baseline; that somebody accepted it is said elsewhere."""
    commit, content = accepted(history)
    for words in ((), ("--accepted", "0" * 40)):
        answer = judged(history, commit, "--measured", history.measured, *words)
        assert answer.status == 10, answer
    text = history.project.baseline.read_text()
    history.project.baseline.write_text(text + "# another\n")
    commit = history.commit("edited since")
    answer = judged(history, commit, "--measured", history.measured, "--accepted", content)
    assert answer.status == 10, answer


def test_what_was_accepted_is_in_force_in_its_own_place_alone(history):
    """A copy of the accepted file under another name stands for nothing, and is refused."""
    _, content = accepted(history)
    history.git("rm", "-q", BASELINE)
    copy = history.root / "baselines/lab/q.toml"
    copy.parent.mkdir(exist_ok=True)
    copy.write_text(history.git("cat-file", "blob", content) + "\n")
    commit = history.commit("moved")
    answer = judged(history, commit, "--measured", history.measured, "--accepted", content)
    assert (answer.status, "error[G206]" in answer.err) == (2, True), answer


def test_a_commit_that_differs_in_more_than_baselines_must_be_measured(history):
    accepted(history)
    commit = history.change("more", 1.0)
    answer = judged(history, commit, "--measured", history.measured)
    assert (answer.status, "error[G243]" in answer.err) == (2, True), answer
    assert "code/more.txt" in answer.err


def test_sessions_of_another_commit_are_refused_as_before(history):
    commit, content = accepted(history)
    answer = judged(history, commit, "--accepted", content)
    assert (answer.status, "error[G243]" in answer.err) == (2, True), answer


def test_a_later_commit_of_the_change_is_judged_by_its_level_too(history):
    """Measured anew; and what costs more than was accepted still closes."""
    _, content = accepted(history)
    history.change("harmless", 1.0)
    answer, _ = history.check("--accepted", content, out="later")
    assert answer.status == 0, answer
    answer, _ = history.check(out="unnamed")
    assert answer.status == 10, answer
    history.change("worse", 1.2)
    answer, _ = history.check("--accepted", content, out="worse")
    assert answer.status == 10, answer


def test_a_check_closes_on_edits_of_workflows_that_nobody_approved(tmp_path):
    """One stage: what judges runs in the very job that the change may edit."""
    history = AcceptedHistory(tmp_path / "p")
    history.pull_request("same", 1.0)
    (history.root / WORKFLOW).parent.mkdir(parents=True)
    (history.root / WORKFLOW).write_text("on: push\n")
    history.commit("another workflow")
    answer, report = history.check("--unapproved")
    assert answer.status == 5, answer
    assert [one["code"] for one in report["findings"] if one["profile"] == "the workflows"] == [
        "G289"
    ]
    assert json.dumps(report["edits"]).count(WORKFLOW)
    answer, _ = history.check(out="approved")
    assert answer.status == 0, answer


@pytest.mark.parametrize("words", [("--accepted", "0" * 40), ("--unapproved",)])
def test_what_means_nothing_without_a_merge_base_is_refused(tmp_path, words):
    history = AcceptedHistory(tmp_path / "p")
    answer = history.project.gate("check", *words)
    assert (answer.status, "error[G200]" in answer.err) == (2, True), answer
