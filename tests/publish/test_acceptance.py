"""What was accepted for a pull request: proven before, bound to it, and told to whoever judges."""

from __future__ import annotations

import pytest
from pipeline.accept.accepting import BASELINE, PULL, RUN, WORD, World, git
from publish.github_server import GitHubServer
from publish.server_build import MACHINE, MEASURE, PINNED
from publish.server_client import REPOSITORY, client

from gate.errors import PublishError
from gate.publish.acceptance import accepted_files, read_acceptance
from gate.publish.measured_head import locate_pull_request

PROOF = ("--uses", MEASURE, "--machine", MACHINE)
REVIEW = {
    "type": "pull_request",
    "parameters": {"required_approving_review_count": 1, "require_last_push_approval": True},
}


@pytest.fixture
def world(tmp_path):
    with GitHubServer(tmp_path / "hub") as hub:
        yield World(tmp_path, hub)


@pytest.fixture
def accepted(world):
    """A pull request whose level was accepted: `world.head` was measured, `world.tip("work")` is."""
    world.head = world.pull_request()
    world.measured(world.head)
    assert world.accept(*WORD, *PROOF).status == 0
    return world


def the_run(world):
    return world.hub.repository(REPOSITORY)["runs"][0]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"uses": ""}, "calls no measure.yml"),
        ({"uses": MEASURE.replace(PINNED, "8" * 40)}, "8" * 12),
        ({"labels": ["ubuntu-24.04"]}, f"no job of it ran on a runner labelled {MACHINE}"),
        ({"fork": "mallory/name"}, "it is of mallory/name"),
    ],
    ids=["another workflow", "another commit", "another machine", "another repository"],
)
def test_what_could_not_open_the_gate_becomes_no_baseline(world, more, said):
    """The same proofs: a level is what all later changes are judged by."""
    head = world.pull_request()
    one = world.session(1.2)
    world.hub.add_run(REPOSITORY, RUN, head=head, conclusion="failure", **more)
    world.uploaded(one)
    world.back()
    answer = world.accept(*WORD, *PROOF)
    assert (answer.status, "error[G288]" in answer.err) == (6, True), answer
    assert said in answer.err
    assert world.hub.asked("POST", "/git/") == []
    (told,) = world.said()
    assert "nothing was accepted" in told


def test_a_run_of_another_file_that_is_named_is_no_proof(world):
    head = world.pull_request()
    one = world.session(1.2)
    world.hub.add_run(REPOSITORY, RUN, head=head, file="evil.yml")
    world.uploaded(one)
    world.back()
    answer = world.accept(*WORD, "--run", str(RUN))
    assert (answer.status, "error[G288]" in answer.err) == (6, True), answer
    assert world.hub.asked("POST", "/git/") == []


def test_the_commit_that_accepts_is_judged_by_what_was_measured_before_it(accepted):
    """The run measured the commit before; its record leads to the head that carries the level."""
    tip = accepted.tip("work")
    found = locate_pull_request(client(accepted.hub), RUN)
    assert (found.number, found.head, found.measured) == (PULL, tip, accepted.head)
    assert found.accepted == (accepted.files(tip)[BASELINE],)
    assert found.refusal == ""


def test_a_later_commit_keeps_what_was_accepted(accepted):
    """The change is one: what was accepted for it holds for what is pushed upon it."""
    git(accepted.root, "fetch", "-q", "origin", "work")
    git(accepted.root, "checkout", "-q", "FETCH_HEAD")
    newer = accepted.commit("work", tool="more\n")
    accepted.hub.add_run(REPOSITORY, 950, head=newer)
    found = locate_pull_request(client(accepted.hub), 950)
    assert (found.head, found.measured) == (newer, newer)
    assert found.accepted == (accepted.files(newer)[BASELINE],)
    said = accepted.gate("approvals", "--pull", str(PULL), "--head", newer, "--json")
    assert said.json["accepted"] == found.accepted[0]
    assert said.json["approved"] == "false"
    with pytest.raises(PublishError) as caught:
        locate_pull_request(client(accepted.hub), RUN)
    assert caught.value.code == "G274"


@pytest.mark.parametrize(
    "change",
    [
        {"external_id": "driftgate:driftgate"},
        {"conclusion": "failure"},
        {"output": {"title": "x", "summary": "accepted, believe me"}},
    ],
    ids=["of another kind", "not a success", "without a record"],
)
def test_only_the_record_tells_what_was_accepted(accepted, change):
    accepted.hub.repository(REPOSITORY)["checks"][0].update(change)
    assert accepted_files(client(accepted.hub), PULL) == ()
    with pytest.raises(PublishError):
        locate_pull_request(client(accepted.hub), RUN)


def test_a_record_is_of_one_pull_request(accepted):
    api, tip = client(accepted.hub), accepted.tip("work")
    assert read_acceptance(api, tip, PULL) is not None
    assert read_acceptance(api, tip, PULL + 1) is None


def test_accepting_the_commit_that_accepts_is_answered(accepted):
    answer = accepted.accept(*WORD, *PROOF)
    assert (answer.status, "error[G277]" in answer.err) == (6, True), answer
    assert "is the commit that accepted the level already" in answer.err


def test_a_pull_request_that_began_on_an_older_baseline_is_updated_first(world):
    """Merged later, its file would take away what was accepted meanwhile."""
    head = world.pull_request()
    world.measured(head)
    text = (world.root / BASELINE).read_text()
    (world.root / BASELINE).write_text(text.replace("first baseline", "another reason"))
    world.commit("main")
    answer = world.accept()
    assert (answer.status, "error[G274]" in answer.err) == (6, True), answer
    assert "than the pull request began on" in answer.err
    assert world.tip("work") == head


@pytest.mark.parametrize(
    ("change", "enough"),
    [
        ({}, True),
        ({"require_last_push_approval": False, "dismiss_stale_reviews_on_push": True}, True),
        ({"require_last_push_approval": False}, False),
        ({"required_approving_review_count": 0}, False),
    ],
)
def test_the_answer_says_where_nobody_else_has_to_look(world, change, enough):
    rule = {**REVIEW, "parameters": {**REVIEW["parameters"], **change}}
    world.hub.repository(REPOSITORY)["rules"] = {"main": [rule]}
    world.measured(world.pull_request())
    assert world.accept().status == 0
    (said,) = world.said()
    assert ("nothing forces anybody else to look" in said) is not enough


def test_the_answer_names_required_checks_that_nothing_starts(world):
    """GitHub starts no workflow for a commit of a job's own token; ours is written by judging."""
    checks = [{"context": "driftgate"}, {"context": "unit tests"}]
    rule = {"type": "required_status_checks", "parameters": {"required_status_checks": checks}}
    world.hub.repository(REPOSITORY)["rules"] = {"main": [REVIEW, rule]}
    world.measured(world.pull_request())
    assert world.accept().status == 0
    (said,) = world.said()
    assert "unit tests must run before this is merged" in said
