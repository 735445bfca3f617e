"""The one comment of a pull request: edited, never appended, and only ever our own.

GitHub refuses bodies longer than 65,536 characters; ours stay below 60,000. A comment is ours when
it begins with our marker and its author writes with our token: of a workflow that is
`github-actions[bot]`; of another it turns out as soon as the first comment has been made. One of
somebody else that holds our marker is left alone.

Two runs at the same time may both make one. So after making one we look again: the oldest one
stays, and gets our text; later ones of ours are taken away.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.errors import PublishError
from gate.publish.github.responses import NotFound, OutcomeUnclear, field, optional
from gate.publish.measured_run import require_head

if TYPE_CHECKING:
    from gate.publish.github.api import Api

ACTIONS = "github-actions[bot]"
"""Who writes with the token of a workflow."""
LONGEST = 60_000
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What was done."""

    action: str
    """`created`, `edited` or `unchanged`."""
    url: str
    author: str
    removed: int = 0
    """How many doubles of ours were taken away."""


def publish_comment(
    api: Api, number: int, body: str, *, marker: str, head: str, author: str = ACTIONS
) -> PublishResult:
    """Make the comment of a pull request say `body`, which begins with `marker`.

    Nothing is written unless `head` is still the head of the pull request.
    """
    if len(body) >= LONGEST or not body.startswith(marker):
        must = f"it must begin with its marker and be shorter than {LONGEST}"
        what = f"a comment of {len(body)} characters is not sent; {must}."
        raise PublishError("G270", what, cure="This is a fault of the gate: please report it.")
    thread = _Thread(api, number, marker)
    for _ in range(_ROUNDS):
        require_head(api, number, head)
        ours = thread.comments_by(author)
        if not ours:
            made = None
            try:
                made = api.post(thread.path, {"body": body})
            except OutcomeUnclear as error:
                api.settle(error)
            if made is None:
                continue
            # Our token's name is certain now, and somebody may have been as quick as we were.
            author = field(made, "user.login", str, of=thread.path)
            ours = thread.comments_by(author) or [made]
            if _number(ours[0]) == _number(made):
                removed = thread.remove(ours[1:])
                page = field(made, "html_url", str, of="comment")
                return PublishResult("created", page, author, removed)
        ours_now = thread.edit(ours[0], body)
        if ours_now is not None:
            action = "unchanged" if ours_now is ours[0] else "edited"
            page = field(ours_now, "html_url", str, of="comment")
            return PublishResult(action, page, author, thread.remove(ours[1:]))
    what = f"the comment of pull request {number} could not be settled in {_ROUNDS} tries."
    raise PublishError("G272", what, cure="Run the job again.")


class _Thread:
    """The comments of one pull request that begin with our marker."""

    def __init__(self, api: Api, number: int, marker: str) -> None:
        self._api, self._marker = api, marker
        self._all = f"{api.top}/issues/comments"
        self.path = f"{api.top}/issues/{number}/comments"

    def comments_by(self, author: str) -> list[Any]:
        """Those of that author, oldest first."""
        ours = [
            one
            for one in self._api.every(self.path)
            if optional(one, "user.login") == author
            and str(optional(one, "body") or "").startswith(self._marker)
        ]
        return sorted(ours, key=_number)

    def edit(self, comment: Any, body: str) -> Any | None:
        """The comment with our text, itself where it says so already; None where it is gone."""
        if optional(comment, "body") == body:
            return comment
        with suppress(NotFound):
            return self._api.patch(f"{self._all}/{_number(comment)}", {"body": body})
        return None

    def remove(self, doubles: list[Any]) -> int:
        """Take doubles away; somebody else may have done so already."""
        for one in doubles:
            with suppress(NotFound):
                self._api.delete(f"{self._all}/{_number(one)}")
        return len(doubles)


def _number(comment: Any) -> int:
    return field(comment, "id", int, of="comment")
