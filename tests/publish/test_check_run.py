"""The check of a commit: a success only for an open gate, within the limits of the server."""

from __future__ import annotations

import subprocess

import pytest
from publish.github_server import GitHubServer
from publish.server_client import HEAD, REPOSITORY, TOKEN, Clock, client

from gate.errors import PublishError
from gate.publish.check_run import (
    LARGEST,
    CommitCheck,
    fit_bytes,
    publish_check,
    publish_unmeasured,
)

RUNS = f"/repos/{REPOSITORY}/check-runs"


@pytest.fixture
def hub(tmp_path):
    with GitHubServer(tmp_path / "hub") as server:
        server.add_repository(REPOSITORY)
        server.add_token(TOKEN, {"checks": "write"})
        yield server


def check(**more):
    told = {
        "title": "closed: 1 regressed",
        "summary": "text",
        "details_url": "https://example.com/r",
    }
    return CommitCheck(**{"name": "driftgate", "head": HEAD, "is_open": False, **told, **more})


def checks(hub):
    return hub.repository(REPOSITORY)["checks"]


@pytest.mark.parametrize(("is_open", "conclusion"), [(True, "success"), (False, "failure")])
def test_it_succeeds_only_for_an_open_gate(hub, is_open, conclusion):
    done = publish_check(client(hub), check(is_open=is_open))
    (made,) = checks(hub)
    assert (made["status"], made["conclusion"]) == ("completed", conclusion)
    assert (made["name"], made["head_sha"]) == ("driftgate", HEAD)
    assert made["details_url"] == "https://example.com/r"
    assert made["output"] == {"title": "closed: 1 regressed", "summary": "text"}
    assert (done.action, done.author) == ("created", "github-actions")


def test_a_second_verdict_on_the_same_commit_updates_the_same_check(hub):
    publish_check(client(hub), check(is_open=True))
    assert publish_check(client(hub), check()).action == "edited"
    (made,) = checks(hub)
    assert made["conclusion"] == "failure"


@pytest.mark.parametrize("is_open", [True, False])
def test_what_nobody_measured_is_neutral_under_a_name_that_no_branch_requires(hub, is_open):
    """GitHub lets a neutral check satisfy a requirement: the required one stays away."""
    publish_unmeasured(client(hub), check(is_open=is_open))
    (made,) = checks(hub)
    assert (made["name"], made["conclusion"]) == ("driftgate: not measured", "neutral")


def test_what_nobody_measured_closes_what_an_earlier_run_opened(hub):
    publish_check(client(hub), check(is_open=True))
    publish_unmeasured(client(hub), check())
    told = {one["name"]: one["conclusion"] for one in checks(hub)}
    assert told == {"driftgate": "failure", "driftgate: not measured": "neutral"}


def test_no_check_is_neutral_by_its_own_word_alone(hub):
    """Neither may it open, whatever else it says."""
    publish_check(client(hub), check(is_open=True, is_neutral=True))
    assert checks(hub)[0]["conclusion"] == "failure"


def test_a_job_of_the_same_name_keeps_its_own_check(hub):
    client(hub).post(RUNS, {"name": "driftgate", "head_sha": HEAD, "external_id": "a-job"})
    publish_check(client(hub), check())
    assert [one["external_id"] for one in checks(hub)] == ["a-job", "driftgate:driftgate"]


def test_another_commit_and_another_name_get_checks_of_their_own(hub):
    for more in ({}, {"name": "driftgate lab-2"}, {"head": "3" * 40}):
        assert publish_check(client(hub), check(**more)).action == "created"
    assert len(checks(hub)) == 3


def test_a_check_that_was_made_although_the_answer_was_lost_is_not_made_twice(hub):
    clock = Clock()
    hub.fault(status=504, method="POST", after=True)
    assert publish_check(client(hub, clock), check()).action == "edited"
    assert len(checks(hub)) == 1
    assert clock.waits == [2.0]


def test_a_server_that_loses_every_answer_is_given_up(hub):
    hub.fault(status=502, method="POST", times=99)
    with pytest.raises(PublishError) as caught:
        publish_check(client(hub), check())
    assert caught.value.code == "G272"


def test_a_long_title_and_a_long_summary_are_cut_to_what_the_server_takes(hub):
    summary = "<details>\n" + "é😀 row of text\n" * 20_000 + "</details>\n"
    publish_check(client(hub), check(title="ü" * 300, summary=summary))
    output = checks(hub)[0]["output"]
    assert len(output["title"]) == 255
    assert 65_000 < len(output["summary"].encode()) <= 65_535
    assert output["summary"].endswith("</details>\n\nThere is more in the report.\n")


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ({"title": "t" * 256, "summary": ""}, "title is too long"),
        ({"title": "t", "summary": "é" * 32_768}, "Only 65535"),
        ({"title": "t", "summary": "", "text": "x" * 65_536}, "Only 65535"),
        ({"title": "t", "summary": "", "annotations": [{}] * 51}, "no more than 50 annotations"),
    ],
)
def test_the_server_enforces_its_own_limits(hub, output, said):
    body = {"name": "n", "head_sha": HEAD, "output": output}
    with pytest.raises(PublishError) as caught:
        client(hub).post(RUNS, body)
    assert f"422 (Validation Failed; {said}" in str(caught.value)


def test_what_fits_is_not_touched():
    text = "é" * (LARGEST // 2)
    assert fit_bytes(text, LARGEST) == text


def test_a_missing_permission_is_named(hub):
    hub.add_token(TOKEN, {"checks": "read"})
    with pytest.raises(PublishError) as caught:
        publish_check(client(hub), check())
    assert "Give the job `checks: write`." in str(caught.value)


def test_a_commit_that_the_repository_does_not_have_is_refused(hub, tmp_path):
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "bare.git"], check=True)
    hub.repository(REPOSITORY)["git"] = str(tmp_path / "bare.git")
    with pytest.raises(PublishError) as caught:
        publish_check(client(hub), check())
    assert "No commit found for SHA" in str(caught.value)
