"""What a response of GitHub means: its fields, checked, or an error with its cause and cure."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeVar

from gate.errors import PublishError
from gate.text import clean

if TYPE_CHECKING:
    from gate.publish.github.transport import Response

T = TypeVar("T")

_UNAUTHORISED, _FORBIDDEN, _MISSING, _CONFLICT, _TOO_MANY = 401, 403, 404, 409, 429
_LONGEST_REASON = 300
_MINUTE = 60.0
"""Seconds; GitHub asks to wait at least that long where it names no time for a secondary limit."""
_SHA = re.compile(r"[0-9a-f]{40}")

_PERMISSIONS = (
    # What of a path needs which permission of the job's token, as the REST pages of GitHub say.
    (r"/issues/(\d+/)?comments", "pull-requests"),
    (r"/pulls\b", "pull-requests"),
    (r"/check-runs\b|/commits/[^/]+/check-runs", "checks"),
    (r"/actions/", "actions"),
    (r"/git/|/contents/|/branches/|/commits/", "contents"),
)


class RequestRefused(PublishError):
    """GitHub answered, and the answer is no."""

    def __init__(self, code: str, message: str, *, cure: str, http: int) -> None:
        """`http` is the status."""
        super().__init__(code, message, cure=cure)
        self.http = http


class NotFound(RequestRefused):
    """There is no such thing, or the token may not see it (404)."""


class OutcomeUnclear(PublishError):
    """A request that must not be repeated blindly may or may not have been carried out."""


def field(data: Any, path: str, kind: type[T], *, of: str) -> T:
    """The value at `path` (`head.sha`) of a response `of` some endpoint."""
    value = optional(data, path)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise unexpected(of, f"{path} is missing or of another kind")
    return value


def optional(data: Any, path: str) -> Any:
    """The value at `path`; None where there is none, as of a repository that was deleted."""
    for key in path.split("."):
        data = data.get(key) if isinstance(data, dict) else None
    return data


def sha(data: Any, path: str, *, of: str) -> str:
    """A full commit hash at `path`."""
    value = field(data, path, str, of=of)
    if not _SHA.fullmatch(value):
        raise unexpected(of, f"{path} is no commit hash")
    return value


def unexpected(of: str, what: str) -> PublishError:
    """The error of a response that is not what the API documents."""
    message = f"{of}: the answer is not what GitHub documents: {what}."
    return PublishError("G273", message, cure="Check the address of the API (GITHUB_API_URL).")


def rate_limit_wait(response: Response, now: float, nth: int) -> float | None:
    """Seconds to wait when this says "too many requests"; None when it says something else.

    The rules are GitHub's own ("Rate limits for the REST API"): a primary limit is 403 or 429 with
    `x-ratelimit-remaining: 0` and the second of its end in `x-ratelimit-reset`; a secondary one has
    `retry-after`, or nothing, and then at least a minute. The `nth` wait of a request, from 0,
    lasts longer than the one before: no server and no clock that is wrong keeps us asking.
    """
    if response.status not in {_FORBIDDEN, _TOO_MANY}:
        return None
    least = 2.0**nth
    after = response.headers.get("retry-after", "")
    if after.isdecimal():
        return max(float(after[:9]), least)
    reset = response.headers.get("x-ratelimit-reset", "")
    if response.headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(float(reset[:12]) - now, least)
    if response.status == _TOO_MANY or "rate limit" in _reason(response).lower():
        return max(_MINUTE, least)
    return None


def refusal_error(response: Response, method: str, path: str) -> RequestRefused:
    """The error of a response with a status from 300 to 499."""
    reason = _reason(response)
    because = f" ({reason})" if reason else ""
    kind = NotFound if response.status == _MISSING else RequestRefused
    return kind(
        "G274" if response.status == _CONFLICT else "G270",
        f"{method} {path}: GitHub answered {response.status}{because}.",
        cure=_cure(response.status, _permission(method, path)),
        http=response.status,
    )


def _reason(response: Response) -> str:
    """What the body gives as the reason: one clean line, empty where there is none."""
    try:
        body = json.loads(response.body.decode("utf-8"))
    except (ValueError, RecursionError):
        return ""
    if not isinstance(body, dict):
        return ""
    errors = body.get("errors")
    more = errors[:3] if isinstance(errors, list) else []
    texts = [one.get("message") if isinstance(one, dict) else one for one in (body, *more)]
    return clean("; ".join(one for one in texts if isinstance(one, str)), _LONGEST_REASON)


def _cure(status: int, permission: str) -> str:
    absent = "It does not exist, or the token may not see it: check the name, and that"
    cures = {
        _UNAUTHORISED: "Hand the step a token that is valid: `GITHUB_TOKEN: ${{ github.token }}`.",
        _FORBIDDEN: f"Give the job `{permission}`.",
        _MISSING: f"{absent} the job has `{permission}`.",
        _CONFLICT: "Somebody else changed it meanwhile: run the command again.",
    }
    if status < 400:
        return "Give the repository's present name; redirects are not followed."
    lasting = "This is what was asked for, not a passing fault: repeating it does not help."
    return cures.get(status, lasting)


def _permission(method: str, path: str) -> str:
    """The permission that a job's token needs for that, as it is written in a workflow."""
    level = "read" if method == "GET" else "write"
    needed = (f"{name}: {level}" for pattern, name in _PERMISSIONS if re.search(pattern, path))
    return next(needed, "contents: read")
