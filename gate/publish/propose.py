"""The level of a pull request proposed: in a pull request of its own, or on its branch."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from gate.publish.github.git_data import blob_text, blobs_at, branch_tip, commit_files
from gate.publish.measured_run import not_acceptable
from gate.publish.proposal import commit_message
from gate.publish.pull_request_files import ProposalResult, carry_files, find_carrier

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from gate.publish.github.api import Api
    from gate.publish.measured_run import PullRequest
    from gate.publish.proposal import Proposal
    from gate.publish.pull_request_files import CarrierBranch

_MOST_NAMES = 9
_SHORT = 12


def base_tip(api: Api, branch: str) -> str:
    """Where the branch stands that a baseline goes to.

    Raises:
        PublishError: G277, there is no such branch.
    """
    tip = branch_tip(api, branch)
    if tip is None:
        raise not_acceptable(f"there is no branch {branch}.")
    return tip


def fresh_carrier(
    api: Api, names: Iterable[str], base: str, tip: str, paths: Collection[str]
) -> CarrierBranch:
    """The first of some branches that can carry files to `base` as it stands now.

    Raises:
        PublishError: G277, none can.
    """
    tried = []
    for name in names:
        carrier = find_carrier(api, name, base, tip, paths)
        if carrier is not None:
            return carrier
        tried.append(name)
    raise not_acceptable(
        f"the branches {', '.join(tried)} are all out of date.",
        cure="Merge or delete them, and run the command again.",
    )


def propose_in_pull_request(
    api: Api,
    pull: PullRequest,
    tip: str,
    files: Mapping[str, str],
    proposal: Proposal,
    below: str,
    sessions: Collection[str],
) -> ProposalResult:
    """Open the pull request that carries these files into the base branch, or find it again."""
    first = f"driftgate/accept-{pull.number}-{pull.head[:_SHORT]}"
    names = [first, *(f"{first}-{n}" for n in range(2, _MOST_NAMES + 1))]
    carrier = fresh_carrier(api, names, pull.base_ref, tip, files)
    done = carrier.start is not None and set(sessions) <= _accepted_at(
        api, carrier.start, files, proposal
    )
    return carry_files(api, carrier, {} if done else files, proposal, below)


def commit_to_branch(
    api: Api,
    branch: str,
    parent: str,
    files: Mapping[str, str],
    proposal: Proposal,
    below: str,
    url: str = "",
) -> ProposalResult:
    """Commit these files onto the commit at which a branch stood; `url` is what shows the branch.

    Raises:
        PublishError: G274, the branch is further by now.
    """
    commit = commit_files(
        api,
        branch=branch,
        parent=parent,
        files=files,
        message=commit_message(proposal),
        create=False,
        below=below,
    )
    return ProposalResult(number=None, url=url, branch=branch, commit=commit, action="committed")


def _accepted_at(api: Api, commit: str, files: Iterable[str], proposal: Proposal) -> frozenset[str]:
    """The sessions that a commit has accepted already, for this reason, by this person."""
    names: set[str] = set()
    baselines = [path for path in files if path.endswith(".toml")]
    for content in blobs_at(api, commit, baselines).values():
        try:
            sessions = tomllib.loads(blob_text(api, content)).get("session", {})
        except (tomllib.TOMLDecodeError, RecursionError, AttributeError):
            return frozenset()
        if isinstance(sessions, dict):
            names |= {
                name
                for name, one in sessions.items()
                if isinstance(one, dict)
                and (one.get("reason"), one.get("by")) == (proposal.reason, proposal.by)
            }
    return frozenset(names)
