"""The second stage alone, on a pull request that was measured once and has no fault."""

from dataclasses import replace

import pytest
from workflows import events
from workflows.acting import HOSTED, REPOSITORY


@pytest.mark.night
def test_one_comment_follows_the_pull_request(world, judge, sent, hub):
    """Never measured, then open, then a new attempt cancelled: closed, whatever is there of before.

    Runs keep the artifacts of earlier attempts, and here they would open the gate.
    """
    told = world.act(
        "pull_request", events.pull_request(sent.pull), judge.clone, run=91, answering=[HOSTED]
    )
    told.expect(measure="skipped")
    hub.opened(sent.pull)
    hub.ran(sent.pull, 91, "cancelled", measured=False)
    first = hub.judge(sent.pull, judge, conclusion="cancelled", first=91)
    first.expect(judge="success", publish="success", verdict="failure")
    assert first.outputs["judge"]["gate"] == "closed"
    (comment,) = hub.comments
    (check,) = hub.checks
    for text in (comment, first.summaries["judge"], check["output"]["summary"]):
        assert "cancelled" in text

    hub.ran(sent.pull, 101, "success")
    second = hub.judge(sent.pull, judge, conclusion="success")
    second.expect(judge="success", publish="success", verdict="success")
    assert second.outputs["judge"]["gate"] == "open", second.log
    assert "gate open" in second.summaries["verdict"]
    (comment,) = hub.comments
    assert "ate open" in comment.splitlines()[1]

    third = hub.judge(sent.pull, judge, conclusion="cancelled", run=103)
    third.expect(judge="success", publish="success", verdict="failure")
    assert third.outputs["judge"]["gate"] == "closed", third.log
    (comment,) = hub.comments
    assert "ate closed" in comment.splitlines()[1]
    assert "cancelled" in comment
    assert hub.checks[-1]["conclusion"] == "failure"
    assert {one["head_sha"] for one in hub.checks} == {sent.pull.head}


@pytest.mark.night
def test_a_pull_request_for_another_branch_is_not_judged(judge, sent, hub):
    """A branch with weaker rules would give a verdict that belongs to the commit everywhere."""
    judge.on_main()
    judge.push("weak")
    hub.opened(sent.pull, base="weak")
    hub.ran(sent.pull, 101, "success")
    acted = hub.judge(sent.pull, judge, conclusion="success")
    assert (acted.jobs["judge"], acted.jobs["publish"]) == ("failure", "success"), acted.log
    assert acted.steps["judge"].get("Judge", "skipped") == "skipped"
    assert acted.outputs["judge"]["gate"] == "closed"
    (comment,) = hub.comments
    assert "ate closed" in comment.splitlines()[1]
    assert "not for main" in comment
    assert [one["conclusion"] for one in hub.checks] == ["failure"]


def test_a_fork_that_moved_meanwhile_is_left_alone(judge, sent, hub):
    """What was measured is no longer the head: neither comment nor check."""
    pull = replace(sent.pull, fork="stranger/tool")
    hub.ran(pull, 101, "success")
    hub.opened(replace(pull, head="d" * 40))
    acted = hub.judge(pull, judge, conclusion="success")
    assert acted.jobs["judge"] == "failure"
    assert acted.jobs["publish"] == "skipped"
    assert not hub.written


def test_a_green_check_that_a_fork_made_itself_is_never_written(judge, sent, hub):
    """A workflow of the fork, named like ours, uploads a copied session of its own commit."""
    pull = replace(sent.pull, fork="stranger/tool")
    hub.opened(pull)
    given = {"head": pull.head, "branch": pull.branch, "fork": pull.fork}
    hub.add_run(REPOSITORY, 101, file="evil.yml", uses="", labels=[HOSTED], **given)
    acted = hub.judge(pull, judge, conclusion="success")
    assert acted.jobs["judge"] == "failure"
    assert acted.jobs["publish"] == "skipped"
    assert "evil.yml" in acted.logs["judge"]
    assert not hub.written


def test_the_merge_queue_gets_its_check_and_no_comment(judge, sent, hub):
    """The commit is the queue's own; the pull request stands at another one."""
    pull, branch = sent.pull, events.queue_branch(sent.pull)
    judge.git("push", "--quiet", "origin", f"{pull.head}:refs/heads/{branch}")
    hub.opened(replace(pull, head="d" * 40, branch="gone"))
    hub.add_run(REPOSITORY, 101, head=pull.head, branch=branch, event="merge_group")
    acted = hub.judge(pull, judge, conclusion="success", event="merge_group")
    acted.expect(judge="success", publish="success", verdict="success")
    assert not hub.comments
    (check,) = hub.checks
    told = (check["name"], check["head_sha"], check["conclusion"])
    assert told == ("driftgate", pull.head, "success")


@pytest.mark.night
def test_a_head_that_moves_while_it_is_judged_is_left_alone(judge, sent, hub):
    """The commit is asked for again just before anything is written."""
    asked = ("      # forks: true", "      forks: true")
    judge.change_on_main({".github/workflows/driftgate-judge.yml": asked})
    pull = replace(sent.pull, fork="stranger/tool")
    hub.opened(pull)
    hub.ran(pull, 101, "success")
    hub.when("GET", "/artifacts/", lambda: hub.moved(pull.number, "e" * 40))
    acted = hub.judge(pull, judge, conclusion="success")
    assert not hub.comments
    assert {one["head_sha"] for one in hub.checks} <= {pull.head}  # which it says the truth of
    assert acted.jobs["publish"] == "failure", acted.log
