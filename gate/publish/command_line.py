"""`/driftgate accept REASON` in a comment: what was asked for, by whom, of which pull request.

Anybody may comment. So the text is looked at as text alone and never meets a shell; who may ask is
for the API to say. A comment that was edited is refused: somebody else may have edited it, and what
is done must be what its author can be held to.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.errors import InputError, PublishError
from gate.publish.answers import field, optional
from gate.publish.api import repo
from gate.publish.measured import refused
from gate.text import clean

if TYPE_CHECKING:
    from gate.publish.api import Api

LONGEST_REASON = 500
"""Characters; it stands in a baseline, a commit and a pull request."""
_LONGEST_LINE = 5000
_COMMAND = re.compile(r"/driftgate[ \t]+(accept)(?:[ \t]+(\S.*))?")
_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}(?:\[bot\])?|[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_ISSUE = re.compile(r"/issues/([1-9][0-9]{0,15})$")


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a comment."""

    verb: str
    reason: str
    """As it was written, not checked yet; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Somebody asks for something."""

    number: int
    """Of the pull request."""
    by: str
    """Login."""
    reason: str
    """Not checked yet."""
    comment: int | None = None
    """The comment that asks; None where it was asked otherwise."""


def parse_command(body: str) -> Command | None:
    """The command that is the whole first line of a comment; None where there is none."""
    line = body[:_LONGEST_LINE].split("\n", 1)[0].rstrip()
    found = _COMMAND.fullmatch(line)
    return Command(found[1], found[2] or "") if found else None


def checked_reason(reason: str) -> str:
    """A reason as it may be written down: one plain line that says something.

    Raises:
        InputError: G220, it is blank, too long, or more than one line.
    """
    cure = 'Say in one line why this level is right: --reason "...", or after `accept`.'
    text = clean(reason.strip(), 2 * LONGEST_REASON).strip()
    if not any(char.isalnum() for char in text):
        raise InputError("G220", "no reason was given.", cure=cure)
    if len(reason.strip().splitlines()) > 1:
        raise InputError("G220", "the reason has more than one line.", cure=cure)
    if len(text) > LONGEST_REASON:
        raise InputError("G220", f"the reason is longer than {LONGEST_REASON} characters.")
    return text


def checked_login(login: str) -> str:
    """A login as GitHub gives them.

    Raises:
        InputError: G200, it cannot be one.
    """
    if not _LOGIN.fullmatch(login):
        raise InputError("G200", f"{clean(login, 60)!r} is no login of GitHub.")
    return login


def asked_in(api: Api, repository: str, comment: int) -> Asked | None:
    """What a comment asks for; None where its first line is no command of ours.

    Raises:
        PublishError: G276, it was edited; G277, it is gone, or not on a pull request.
    """
    of = f"comment {comment}"
    found = api.find(f"{repo(repository)}/issues/comments/{comment}")
    if found is None:
        raise refused(f"there is no {of}.")
    body = optional(found, "body")
    command = parse_command(body) if isinstance(body, str) else None
    if command is None:
        return None
    made, changed = (field(found, key, str, of=of) for key in ("created_at", "updated_at"))
    if made != changed:
        raise PublishError("G276", f"{of} was edited.", cure="Write the command in a new comment.")
    where = _ISSUE.search(field(found, "issue_url", str, of=of))
    number = int(where[1]) if where else 0
    if api.find(f"{repo(repository)}/pulls/{number}") is None:
        raise refused(f"{of} stands on an issue, not on a pull request.")
    login = checked_login(field(found, "user.login", str, of=of))
    return Asked(number=number, by=login, reason=command.reason, comment=comment)


def react(api: Api, repository: str, comment: int | None, content: str) -> None:
    """Answer a comment with a small picture, as `eyes`, `+1` or `confused`; not worth a failure."""
    if comment is None:
        return
    with suppress(PublishError):
        path = f"{repo(repository)}/issues/comments/{comment}/reactions"
        api.post(path, {"content": content})
