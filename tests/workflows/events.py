"""What GitHub tells a workflow of the event that started it: the fields that workflows read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workflows.acting import REPOSITORY

if TYPE_CHECKING:
    from workflows.users import Pull

OWNER, NAME = REPOSITORY.split("/")
_REPOSITORY = {
    "name": NAME,
    "full_name": REPOSITORY,
    "fork": False,
    "private": False,
    "default_branch": "main",
    "owner": {"login": OWNER},
    "html_url": f"https://github.com/{REPOSITORY}",
}


def _of(pull: Pull) -> dict[str, Any]:
    full = pull.fork or REPOSITORY
    return {"name": full.split("/")[1], "full_name": full, "fork": bool(pull.fork)}


def pull_request(pull: Pull, action: str = "synchronize") -> dict[str, Any]:
    return {
        "action": action,
        "number": pull.number,
        "pull_request": {
            "number": pull.number,
            "state": "open",
            "draft": False,
            "merge_commit_sha": pull.merge,
            "head": {"ref": pull.branch, "sha": pull.head, "repo": _of(pull)},
            "base": {"ref": "main", "sha": pull.base, "repo": _REPOSITORY},
        },
        "repository": _REPOSITORY,
        "sender": {"login": "dev"},
    }


def queue_branch(pull: Pull) -> str:
    """As GitHub names the branch that it makes for the merge queue."""
    return f"gh-readonly-queue/main/pr-{pull.number}-{pull.base}"


def merge_group(pull: Pull) -> dict[str, Any]:
    """The merge queue asks for its checks; the pull request's head stands for its merge."""
    return {
        "action": "checks_requested",
        "merge_group": {
            "head_sha": pull.head,
            "head_ref": f"refs/heads/{queue_branch(pull)}",
            "base_sha": pull.base,
            "base_ref": "refs/heads/main",
        },
        "repository": _REPOSITORY,
        "sender": {"login": "dev"},
    }


def workflow_run(
    pull: Pull, *, run: int, conclusion: str, event: str = "pull_request"
) -> dict[str, Any]:
    """The first stage has ended; for forks `pull_requests` is empty, as on GitHub."""
    known = [] if pull.fork else [{"number": pull.number, "head": {"sha": pull.head}}]
    return {
        "action": "completed",
        "workflow_run": {
            "id": run,
            "name": "driftgate",
            "path": ".github/workflows/driftgate.yml",
            "event": event,
            "status": "completed",
            "conclusion": conclusion,
            "run_attempt": 1,
            "head_sha": pull.head,
            "head_branch": pull.branch,
            "head_repository": _of(pull),
            "pull_requests": known,
            "html_url": f"https://github.com/{REPOSITORY}/actions/runs/{run}",
        },
        "repository": _REPOSITORY,
        "sender": {"login": "dev"},
    }


def issue_comment(pull: Pull, *, comment: int, body: str, login: str) -> dict[str, Any]:
    return {
        "action": "created",
        "issue": {
            "number": pull.number,
            "pull_request": {"url": f"https://github.com/{REPOSITORY}/pull/{pull.number}"},
        },
        "comment": {
            "id": comment,
            "body": body,
            "user": {"login": login},
            "author_association": "MEMBER",
        },
        "repository": _REPOSITORY,
        "sender": {"login": login},
    }


def workflow_dispatch(**inputs: str) -> dict[str, Any]:
    return {
        "ref": "refs/heads/main",
        "inputs": inputs,
        "repository": _REPOSITORY,
        "sender": {"login": "dev"},
    }


def push(before: str, after: str) -> dict[str, Any]:
    return {
        "ref": "refs/heads/main",
        "before": before,
        "after": after,
        "repository": _REPOSITORY,
        "sender": {"login": "dev"},
    }


def schedule() -> dict[str, Any]:
    return {"schedule": "17 3 * * *", "repository": _REPOSITORY, "sender": {"login": "dev"}}
