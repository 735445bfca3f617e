"""Which pull request a workflow run measured: asked of the API, never of what the run sent.

The event of a run names no pull requests when it comes from a fork (its `pull_requests` is empty),
and what a run uploads may claim any number. So the run's own record tells the commit and branch,
and of the open pull requests of that branch exactly one must stand at exactly that commit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.errors import PublishError
from gate.publish.answers import field, optional, sha, unexpected
from gate.publish.api import repo

if TYPE_CHECKING:
    from gate.publish.api import Api

_EVENT = "pull_request"
_WORD = re.compile(r"[a-z_]{1,40}")
_REF = re.compile(
    # What `git check-ref-format` allows, as far as it is about single characters and sequences.
    r"(?!.*(?:\.\.|@\{|//|/\.|\.lock(?:/|$)))(?![./@-])[^\x00-\x20\x7f~^:?*\[\\]{1,255}(?<![./])"
)


@dataclass(frozen=True, slots=True)
class Measured:
    """The pull request that a run measured, as it stands now."""

    number: int
    head: str
    """Commit that was measured, and that is still the head."""
    base_ref: str
    """Name of the branch that it is to go into."""
    base_sha: str
    """Where that branch stood when GitHub looked last."""
    event: str
    conclusion: str
    """How the run ended: `success`, `failure`, `cancelled` ...; empty while it runs."""
    fork: bool
    """Whether it comes from another repository."""


def locate(api: Api, repository: str, run: int) -> Measured:
    """The open pull request whose head is what that run measured.

    Raises:
        PublishError: G274, the run was not for a pull request, or none or several stand there;
            G273 for an answer that cannot be understood; or what the API raises.
    """
    of = f"run {run}"
    found = api.get(f"{repo(repository)}/actions/runs/{run}")
    event = field(found, "event", str, of=of)
    if event != _EVENT:
        told = event if _WORD.fullmatch(event) else "something else"
        raise _moved(f"{of} was started by {told}, not by a pull request.")
    owner = optional(found, "head_repository.owner.login")
    if not isinstance(owner, str):
        raise _moved(f"{of} measured a repository that is gone.")
    head, branch = sha(found, "head_sha", of=of), field(found, "head_branch", str, of=of)
    pulls = api.every(f"{repo(repository)}/pulls", state="open", head=f"{owner}:{branch}")
    pull = _only(list(pulls), head, of)
    name = field(found, "head_repository.full_name", str, of=of)
    number = field(pull, "number", int, of=of)
    return Measured(
        number=number,
        head=head,
        base_ref=_ref(field(pull, "base.ref", str, of=of), of),
        base_sha=sha(pull, "base.sha", of=of),
        event=event,
        conclusion=_conclusion(optional(found, "conclusion"), of),
        fork=name.lower() != repository.lower(),
    )


def head_of(api: Api, repository: str, number: int) -> str:
    """The commit at which a pull request stands now."""
    found = api.get(f"{repo(repository)}/pulls/{number}")
    return sha(found, "head.sha", of=f"pull request {number}")


def require_head(api: Api, repository: str, number: int, commit: str) -> None:
    """Refuse to write about a commit that something newer has overtaken.

    Raises:
        PublishError: G274, the pull request stands elsewhere.
    """
    now = head_of(api, repository, number)
    if now != commit:
        raise _moved(f"pull request {number} was superseded by {now}; {commit} is not its head.")


def _only(pulls: list[Any], head: str, of: str) -> Any:
    here = [one for one in pulls if optional(one, "head.sha") == head]
    if len(here) == 1:
        return here[0]
    if here:
        raise _moved(f"{of} measured {head}, which is the head of {len(here)} pull requests.")
    if len(pulls) == 1:
        now = sha(pulls[0], "head.sha", of=of)
        raise _moved(f"{of} measured {head}, which was superseded by {now}.")
    raise _moved(f"{of} measured {head}, which is the head of no open pull request.")


def _ref(name: str, of: str) -> str:
    if not _REF.fullmatch(name):
        raise unexpected(of, "base.ref is no name of a branch")
    return name


def _conclusion(given: Any, of: str) -> str:
    if given is None:
        return ""
    if not isinstance(given, str) or not _WORD.fullmatch(given):
        raise unexpected(of, "conclusion is no word")
    return given


def _moved(what: str) -> PublishError:
    cure = "Nothing was written. A newer commit has a run of its own; otherwise run again."
    return PublishError("G274", what, cure=cure)
