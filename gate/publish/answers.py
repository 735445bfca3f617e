"""Fields of an answer, of the kind that they must have: an answer is another program's text too."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from gate.errors import PublishError

T = TypeVar("T")

_SHA = re.compile(r"[0-9a-f]{40}")


def field(data: Any, path: str, kind: type[T], *, of: str) -> T:
    """The value at `path` (`head.sha`) of an answer `of` some endpoint.

    Raises:
        PublishError: G273, it is missing or of another kind.
    """
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
    """A full commit hash at `path`.

    Raises:
        PublishError: G273, it is none.
    """
    value = field(data, path, str, of=of)
    if not _SHA.fullmatch(value):
        raise unexpected(of, f"{path} is no commit hash")
    return value


def unexpected(of: str, what: str) -> PublishError:
    """The error of an answer that is not what the API documents."""
    return PublishError(
        "G273",
        f"{of}: the answer is not what GitHub documents: {what}.",
        cure="Check the address of the API (GITHUB_API_URL).",
    )
