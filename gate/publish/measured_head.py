"""Which pull request a run measured, and whether its result is believed: asked of the API alone.

The event of a run from a fork names no pull requests, and what a run uploads may claim any number.
So the run's own record tells the commit and branch, and of the open pull requests of that branch
exactly one must stand at exactly that commit, for the gated branch where there are several. A run
of the merge queue is of the pull request that the queue's own branch names, which GitHub makes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.publish.acceptance import accepted_files, read_acceptance
from gate.publish.github.git_data import branch_tip, is_branch_name
from gate.publish.github.responses import field, optional, sha, unexpected
from gate.publish.measured_run import superseded
from gate.publish.reviews import is_approved
from gate.publish.run_provenance import (
    ANY_ORIGIN,
    DemandedOrigin,
    conclusion_of,
    is_of_fork,
    refuse_other_file,
    why_refused,
)
from gate.text import clean

if TYPE_CHECKING:
    from gate.publish.github.api import Api

_EVENT, _QUEUE = "pull_request", "merge_group"
_QUEUE_BRANCH = re.compile(r"gh-readonly-queue/(.{1,200})/pr-([1-9][0-9]{0,15})-([0-9a-f]{40})")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredHead:
    """What a run measured: the head of an open pull request, or its merge in the queue."""

    number: int
    head: str
    """Commit that is judged, and that is still the head."""
    ref: str
    """Where that commit can be fetched from."""
    base_ref: str
    base_sha: str
    """Where that branch stood when GitHub looked last; of a queue what the merge was made onto."""
    conclusion: str
    """How the run ended: `success`, `failure`, `cancelled` ...; empty while it runs."""
    fork: bool
    """Whether it comes from another repository."""
    is_queued: bool
    """Whether the merge queue asked; the commit is then its own, and not the pull request's."""
    is_approved: bool
    """Whether somebody who may write approved exactly the pull request's commit."""
    is_measured: bool
    """Whether the machine took a job of it whose result may be judged."""
    refusal: str
    """Why its result is not judged; empty where it may be."""
    measured: str
    """The commit that was measured: the head, or the one that the head adds a baseline to."""
    accepted: tuple[str, ...]
    """Files of baselines, by their content, that were accepted for this pull request."""


def locate_pull_request(api: Api, run: int, demand: DemandedOrigin = ANY_ORIGIN) -> MeasuredHead:
    """The open pull request whose head is what that run measured, and whether it is believed.

    Raises:
        PublishError: G274, no such pull request; G288, another workflow; and what the API raises.
    """
    of = f"run {run}"
    answer = api.get(f"{api.top}/actions/runs/{run}")
    event = field(answer, "event", str, of=of)
    if event not in {_EVENT, _QUEUE}:
        raise superseded(f"{of} was started by {clean(event, 40)}, not by a pull request.")
    refuse_other_file(answer, demand, of)
    fork = _is_fork(api, answer, of)
    queued = event == _QUEUE
    if queued:
        pull, base_ref, base_sha, ref = _queued(api, answer, of)
    else:
        pull, base_ref, base_sha, ref = _pulled(api, answer, of, demand.branch)
    number, author = field(pull, "number", int, of=of), field(pull, "user.login", str, of=of)
    now, measured_commit = (sha(pull, "head.sha", of=of), sha(answer, "head_sha", of=of))
    approved = is_approved(api, number, now, author)
    refusal, measured = why_refused(api, run, answer, demand, fork=fork, approved=approved)
    return MeasuredHead(
        number=number,
        head=measured_commit if queued else now,
        ref=ref,
        base_ref=base_ref,
        base_sha=base_sha,
        conclusion=conclusion_of(answer, of),
        fork=fork,
        is_queued=queued,
        is_approved=approved,
        is_measured=measured,
        refusal=refusal,
        measured=measured_commit,
        accepted=accepted_files(api, number),
    )


def _is_fork(api: Api, answer: Any, of: str) -> bool:
    if not isinstance(optional(answer, "head_repository.owner.login"), str):
        raise superseded(f"{of} measured a repository that is gone.")
    return is_of_fork(api, answer, of)


def _pulled(api: Api, answer: Any, of: str, gated: str) -> tuple[Any, str, str, str]:
    """The pull request at the head of a branch, its base, and where its commit is."""
    owner = field(answer, "head_repository.owner.login", str, of=of)
    head, branch = sha(answer, "head_sha", of=of), field(answer, "head_branch", str, of=of)
    pulls = list(api.every(f"{api.top}/pulls", state="open", head=f"{owner}:{branch}"))
    carried = [one for one in pulls if _adds_baseline(api, one, head, of)]
    pull = carried[0] if len(carried) == 1 else _only_pull_at(pulls, head, of, gated)
    base_ref = _branch_name(field(pull, "base.ref", str, of=of), of)
    number = field(pull, "number", int, of=of)
    return pull, base_ref, sha(pull, "base.sha", of=of), f"refs/pull/{number}/head"


def _queued(api: Api, answer: Any, of: str) -> tuple[Any, str, str, str]:
    """The pull request of a branch of the merge queue, which still stands where it was measured.

    It is judged against the commit that it was merged onto: what is before it in the queue is
    merged first, or the queue builds another commit.
    """
    head, branch = sha(answer, "head_sha", of=of), field(answer, "head_branch", str, of=of)
    known = _QUEUE_BRANCH.fullmatch(branch)
    if known is None or _is_fork(api, answer, of):
        raise superseded(f"{of} is of no branch of this repository's merge queue.")
    if (tip := branch_tip(api, _branch_name(branch, of))) != head:
        now = f"stands at {tip}" if tip else "is gone"
        raise superseded(f"{of} measured {head}, and its branch of the merge queue {now}.")
    pull = api.get(f"{api.top}/pulls/{known[2]}")
    return pull, _branch_name(known[1], of), known[3], f"refs/heads/{branch}"


def _branch_name(name: str, of: str) -> str:
    if not is_branch_name(name):
        raise unexpected(of, "base.ref is no name of a branch")
    return name


def _adds_baseline(api: Api, pull: Any, measured: str, of: str) -> bool:
    """Whether the head of a pull request is what accepting the level of a commit made of it."""
    head, number = sha(pull, "head.sha", of=of), field(pull, "number", int, of=of)
    known = None if head == measured else read_acceptance(api, head, number)
    return known is not None and known.measured == measured


def _only_pull_at(pulls: list[Any], head: str, of: str, branch: str) -> Any:
    """The one at that commit; of several the one for the gated branch."""
    here = [one for one in pulls if optional(one, "head.sha") == head]
    if len(here) > 1 and branch:
        here = [one for one in here if optional(one, "base.ref") == branch] or here
    if len(here) == 1:
        return here[0]
    what = f"is the head of {len(here) or 'no open'} pull request{'s' if here else ''}"
    if not here and len(pulls) == 1:
        what = f"was superseded by {sha(pulls[0], 'head.sha', of=of)}"
    raise superseded(f"{of} measured {head}, which {what}.")
