"""A baseline proposed: by a pull request that carries it, or on the branch itself.

The branch of the pull request is made or continued, the request opened or edited. Doing it twice is
the same as doing it once: what an earlier call made is found and used again.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.errors import PublishError
from gate.publish.github.git_data import (
    blob_text,
    blobs_at,
    branch_tip,
    commit_files,
    compare_commits,
    point_branch,
)
from gate.publish.github.responses import OutcomeUnclear, RequestRefused, field, optional
from gate.publish.measured_run import not_acceptable
from gate.publish.proposal import commit_message, describe_proposal, title_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from gate.publish.github.api import Api
    from gate.publish.measured_run import PullRequest
    from gate.publish.proposal import Proposal

_MOST_NAMES = 9
_SHORT = 12
_NOT_ALLOWED = frozenset({403, 422})


@dataclass(frozen=True, slots=True, kw_only=True)
class CarrierBranch:
    """The branch that carries a change to another one, `base`."""

    branch: str
    base: str
    base_tip: str
    """Where `base` stood when the files were made."""
    start: str | None
    """Where the carrying branch stands; None where it is still to be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalResult:
    """What was done."""

    number: int | None
    """Of the pull request; None where a commit went straight to a branch."""
    url: str
    branch: str
    commit: str
    action: str
    """`opened`, `edited` or `committed`."""
    run: int | None = None
    """What measured the level that a commit on the pull request's own branch carries."""


def find_carrier(
    api: Api, branch: str, base: str, base_tip: str, paths: Collection[str]
) -> CarrierBranch | None:
    """The branch by that name, if it can carry; None where a fresh name is needed.

    It can when there is none yet, when all it had is merged (it is then brought up to date), or
    when its base has not changed these files since: a merge of it would still be clean.
    """
    if (now := branch_tip(api, branch)) is not None:
        merge_base, _ = compare_commits(api, base_tip, now)
        if merge_base == now:
            if now != base_tip:
                point_branch(api, branch, base_tip, before=now)
            now = base_tip
        elif blobs_at(api, merge_base, paths) != blobs_at(api, base_tip, paths):
            return None
    return CarrierBranch(branch=branch, base=base, base_tip=base_tip, start=now)


def carry_files(
    api: Api, carrier: CarrierBranch, files: Mapping[str, str], proposal: Proposal, below: str
) -> ProposalResult:
    """Commit files to the carrying branch, and let one open pull request show it.

    Without files the branch has them already.
    """
    commit = carrier.start or carrier.base_tip
    if files:
        create, words = carrier.start is None, commit_message(proposal)
        commit = commit_files(api, carrier.branch, commit, files, words, create=create, below=below)
    text = {"title": title_of(proposal), "body": describe_proposal(proposal)}
    pull, action, of = _find_pull(api, carrier), "edited", "a pull request"
    if pull is None:
        pull, action = _open_pull(api, carrier, text), "opened"
    else:
        pull = api.patch(f"{api.top}/pulls/{field(pull, 'number', int, of=of)}", text)
    number, url = field(pull, "number", int, of=of), field(pull, "html_url", str, of=of)
    branch = carrier.branch
    return ProposalResult(number=number, url=url, branch=branch, commit=commit, action=action)


def base_tip(api: Api, branch: str) -> str:
    """Where the branch stands that a baseline goes to."""
    if (tip := branch_tip(api, branch)) is None:
        raise not_acceptable(f"there is no branch {branch}.")
    return tip


def fresh_carrier(
    api: Api, names: Collection[str], base: str, tip: str, paths: Collection[str]
) -> CarrierBranch:
    """The first of some branches that can carry files to `base` as it stands now."""
    for name in names:
        if carrier := find_carrier(api, name, base, tip, paths):
            return carrier
    cure = "Merge or delete them, and run the command again."
    raise not_acceptable(f"the branches {', '.join(names)} are all out of date.", cure=cure)


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
    start = carrier.start
    done = start is not None and set(sessions) <= _accepted_at(api, start, files, proposal)
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
    """Commit these files onto `parent`, where the branch stood; `url` is the page that shows it."""
    message = commit_message(proposal)
    commit = commit_files(api, branch, parent, files, message, create=False, below=below)
    return ProposalResult(number=None, url=url, branch=branch, commit=commit, action="committed")


def _find_pull(api: Api, carrier: CarrierBranch) -> Any | None:
    head = f"{api.repository.partition('/')[0]}:{carrier.branch}"
    ours = (carrier.branch, carrier.base, api.repository.lower())
    for one in api.every(f"{api.top}/pulls", state="open", head=head, base=carrier.base):
        where = str(optional(one, "head.repo.full_name") or "").lower()
        if (optional(one, "head.ref"), optional(one, "base.ref"), where) == ours:
            return one
    return None


def _open_pull(api: Api, carrier: CarrierBranch, text: Mapping[str, str]) -> Any:
    try:
        return api.post(f"{api.top}/pulls", {"head": carrier.branch, "base": carrier.base, **text})
    except OutcomeUnclear as error:
        api.settle(error)
        if (pull := _find_pull(api, carrier)) is None:
            raise
        return pull
    except RequestRefused as error:
        if (pull := _find_pull(api, carrier)) is not None:
            return pull
        if error.http not in _NOT_ALLOWED:
            raise
        what = (
            f"the branch {carrier.branch} holds the baseline, and no pull request could be opened"
        )
        cure = (
            "Allow it under Settings > Actions > General, `Allow GitHub Actions to create and "
            "approve pull requests`, or open it by hand."
        )
        raise PublishError("G270", f"{what}: {error.message}", cure=cure) from error


def _accepted_at(api: Api, commit: str, files: Iterable[str], proposal: Proposal) -> frozenset[str]:
    """The sessions that a commit has accepted already, for this reason, by this person."""
    names: set[str] = set()
    mine = (proposal.reason, proposal.by)
    baselines = [path for path in files if path.endswith(".toml")]
    for content in blobs_at(api, commit, baselines).values():
        try:
            sessions = tomllib.loads(blob_text(api, content)).get("session", {})
        except (tomllib.TOMLDecodeError, RecursionError, AttributeError):
            return frozenset()
        for name, one in sessions.items() if isinstance(sessions, dict) else ():
            if isinstance(one, dict) and (one.get("reason"), one.get("by")) == mine:
                names.add(name)
    return frozenset(names)
