"""What a test puts into the played GitHub, in one line each."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any

from publish import server_faults
from publish.server_state import State, complete

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

ACTIONS = "github-actions[bot]"
EVERYTHING = {
    "actions": "read",
    "checks": "write",
    "contents": "write",
    "pull-requests": "write",
}


MACHINE = "bench-1"
PINNED = "9" * 40
MEASURE = f"driftgate/driftgate/.github/workflows/measure.yml@{PINNED}"
"""What `gate init --github` lets the first of two stages call."""


def _job(name: str, labels: Sequence[str], conclusion: str | None) -> dict[str, Any]:
    ran = conclusion not in {"skipped", None}
    return {
        "name": name,
        "labels": list(labels),
        "conclusion": conclusion,
        "runner_id": 7 if ran else 0,
        "runner_name": "lab-7" if ran else "",
    }


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A plain archive, as the upload action makes it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


class Build:
    """The state, and how it is filled."""

    def __init__(self, state: State) -> None:
        self.state = state

    def add_repository(self, name: str, *, git: Path | str = "", **more: Any) -> dict[str, Any]:
        """`git` is a bare repository; without one, hashes are taken as they are told."""
        made = complete({"git": str(git), **more})
        self.state.data["repositories"][name] = made
        return made

    def repository(self, name: str) -> dict[str, Any]:
        return self.state.data["repositories"][name]

    def add_token(
        self,
        token: str,
        permissions: Mapping[str, str] | None = None,
        *,
        login: str = ACTIONS,
    ) -> None:
        given = dict(EVERYTHING if permissions is None else permissions)
        self.state.data["tokens"][token] = {"login": login, "permissions": given}

    def add_pull(
        self,
        name: str,
        number: int,
        *,
        head: str,
        branch: str = "work",
        fork: str = "",
        base: str = "main",
        base_sha: str = "b" * 40,
        state: str = "open",
    ) -> dict[str, Any]:
        """`fork` is the full name of the repository that it comes from, if another."""
        source = fork or name
        made = {
            "number": number,
            "state": state,
            "title": f"Change {number}",
            "body": "",
            "user": {"login": source.split("/")[0]},
            "html_url": f"https://github.com/{name}/pull/{number}",
            "head": {
                "ref": branch,
                "sha": head,
                "label": f"{source.split('/')[0]}:{branch}",
                "repo": {"full_name": source},
            },
            "base": {"ref": base, "sha": base_sha},
        }
        self.repository(name)["pulls"].append(made)
        return made

    def add_run(
        self,
        name: str,
        run: int,
        *,
        head: str,
        branch: str = "work",
        fork: str = "",
        event: str = "pull_request",
        conclusion: str | None = "success",
        file: str = "driftgate.yml",
        attempt: int = 1,
        uses: str = MEASURE,
        labels: Sequence[str] = (MACHINE,),
    ) -> dict[str, Any]:
        """`uses` is a reusable workflow at its commit; `labels` are of the job that measured."""
        source = fork or name
        jobs = [_job("measure / measure 1/1", labels, conclusion)] if labels else []
        made = {
            "id": run,
            "name": "driftgate",
            "path": f".github/workflows/{file}",
            "event": event,
            "status": "completed" if conclusion else "in_progress",
            "conclusion": conclusion,
            "run_attempt": attempt,
            "head_sha": head,
            "head_branch": branch,
            "head_repository": {"full_name": source, "owner": {"login": source.split("/")[0]}},
            "repository": {"full_name": name},
            "pull_requests": [],
            "referenced_workflows": [{"path": uses, "sha": uses.partition("@")[2]}] * bool(uses),
            "jobs": jobs,
            "created_at": "2026-11-22T09:00:00Z",
            "updated_at": "2026-11-22T09:30:00Z",
            "html_url": f"https://github.com/{name}/actions/runs/{run}",
        }
        self.repository(name)["runs"].append(made)
        return made

    def add_review(
        self, name: str, number: int, login: str, *, commit: str, state: str = "APPROVED"
    ) -> None:
        """Somebody reviewed a pull request as it stood at that commit."""
        (pull,) = [one for one in self.repository(name)["pulls"] if one["number"] == number]
        review = {"user": {"login": login}, "state": state, "commit_id": commit}
        pull.setdefault("reviews", []).append(review)

    def add_artifact(
        self, name: str, run: int, artifact: str, data: bytes, **more: Any
    ) -> dict[str, Any]:
        """`data` is the archive: `zipped({"session.json": ...})`; `more` overrides what is told."""
        number = self.state.number()
        self.state.artifact(number).write_bytes(data)
        made = {
            "id": number,
            "name": artifact,
            "size_in_bytes": len(data),
            "expired": False,
            "created_at": self.state.now(),
            "workflow_run": {"id": run},
            **more,
        }
        self.repository(name)["artifacts"].append(made)
        return made

    def add_comment(self, name: str, issue: int, body: str, *, login: str = ACTIONS) -> int:
        number = self.state.number()
        made = {
            "id": number,
            "issue": issue,
            "body": body,
            "html_url": f"https://github.com/{name}/pull/{issue}#issuecomment-{number}",
            "created_at": self.state.now(),
            "user": {"login": login, "type": "Bot" if login.endswith("[bot]") else "User"},
        }
        self.repository(name)["comments"].append(made)
        return number

    def bodies(self, name: str) -> list[str]:
        """What stands in the comments, oldest first."""
        return [one["body"] for one in self.repository(name)["comments"]]

    def fault(self, kind: str = "status", **how: Any) -> None:
        """Fail in that way (server_faults.fault)."""
        self.state.data["faults"].append(server_faults.fault(kind, **how))

    def limit(self, fault: dict[str, Any]) -> None:
        """Answer with that rate limit (server_faults.primary_limit, secondary_limit)."""
        self.state.data["faults"].append(fault)
