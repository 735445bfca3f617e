"""What was measured of a pull request's present head: the run, and the sessions that it uploaded.

Everything is asked of the API by the pull request's number. The artifacts may come from a
stranger's job: they are bytes here, and whoever reads them does so with distrust.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.errors import InputError, PublishError
from gate.publish.answers import field, optional, sha
from gate.publish.api import quote, repo
from gate.publish.artifacts import fetch
from gate.text import clean

if TYPE_CHECKING:
    from gate.publish.api import Api

ARTIFACT = "driftgate-session"
FILE = "session.json"
MOST_SHARDS = 256
_EVENT = "pull_request"
_WORKFLOW = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\.ya?ml")
_ENDED = frozenset({"success", "failure"})
"""How a run ends that has measured; one that was cancelled or skipped has nothing to tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request as it stands now."""

    number: int
    head: str
    """Commit."""
    head_ref: str
    """Name of its branch."""
    head_repository: str
    """OWNER/NAME of where that branch is; empty where it was deleted."""
    base_ref: str
    open: bool
    merged: bool
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of the workflow that measures."""

    id: int
    url: str


def pull_request(api: Api, repository: str, number: int) -> PullRequest:
    """The pull request of that number.

    Raises:
        PublishError: G277, there is none, or it was closed without being merged.
    """
    of = f"pull request {number}"
    found = api.find(f"{repo(repository)}/pulls/{number}")
    if found is None:
        raise refused(f"there is no pull request {number}.")
    at = optional(found, "head.repo.full_name")
    pull = PullRequest(
        number=field(found, "number", int, of=of),
        head=sha(found, "head.sha", of=of),
        head_ref=field(found, "head.ref", str, of=of),
        head_repository=at if isinstance(at, str) else "",
        base_ref=field(found, "base.ref", str, of=of),
        open=field(found, "state", str, of=of) == "open",
        merged=optional(found, "merged") is True,
        url=field(found, "html_url", str, of=of),
    )
    if not pull.open and not pull.merged:
        raise refused(f"{of} was closed.", cure="Open it again, if it is to be merged.")
    return pull


def newest_run(
    api: Api, repository: str, pull: PullRequest, workflow: str, run: int | None = None
) -> Run:
    """The newest completed run that measured the head of a pull request, or the one named.

    Raises:
        PublishError: G277, there is none, or the one named measured something else.
        InputError: `workflow` is no file name of a workflow.
    """
    if not _WORKFLOW.fullmatch(workflow):
        cure = "Give the file name alone, as in driftgate.yml."
        raise InputError("G200", f"{clean(workflow, 80)!r} is no workflow.", cure=cure)
    top = f"{repo(repository)}/actions"
    if run is not None:
        found = [api.get(f"{top}/runs/{run}")]
        path = field(found[0], "path", str, of=f"run {run}").partition("@")[0]
        if path != f".github/workflows/{workflow}":
            raise refused(f"run {run} is none of the workflow {workflow}.")
    else:
        found = list(
            api.every(
                f"{top}/workflows/{quote(workflow)}/runs",
                key="workflow_runs",
                head_sha=pull.head,
                event=_EVENT,
                status="completed",
            )
        )
    mine = [one for one in found if _measured(one, pull.head)]
    if not mine:
        how = _endings(found)
        raise refused(
            f"no completed run of {workflow} measured {pull.head}, the head of pull request "
            f"{pull.number}{how}.",
            cure="Wait until it is measured, or start that run again.",
        )
    newest = max(mine, key=_age)
    return Run(
        id=field(newest, "id", int, of="a run"), url=field(newest, "html_url", str, of="a run")
    )


def session_files(api: Api, repository: str, run: Run, shards: int, cap: int) -> dict[str, bytes]:
    """What a run uploaded, by the artifact's name: one file, or one of each shard.

    Raises:
        PublishError: G275, one is missing or is not what was expected.
    """
    names = [artifact_of(part, shards) for part in range(1, shards + 1)]
    return {name: fetch(api, repository, run.id, name, FILE, cap) for name in names}


def artifact_of(part: int, shards: int) -> str:
    """The name of the artifact that holds the sessions of one part."""
    return ARTIFACT if shards == 1 else f"{ARTIFACT}-{part}-of-{shards}"


def refused(what: str, *, cure: str = "") -> PublishError:
    """What was measured cannot become a baseline by this way; `what` says why."""
    return PublishError("G277", what, cure=cure)


def _measured(run: Any, head: str) -> bool:
    return (
        optional(run, "head_sha") == head
        and optional(run, "event") == _EVENT
        and optional(run, "status") == "completed"
        and optional(run, "conclusion") in _ENDED
    )


def _age(run: Any) -> tuple[str, int]:
    """When it was started last; of two at the same time the one made later."""
    started = optional(run, "run_started_at") or optional(run, "created_at") or ""
    return str(started), field(run, "id", int, of="a run")


def _endings(found: list[Any]) -> str:
    ended = sorted({str(optional(one, "conclusion") or "not ended") for one in found})
    return clean(f"; there are runs that ended as {', '.join(ended)}") if ended else ""
