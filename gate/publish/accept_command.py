"""`/driftgate accept [COMMIT] REASON` in a comment: what is asked for, by whom, of which commit.

Anybody may comment. So the text never meets a shell, and who may ask is for the API to say. A
comment that was edited is refused: what is done must be what its author can be held to. It is about
the commit that it names, or else about what had been measured when it was written.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gate.errors import GateError, InputError, PublishError
from gate.publish.github.responses import field, optional
from gate.publish.measured_run import not_acceptable
from gate.text import clean

if TYPE_CHECKING:
    from gate.publish.github.api import Api

LONGEST_REASON = 500
"""Characters; it stands in a baseline, a commit and a pull request."""
_LONGEST_LINE = 5000
USAGE = "/driftgate accept [COMMIT] REASON"
_COMMAND = re.compile(r"/driftgate(?:[ \t]+(\S+)(?:[ \t]+(\S.*))?)?")
_COMMIT = re.compile(r"((?=[a-f]*[0-9])[0-9a-f]{7,40})(?:[ \t]+(\S.*))?", re.IGNORECASE)
"""Begins a reason that names a commit; one digit at least, so that no word is taken for one."""
_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}(?:\[bot\])?|[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_ISSUE = re.compile(r"/issues/([1-9][0-9]{0,15})$")


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptRequest:
    """Somebody asks for the level of a pull request to be accepted."""

    number: int
    by: str
    reason: str
    """Not checked yet."""
    comment: int | None = None
    """The comment that asks; None where it was asked otherwise."""
    commit: str = ""
    """The head that the commenter saw, or how its hash begins; empty where none is named."""
    asked_at: str = ""
    """When the comment was written, as GitHub prints it; empty where there is none."""
    complaint: GateError | None = None
    """Why the comment cannot be obeyed, whoever wrote it."""


class CommandLine(NamedTuple):
    """The first line of a comment that begins with `/driftgate`; nothing of it is checked."""

    word: str
    commit: str
    reason: str


def parse_command(body: str) -> CommandLine | None:
    """The command that is the whole first line; None where none is."""
    line = body[:_LONGEST_LINE].split("\n", 1)[0].rstrip()
    command = _COMMAND.fullmatch(line)
    if command is None:
        return None
    rest = command[2] or ""
    named = _COMMIT.fullmatch(rest)
    commit, reason = (named[1].lower(), named[2] or "") if named else ("", rest)
    return CommandLine(command[1] or "", commit, reason)


def check_reason(reason: str) -> str:
    """A reason as it may be written down: one plain line that says something."""
    cure = 'Say in one line why this level is right: --reason "...", or after `accept`.'
    text = clean(reason.strip(), 2 * LONGEST_REASON).strip()
    if not any(char.isalnum() for char in text):
        raise InputError("G220", "no reason was given.", cure=cure)
    if len(reason.strip().splitlines()) > 1:
        raise InputError("G220", "the reason has more than one line.", cure=cure)
    if len(text) > LONGEST_REASON:
        raise InputError("G220", f"the reason is longer than {LONGEST_REASON} characters.")
    return text


def check_login(login: str) -> str:
    """A login as GitHub gives them."""
    if not _LOGIN.fullmatch(login):
        raise InputError("G200", f"{clean(login, 60)!r} is no login of GitHub.")
    return login


def read_request(api: Api, comment: int) -> AcceptRequest | None:
    """What a comment asks for; None where its first line is no command of ours."""
    of = f"comment {comment}"
    answer = api.find(f"{api.top}/issues/comments/{comment}")
    if answer is None:
        raise not_acceptable(f"there is no {of}.")
    body = optional(answer, "body")
    command = parse_command(body) if isinstance(body, str) else None
    if command is None:
        return None
    made, changed = (field(answer, key, str, of=of) for key in ("created_at", "updated_at"))
    where = _ISSUE.search(field(answer, "issue_url", str, of=of))
    number = int(where[1]) if where else 0
    complaint: GateError | None = None
    if api.find(f"{api.top}/pulls/{number}") is None:
        complaint = not_acceptable(f"{of} stands on an issue, not on a pull request.")
    elif made != changed:
        cure = "Write the command in a new comment."
        complaint = PublishError("G276", f"{of} was edited.", cure=cure)
    elif command.word != "accept":
        what = f"/driftgate {clean(command.word, 40)} is no command."
        complaint = InputError("G220", what, cure=f"What there is: {USAGE}.")
    return AcceptRequest(
        number=number,
        by=check_login(field(answer, "user.login", str, of=of)),
        reason=command.reason,
        comment=comment,
        commit=command.commit,
        asked_at=made,
        complaint=complaint,
    )


def refuse_unseen(request: AcceptRequest, head: str, ended: str) -> None:
    """Refuse what the commenter cannot have seen: another head, or one measured since.

    `ended` is when GitHub last changed the run that measured `head`.

    Raises:
        PublishError: G277.
    """
    say = f"Look at what was measured, and write `/driftgate accept {head[:12]} REASON`."
    if request.commit and not head.startswith(request.commit):
        what = f"the command is about {request.commit}, and the head is {head} by now."
        raise not_acceptable(what, cure=say)
    if request.asked_at and not request.commit and not ended <= request.asked_at:
        what = f"measuring {head} ended after the comment was written, and it names no commit."
        raise not_acceptable(what, cure=say)


def react(api: Api, comment: int | None, content: str) -> None:
    """Answer a comment with a small picture, as `eyes`, `+1` or `confused`; not worth a failure."""
    if comment is not None:
        with suppress(PublishError):
            api.post(f"{api.top}/issues/comments/{comment}/reactions", {"content": content})
