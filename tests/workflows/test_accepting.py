"""Who may accept a new level: asked of the API, whatever the event says."""

import pytest
from workflows import events
from workflows.acting import REPOSITORY


@pytest.mark.night
@pytest.mark.parametrize("user", ["two-stages"], indirect=True)
def test_a_stranger_accepts_nothing(user, hub):
    """The comment command is for those who may write; the event's word is not taken for it."""
    pull = user.pull({"notes.md": "x\n"})
    hub.opened(pull)
    hub.ran(pull, 101, "success")
    body = "/driftgate accept because I say so"
    number = hub.add_comment(REPOSITORY, pull.number, body, login="stranger")
    payload = events.issue_comment(pull, comment=number, body=body, login="dev")
    acted = hub.act("issue_comment", payload, user, run=501, workflow="driftgate-accept.yml")
    acted.expect(accept="failure")
    assert "stranger" in acted.logs["accept"], acted.log
    # Whom GitHub does not even call a member may be one in private: the API is asked, and answers.
    payload["comment"]["author_association"] = "NONE"
    acted = hub.act("issue_comment", payload, user, run=502, workflow="driftgate-accept.yml")
    acted.expect(accept="failure")
    (said,) = hub.comments[1:]
    assert "no write permission" in said
    assert not [path for path in hub.written if "/git/" in path or path.endswith("/pulls")]
