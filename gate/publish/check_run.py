"""The check of a commit: the name that a branch can require.

Its conclusion is `success` for an open gate and `failure` for everything else. GitHub lets
`neutral` and `skipped` satisfy a required check, so no check of that name ever has them: that
nothing was measured is said by a neutral check of another name, which no branch requires.

Limits that the server enforces: a title of 255 characters, a summary of 65,535 BYTES of UTF-8 (the
reference says characters; github/docs issue 35252). The step that measured has annotated already.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gate.errors import PublishError
from gate.publish.comment import PublishResult
from gate.publish.github.responses import OutcomeUnclear, field, optional
from gate.text import shorten

if TYPE_CHECKING:
    from gate.publish.github.api import Api

LONGEST_TITLE = 255
"""Characters."""
UNMEASURED = ": not measured"
"""What the name of a neutral check ends in."""
LARGEST = 65_535
"""Bytes of a summary."""
_ROUNDS = 3
_MORE = "\n\nThere is more in the report.\n"
_FOLD = "\n\n</details>"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitCheck:
    """What a check says of a commit, whose full hash is `head`."""

    name: str
    head: str
    is_open: bool
    title: str
    summary: str
    """Markdown; cut at a line where it is too long."""
    details_url: str = ""
    """The report, or the run; empty for GitHub's own page."""
    is_neutral: bool = False
    """Whether nothing was to be measured: told, and never under the name that is required."""


def publish_check(api: Api, check: CommitCheck) -> PublishResult:
    """Make or update the check of that name.

    Ours is found by its `external_id`: a job of the same name has a check of the same name, and
    that one is GitHub's.
    """
    ours = f"driftgate:{check.name}"
    path = f"{api.top}/check-runs"
    listed = f"{api.top}/commits/{check.head}/check-runs"
    body = _body(check, ours)
    for _ in range(_ROUNDS):
        runs = api.every(listed, key="check_runs", check_name=check.name, filter="latest")
        mine = [one for one in runs if optional(one, "external_id") == ours]
        if numbers := [field(one, "id", int, of=path) for one in mine]:
            return _result("edited", api.patch(f"{path}/{max(numbers)}", body), path)
        try:
            return _result("created", api.post(path, {**body, "head_sha": check.head}), path)
        except OutcomeUnclear as error:
            api.settle(error)
    what = f"the check of {check.head} could not be made in {_ROUNDS} tries."
    raise PublishError("G272", what, cure="Run the job again.")


def publish_unmeasured(api: Api, check: CommitCheck) -> PublishResult:
    """Say by a neutral check of another name that nothing was measured.

    The required one stays away, so that the branch waits for it. Where an earlier run has made it,
    it is closed, since it may say open.
    """
    listed = f"{api.top}/commits/{check.head}/check-runs"
    runs = api.every(listed, key="check_runs", check_name=check.name, filter="latest")
    if any(optional(one, "external_id") == f"driftgate:{check.name}" for one in runs):
        publish_check(api, replace(check, is_open=False))
    neutral = replace(check, name=f"{check.name}{UNMEASURED}", is_open=False, is_neutral=True)
    return publish_check(api, neutral)


def _body(check: CommitCheck, external_id: str) -> dict[str, Any]:
    body: dict[str, Any] = {
        "name": check.name,
        "external_id": external_id,
        "status": "completed",
        "conclusion": _conclusion(check),
        "output": {
            "title": shorten(check.title, LONGEST_TITLE),
            "summary": fit_bytes(check.summary, LARGEST),
        },
    }
    if check.details_url:
        body["details_url"] = check.details_url
    return body


def _conclusion(check: CommitCheck) -> str:
    if check.is_neutral and check.name.endswith(UNMEASURED):
        return "neutral"
    return "success" if check.is_open and not check.is_neutral else "failure"


def fit_bytes(markdown: str, most: int) -> str:
    """The Markdown, or as many whole lines as `most` bytes hold, with open folds closed."""
    data = markdown.encode()
    if len(data) <= most:
        return markdown
    room = most - len(_MORE) - markdown.count("<details>") * len(_FOLD)
    cut = data[: max(room, 0)].decode(errors="ignore").rpartition("\n")[0]
    still_open = cut.count("<details>") - cut.count("</details>")
    return cut + _FOLD * max(still_open, 0) + _MORE


def _result(action: str, answer: Any, of: str) -> PublishResult:
    field(answer, "id", int, of=of)
    page, author = (optional(answer, key) for key in ("html_url", "app.slug"))
    url = page if isinstance(page, str) else ""
    return PublishResult(action, url, author if isinstance(author, str) else "")
