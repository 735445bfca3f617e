"""The level of a pull request proposed: in a pull request of its own, or on its branch."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from gate.publish.carrying import Carried, carry, find_carrier
from gate.publish.commit import commit_files, tip
from gate.publish.measured import refused
from gate.publish.proposal import description, message, title
from gate.publish.tree import blobs_at, text_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from gate.publish.api import Api
    from gate.publish.carrying import Carrier
    from gate.publish.measured import PullRequest
    from gate.publish.proposal import Proposal

_MOST_NAMES = 9
_SHORT = 12


def base_tip(api: Api, repository: str, branch: str) -> str:
    """Where the branch stands that a baseline goes to.

    Raises:
        PublishError: G277, there is no such branch.
    """
    found = tip(api, repository, branch)
    if found is None:
        raise refused(f"there is no branch {branch}.")
    return found


def fresh_carrier(
    api: Api,
    repository: str,
    names: Iterable[str],
    base: str,
    tip_commit: str,
    paths: Collection[str],
) -> Carrier:
    """The first of some branches that can carry files to `base` as it stands now.

    Raises:
        PublishError: G277, none can.
    """
    tried = []
    for name in names:
        found = find_carrier(api, repository, name, base, tip_commit, paths)
        if found is not None:
            return found
        tried.append(name)
    raise refused(
        f"the branches {', '.join(tried)} are all out of date.",
        cure="Merge or delete them, and run the command again.",
    )


def propose(
    api: Api,
    repository: str,
    pull: PullRequest,
    base: str,
    files: Mapping[str, str],
    proposal: Proposal,
    below: str,
    sessions: Collection[str],
) -> Carried:
    """Open the pull request that carries these files into the base branch, or find it again."""
    first = f"driftgate/accept-{pull.number}-{pull.head[:_SHORT]}"
    names = [first, *(f"{first}-{n}" for n in range(2, _MOST_NAMES + 1))]
    carrier = fresh_carrier(api, repository, names, pull.base_ref, base, files)
    there = carrier.start is not None and _holds(
        api, repository, carrier.start, files, sessions, proposal
    )
    return carry(
        api,
        repository,
        carrier,
        files={} if there else files,
        message=message(proposal),
        title=title(proposal),
        body=description(proposal),
        below=below,
    )


def commit_to_head(
    api: Api,
    repository: str,
    pull: PullRequest,
    files: Mapping[str, str],
    proposal: Proposal,
    below: str,
) -> Carried:
    """Commit these files onto the head that was measured.

    Raises:
        PublishError: G274, the branch is further by now.
    """
    commit = commit_files(
        api,
        repository,
        branch=pull.head_ref,
        parent=pull.head,
        files=files,
        message=message(proposal),
        create=False,
        below=below,
    )
    return Carried(
        number=None, url=pull.url, branch=pull.head_ref, commit=commit, action="committed"
    )


def _holds(
    api: Api,
    repository: str,
    commit: str,
    files: Mapping[str, str],
    sessions: Collection[str],
    proposal: Proposal,
) -> bool:
    """Whether a commit has these sessions accepted already, for this reason, by this person."""
    found: set[str] = set()
    baselines = [path for path in files if path.endswith(".toml")]
    for content in blobs_at(api, repository, commit, baselines).values():
        text = text_of(api, repository, content)
        try:
            known = tomllib.loads(text).get("session", {})
        except (tomllib.TOMLDecodeError, RecursionError, AttributeError):
            return False
        if isinstance(known, dict):
            found |= {
                name
                for name, one in known.items()
                if isinstance(one, dict)
                and (one.get("reason"), one.get("by")) == (proposal.reason, proposal.by)
            }
    return set(sessions) <= found
