"""A pull request that carries files: its branch made or continued, the request opened or edited.

Doing it twice is the same as doing it once: what an earlier call made is found and used again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.errors import PublishError
from gate.publish.answers import field, optional, sha
from gate.publish.api import Refused, Unclear, repo
from gate.publish.commit import commit_files, point, tip
from gate.publish.tree import blobs_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gate.publish.api import Api

_SETTLE = 2.0
"""Seconds after an unclear answer before we look: what was made may not be listed at once."""
_NOT_ALLOWED = frozenset({403, 422})


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """The branch that carries a change to another one."""

    branch: str
    base: str
    """The branch it goes into."""
    base_tip: str
    """Where that stood when the files were made."""
    start: str | None
    """Where the carrying branch stands; None where it is still to be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What was done."""

    number: int | None
    """Of the pull request; None where a commit went straight to a branch."""
    url: str
    branch: str
    commit: str
    action: str
    """`opened`, `edited` or `committed`."""


def find_carrier(
    api: Api, repository: str, branch: str, base: str, base_tip: str, paths: Iterable[str]
) -> Carrier | None:
    """The branch by that name, if it can go on carrying; None where a fresh name is needed.

    It can when there is none yet, when all it had is merged (it is then brought up to date), or
    when its base has not changed these files since: a merge of it would still be clean.
    """
    now = tip(api, repository, branch)
    if now is None:
        return Carrier(branch=branch, base=base, base_tip=base_tip, start=None)
    met = compared(api, repository, base_tip, now)
    if met.merge_base == now:
        if now != base_tip:
            point(api, repository, branch, base_tip, before=now)
        return Carrier(branch=branch, base=base, base_tip=base_tip, start=base_tip)
    wanted = list(paths)
    then = blobs_at(api, repository, met.merge_base, wanted)
    if then != blobs_at(api, repository, base_tip, wanted):
        return None
    return Carrier(branch=branch, base=base, base_tip=base_tip, start=now)


def carry(
    api: Api,
    repository: str,
    carrier: Carrier,
    *,
    files: Mapping[str, str],
    message: str,
    title: str,
    body: str,
    below: str,
) -> Carried:
    """Commit files to the carrying branch, and let one open pull request show it.

    Without files the branch has them already.

    Raises:
        PublishError: G274, the branch moved meanwhile; G270, pull requests may not be opened; or
            what the API raises.
    """
    commit = carrier.start or carrier.base_tip
    if files:
        commit = commit_files(
            api,
            repository,
            branch=carrier.branch,
            parent=commit,
            files=files,
            message=message,
            create=carrier.start is None,
            below=below,
        )
    found = open_pull(api, repository, carrier)
    text = {"title": title, "body": body}
    action = "opened" if found is None else "edited"
    if found is None:
        found = _opened(api, repository, carrier, text)
    else:
        number = field(found, "number", int, of="a pull request")
        found = api.patch(f"{repo(repository)}/pulls/{number}", text)
    return Carried(
        number=field(found, "number", int, of="a pull request"),
        url=field(found, "html_url", str, of="a pull request"),
        branch=carrier.branch,
        commit=commit,
        action=action,
    )


def open_pull(api: Api, repository: str, carrier: Carrier) -> Any | None:
    """The open pull request of the carrying branch, or None."""
    owner = repository.partition("/")[0]
    listed = api.every(
        f"{repo(repository)}/pulls",
        state="open",
        head=f"{owner}:{carrier.branch}",
        base=carrier.base,
    )
    wanted = (carrier.branch, carrier.base, repository.lower())
    for one in listed:
        where = str(optional(one, "head.repo.full_name") or "").lower()
        if (optional(one, "head.ref"), optional(one, "base.ref"), where) == wanted:
            return one
    return None


def _opened(api: Api, repository: str, carrier: Carrier, text: Mapping[str, str]) -> Any:
    body = {"head": carrier.branch, "base": carrier.base, **text}
    try:
        return api.post(f"{repo(repository)}/pulls", body)
    except Unclear as error:
        api.wait(_SETTLE, error.message)
        found = open_pull(api, repository, carrier)
        if found is None:
            raise
        return found
    except Refused as error:
        found = open_pull(api, repository, carrier)
        if found is not None:
            return found
        if error.http not in _NOT_ALLOWED:
            raise
        raise PublishError(
            "G270",
            f"the branch {carrier.branch} holds the baseline, and no pull request could be opened: "
            f"{error.message}",
            cure="Allow it under Settings > Actions > General, `Allow GitHub Actions to create and "
            "approve pull requests`, or open it by hand.",
        ) from error


@dataclass(frozen=True, slots=True)
class Compared:
    """How two commits stand to each other."""

    merge_base: str
    behind: int
    """Commits of the first that the second lacks."""


def compared(api: Api, repository: str, base: str, head: str) -> Compared:
    """Compare two commits by their full hashes.

    Raises:
        PublishError: GitHub knows one of them not; or what the API raises.
    """
    found = api.get(f"{repo(repository)}/compare/{base}...{head}")
    of = "a comparison"
    return Compared(
        merge_base=sha(found, "merge_base_commit.sha", of=of),
        behind=field(found, "behind_by", int, of=of),
    )


def contains(api: Api, repository: str, tip_commit: str, commit: str) -> bool:
    """Whether a commit is in the history that ends at `tip_commit`; an unknown one is not."""
    if commit == tip_commit:
        return True
    try:
        return compared(api, repository, commit, tip_commit).behind == 0
    except Refused as error:
        if error.http == 404:
            return False
        raise
