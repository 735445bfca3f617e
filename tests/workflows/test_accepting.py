"""Accepting a level: who may, asked of the API, and what becomes of the pull request."""

import pytest
from workflows import events
from workflows.acting import REPOSITORY
from workflows.users import SLOWER

TWO = pytest.mark.parametrize("user", ["two-stages"], indirect=True)
FILE = "driftgate-accept.yml"


def commanded(hub, user, pull, body, login="dev", run=501):
    """The command in a comment, and what the workflow made of it."""
    number = hub.add_comment(REPOSITORY, pull.number, body, login=login)
    payload = events.issue_comment(pull, comment=number, body=body, login="dev")
    return hub.act("issue_comment", payload, user, run=run, workflow=FILE)


@pytest.mark.night
@TWO
def test_a_stranger_accepts_nothing(user, hub):
    """The comment command is for those who may write; the event's word is not taken for it."""
    pull = user.pull({"notes.md": "x\n"})
    hub.opened(pull)
    hub.ran(pull, 101, "success")
    body = "/driftgate accept because I say so"
    for run in (501, 502):  # whatever `author_association` says: nothing reads it
        acted = commanded(hub, user, pull, body, login="stranger", run=run)
        assert (acted.jobs["accept"], acted.jobs.get("judge", "skipped")) == ("failure", "skipped")
        assert "stranger" in acted.logs["accept"], acted.log
    (said,) = [one for one in hub.comments if one != body]
    assert "no write permission" in said
    assert not [path for path in hub.written if "/git/" in path or path.endswith("/pulls")]


@pytest.mark.night
@pytest.mark.parametrize("user", ["two-stages", "one-stage"], indirect=True)
def test_one_comment_makes_the_level_part_of_the_pull_request_and_judges_it(world, user, hub):
    """No second pull request, nothing measured again, and the check of the new commit is there.

    A later commit that costs no more is measured, and passes by the same level.
    """
    pull = user.pull(SLOWER)
    hub.opened(pull)
    first = world.act("pull_request", events.pull_request(pull), user.clone, run=101)
    assert "regressed" in first.log, first.log
    hub.ran(pull, 101, "failure")
    acted = commanded(hub, user, pull, f"/driftgate accept {pull.head[:12]} parsing does more")
    acted.expect(accept="success", judge="success", publish="success")
    tip = user.git("ls-remote", "origin", f"refs/heads/{pull.branch}").split()[0]
    user.git("fetch", "--quiet", "origin")
    assert user.git("rev-parse", f"{tip}^") == pull.head
    assert user.git("diff", "--name-only", pull.head, tip) == "baselines/lab/first.toml"
    told = {(one["name"], one["head_sha"]): one["conclusion"] for one in hub.checks}
    assert told == {("driftgate accept", tip): "success", ("driftgate", tip): "success"}, acted.log
    (said,) = [one for one in hub.comments if "driftgate:accept" in one]
    assert "is accepted for this pull request" in said
    assert "nothing forces anybody else to look" in said
    (report,) = [one for one in hub.comments if "driftgate:gate" in one]
    assert "ate open" in report
    assert len(hub.repository(REPOSITORY)["pulls"]) == 1
