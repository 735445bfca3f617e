"""Whether a person may write to a repository: asked before a comment is taken for a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.publish.answers import field
from gate.publish.api import quote, repo

if TYPE_CHECKING:
    from gate.publish.api import Api

_MAY = frozenset({"admin", "maintain", "write"})


def may_write(api: Api, repository: str, login: str) -> bool:
    """Whether that person has write, maintain or admin permission; no such person has none.

    The answer must be about the person asked for. (GitHub gives `write` for maintain as well; the
    name is taken in case it ever does not.)
    """
    found = api.find(f"{repo(repository)}/collaborators/{quote(login)}/permission")
    if found is None:
        return False
    of = "permission of a person"
    about = field(found, "user.login", str, of=of)
    return about.lower() == login.lower() and field(found, "permission", str, of=of) in _MAY
