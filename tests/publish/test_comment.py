"""One comment per pull request: made once, edited afterwards, and only ever our own."""

from __future__ import annotations

import pytest
from publish.github_server import GitHubServer
from publish.server_client import HEAD, NEWER, REPOSITORY, TOKEN, Clock, client
from publish.server_faults import secondary_limit

from gate.errors import PublishError
from gate.publish.comment import publish_comment

MARKER = "<!-- driftgate:gate -->"
BODY = f"{MARKER}\nGate closed: 1 regressed."
COMMENTS = "/issues/7/comments"


@pytest.fixture
def hub(tmp_path):
    with GitHubServer(tmp_path / "hub") as server:
        server.add_repository(REPOSITORY)
        server.add_token(TOKEN, {"pull-requests": "write"})
        server.add_pull(REPOSITORY, 7, head=HEAD)
        yield server


def publish(hub, body=BODY, *, clock=None, **more):
    words = (client(hub, clock), 7, body)
    return publish_comment(*words, **{"marker": MARKER, "head": HEAD, **more})


def move_head(hub):
    hub.repository(REPOSITORY)["pulls"][0]["head"]["sha"] = NEWER


def test_the_first_run_makes_a_comment(hub):
    done = publish(hub)
    assert (done.action, done.author, done.removed) == ("created", "github-actions[bot]", 0)
    assert done.url.startswith("https://github.com/owner/name/pull/7#issuecomment-")
    assert hub.bodies(REPOSITORY) == [BODY]


def test_later_runs_edit_it_and_add_none(hub):
    first = publish(hub)
    second = publish(hub, f"{MARKER}\nGate open.")
    assert (second.action, second.url) == ("edited", first.url)
    assert hub.bodies(REPOSITORY) == [f"{MARKER}\nGate open."]


def test_nothing_is_sent_when_it_says_so_already(hub):
    publish(hub)
    assert publish(hub).action == "unchanged"
    assert hub.asked("PATCH") == []


def test_it_is_found_behind_two_hundred_other_comments(hub):
    for number in range(150):
        hub.add_comment(REPOSITORY, 7, f"talk {number}", login="alice")
    ours = hub.add_comment(REPOSITORY, 7, f"{MARKER}\nold")
    for number in range(100):
        hub.add_comment(REPOSITORY, 7, f"more {number}", login="bob")
    assert publish(hub).url.endswith(f"-{ours}")
    assert len(hub.bodies(REPOSITORY)) == 251


@pytest.mark.parametrize("login", ["alice", "github-actions", "other[bot]"])
def test_a_comment_of_somebody_else_with_our_marker_is_left_alone(hub, login):
    hub.add_comment(REPOSITORY, 7, f"{MARKER}\nmine", login=login)
    assert publish(hub).action == "created"
    assert hub.bodies(REPOSITORY) == [f"{MARKER}\nmine", BODY]


@pytest.mark.parametrize("body", [f"see\n{MARKER}", "<!-- driftgate:lab-2 -->\nother gate", ""])
def test_a_comment_of_ours_that_does_not_begin_with_this_marker_is_left_alone(hub, body):
    hub.add_comment(REPOSITORY, 7, body)
    assert publish(hub).action == "created"
    assert hub.bodies(REPOSITORY) == [body, BODY]


def test_a_comment_of_another_pull_request_is_left_alone(hub):
    hub.add_pull(REPOSITORY, 8, head=NEWER)
    hub.add_comment(REPOSITORY, 8, f"{MARKER}\neight")
    publish(hub)
    assert hub.bodies(REPOSITORY) == [f"{MARKER}\neight", BODY]


def test_doubles_of_earlier_days_are_taken_away_and_the_oldest_stays(hub):
    first = hub.add_comment(REPOSITORY, 7, f"{MARKER}\none")
    hub.add_comment(REPOSITORY, 7, f"{MARKER}\ntwo")
    hub.add_comment(REPOSITORY, 7, f"{MARKER}\nthree")
    done = publish(hub)
    assert (done.action, done.removed) == ("edited", 2)
    assert done.url.endswith(f"-{first}")
    assert hub.bodies(REPOSITORY) == [BODY]


def test_two_runs_at_the_same_time_leave_one_comment(hub):
    """The other run's comment appears between our look and our own comment."""
    hub.when("POST", COMMENTS, lambda: hub.add_comment(REPOSITORY, 7, f"{MARKER}\nother run"))
    done = publish(hub)
    assert (done.action, done.removed) == ("edited", 1)
    assert hub.bodies(REPOSITORY) == [BODY]


def test_a_double_that_the_other_run_took_away_first_is_no_error(hub):
    hub.add_comment(REPOSITORY, 7, f"{MARKER}\none")
    hub.add_comment(REPOSITORY, 7, f"{MARKER}\ntwo")
    hub.when("DELETE", "/issues/comments", hub.repository(REPOSITORY)["comments"].pop)
    publish(hub)
    assert hub.bodies(REPOSITORY) == [BODY]


def test_a_comment_that_was_removed_before_we_could_edit_it_is_made_anew(hub):
    hub.add_comment(REPOSITORY, 7, f"{MARKER}\nold")
    hub.when("PATCH", "/issues/comments", hub.repository(REPOSITORY)["comments"].clear)
    assert publish(hub).action == "created"
    assert hub.bodies(REPOSITORY) == [BODY]


def test_a_comment_that_was_made_although_the_answer_was_lost_is_not_made_twice(hub):
    clock = Clock()
    hub.fault(status=502, method="POST", path=COMMENTS, after=True)
    assert publish(hub, clock=clock).action == "unchanged"
    assert hub.bodies(REPOSITORY) == [BODY]
    assert clock.waits == [2.0]


def test_a_comment_that_was_not_made_is_made_at_the_next_try(hub):
    hub.fault("reset", method="POST", path=COMMENTS)
    assert publish(hub).action == "created"
    assert hub.bodies(REPOSITORY) == [BODY]


def test_a_server_that_loses_every_answer_is_given_up_with_one_comment_at_most(hub):
    hub.fault(status=502, method="POST", path=COMMENTS, times=99)
    with pytest.raises(PublishError) as caught:
        publish(hub)
    assert caught.value.code == "G272"
    assert len(hub.asked("POST")) == 3


def test_a_newer_commit_stops_us_before_anything_is_written(hub):
    move_head(hub)
    with pytest.raises(PublishError) as caught:
        publish(hub)
    assert caught.value.code == "G274"
    assert f"superseded by {NEWER}" in str(caught.value)
    assert hub.asked("POST") == hub.asked("PATCH") == []


def test_a_commit_that_arrives_while_we_try_again_stops_us_too(hub):
    hub.fault(status=502, method="POST", path=COMMENTS)
    hub.when("POST", COMMENTS, lambda: move_head(hub))
    with pytest.raises(PublishError) as caught:
        publish(hub)
    assert caught.value.code == "G274"
    assert hub.bodies(REPOSITORY) == []


def test_a_rate_limit_while_commenting_is_waited_for(hub):
    clock = Clock()
    hub.limit(secondary_limit(60, method="POST"))
    assert publish(hub, clock=clock).action == "created"
    assert clock.waits == [60.0]


def test_the_longest_comment_is_taken_and_one_more_character_is_not_sent(hub):
    longest = BODY + "é" * (59_999 - len(BODY))
    publish(hub, longest)
    with pytest.raises(PublishError) as caught:
        publish(hub, longest + "é")
    assert "60000 characters is not sent" in str(caught.value)
    assert hub.bodies(REPOSITORY) == [longest]


def test_the_server_enforces_its_own_limit(hub):
    with pytest.raises(PublishError) as caught:
        client(hub).post(f"/repos/{REPOSITORY}{COMMENTS}", {"body": "x" * 65_537})
    assert "422 (Validation Failed; Body is too long" in str(caught.value)


def test_a_body_without_its_marker_is_never_sent(hub):
    with pytest.raises(PublishError):
        publish(hub, "Gate open.")
    assert hub.log == []


def test_a_token_that_may_only_read_is_told_what_to_give_it(hub):
    hub.add_token(TOKEN, {"pull-requests": "read"})
    with pytest.raises(PublishError) as caught:
        publish(hub)
    assert "Give the job `pull-requests: write`." in str(caught.value)


def test_another_token_finds_its_own_comment_again(hub):
    """Its name is known only from what it made: the older one is kept, the new one goes."""
    hub.add_token(TOKEN, {"pull-requests": "write"}, login="our-bot")
    first = publish(hub)
    assert (first.action, first.author) == ("created", "our-bot")
    second = publish(hub, f"{MARKER}\nGate open.")
    assert (second.action, second.url, second.removed) == ("edited", first.url, 1)
    third = publish(hub, BODY, author="our-bot")
    assert (third.action, third.url, third.removed) == ("edited", first.url, 0)
    assert hub.bodies(REPOSITORY) == [BODY]
