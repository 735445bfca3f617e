"""A level holds for code that contains the commit that earned it."""

from __future__ import annotations

import pytest
from review.accepted_history import AcceptedHistory


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
