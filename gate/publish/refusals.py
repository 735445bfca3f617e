"""What an answer other than success means, with the endpoint, the status and the cure."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from gate.errors import PublishError
from gate.text import clean

if TYPE_CHECKING:
    from gate.publish.transport import Answer

_UNAUTHORISED, _FORBIDDEN, _MISSING, _CONFLICT, _TOO_MANY = 401, 403, 404, 409, 429
_LONGEST_SAID = 300
_MINUTE = 60.0
"""Seconds; GitHub asks to wait at least that long where it names no time for a secondary limit."""

_PERMISSIONS = (
    # What of a path needs which permission of the job's token, as the REST pages of GitHub say.
    (r"/issues/(\d+/)?comments", "pull-requests"),
    (r"/pulls\b", "pull-requests"),
    (r"/check-runs\b|/commits/[^/]+/check-runs", "checks"),
    (r"/actions/", "actions"),
    (r"/git/|/contents/|/branches/|/commits/", "contents"),
)


class Refused(PublishError):
    """GitHub answered, and the answer is no."""

    def __init__(self, code: str, message: str, *, cure: str, http: int, said: str) -> None:
        """`http` is the status, `said` what GitHub gave as the reason, cleaned."""
        super().__init__(code, message, cure=cure)
        self.http = http
        self.said = said


class Unclear(PublishError):
    """A request that must not be repeated blindly may or may not have been carried out."""


def rate_limit(answer: Answer, now: float, nth: int) -> float | None:
    """Seconds to wait when this answer says "too many requests"; None when it says something else.

    The rules are GitHub's own ("Rate limits for the REST API"): a primary limit is 403 or 429 with
    `x-ratelimit-remaining: 0` and the second of its end in `x-ratelimit-reset`; a secondary one is
    403 or 429 with `retry-after`, or without anything, and then at least a minute. `nth` counts
    the waits of this request from 0: each one lasts longer than the one before, so that a server
    or a clock that is wrong cannot keep us asking.
    """
    if answer.status not in {_FORBIDDEN, _TOO_MANY}:
        return None
    least = 2.0**nth
    after = answer.headers.get("retry-after", "")
    if after.isdecimal():
        return max(float(after[:9]), least)
    reset = answer.headers.get("x-ratelimit-reset", "")
    if answer.headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(float(reset[:12]) - now, least)
    if answer.status == _TOO_MANY or "rate limit" in reason(answer).lower():
        return max(_MINUTE, least)
    return None


def reason(answer: Answer) -> str:
    """What the body gives as the reason: one clean line, empty where there is none."""
    try:
        body = json.loads(answer.body.decode("utf-8"))
    except (ValueError, RecursionError):
        return ""
    if not isinstance(body, dict):
        return ""
    errors = body.get("errors")
    more = errors[:3] if isinstance(errors, list) else []
    said = [body.get("message")]
    said += [one.get("message") if isinstance(one, dict) else one for one in more]
    return clean("; ".join(one for one in said if isinstance(one, str)), _LONGEST_SAID)


def refusal(answer: Answer, method: str, path: str) -> Refused:
    """The error of an answer with a status from 300 to 499."""
    said = reason(answer)
    told = f" ({said})" if said else ""
    message = f"{method} {path}: GitHub answered {answer.status}{told}."
    code = "G274" if answer.status == _CONFLICT else "G270"
    return Refused(code, message, cure=_cure(answer, method, path), http=answer.status, said=said)


def _cure(answer: Answer, method: str, path: str) -> str:
    status = answer.status
    if status == _UNAUTHORISED:
        return "Hand the step a token that is valid: `GITHUB_TOKEN: ${{ github.token }}`."
    if status == _FORBIDDEN:
        return f"Give the job `{permission(method, path)}`."
    if status == _MISSING:
        return (
            f"It does not exist, or the token may not see it: check the name, and that the job has "
            f"`{permission(method, path)}`."
        )
    if status == _CONFLICT:
        return "Somebody else changed it meanwhile: run the command again."
    if status < 400:
        return "Give the repository's present name; redirects are not followed."
    return "This is what was asked for, not a passing fault: repeating it does not help."


def permission(method: str, path: str) -> str:
    """The permission that a job's token needs for that, as it is written in a workflow."""
    level = "read" if method == "GET" else "write"
    for pattern, name in _PERMISSIONS:
        if re.search(pattern, path):
            return f"{name}: {level}"
    return "contents: read"
