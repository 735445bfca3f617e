"""Who may decide: write permission, and approvals of one commit. Both are asked of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.publish.github.addresses import quote
from gate.publish.github.responses import field, optional

if TYPE_CHECKING:
    from gate.publish.github.api import Api

_MAY_WRITE = frozenset({"admin", "maintain", "write"})
_DECISIONS = frozenset({"APPROVED", "CHANGES_REQUESTED", "DISMISSED"})
"""States of a review that replace what the same person said before; a comment does not."""


def may_write(api: Api, login: str) -> bool:
    """Whether that person may write; the answer must be about the person asked for.

    (GitHub gives `write` for maintain as well; the name is taken in case it ever does not.)
    """
    answer = api.find(f"{api.top}/collaborators/{quote(login)}/permission")
    if answer is None:
        return False
    of = "permission of a person"
    same = field(answer, "user.login", str, of=of).lower() == login.lower()
    return same and field(answer, "permission", str, of=of) in _MAY_WRITE


def is_approved(api: Api, number: int, head: str, author: str) -> bool:
    """Whether somebody who may write, and is not the author, approved exactly that commit.

    Of each person the last decision counts: one that was dismissed, or that asks for changes since,
    is no approval.
    """
    last: dict[str, tuple[str, str]] = {}
    for one in api.every(f"{api.top}/pulls/{number}/reviews"):
        login, state = optional(one, "user.login"), optional(one, "state")
        if isinstance(login, str) and state in _DECISIONS:
            last[login] = (str(state), str(optional(one, "commit_id") or ""))
    approving = [login for login, said in last.items() if said == ("APPROVED", head)]
    return any(login.lower() != author.lower() and may_write(api, login) for login in approving)
