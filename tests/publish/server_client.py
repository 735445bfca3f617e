"""Our client against the played GitHub, with waits that are written down and not waited for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.publish.github.api import Api

if TYPE_CHECKING:
    from publish.github_server import GitHubServer

TOKEN = "ghs_the-token-of-this-job"
REPOSITORY = "owner/name"
HEAD, NEWER = "1" * 40, "2" * 40


@dataclass
class Clock:
    """Time that passes only while somebody waits."""

    time: float = 1_000_000.0
    waits: list[float] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    def pause(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds


def client(hub: GitHubServer, clock: Clock | None = None, *, token: str = TOKEN) -> Api:
    clock = clock or Clock()
    return Api(hub.url, token, REPOSITORY, pause=clock.pause, now=clock.now, say=clock.said.append)
