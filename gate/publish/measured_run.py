"""A pull request, the run that measured it, and what that run uploaded.

Asked of the API, never of what a run sent. Artifacts are bytes here, and read with distrust.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from gate.errors import PublishError
from gate.publish.github.addresses import quote
from gate.publish.github.artifacts import fetch_file
from gate.publish.github.responses import field, optional, sha
from gate.publish.reviews import is_approved
from gate.publish.run_provenance import is_of_fork, refuse_other_file, why_refused
from gate.text import clean

if TYPE_CHECKING:
    from gate.publish.github.api import Api
    from gate.publish.run_provenance import DemandedOrigin

ARTIFACT = "driftgate-session"
FILE = "session.json"
_EVENT = "pull_request"
_COMPLETE = frozenset({"success", "failure"})
"""How a run ends that has measured; one that was cancelled or skipped has nothing to tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request as it stands now."""

    number: int
    head: str
    head_ref: str
    head_repository: str
    """OWNER/NAME of where that branch is; empty where it was deleted."""
    author: str
    base_ref: str
    open: bool
    merged: bool
    url: str


class WorkflowRun(NamedTuple):
    """A run of the workflow that measures."""

    id: int
    url: str
    ended: str
    """When GitHub changed it last, so when it ended or later, as GitHub prints it."""


def head_of(api: Api, number: int) -> str:
    """The commit at which a pull request stands now."""
    return sha(api.get(f"{api.top}/pulls/{number}"), "head.sha", of=f"pull request {number}")


def require_head(api: Api, number: int, commit: str) -> None:
    """Refuse to write about a commit that something newer has overtaken."""
    if (now := head_of(api, number)) != commit:
        what = f"was superseded by {now}; {commit} is not its head."
        raise superseded(f"pull request {number} {what}")


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
        author=field(answer, "user.login", str, of=of),
        base_ref=field(answer, "base.ref", str, of=of),
        open=field(answer, "state", str, of=of) == "open",
        merged=optional(answer, "merged") is True,
        url=field(answer, "html_url", str, of=of),
    )
    if not pull.open and not pull.merged:
        raise not_acceptable(f"{of} was closed.", cure="Open it again, if it is to be merged.")
    return pull


def newest_run(
    api: Api, pull: PullRequest, demand: DemandedOrigin, number: int | None = None
) -> WorkflowRun:
    """The newest completed run that measured the head of a pull request, or the one named.

    Raises:
        PublishError: G277, there is none; G288, it is not what was demanded of it.
    """
    workflow = demand.workflow
    measuring = {"head_sha": pull.head, "event": _EVENT, "status": "completed"}
    if number is None:
        path = f"{api.top}/actions/workflows/{quote(workflow)}/runs"
        runs = list(api.every(path, key="workflow_runs", **measuring))
    else:
        runs = [api.get(f"{api.top}/actions/runs/{number}")]
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
    page, ended = (field(newest, key, str, of=of) for key in ("html_url", "updated_at"))
    run = WorkflowRun(field(newest, "id", int, of=of), page, ended)
    _refuse_unproven(api, pull, run, demand)
    return run


def session_files(api: Api, run: WorkflowRun, shards: int, cap: int) -> dict[str, bytes]:
    """What a run uploaded, by the artifact's name: one file, or one of each shard."""
    names = [ARTIFACT]
    if shards > 1:
        names = [f"{ARTIFACT}-{part}-of-{shards}" for part in range(1, shards + 1)]
    return {name: fetch_file(api, run.id, name, FILE, cap) for name in names}


def superseded(what: str) -> PublishError:
    """Something newer has overtaken what was measured, or there never was such a thing."""
    cure = "Nothing was written. A newer commit has a run of its own; otherwise run again."
    return PublishError("G274", what, cure=cure)


def not_acceptable(what: str, *, cure: str = "") -> PublishError:
    """What was measured cannot become a baseline by this way; `what` says why."""
    return PublishError("G277", what, cure=cure)


def _refuse_unproven(api: Api, pull: PullRequest, run: WorkflowRun, demand: DemandedOrigin) -> None:
    """What may not open a gate may not become what others are judged by: the same proofs."""
    of = f"run {run.id}"
    answer = api.get(f"{api.top}/actions/runs/{run.id}")
    refuse_other_file(answer, demand, of)
    where = field(answer, "head_repository.full_name", str, of=of)
    why = ""
    if where.lower() != pull.head_repository.lower():
        why = f"it is of {clean(where, 100)}, and the pull request of {pull.head_repository}"
    else:
        fork = is_of_fork(api, answer, of)
        approved = is_approved(api, pull.number, pull.head, pull.author)
        why, _ = why_refused(api, run.id, answer, demand, fork=fork, approved=approved)
    if why:
        cure = (
            "Nothing was accepted: let the workflow of the base branch measure it on your machine."
        )
        raise PublishError("G288", f"{of}: {why}.", cure=cure)


def _age(run: Any) -> tuple[str, int]:
    """When it was started last; of two at the same time the one made later."""
    started = optional(run, "run_started_at") or optional(run, "created_at") or ""
    return str(started), field(run, "id", int, of="a run")


def _endings(runs: list[Any]) -> str:
    endings = sorted({str(optional(one, "conclusion") or "not ended") for one in runs})
    return clean(f"; there are runs that ended as {', '.join(endings)}") if endings else ""
