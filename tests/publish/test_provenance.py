"""A result is believed for where it was made: the run's file, what it called, and the machine."""

from __future__ import annotations

import pytest
from publish.github_server import GitHubServer
from publish.server_build import MACHINE, MEASURE, PINNED
from publish.server_client import HEAD, NEWER, REPOSITORY, TOKEN, client

from gate.errors import PublishError
from gate.publish.measured_head import locate_pull_request
from gate.publish.run_provenance import DemandedOrigin

FORK = "stranger/name"
ASKED = DemandedOrigin(uses=MEASURE, machine=MACHINE)


@pytest.fixture
def hub(tmp_path):
    with GitHubServer(tmp_path / "hub") as server:
        server.add_repository(REPOSITORY, permissions={"alice": "write", "carol": "read"})
        server.add_token(
            TOKEN,
            {"actions": "read", "checks": "read", "pull-requests": "read", "contents": "read"},
        )
        server.add_pull(REPOSITORY, 7, head=HEAD)
        server.add_pull(REPOSITORY, 8, head=HEAD, fork=FORK)
        yield server


def located(hub, demand=ASKED):
    return locate_pull_request(client(hub), 5, demand)


def test_what_the_pinned_workflow_measured_on_the_machine_is_judged(hub):
    hub.add_run(REPOSITORY, 5, head=HEAD)
    found = located(hub)
    assert (found.number, found.refusal, found.is_measured) == (7, "", True)


def test_a_workflow_that_is_only_named_like_ours_is_no_result(hub):
    """The instance: a fork adds a workflow `name: driftgate` that uploads a copied session."""
    hub.add_run(
        REPOSITORY, 5, head=HEAD, fork=FORK, file="evil.yml", uses="", labels=["ubuntu-24.04"]
    )
    with pytest.raises(PublishError) as caught:
        located(hub, DemandedOrigin(uses=MEASURE, machine=MACHINE, forks=True))
    assert caught.value.code == "G288"
    assert ".github/workflows/evil.yml" in str(caught.value)
    assert not [path for how, path, _ in hub.log if how != "GET"]


@pytest.mark.parametrize(
    ("uses", "said"),
    [
        ("", "calls no measure.yml"),
        (MEASURE.replace(PINNED, "8" * 40), "8" * 12),
        (MEASURE.replace("driftgate/driftgate", "stranger/driftgate"), "calls no measure.yml"),
        (MEASURE.replace("measure.yml", "judge.yml"), "calls no measure.yml"),
    ],
    ids=["none", "another commit", "another repository", "another workflow"],
)
def test_our_file_that_calls_something_else_is_refused_and_told(hub, uses, said):
    hub.add_run(REPOSITORY, 5, head=HEAD, uses=uses)
    found = located(hub)
    assert said in found.refusal
    assert "approve" in found.refusal
    assert not found.is_approved


def test_a_reference_is_believed_by_its_commit_and_not_by_its_name(hub):
    """`path` may end in a branch or a tag; what ran is `sha`."""
    run = hub.add_run(REPOSITORY, 5, head=HEAD)
    run["referenced_workflows"] = [{"path": MEASURE, "sha": "8" * 40}]
    assert "8" * 12 in located(hub).refusal
    run["referenced_workflows"] = [{"path": MEASURE.replace(PINNED, "v1"), "sha": PINNED}]
    assert located(hub).refusal == ""


@pytest.mark.parametrize("labels", [(), ("ubuntu-24.04",), ("bench-10",), ("self-hosted",)])
def test_what_was_not_measured_on_the_machine_is_refused(hub, labels):
    hub.add_run(REPOSITORY, 5, head=HEAD, labels=labels)
    found = located(hub)
    assert f"no job of it ran on a runner labelled {MACHINE}" in found.refusal
    assert not found.is_measured


def test_a_job_that_only_asked_for_the_machine_did_not_run_on_it(hub):
    run = hub.add_run(REPOSITORY, 5, head=HEAD)
    run["jobs"][0].update(conclusion="cancelled", runner_id=0)
    assert "no job of it ran" in located(hub).refusal


def test_a_fork_is_not_judged_unless_forks_were_asked_for(hub):
    hub.add_run(REPOSITORY, 5, head=HEAD, fork=FORK)
    found = located(hub)
    assert (found.number, found.fork, found.is_measured) == (8, True, False)
    assert "pull requests of forks are not measured here" in found.refusal
    asked = located(hub, DemandedOrigin(uses=MEASURE, machine=MACHINE, forks=True))
    assert (asked.refusal, asked.is_measured) == ("", True)


@pytest.mark.parametrize(
    ("login", "commit", "state", "approved"),
    [
        ("alice", HEAD, "APPROVED", True),
        ("alice", NEWER, "APPROVED", False),
        ("carol", HEAD, "APPROVED", False),
        ("stranger", HEAD, "APPROVED", False),
        ("alice", HEAD, "COMMENTED", False),
        ("alice", HEAD, "DISMISSED", False),
        ("owner", HEAD, "APPROVED", False),
    ],
)
def test_an_approval_counts_for_its_commit_by_somebody_who_may_write(
    hub, login, commit, state, approved
):
    """`owner` is the author, who may write and may not approve their own."""
    hub.repository(REPOSITORY)["permissions"]["owner"] = "admin"
    hub.add_run(REPOSITORY, 5, head=HEAD, uses=MEASURE.replace(PINNED, "8" * 40))
    hub.add_review(REPOSITORY, 7, login, commit=commit, state=state)
    found = located(hub)
    assert found.is_approved is approved
    assert (found.refusal == "") is approved  # who updates the pin is approved like who edits it


def test_an_approval_that_was_taken_back_is_none(hub):
    hub.add_run(REPOSITORY, 5, head=HEAD)
    for state in ("APPROVED", "CHANGES_REQUESTED", "COMMENTED"):
        hub.add_review(REPOSITORY, 7, "alice", commit=HEAD, state=state)
    assert not located(hub).is_approved


def test_an_approval_does_not_stand_in_for_the_machine(hub):
    hub.add_run(REPOSITORY, 5, head=HEAD, labels=["ubuntu-24.04"])
    hub.add_review(REPOSITORY, 7, "alice", commit=HEAD)
    assert "no job of it ran" in located(hub).refusal


def test_of_two_pull_requests_of_one_branch_the_gated_one_is_meant(hub):
    hub.add_pull(REPOSITORY, 9, head=HEAD, base="release")
    hub.add_run(REPOSITORY, 5, head=HEAD)
    assert located(hub, DemandedOrigin(branch="main")).number == 7
    assert located(hub, DemandedOrigin(branch="release")).number == 9


def test_the_only_one_is_found_although_it_is_for_another_branch(hub):
    """So that it can be told that nothing is gated there."""
    hub.add_run(REPOSITORY, 5, head=HEAD)
    found = located(hub, DemandedOrigin(branch="next"))
    assert (found.number, found.base_ref) == (7, "main")


BASE = "b" * 40
QUEUE = f"gh-readonly-queue/main/pr-7-{BASE}"


def queued(hub, *, tip=HEAD, branch=QUEUE, **more):
    """A run of the merge queue, whose branch stands at `tip`."""
    hub.repository(REPOSITORY)["refs"] = {branch: tip}
    hub.add_run(REPOSITORY, 5, head=HEAD, branch=branch, event="merge_group", **more)


def test_a_run_of_the_merge_queue_is_of_the_pull_request_that_its_branch_names(hub):
    hub.repository(REPOSITORY)["pulls"][0]["head"]["sha"] = NEWER
    hub.add_review(REPOSITORY, 7, "alice", commit=NEWER)
    queued(hub)
    found = located(hub)
    assert (found.number, found.head, found.base_ref, found.base_sha) == (7, HEAD, "main", BASE)
    assert found.is_queued
    assert found.is_approved  # of the pull request's own head, which the queue has merged
    assert (found.ref, found.refusal) == (f"refs/heads/{QUEUE}", "")


def test_a_run_of_the_merge_queue_that_was_built_anew_is_overtaken(hub):
    queued(hub, tip=NEWER)
    with pytest.raises(PublishError) as caught:
        located(hub)
    assert caught.value.code == "G274"
    assert NEWER in str(caught.value)


@pytest.mark.parametrize(
    "more",
    [{"branch": "work"}, {"branch": f"gh-readonly-queue/main/pr-0-{BASE}"}, {"fork": FORK}],
    ids=["another branch", "no number", "of a fork"],
)
def test_what_only_looks_like_a_merge_queue_is_none(hub, more):
    queued(hub, **more)
    with pytest.raises(PublishError) as caught:
        located(hub)
    assert caught.value.code == "G274"


def test_the_queue_believes_no_other_workflow_either(hub):
    queued(hub, uses="")
    assert "calls no measure.yml" in located(hub).refusal
