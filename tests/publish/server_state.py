"""What the played GitHub knows: one JSON value, kept as a file so that another process can look.

`STATE_DIR/state.json` holds repositories, tokens and faults; `STATE_DIR/artifacts/ID.zip` what was
uploaded. Written whole after each request; read again when somebody else has changed it.

    {"next": 1000,
     "tokens": {"TOKEN": {"login": "github-actions[bot]", "permissions": {"actions": "read"}}},
     "repositories": {"owner/name": {"git": "/path/to/bare.git", "default_branch": "main",
        "private": false, "pulls": [], "comments": [], "checks": [], "runs": [], "artifacts": [],
        "permissions": {"alice": "write"}}},
     "faults": []}
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

EMPTY = {"next": 1000, "tokens": {}, "repositories": {}, "faults": []}
WHEN = "2026-11-22T10:{:02d}:{:02d}Z"
"""Times are made of a counter, so that runs of a test are alike."""


@dataclass(frozen=True)
class Reply:
    """What is sent back."""

    status: int = 200
    body: Any = None
    """JSON, or bytes that are sent as they are; None for no body."""
    headers: Mapping[str, str] = field(default_factory=dict)


class Problem(Exception):
    """An answer that ends a request: 404, 422 ..."""

    def __init__(self, status: int, message: str, *, errors: list[Any] | None = None) -> None:
        super().__init__(message)
        body = {"message": message, "documentation_url": "https://docs.github.com/rest"}
        self.reply = Reply(status, {**body, "errors": errors} if errors else body)


def not_found() -> Problem:
    return Problem(404, "Not Found")


def invalid(resource: str, what: str, *, name: str = "body") -> Problem:
    """422, in the shape that GitHub gives it."""
    error = {"resource": resource, "code": "unprocessable", "field": name, "message": what}
    return Problem(422, "Validation Failed", errors=[error])


@dataclass(frozen=True)
class Call:
    """One request, as far as it has been checked: the repository exists, the token may."""

    state: State
    url: str
    """Address of the server, for links in answers."""
    storage: str
    """Address of the other server, which keeps artifacts."""
    name: str
    repository: dict[str, Any]
    parts: tuple[str, ...]
    """What the groups of the path's pattern matched, unquoted."""
    query: Mapping[str, str]
    body: Any
    login: str

    def find(self, kind: str, key: str, value: Any) -> dict[str, Any]:
        """The one of its kind with that value; 404 where there is none."""
        for one in self.repository[kind]:
            if str(one[key]) == str(value):
                return one
        raise not_found()

    def at(self, path: str) -> str:
        return f"{self.url}/repos/{self.name}/{path}"


class State:
    """The JSON value and its file."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.lock = threading.RLock()
        self.data: dict[str, Any] = json.loads(json.dumps(EMPTY))
        self._file = directory / "state.json"
        self._seen = 0
        (directory / "artifacts").mkdir(parents=True, exist_ok=True)
        self.refresh()

    def refresh(self) -> None:
        """Take over what another process has written."""
        with self.lock:
            if self._file.exists() and self._file.stat().st_mtime_ns != self._seen:
                self.data = {**EMPTY, **json.loads(self._file.read_text(encoding="utf-8"))}
                for repository in self.data["repositories"].values():
                    complete(repository)
                self._seen = self._file.stat().st_mtime_ns

    def save(self) -> None:
        with self.lock:
            temporary = self._file.with_suffix(".new")
            temporary.write_text(json.dumps(self.data, indent=1), encoding="utf-8")
            temporary.replace(self._file)
            self._seen = self._file.stat().st_mtime_ns

    def number(self) -> int:
        """A number that was never given before."""
        with self.lock:
            self.data["next"] += 1
            return int(self.data["next"])

    def now(self) -> str:
        count = self.number()
        return WHEN.format(count // 60 % 60, count % 60)

    def artifact(self, number: int) -> Path:
        return self.directory / "artifacts" / f"{number}.zip"


def complete(repository: dict[str, Any]) -> dict[str, Any]:
    """The same repository with every list that a request may look at."""
    for kind in ("pulls", "comments", "checks", "runs", "artifacts"):
        repository.setdefault(kind, [])
    repository.setdefault("permissions", {})
    repository.setdefault("git", "")
    repository.setdefault("default_branch", "main")
    repository.setdefault("private", False)
    return repository
