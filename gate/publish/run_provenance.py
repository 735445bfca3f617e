"""Where a result comes from: the run's own file, the workflow that it called, the machine.

A pull request runs its own version of the workflows, and any workflow may call itself `driftgate`
and upload a `session.json`. So what a run uploads is believed for facts that GitHub keeps about
the run: the path of its file, the reusable workflow and the commit of it that ran, and the labels
of the runner that took the job. A change that edits its workflows can still make these facts true
and add a job beside them; that edit closes the gate until somebody has approved the commit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.errors import PublishError
from gate.publish.github.responses import field, optional, unexpected
from gate.text import clean

if TYPE_CHECKING:
    from gate.publish.github.api import Api

_MEASURED = frozenset({"success", "failure"})
"""How a job ends that a runner took and ended."""
_WORD = re.compile(r"[a-z_]{1,40}")
_APPROVE = "approve this commit of the pull request, then run the judging job again"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemandedOrigin:
    """What a run must be for its result to be judged."""

    workflow: str = "driftgate.yml"
    """File name of the workflow that measures."""
    uses: str = ""
    """`OWNER/NAME/.github/workflows/measure.yml@COMMIT` that it must have called; empty for any."""
    machine: str = ""
    """Label of the runner that measured; empty for any."""
    forks: bool = False
    """Whether results of forks are judged."""
    branch: str = ""
    """The branch that is gated: of several pull requests of one commit the one for it is meant."""


ANY_ORIGIN = DemandedOrigin()
"""The workflow file alone."""


def refuse_other_file(run: Any, demand: DemandedOrigin, of: str) -> None:
    """Refuse a run of another workflow, whatever that one calls itself.

    Raises:
        PublishError: G288.
    """
    path = field(run, "path", str, of=of).partition("@")[0]
    if path != f".github/workflows/{demand.workflow}":
        what = f"{of} is of {clean(path, 120)}, not of .github/workflows/{demand.workflow}"
        cure = "Nothing was written: only the workflow that measures is believed."
        raise PublishError("G288", f"{what}.", cure=cure)


def why_not_believed(run: Any, demand: DemandedOrigin, *, approved: bool) -> str:
    """Why what was called is not what was demanded; empty where it is, or a commit was approved.

    A change that updates the pin calls another commit of the same workflow: for that, and for a
    file that calls something else, the approval of the commit answers.
    """
    if not demand.uses or approved:
        return ""
    wanted, _, commit = demand.uses.partition("@")
    name = wanted.rpartition("/")[2]
    known = optional(run, "referenced_workflows")
    called = known if isinstance(known, list) else []
    commits = [
        str(optional(one, "sha") or "")
        for one in called
        if str(optional(one, "path") or "").partition("@")[0].lower() == wanted.lower()
    ]
    if not commits:
        return f"the workflow that ran calls no {name} of {wanted.partition('/.github/')[0]}: " + (
            _APPROVE
        )
    if others := [one for one in commits if one != commit]:
        ran = clean(others[0][:12]) or "no known commit"
        return f"the workflow that ran calls {name} at {ran}, not at {commit[:12]}: {_APPROVE}"
    return ""


def why_refused(
    api: Api, run: int, answer: Any, demand: DemandedOrigin, *, fork: bool, approved: bool
) -> tuple[str, bool]:
    """Why a run's result is not judged, empty where it is; and whether the machine measured it."""
    if fork and not demand.forks:
        return "pull requests of forks are not measured here", False
    if demand.machine and not ran_on_machine(api, run, demand.machine):
        ended = conclusion_of(answer, f"run {run}") or "not ended"
        why = f"no job of it ran on a runner labelled {demand.machine}"
        return f"{why}: measuring ended as {ended}", False
    return why_not_believed(answer, demand, approved=approved), True


def is_of_fork(api: Api, run: Any, of: str) -> bool:
    """Whether a run is of another repository than the one asked about."""
    name = field(run, "head_repository.full_name", str, of=of)
    return name.lower() != api.repository.lower()


def conclusion_of(run: Any, of: str) -> str:
    """How a run ended; empty while it runs."""
    conclusion = optional(run, "conclusion")
    if not (conclusion is None or (isinstance(conclusion, str) and _WORD.fullmatch(conclusion))):
        raise unexpected(of, "conclusion is no word")
    return str(conclusion or "")


def ran_on_machine(api: Api, run: int, machine: str) -> bool:
    """Whether a runner with that label took a job of the run and ended it."""
    jobs = api.every(f"{api.top}/actions/runs/{run}/jobs", key="jobs", filter="latest")
    return any(
        optional(one, "conclusion") in _MEASURED
        and optional(one, "runner_id")
        and isinstance(labels := optional(one, "labels"), list)
        and machine in labels
        for one in jobs
    )
