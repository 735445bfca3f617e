"""The client of the API over real HTTP: what it waits for, what it refuses, what it keeps quiet."""

from __future__ import annotations

import socket

import pytest
from publish.github_server import GitHubServer
from publish.server_client import REPOSITORY, TOKEN, Clock, client
from publish.server_faults import primary_limit, secondary_limit

from gate.docs import PAGES
from gate.errors import GateError
from gate.publish.github.api import Api
from gate.publish.github.responses import OutcomeUnclear, RequestRefused

PULLS = "/repos/owner/name/pulls"
COMMENTS = "/repos/owner/name/issues/7/comments"


@pytest.fixture
def hub(tmp_path):
    with GitHubServer(tmp_path / "hub") as server:
        server.add_repository(REPOSITORY)
        server.add_token(TOKEN)
        server.add_pull(REPOSITORY, 7, head="1" * 40)
        yield server


@pytest.fixture
def clock():
    return Clock()


def failure(code, call, *words, **options):
    with pytest.raises(GateError) as caught:
        call(*words, **options)
    assert caught.value.code == code, caught.value
    assert code in PAGES or code == "G200"
    assert TOKEN not in str(caught.value)
    return caught.value


def test_a_request_carries_the_headers_that_github_asks_for(hub, clock):
    assert client(hub, clock).get(PULLS)[0]["number"] == 7
    _, _, headers = hub.log[0]
    assert headers["accept"] == "application/vnd.github+json"
    assert headers["x-github-api-version"] == "2022-11-28"
    assert headers["user-agent"] == "driftgate"
    assert headers["authorization"] == f"Bearer {TOKEN}"
    assert clock.waits == []


def test_every_page_is_read_and_a_hundred_items_come_at_a_time(hub):
    for number in range(8, 242):
        hub.add_pull(REPOSITORY, number, head="1" * 40)
    numbers = [one["number"] for one in client(hub).every(PULLS, state="open")]
    assert numbers == list(range(7, 242))
    assert len(hub.asked("GET")) == 3


def test_a_list_inside_an_object_is_paged_as_well(hub):
    for number in range(1, 151):
        hub.add_run(REPOSITORY, number, head="1" * 40)
    runs = client(hub).every("/repos/owner/name/actions/runs", key="workflow_runs")
    assert sum(1 for _ in runs) == 150


def test_a_next_page_at_another_address_is_refused(hub):
    link = '<http://127.0.0.2:1/repos/owner/name/pulls?page=2>; rel="next"'
    hub.fault(status=200, headers={"Link": link}, body="[]")
    failure("G273", list, client(hub).every(PULLS))


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_failing_server_is_asked_four_times_with_growing_pauses(hub, clock, status):
    hub.fault(status=status, times=3)
    assert client(hub, clock).get(PULLS)
    assert clock.waits == [1.0, 4.0, 15.0]
    assert len(hub.log) == 4
    assert clock.said[0] == f"GET {PULLS}: GitHub answered {status}; next try in 1 s"


def test_a_server_that_keeps_failing_is_given_up(hub, clock):
    hub.fault(status=503, times=99)
    error = failure("G272", client(hub, clock).get, PULLS)
    assert "GitHub answered 503 (4 tries)" in str(error)
    assert len(hub.log) == 4


@pytest.mark.parametrize("kind", ["reset", "cut"])
def test_a_connection_that_breaks_is_tried_again(hub, clock, kind):
    hub.fault(kind, times=2)
    assert client(hub, clock).get(PULLS)
    assert clock.waits == [1.0, 4.0]


def test_an_answer_that_drips_for_ever_is_given_up(hub, clock, monkeypatch):
    hub.fault("drip", times=99)
    times = iter(range(0, 10**9, 100))
    api = Api(hub.url, TOKEN, REPOSITORY, pause=clock.pause, now=lambda: float(next(times)))
    assert "took longer than 300 s" in str(failure("G272", api.get, PULLS))


def test_nobody_listening_is_told_with_the_reason(clock):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    api = Api(url, TOKEN, REPOSITORY, pause=clock.pause, now=clock.now)
    error = failure("G272", api.post, COMMENTS, {"body": "x"})
    assert "Connection refused (4 tries)" in str(error)
    assert not isinstance(error, OutcomeUnclear)  # nothing can have been made


def test_a_comment_that_may_have_been_made_is_not_made_again(hub, clock):
    hub.fault(status=502, after=True, times=9)
    with pytest.raises(OutcomeUnclear):
        client(hub, clock).post(COMMENTS, {"body": "once"})
    assert hub.bodies(REPOSITORY) == ["once"]
    assert clock.waits == []


def test_a_lost_connection_after_a_post_is_unclear_as_well(hub):
    hub.fault("reset", after=True)
    error = failure("G272", client(hub).post, COMMENTS, {"body": "once"})
    assert isinstance(error, OutcomeUnclear)
    assert hub.bodies(REPOSITORY) == ["once"]


def test_what_its_content_names_is_made_again(hub, clock):
    hub.fault(status=502, after=True)
    assert client(hub, clock).post(COMMENTS, {"body": "x"}, again=True)
    assert len(hub.bodies(REPOSITORY)) == 2


def test_a_rate_limit_before_a_post_is_waited_for_and_the_post_made_once(hub, clock):
    hub.limit(secondary_limit(30))
    client(hub, clock).post(COMMENTS, {"body": "once"})
    assert clock.waits == [30.0]
    assert hub.bodies(REPOSITORY) == ["once"]


@pytest.mark.parametrize("status", [403, 429])
def test_retry_after_is_waited_for(hub, clock, status):
    hub.limit(secondary_limit(47, status=status))
    client(hub, clock).get(PULLS)
    assert clock.waits == [47.0]
    assert "GitHub asks for fewer requests; next try in 47 s" in clock.said[0]


@pytest.mark.parametrize("status", [403, 429])
def test_a_secondary_limit_without_a_time_is_waited_for_a_minute(hub, clock, status):
    hub.limit(secondary_limit(None, status=status))
    client(hub, clock).get(PULLS)
    assert clock.waits == [60.0]


@pytest.mark.parametrize("status", [403, 429])
def test_a_primary_limit_is_waited_for_until_its_end(hub, clock, status):
    hub.limit(primary_limit(1_000_090, status=status))
    client(hub, clock).get(PULLS)
    assert clock.waits == [90.0]


def test_a_limit_beyond_ten_minutes_is_not_waited_for(hub, clock):
    hub.limit(primary_limit(1_000_601))
    error = failure("G271", client(hub, clock).get, PULLS)
    assert "601 s away" in str(error)
    assert clock.waits == []


def test_waits_add_up_to_ten_minutes_at_most(hub, clock):
    hub.limit(secondary_limit(250, times=9))
    failure("G271", client(hub, clock).get, PULLS)
    assert clock.waits == [250.0, 250.0]


def test_a_limit_that_has_ended_by_our_clock_is_asked_less_and_less_often(hub, clock):
    hub.limit(primary_limit(5, times=999))
    failure("G271", client(hub, clock).get, PULLS)
    assert clock.waits == [2.0**n for n in range(9)]


def test_a_missing_permission_is_named_as_it_stands_in_a_workflow(hub):
    hub.add_token(TOKEN, {"pull-requests": "read"})
    error = failure("G270", client(hub).post, COMMENTS, {"body": "x"})
    assert isinstance(error, RequestRefused)
    assert error.http == 403
    assert str(error) == (
        f"POST {COMMENTS}: GitHub answered 403 (Resource not accessible by integration). "
        "Give the job `pull-requests: write`."
    )


@pytest.mark.parametrize(
    ("method", "path", "permission"),
    [
        ("get", "actions/runs/1", "actions: read"),
        ("get", "actions/runs/1/artifacts", "actions: read"),
        ("post", "check-runs", "checks: write"),
        ("get", "commits/main/check-runs", "checks: read"),
        ("post", "git/refs", "contents: write"),
        ("get", "contents/README.md", "contents: read"),
        ("post", "pulls", "pull-requests: write"),
        ("get", "issues/7/comments", "pull-requests: read"),
        ("patch", "issues/comments/1", "pull-requests: write"),
    ],
)
def test_each_endpoint_names_its_permission(hub, method, path, permission):
    hub.add_token(TOKEN, {})
    call = getattr(client(hub), method)
    words = [f"/repos/owner/name/{path}"] + ([{}] if method != "get" else [])
    assert f"`{permission}`" in str(failure("G270", call, *words))


def test_a_wrong_token_is_told_and_not_repeated(hub):
    error = failure("G270", client(hub, token="ghs_other").get, PULLS)
    assert "401 (Bad credentials)" in str(error)
    assert "github.token" in str(error)
    assert "ghs_other" not in str(error)


def test_an_unknown_repository_is_refused(hub):
    assert "404" in str(failure("G270", client(hub).get, "/repos/owner/other/pulls"))
    assert client(hub).find("/repos/owner/other/pulls") is None


@pytest.mark.parametrize(
    "body", ["<html>log in</html>", "{", "[1, NaN]", '{"a":1,"a":2}', "\ufeff[]"]
)
def test_an_answer_that_is_no_strict_json_is_refused(hub, body):
    hub.fault(status=200, body=body)
    failure("G273", client(hub).get, PULLS)


def test_an_answer_nested_absurdly_deep_is_refused(hub):
    hub.fault(status=200, body="[" * 200_000)
    failure("G273", client(hub).get, PULLS)


def test_an_answer_longer_than_sixteen_mib_is_not_read(hub):
    hub.fault(status=200, headers={"Content-Length": str(16 * 1024 * 1024 + 1)})
    assert "longer than 16777216 bytes" in str(failure("G273", client(hub).get, PULLS))


def test_a_conflict_has_its_own_code(hub):
    hub.fault(status=409, body='{"message": "Git Repository is empty."}')
    assert "409 (Git Repository is empty.)" in str(failure("G274", client(hub).get, PULLS))


def test_what_github_says_is_shown_as_plain_text(hub):
    hub.fault(
        status=422, body='{"message": "a\\u001b[31m\\n::error::b", "errors": [{"message": "c"}]}'
    )
    error = failure("G270", client(hub).get, PULLS)
    assert "(a ::error::b; c)" in str(error)
    assert str(error).isprintable()
