"""Which pull request a run measured, and who may write: asked of the API, never of the run."""

from __future__ import annotations

import pytest
from builders import run_gate
from publish.github_server import GitHubServer
from publish.server_client import HEAD, NEWER, REPOSITORY, TOKEN, client

from gate.errors import InputError, PublishError
from gate.publish.measured_head import MeasuredHead, locate_pull_request
from gate.publish.measured_run import require_head
from gate.publish.reviews import may_write

FORK = "stranger/name"


@pytest.fixture
def hub(tmp_path):
    with GitHubServer(tmp_path / "hub") as server:
        server.add_repository(REPOSITORY, permissions={"alice": "admin", "bob": "maintain"})
        server.add_token(TOKEN, {"actions": "read", "checks": "read", "pull-requests": "read"})
        yield server


def refused(hub, code, run=5):
    with pytest.raises(PublishError) as caught:
        locate_pull_request(client(hub), run)
    assert caught.value.code == code
    return str(caught.value)


def test_the_pull_request_of_a_run_is_found_by_its_commit(hub):
    hub.add_run(REPOSITORY, 5, head=HEAD, conclusion="failure")
    hub.add_pull(REPOSITORY, 7, head=HEAD, base="release/1.x", base_sha="c" * 40)
    assert locate_pull_request(client(hub), 5) == MeasuredHead(
        number=7,
        head=HEAD,
        base_ref="release/1.x",
        base_sha="c" * 40,
        conclusion="failure",
        fork=False,
        ref="refs/pull/7/head",
        is_queued=False,
        is_approved=False,
        is_measured=True,
        refusal="",
        measured=HEAD,
        accepted=(),
    )


def test_that_of_a_fork_is_found_although_its_event_names_none(hub):
    hub.add_run(REPOSITORY, 5, head=HEAD, fork=FORK)
    hub.add_pull(REPOSITORY, 7, head=HEAD)  # the same branch name in the repository itself
    hub.add_pull(REPOSITORY, 8, head=HEAD, fork=FORK)
    found = locate_pull_request(client(hub), 5)
    assert (found.number, found.fork) == (8, True)


def test_a_run_that_was_overtaken_is_told_by_what(hub):
    hub.add_run(REPOSITORY, 5, head=HEAD)
    hub.add_pull(REPOSITORY, 7, head=NEWER)
    assert f"superseded by {NEWER}" in refused(hub, "G274")


def test_a_pull_request_that_was_closed_is_none(hub):
    hub.add_run(REPOSITORY, 5, head=HEAD)
    hub.add_pull(REPOSITORY, 7, head=HEAD, state="closed")
    assert "no open pull request" in refused(hub, "G274")


def test_two_pull_requests_of_one_commit_cannot_be_told_apart(hub):
    hub.add_run(REPOSITORY, 5, head=HEAD)
    hub.add_pull(REPOSITORY, 7, head=HEAD)
    hub.add_pull(REPOSITORY, 8, head=HEAD, base="next")
    assert "head of 2 pull requests" in refused(hub, "G274")


def test_a_run_that_was_not_for_a_pull_request_has_none(hub):
    hub.add_run(REPOSITORY, 5, head=HEAD, event="push")
    hub.add_pull(REPOSITORY, 7, head=HEAD)
    assert "started by push" in refused(hub, "G274")


def test_a_fork_that_was_deleted_has_none(hub):
    hub.add_run(REPOSITORY, 5, head=HEAD)["head_repository"] = None
    assert "repository that is gone" in refused(hub, "G274")


def test_a_run_that_does_not_exist_is_refused(hub):
    assert "404" in refused(hub, "G270", run=6)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("head_sha", "main"),
        ("head_sha", None),
        ("head_sha", "1" * 39 + "\n"),
        ("head_branch", 7),
        ("event", ["pull_request"]),
        ("conclusion", "success\nnumber=1"),
    ],
)
def test_an_answer_of_the_wrong_kind_is_refused(hub, key, value):
    hub.add_run(REPOSITORY, 5, head=HEAD)[key] = value
    hub.add_pull(REPOSITORY, 7, head=HEAD)
    refused(hub, "G273")


@pytest.mark.parametrize(
    "name",
    ["a\nnumber=9", "a b", "-x", "a..b", "a~1", "x.lock", "/a", "a/", "a@{0}", "", "a" * 300],
)
def test_a_base_branch_that_git_would_not_allow_is_refused(hub, name):
    hub.add_run(REPOSITORY, 5, head=HEAD)
    hub.add_pull(REPOSITORY, 7, head=HEAD, base=name)
    refused(hub, "G273")


def test_the_command_sets_outputs_and_prints_them(hub, tmp_path):
    hub.add_run(REPOSITORY, 5, head=HEAD, fork=FORK)
    hub.add_pull(REPOSITORY, 8, head=HEAD, fork=FORK)
    output = tmp_path / "output"
    environment = {
        "GATE_API_URL": hub.url,
        "GITHUB_API_URL": "https://example.com",
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_TOKEN": TOKEN,
        "GITHUB_OUTPUT": str(output),
    }
    answer = run_gate(["publish", "locate", "--run", "5", "--forks"], env=environment)
    assert answer.status == 0, answer.err
    expected = {
        "number": "8",
        "head": HEAD,
        "ref": "refs/pull/8/head",
        "base": "main",
        "base_sha": "b" * 40,
        "conclusion": "success",
        "fork": "true",
        "queued": "false",
        "approved": "false",
        "measured": "true",
        "refusal": "",
        "measured_commit": HEAD,
        "accepted": "",
    }
    assert dict(line.split("=", 1) for line in answer.out.splitlines()) == expected
    lines = output.read_text(encoding="utf-8").splitlines()
    names = [line.split("<<")[0] for line in lines[::3]]
    assert dict(zip(names, lines[1::3], strict=True)) == expected
    as_values = {"number": 8, "fork": True, "queued": False, "approved": False}
    as_values["measured"] = True
    as_json = run_gate(
        ["publish", "locate", "--run", "5", "--forks", "--json"], env=environment
    ).json
    assert as_json == {"schema": 1, **expected, **as_values}


def test_the_command_ends_with_6_when_nothing_can_be_named(hub):
    environment = {"GATE_API_URL": hub.url, "GITHUB_REPOSITORY": REPOSITORY, "GITHUB_TOKEN": TOKEN}
    answer = run_gate(["publish", "locate", "--run", "5"], env=environment)
    assert (answer.status, answer.out) == (6, "")
    assert answer.err.startswith("error[G270]: GET /repos/owner/name/actions/runs/5: ")


@pytest.mark.parametrize("token", ["", "  "])
def test_without_a_token_nothing_is_asked(hub, token):
    environment = {
        "GATE_API_URL": hub.url,
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_TOKEN": token,
        "GH_TOKEN": "",
    }
    answer = run_gate(["publish", "locate", "--run", "5"], env=environment)
    assert answer.status == 2
    assert "GITHUB_TOKEN: ${{ github.token }}" in answer.err
    assert hub.log == []


def test_a_head_is_the_head_until_a_newer_one_comes(hub):
    pull = hub.add_pull(REPOSITORY, 7, head=HEAD)
    require_head(client(hub), 7, HEAD)
    pull["head"]["sha"] = NEWER
    with pytest.raises(PublishError) as caught:
        require_head(client(hub), 7, HEAD)
    assert caught.value.code == "G274"


@pytest.mark.parametrize(
    ("role", "may"),
    [
        ("admin", True),
        ("maintain", True),
        ("write", True),
        ("triage", False),
        ("read", False),
        ("none", False),
        (None, False),
    ],
)
def test_who_may_write_is_what_github_says(hub, role, may):
    permissions = hub.repository(REPOSITORY)["permissions"]
    if role:
        permissions["carol"] = role
    assert may_write(client(hub), "carol") is may


def test_a_login_cannot_lead_the_question_to_somebody_else(hub):
    assert not may_write(client(hub), "alice/permission?x=")
    with pytest.raises(InputError):
        may_write(client(hub), "..")


def test_an_answer_about_somebody_else_is_no_permission(hub):
    hub.fault(status=200, body='{"permission": "admin", "user": {"login": "alice"}}')
    assert not may_write(client(hub), "mallory")


def test_a_fault_is_never_taken_for_a_permission(hub):
    hub.fault(status=200, body='{"permission": true, "user": {"login": "mallory"}}')
    with pytest.raises(PublishError):
        may_write(client(hub), "mallory")
