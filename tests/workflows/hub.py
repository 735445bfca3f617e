"""GitHub's API for acme/tool over real HTTP (tests/publish/github_server.py), filled by what act did.

The server is the one that enforces the documented limits; here it also serves what the stand-in of
actions/upload-artifact left, and gives each workflow a token with the permissions that its file
asks for and no others, since act gives none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from publish.github_server import GitHubServer
from publish.server_build import zipped
from publish.server_git import git, resolve
from workflows import events
from workflows.acting import HOSTED, REPOSITORY, Acted, World
from workflows.resumed import in_place_of
from workflows.users import MACHINE

if TYPE_CHECKING:
    from pathlib import Path

    from workflows.users import Pull, User

_PERMISSION = re.compile(
    r"^      (actions|checks|contents|pull-requests): (read|write)\b", re.MULTILINE
)
_JUDGE = "driftgate-judge.yml"
TOKEN = "ghs_of-this-run"


class Hub(GitHubServer):
    """GitHub as far as acme/tool sees it."""

    def __init__(self, world: World) -> None:
        super().__init__(world.place / "hub")
        self.world = world
        self.add_repository(REPOSITORY, git=world.bare, permissions={"dev": "write"})
        self._taken: set[Path] = set()

    def _serve(self, handler: Any) -> None:
        with self.state.lock:
            self._take()
        super()._serve(handler)

    def _take(self) -> None:
        """What the stand-in has uploaded since."""
        for place in sorted(set(self.world.artifacts.glob("[0-9]*/*")) - self._taken):
            self._taken.add(place)
            files = {
                str(one.relative_to(place)): one.read_bytes()
                for one in sorted(place.rglob("*"))
                if one.is_file()
            }
            self.add_artifact(REPOSITORY, int(place.parent.name), place.name, zipped(files))
        self._follow()

    def _follow(self) -> None:
        """`refs/pull/N/head` stands where the branch does that we committed to."""
        for pull in self.repository(REPOSITORY)["pulls"]:
            tip = resolve(self.repository(REPOSITORY), f"refs/heads/{pull['head']['ref']}")
            if tip and pull["head"]["repo"]["full_name"] == REPOSITORY:
                ref = f"refs/pull/{pull['number']}/head"
                git(self.repository(REPOSITORY), "update-ref", ref, tip)

    def opened(self, pull: Pull, base: str = "main") -> None:
        """The pull request exists; its head is what it has now, whatever is measured."""
        given = {"head": pull.head, "branch": pull.branch, "fork": pull.fork, "base_sha": pull.base}
        self.add_pull(REPOSITORY, pull.number, base=base, **given)

    def moved(self, number: int, head: str) -> None:
        """Somebody pushed."""
        with self.state.lock:
            for pull in self.repository(REPOSITORY)["pulls"]:
                if pull["number"] == number:
                    pull["head"]["sha"] = head

    def environment(self, name: str, *, reviewers: int) -> None:
        """An environment with so many required reviewers, who all approve."""
        with self.state.lock:
            self.repository(REPOSITORY).setdefault("environments", {})[name] = reviewers

    def add_comment(self, name: str, issue: int, body: str, **more: Any) -> int:
        """As GitHub tells it: with its pull request, and the time of its last change."""
        number = super().add_comment(name, issue, body, **more)
        made = self.repository(name)["comments"][-1]
        made.setdefault("updated_at", made["created_at"])
        made.setdefault("issue_url", f"{self.url}/repos/{name}/issues/{issue}")
        return number

    def ran(
        self,
        pull: Pull,
        run: int,
        conclusion: str | None,
        *,
        measured: bool = True,
        machine: str = MACHINE,
    ) -> None:
        """The first stage, which measured the pull request on the machine, or did not get there."""
        given = {"head": pull.head, "branch": pull.branch, "fork": pull.fork}
        labels = [machine] if measured else [HOSTED]
        self.add_run(REPOSITORY, run, conclusion=conclusion, labels=labels, **given)

    def act(self, event: str, payload: Any, user: User, *, run: int, workflow: str) -> Acted:
        """Run one workflow of the default branch, with the token that its file asks for."""
        clone = user.on_main()
        text = (clone / ".github/workflows" / workflow).read_text(encoding="utf-8")
        asked: dict[str, str] = {}
        for name, level in _PERMISSION.findall(text):
            asked[name] = "write" if "write" in {level, asked.get(name)} else "read"
        self.add_token(TOKEN, asked)
        head = user.git("rev-parse", "HEAD")
        more = {"event": event, "file": workflow, "conclusion": None}
        self.add_run(REPOSITORY, run, head=head, branch="main", **more)
        return self.world.act(event, payload, clone, **self._given(run, workflow))

    def _given(self, run: int, workflow: str) -> dict[str, Any]:
        env = {"GATE_API_URL": self.url}
        return {"run": run, "workflow": workflow, "env": env, "token": TOKEN}

    def judge(
        self,
        pull: Pull,
        user: User,
        *,
        conclusion: str,
        first: int = 101,
        run: int = 0,
        event: str = "pull_request",
    ) -> Acted:
        """The second stage, in the run `run`, of what the run `first` measured."""
        run = run or first + 1
        told = events.workflow_run(pull, run=first, conclusion=conclusion, event=event)
        file = _JUDGE
        acted = self.act("workflow_run", told, user, run=run, workflow=file)
        if acted.jobs.get("judge") == "failure":
            path = user.clone / ".github/workflows" / file
            reusable = (self.world.driftgate / ".github/workflows/judge.yml").read_text()
            path.write_text(in_place_of("judge", path.read_text(), reusable, acted))
            rest = self.world.act("workflow_run", told, user.clone, **self._given(run, file))
            acted.jobs["publish"] = rest.jobs.get("publish", "skipped")
            acted.logs["publish"] = rest.log
            user.git("checkout", "--quiet", "--force", "HEAD")
        return acted

    @property
    def comments(self) -> list[str]:
        return self.bodies(REPOSITORY)

    @property
    def checks(self) -> list[dict[str, Any]]:
        return list(self.repository(REPOSITORY)["checks"])

    @property
    def written(self) -> list[str]:
        """Every request that would change something."""
        return [path for how, path, _ in self.log if how != "GET"]
