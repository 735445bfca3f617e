"""`/driftgate accept [COMMIT] REASON`: bound to what its writer saw, and always answered."""

from __future__ import annotations

import pytest
from pipeline.accept.accepting import ALICE, RUN, World
from publish.github_server import GitHubServer
from publish.server_client import REPOSITORY

from gate.publish.accept_command import parse_command


@pytest.fixture
def world(tmp_path):
    with GitHubServer(tmp_path / "hub") as hub:
        yield World(tmp_path, hub)


def commanded(world, body, **more):
    """The command, in a comment that was written after measuring ended."""
    number = world.comment(body, **more)
    return number, world.gate("accept", "--comment", str(number))


def reactions(world, number):
    return len(world.hub.asked("POST", f"/issues/comments/{number}/reactions"))


def nothing_proposed(world):
    assert not world.pulls()
    assert world.hub.asked("POST", "/git/") == []


@pytest.mark.parametrize(
    ("body", "commit", "reason"),
    [
        ("/driftgate accept 0a1b2c3 new allocator", "0a1b2c3", "new allocator"),
        (f"/driftgate accept {'1' * 40}", "1" * 40, ""),
        ("/driftgate accept 0A1B2C3D x", "0a1b2c3d", "x"),
        ("/driftgate accept new allocator", "", "new allocator"),
        ("/driftgate accept defaced headers", "", "defaced headers"),
        ("/driftgate accept 20 % is right", "", "20 % is right"),
    ],
)
def test_a_commit_is_told_from_a_reason(body, commit, reason):
    """Seven hexadecimal digits or more, one of them 0 to 9: no English word is one."""
    found = parse_command(body)
    assert (found.word, found.commit, found.reason) == ("accept", commit, reason)


def test_the_commit_that_was_seen_is_accepted(world):
    head = world.pull_request()
    world.measured(head)
    number, answer = commanded(world, f"/driftgate accept {head[:12]} checksums are on")
    assert answer.status == 0, answer
    assert world.tip("work") != head
    assert reactions(world, number) == 2


def test_another_commit_than_the_one_that_was_seen_is_not_accepted(world):
    """The author pushed between the reading and the comment: the level is another one."""
    head = world.pull_request()
    world.measured(head)
    seen = "f" * 11 + "0"
    number, answer = commanded(world, f"/driftgate accept {seen} checksums are on")
    assert (answer.status, "error[G277]" in answer.err) == (6, True), answer
    assert f"{seen}, and the head is {head} by now" in answer.err
    nothing_proposed(world)
    assert len(world.said()) == 1
    assert reactions(world, number) >= 1


def test_a_comment_older_than_the_measurement_is_about_something_else(world):
    """Without a commit it means what was there to be seen, and this was not yet."""
    head = world.pull_request()
    world.measured(head)
    (run,) = [one for one in world.hub.repository(REPOSITORY)["runs"] if one["id"] == RUN]
    run["updated_at"] = "2026-11-22T23:59:59Z"
    _, answer = commanded(world, "/driftgate accept checksums are on")
    assert (answer.status, "error[G277]" in answer.err) == (6, True), answer
    assert f"/driftgate accept {head[:12]} REASON" in answer.err
    nothing_proposed(world)
    assert len(world.said()) == 1
    _, named = commanded(world, f"/driftgate accept {head[:12]} checksums are on")
    assert named.status == 0, named


@pytest.mark.parametrize(
    ("body", "login", "more", "word"),
    [
        ("/driftgate accept x", "mallory", {}, "no write permission"),
        ("/driftgate accept x", ALICE, {"updated_at": "2026-11-22T23:00:00Z"}, "was edited"),
        ("/driftgate accept", ALICE, {}, "no reason was given"),
        ("/driftgate acept x", ALICE, {}, "is no command"),
        ("/driftgate", ALICE, {}, "is no command"),
    ],
    ids=["may not write", "edited", "no reason", "misspelt", "no word"],
)
def test_every_command_gets_an_answer(world, body, login, more, word):
    head = world.pull_request()
    world.measured(head)
    number, answer = commanded(world, body, login=login, **more)
    assert answer.status != 0
    nothing_proposed(world)
    (said,) = world.said()
    assert word in said
    assert reactions(world, number) >= 1


def test_a_stranger_does_not_write_over_the_answer_to_somebody_who_may(world):
    head = world.pull_request()
    world.measured(head)
    commanded(world, f"/driftgate accept {head[:12]} checksums are on")
    commanded(world, "/driftgate accept mine too", login="mallory")
    accepted, refused = world.said()
    assert "is accepted for this pull request" in accepted
    assert "nothing was accepted" in refused
    commanded(world, "/driftgate accept and again", login="mallory")
    assert len(world.said()) == 2  # edited, however often


def test_a_command_on_an_issue_is_answered_too(world):
    world.pull_request()
    number, answer = commanded(world, "/driftgate accept x", issue=3)
    assert answer.status == 6
    assert reactions(world, number) == 1
