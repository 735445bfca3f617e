"""What was accepted for a pull request: a check of the commit that carries it, which an app made.

A baseline in a pull request is a text that whoever pushes may write. That somebody with write
permission has accepted it, from sessions whose provenance was proven, is told by this check: the
contents of the files, by git's hashes, and the commit that was measured. Whoever can make such a
check, a workflow with `checks: write`, can also make the check that the branch requires.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gate.publish.check_run import CommitCheck, publish_check
from gate.publish.github.responses import optional

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.publish.github.api import Api

NAME = "driftgate accept"
"""Of the check; no branch requires it."""
_MOST_COMMITS = 20
"""Commits of a pull request that accept something, the newest, which are asked for their check."""
_RECORD = re.compile(
    r"<!-- driftgate:accepted pull=([1-9][0-9]{0,15}) measured=([0-9a-f]{40}) "
    r"files=([0-9a-f]{40}(?:,[0-9a-f]{40}){0,999}) -->"
)


class AcceptRecord(NamedTuple):
    """Files of baselines, by git's hash of their content, accepted for one pull request."""

    pull: int
    measured: str
    """The commit whose level it is."""
    files: tuple[str, ...]


def title_of_acceptance(number: int) -> str:
    """The first line of a commit that accepts the level of a pull request."""
    return f"Accept the level of #{number} as the new baseline"


def publish_acceptance(api: Api, commit: str, known: AcceptRecord, said: str) -> None:
    """Write down what a commit carries; `said` is the first line for people."""
    files = ",".join(sorted(set(known.files)))
    record = (
        f"<!-- driftgate:accepted pull={known.pull} measured={known.measured} files={files} -->"
    )
    summary = f"{record}\nMeasured: `{known.measured}`\n"
    check = CommitCheck(name=NAME, head=commit, is_open=True, title=said, summary=summary)
    publish_check(api, check)


def read_acceptance(api: Api, commit: str, number: int) -> AcceptRecord | None:
    """What was accepted by this commit for that pull request; None where nothing was."""
    listed = f"{api.top}/commits/{commit}/check-runs"
    for one in api.every(listed, key="check_runs", check_name=NAME, filter="latest"):
        summary = optional(one, "output.summary")
        ours = optional(one, "external_id") == f"driftgate:{NAME}"
        done = optional(one, "conclusion") == "success"
        found = _RECORD.match(summary) if ours and done and isinstance(summary, str) else None
        if found and int(found[1]) == number:
            return AcceptRecord(number, found[2], tuple(found[3].split(",")))
    return None


def accepted_files(api: Api, number: int) -> tuple[str, ...]:
    """The files of baselines that were accepted for a pull request as it stands."""
    commits = [
        str(optional(one, "sha") or "")
        for one in api.every(f"{api.top}/pulls/{number}/commits")
        if _is_titled(one, number)
    ]
    found: Iterable[AcceptRecord | None] = (
        read_acceptance(api, one, number) for one in commits[-_MOST_COMMITS:]
    )
    return tuple(dict.fromkeys(file for one in found if one for file in one.files))


def _is_titled(commit: object, number: int) -> bool:
    message = str(optional(commit, "commit.message") or "")
    return message.partition("\n")[0] == title_of_acceptance(number)
