"""`gate publish comment` and `gate publish check`, from a report file to what GitHub has."""

from __future__ import annotations

import pytest
from builders import run_gate, write_replay_project
from publish.github_server import GitHubServer
from publish.server_client import HEAD, NEWER, REPOSITORY, TOKEN

PAGE = "https://github.com/owner/name/actions/runs/5/artifacts/6"


@pytest.fixture
def hub(tmp_path):
    with GitHubServer(tmp_path / "hub") as server:
        server.add_repository(REPOSITORY)
        server.add_token(TOKEN)
        server.add_pull(REPOSITORY, 7, head=HEAD)
        yield server


@pytest.fixture
def gate(hub):
    environment = {
        "GATE_API_URL": hub.url,
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_TOKEN": TOKEN,
        "GITHUB_RUN_ID": "5",
        "GITHUB_SERVER_URL": "https://github.com",
    }
    return lambda *words: run_gate(["publish", *words], env=environment)


@pytest.fixture
def report(tmp_path):
    """Of a check without a baseline: closed."""
    project = write_replay_project(tmp_path)
    project.gate("check", "p", "--out", "out")
    return tmp_path / "out" / "report.json"


@pytest.fixture
def open_report(tmp_path):
    project = write_replay_project(tmp_path / "open")
    project.accept()
    assert project.gate("check", "p", "--out", "out").status == 0
    return tmp_path / "open" / "out" / "report.json"


def test_a_report_becomes_a_comment_and_the_next_one_edits_it(hub, gate, report, open_report):
    words = ("--pull", "7", "--head", HEAD, "--report-url", PAGE)
    answer = gate("comment", report, *words)
    assert answer.status == 0, answer.err
    assert answer.out.startswith("comment created: https://github.com/owner/name/pull/7#")
    (body,) = hub.bodies(REPOSITORY)
    assert body.startswith("<!-- driftgate:gate -->\n")
    assert PAGE in body
    assert HEAD in body
    assert gate("comment", open_report, *words, "--json").json["action"] == "edited"
    (edited,) = hub.bodies(REPOSITORY)
    assert edited != body


def test_two_gates_of_one_repository_write_one_comment_each(hub, gate, report):
    for name in ("gate", "lab-2", "gate", "lab-2"):
        gate("comment", report, "--pull", "7", "--head", HEAD, "--name", name)
    firsts = [body.partition("\n")[0] for body in hub.bodies(REPOSITORY)]
    assert firsts == ["<!-- driftgate:gate -->", "<!-- driftgate:lab-2 -->"]


def test_an_overtaken_commit_is_not_commented(hub, gate, report):
    answer = gate("comment", report, "--pull", "7", "--head", NEWER)
    assert answer.status == 6
    assert f"error[G274]: pull request 7 was superseded by {HEAD}" in answer.err
    assert hub.bodies(REPOSITORY) == []


def test_another_tokens_name_is_told(hub, gate, report):
    hub.add_token(TOKEN, login="our-bot")
    answer = gate("comment", report, "--pull", "7", "--head", HEAD)
    assert answer.status == 0
    assert "writes as our-bot: give --author" in answer.err


def test_a_closed_report_is_a_failed_check_and_an_open_one_a_success(
    hub, gate, report, open_report
):
    answer = gate("check", report, "--head", HEAD, "--report-url", PAGE)
    assert answer.status == 0, answer.err
    assert gate("check", open_report, "--head", HEAD, "--name", "lab-2").status == 0
    closed, opened = hub.repository(REPOSITORY)["checks"]
    assert (closed["name"], closed["conclusion"]) == ("driftgate", "failure")
    assert closed["details_url"] == PAGE
    assert "closed" in closed["output"]["title"]
    assert "driftgate:" not in closed["output"]["summary"]
    assert (opened["name"], opened["conclusion"]) == ("lab-2", "success")
    assert opened["details_url"] == "https://github.com/owner/name/actions/runs/5"


@pytest.mark.parametrize(
    "words",
    [
        ("--head", "main"),
        ("--head", HEAD[:39]),
        ("--head", HEAD, "--report-url", "javascript:alert(1)"),
        ("--head", HEAD, "--report-url", "https://example.com/) [x](y"),
        ("--head", HEAD, "--repository", "../name"),
        ("--head", HEAD, "--api-url", "file:///etc"),
    ],
)
def test_options_that_cannot_be_meant_are_refused_before_anything_is_sent(hub, gate, report, words):
    for command in (("comment", report, "--pull", "7"), ("check", report)):
        answer = gate(*command, *words)
        assert answer.status == 2, answer
        assert "error[G200]" in answer.err
    assert hub.log == []


@pytest.mark.parametrize("extra", [(), ("--json",)])
@pytest.mark.parametrize("how", [{"status": 502}, {"kind": "reset"}, {"status": 401}])
def test_the_token_is_in_nothing_that_is_printed(hub, gate, report, monkeypatch, extra, how):
    monkeypatch.setattr("gate.cli.publish.options.time.sleep", lambda _: None)
    hub.fault(times=99, body=TOKEN, **how)
    answer = gate("comment", report, "--pull", "7", "--head", HEAD, *extra)
    assert answer.status == 6
    assert TOKEN not in answer.out + answer.err


@pytest.mark.parametrize("said", ["closed", "opened", "OPEN"])
def test_an_open_report_that_nobody_judged_open_is_written_as_closed(hub, gate, open_report, said):
    """A run that is started again keeps earlier artifacts: an open one must not be published."""
    words = ("--head", HEAD, "--said", said)
    assert gate("check", open_report, *words).status == 0
    assert gate("comment", open_report, "--pull", "7", *words).status == 0
    (check,) = hub.repository(REPOSITORY)["checks"]
    assert check["conclusion"] == "failure"
    assert "of an earlier attempt" in hub.bodies(REPOSITORY)[0]
    assert gate("check", open_report, "--head", HEAD, "--said", "open").status == 0
    (check,) = hub.repository(REPOSITORY)["checks"]
    assert check["conclusion"] == "success"


def test_a_comment_on_a_regression_says_how_it_is_accepted(hub, gate, tmp_path):
    """The reader need not look up the word to answer with; an undecided check has none."""
    project = write_replay_project(tmp_path / "slow")
    project.accept()
    project.record({"b": [1.2, 1.202, 1.198] * 40})
    assert project.gate("check", "p", "--out", "out").status == 10
    report = tmp_path / "slow" / "out" / "report.json"
    assert gate("comment", report, "--pull", "7", "--head", HEAD).status == 0
    assert f"by the comment `/driftgate accept {HEAD[:12]} REASON`" in hub.bodies(REPOSITORY)[0]
