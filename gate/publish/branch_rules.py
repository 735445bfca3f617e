"""What the rules of a branch make nobody do, once a level was accepted in a pull request for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gate.errors import PublishError
from gate.publish.github.addresses import quote
from gate.publish.github.responses import optional
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.publish.github.api import Api

_OURS = "driftgate"
_SHOWN = 5
_UNSEEN = "a classic branch protection, which this token cannot read, may"


def what_nobody_must_do(api: Api, branch: str) -> list[str]:
    """A note where nobody else has to look, and one where other required checks do not start.

    Asked of the rulesets in force for the branch.
    """
    try:
        rules = list(api.every(f"{api.top}/rules/branches/{quote(branch)}"))
    except PublishError:
        return [
            f"the rules of {clean(branch, 100)} could not be read: see that somebody else looks"
        ]
    notes = []
    if not any(_demands_review(one) for one in rules):
        notes.append(
            "accepted, but nothing forces anybody else to look: no ruleset of "
            f"{clean(branch, 100)} demands an approving review after the last push ({_UNSEEN})"
        )
    if others := sorted({one for rule in rules for one in _checks(rule)}):
        shown = ", ".join(clean(one, 80) for one in others[:_SHOWN])
        notes.append(
            f"GitHub starts no workflow for a commit of a job's own token: {shown} must run before "
            "this is merged; close and reopen the pull request, or give the workflow an app's token"
        )
    return notes


def _demands_review(rule: Any) -> bool:
    """Whether somebody has to approve what was pushed last."""
    if optional(rule, "type") != "pull_request":
        return False
    count = optional(rule, "parameters.required_approving_review_count")
    names = ("require_last_push_approval", "dismiss_stale_reviews_on_push")
    last = any(optional(rule, f"parameters.{name}") is True for name in names)
    return isinstance(count, int) and count >= 1 and last


def _checks(rule: Any) -> Iterator[str]:
    """Names of required checks that are not ours."""
    if optional(rule, "type") != "required_status_checks":
        return
    listed = optional(rule, "parameters.required_status_checks")
    for one in listed if isinstance(listed, list) else ():
        name = optional(one, "context")
        if isinstance(name, str) and name != _OURS:
            yield name
