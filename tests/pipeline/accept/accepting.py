"""A repository on the played GitHub, its checkout, and what was measured there, for accepting.

world = World(tmp_path, hub)        # main: a profile and a baseline of five sessions
head = world.pull_request()         # branch `work`, pull request 17
world.measured(head, 1.2)           # a run of it has uploaded a session 20 % slower
answer = world.accept("--reason", "checksums")
"""

from __future__ import annotations

import atexit
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from builders import HOST_CLASS, QUIET, Answer, Project, write_replay_project
from publish.server_build import zipped
from publish.server_client import REPOSITORY, TOKEN

from gate.formats.session.session_file import handover_text, read_session
from gate.model import SCHEMA, Handover

if TYPE_CHECKING:
    from collections.abc import Sequence

    from publish.github_server import GitHubServer

    from gate.model import Session

PULL, RUN, ALICE = 17, 900, "alice"
BASELINE = f"baselines/{HOST_CLASS}/p.toml"
WORD = ("--by", ALICE, "--reason", "checksums are on by default (#17)")


def git(directory: Path, *words: str) -> str:
    identity = ("-c", "user.name=dev", "-c", "user.email=dev@example.com")
    done = subprocess.run(
        ["git", *identity, "-C", directory, *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@cache
def _accepted() -> Path:
    """A project with a baseline, measured once; to be copied."""
    place = Path(tempfile.mkdtemp(prefix="driftgate-accepting-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    write_replay_project(place / "project").accept()
    return place / "project"


class World:
    """main with a baseline, a checkout of it, and the hub that serves both."""

    def __init__(self, root: Path, hub: GitHubServer, *, baseline: bool = True) -> None:
        self.hub, self.output = hub, root / "output"
        self.root = root / "project"
        if baseline:
            shutil.copytree(_accepted(), self.root)
            self.project = Project(self.root, "p")
        else:
            self.project = write_replay_project(self.root)
        self.bare = root / "bare.git"
        (self.root / ".gitignore").write_text("profiles/*.json\nreports/\nout/\n")
        (self.root / "tool.txt").write_text("fast\n")
        git(root, "init", "-q", "-b", "main", str(self.root))
        git(root, "init", "-q", "-b", "main", "--bare", str(self.bare))
        git(self.root, "remote", "add", "origin", str(self.bare))
        self.main = self.commit("main", tool="fast\n")
        hub.add_repository(REPOSITORY, git=self.bare, permissions={ALICE: "write", "bob": "read"})
        hub.add_token(TOKEN)

    def commit(self, branch: str, **files: str) -> str:
        """Commit everything, with `tool.txt` of this text, push it, and stay on the branch."""
        for name, text in files.items():
            (self.root / f"{name}.txt").write_text(text)
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", f"work on {branch}")
        git(self.root, "push", "-q", "origin", f"HEAD:refs/heads/{branch}")
        return git(self.root, "rev-parse", "HEAD")

    def pull_request(self, *, fork: str = "", text: str = "slow\n", state: str = "open") -> str:
        """A commit on `work`, and pull request 17 of it; measuring goes on there."""
        git(self.root, "checkout", "-q", "-B", "work", "main")
        head = self.commit("work", tool=text)
        self.hub.add_pull(REPOSITORY, PULL, head=head, fork=fork, base_sha=self.main, state=state)
        return head

    def session(self, level: float = 1.0, trials: Sequence[float] = QUIET) -> Session:
        """Measured here and now, at a level that is a factor on the baseline's."""
        return read_session(self.project.session({"b": [one * level for one in trials]}))

    def uploaded(self, *sessions: Session, run: int = RUN, name: str = "", **more: Any) -> None:
        """The artifact of a run that exists."""
        handover = Handover(schema=SCHEMA, version="1", sessions=sessions, **more)
        content = handover_text(handover).encode()
        self.artifact(content, run=run, name=name)

    def artifact(self, content: bytes, *, run: int = RUN, name: str = "") -> None:
        packed = zipped({"session.json": content})
        self.hub.add_artifact(REPOSITORY, run, name or "driftgate-session", packed)

    def measured(self, head: str, level: float = 1.2) -> Session:
        """A run of the head has uploaded one session."""
        one = self.session(level)
        self.hub.add_run(REPOSITORY, RUN, head=head, conclusion="failure")
        self.uploaded(one)
        self.back()
        return one

    def back(self) -> None:
        """The checkout is that of main again."""
        git(self.root, "checkout", "-q", "main")

    def gate(self, *words: str | Path) -> Answer:
        self.output.write_text("")
        environment = {
            "GATE_API_URL": self.hub.url,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_TOKEN": TOKEN,
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_RUN_ID": "901",
        }
        return self.project.gate("publish", *words, env=environment)

    def accept(self, *words: str) -> Answer:
        return self.gate("accept", "--pull", str(PULL), *(words or WORD))

    def outputs(self) -> dict[str, str]:
        found = re.findall(r"(\w+)<<(\w+)\n(.*)\n\2\n", self.output.read_text())
        return {name: value for name, _, value in found}

    def tip(self, branch: str) -> str:
        return git(self.bare, "rev-parse", f"refs/heads/{branch}")

    def branches(self) -> list[str]:
        return git(self.bare, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n")

    def files(self, revision: str) -> dict[str, str]:
        """Path and content hash of each file of a commit."""
        rows = git(self.bare, "ls-tree", "-r", revision).split("\n")
        return {row.split("\t")[1]: row.split()[2] for row in rows}

    def text(self, revision: str, path: str = BASELINE) -> str:
        return git(self.bare, "show", f"{revision}:{path}") + "\n"

    def changed(self, before: str, after: str) -> list[str]:
        return git(self.bare, "diff", "--name-only", before, after).split("\n")

    def pulls(self) -> list[dict[str, Any]]:
        """Pull requests that we opened."""
        return [one for one in self.hub.repository(REPOSITORY)["pulls"] if one["number"] != PULL]

    def comment(self, body: str, *, login: str = ALICE, issue: int = PULL, **more: Any) -> int:
        """A comment with the fields that GitHub gives each one."""
        number = self.hub.add_comment(REPOSITORY, issue, body, login=login)
        made = self.hub.repository(REPOSITORY)["comments"][-1]
        made["issue_url"] = f"{self.hub.url}/repos/{REPOSITORY}/issues/{issue}"
        made["updated_at"] = made["created_at"]
        made.update(more)
        return number

    def said(self) -> list[str]:
        """Our own comments."""
        return [one for one in self.hub.bodies(REPOSITORY) if one.startswith("<!-- driftgate:")]
