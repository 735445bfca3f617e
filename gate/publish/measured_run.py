"""Which run measured which pull request: asked of the API, never of what a run sent.

The event of a run from a fork names no pull requests, and what a run uploads may claim any number.
So the run's own record tells the commit and branch, and of the open pull requests of that branch
exactly one must stand at exactly that commit, for the gated branch where there are several.
Artifacts are bytes here, and read with distrust.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from gate.errors import InputError, PublishError
from gate.publish.github.addresses import quote
from gate.publish.github.artifacts import fetch_file
from gate.publish.github.git_data import is_branch_name
from gate.publish.github.responses import field, optional, sha, unexpected
from gate.publish.reviews import is_approved
from gate.publish.run_provenance import (
    ANY_ORIGIN,
    DemandedOrigin,
    ran_on_machine,
    refuse_other_file,
    why_not_believed,
)
from gate.text import clean

if TYPE_CHECKING:
    from gate.publish.github.api import Api

ARTIFACT = "driftgate-session"
FILE = "session.json"
_EVENT = "pull_request"
_WORD = re.compile(r"[a-z_]{1,40}")
_WORKFLOW = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\.ya?ml")
_COMPLETE = frozenset({"success", "failure"})
"""How a run ends that has measured; one that was cancelled or skipped has nothing to tell."""


@dataclass(frozen=True, slots=True)
class MeasuredHead:
    """The head of an open pull request, as a run measured it."""

    number: int
    head: str
    """Commit that was measured, and that is still the head."""
    base_ref: str
    base_sha: str
    """Where that branch stood when GitHub looked last."""
    conclusion: str
    """How the run ended: `success`, `failure`, `cancelled` ...; empty while it runs."""
    fork: bool
    """Whether it comes from another repository."""
    is_approved: bool
    """Whether somebody who may write approved exactly this commit."""
    is_measured: bool
    """Whether the machine took a job of it whose result may be judged."""
    refusal: str
    """Why its result is not judged; empty where it may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request as it stands now."""

    number: int
    head: str
    head_ref: str
    head_repository: str
    """OWNER/NAME of where that branch is; empty where it was deleted."""
    base_ref: str
    open: bool
    merged: bool
    url: str


class WorkflowRun(NamedTuple):
    """A run of the workflow that measures."""

    id: int
    url: str


def locate_pull_request(
    api: Api, run: int, demand: DemandedOrigin = ANY_ORIGIN
) -> MeasuredHead:
    """The open pull request whose head is what that run measured, and whether it is believed.

    Raises:
        PublishError: G274, no such pull request; G288, another workflow; and what the API raises.
    """
    of = f"run {run}"
    answer = api.get(f"{api.top}/actions/runs/{run}")
    event = field(answer, "event", str, of=of)
    if event != _EVENT:
        starter = event if _WORD.fullmatch(event) else "something else"
        raise _superseded(f"{of} was started by {starter}, not by a pull request.")
    refuse_other_file(answer, demand, of)
    owner = optional(answer, "head_repository.owner.login")
    if not isinstance(owner, str):
        raise _superseded(f"{of} measured a repository that is gone.")
    head, branch = sha(answer, "head_sha", of=of), field(answer, "head_branch", str, of=of)
    pulls = api.every(f"{api.top}/pulls", state="open", head=f"{owner}:{branch}")
    pull = _only_pull_at(list(pulls), head, of, demand.branch)
    name = field(answer, "head_repository.full_name", str, of=of)
    fork, number = name.lower() != api.repository.lower(), field(pull, "number", int, of=of)
    author = field(pull, "user.login", str, of=of)
    approved = is_approved(api, number, head, author)
    refusal, measured = _believed(api, run, answer, demand, fork=fork, approved=approved)
    return MeasuredHead(
        number=number,
        head=head,
        base_ref=_branch_name(pull, of),
        base_sha=sha(pull, "base.sha", of=of),
        conclusion=_conclusion(answer, of),
        fork=fork,
        is_approved=approved,
        is_measured=measured,
        refusal=refusal,
    )


def _believed(
    api: Api, run: int, answer: Any, demand: DemandedOrigin, *, fork: bool, approved: bool
) -> tuple[str, bool]:
    """Why the result is not judged, empty where it is; and whether the machine measured it."""
    if fork and not demand.forks:
        return "pull requests of forks are not measured here", False
    if demand.machine and not ran_on_machine(api, run, demand.machine):
        ended = _conclusion(answer, f"run {run}") or "not ended"
        why = f"no job of it ran on a runner labelled {demand.machine}"
        return f"{why}: measuring ended as {ended}", False
    return why_not_believed(answer, demand, approved=approved), True


def _branch_name(pull: Any, of: str) -> str:
    base_ref = field(pull, "base.ref", str, of=of)
    if not is_branch_name(base_ref):
        raise unexpected(of, "base.ref is no name of a branch")
    return base_ref


def _conclusion(answer: Any, of: str) -> str:
    conclusion = optional(answer, "conclusion")
    if not (conclusion is None or (isinstance(conclusion, str) and _WORD.fullmatch(conclusion))):
        raise unexpected(of, "conclusion is no word")
    return str(conclusion or "")


def head_of(api: Api, number: int) -> str:
    """The commit at which a pull request stands now."""
    return sha(api.get(f"{api.top}/pulls/{number}"), "head.sha", of=f"pull request {number}")


def require_head(api: Api, number: int, commit: str) -> None:
    """Refuse to write about a commit that something newer has overtaken."""
    if (now := head_of(api, number)) != commit:
        what = f"was superseded by {now}; {commit} is not its head."
        raise _superseded(f"pull request {number} {what}")


def read_pull_request(api: Api, number: int) -> PullRequest:
    """The pull request of that number."""
    of = f"pull request {number}"
    answer = api.find(f"{api.top}/pulls/{number}")
    if answer is None:
        raise not_acceptable(f"there is no pull request {number}.")
    at = optional(answer, "head.repo.full_name")
    pull = PullRequest(
        number=field(answer, "number", int, of=of),
        head=sha(answer, "head.sha", of=of),
        head_ref=field(answer, "head.ref", str, of=of),
        head_repository=at if isinstance(at, str) else "",
        base_ref=field(answer, "base.ref", str, of=of),
        open=field(answer, "state", str, of=of) == "open",
        merged=optional(answer, "merged") is True,
        url=field(answer, "html_url", str, of=of),
    )
    if not pull.open and not pull.merged:
        raise not_acceptable(f"{of} was closed.", cure="Open it again, if it is to be merged.")
    return pull


def newest_run(
    api: Api, pull: PullRequest, workflow: str, number: int | None = None
) -> WorkflowRun:
    """The newest completed run that measured the head of a pull request, or the one named."""
    if not _WORKFLOW.fullmatch(workflow):
        cure = "Give the file name alone, as in driftgate.yml."
        raise InputError("G200", f"{clean(workflow, 80)!r} is no workflow.", cure=cure)
    measuring = {"head_sha": pull.head, "event": _EVENT, "status": "completed"}
    if number is None:
        path = f"{api.top}/actions/workflows/{quote(workflow)}/runs"
        runs = list(api.every(path, key="workflow_runs", **measuring))
    else:
        runs = [_run_of(api, number, workflow)]
    complete = [
        one
        for one in runs
        if all(optional(one, key) == value for key, value in measuring.items())
        and optional(one, "conclusion") in _COMPLETE
    ]
    if not complete:
        what = f"the head of pull request {pull.number}{_endings(runs)}."
        cure = "Wait until it is measured, or start that run again."
        raise not_acceptable(
            f"no completed run of {workflow} measured {pull.head}, {what}", cure=cure
        )
    newest, of = max(complete, key=_age), "a run"
    return WorkflowRun(field(newest, "id", int, of=of), field(newest, "html_url", str, of=of))


def session_files(api: Api, run: WorkflowRun, shards: int, cap: int) -> dict[str, bytes]:
    """What a run uploaded, by the artifact's name: one file, or one of each shard."""
    names = [ARTIFACT]
    if shards > 1:
        names = [f"{ARTIFACT}-{part}-of-{shards}" for part in range(1, shards + 1)]
    return {name: fetch_file(api, run.id, name, FILE, cap) for name in names}


def not_acceptable(what: str, *, cure: str = "") -> PublishError:
    """What was measured cannot become a baseline by this way; `what` says why."""
    return PublishError("G277", what, cure=cure)


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
    raise _superseded(f"{of} measured {head}, which {what}.")


def _superseded(what: str) -> PublishError:
    cure = "Nothing was written. A newer commit has a run of its own; otherwise run again."
    return PublishError("G274", what, cure=cure)


def _run_of(api: Api, number: int, workflow: str) -> Any:
    run = api.get(f"{api.top}/actions/runs/{number}")
    path = field(run, "path", str, of=f"run {number}").partition("@")[0]
    if path != f".github/workflows/{workflow}":
        raise not_acceptable(f"run {number} is none of the workflow {workflow}.")
    return run


def _age(run: Any) -> tuple[str, int]:
    """When it was started last; of two at the same time the one made later."""
    started = optional(run, "run_started_at") or optional(run, "created_at") or ""
    return str(started), field(run, "id", int, of="a run")


def _endings(runs: list[Any]) -> str:
    endings = sorted({str(optional(one, "conclusion") or "not ended") for one in runs})
    return clean(f"; there are runs that ended as {', '.join(endings)}") if endings else ""
