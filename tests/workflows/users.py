"""acme/tool, a repository that uses the gate: on GitHub (a bare repository) and in a clone."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workflows.acting import OURS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from workflows.acting import World

SHAPES = ("one-stage", "two-stages")
MACHINE = "bench-1"
SOURCE = f"{OURS}@{'c0ffee' * 6}abcd"
"""Where the workflows are pinned to: a commit of driftgate that is this tree."""
TOOL = '''\
"""Counts, and prints what it cost: the same number of steps whenever it runs, and a little."""

import sys
import time

ROUNDS = {"parse": 1, "print": 1}
STEPS = 10_000

total = 0
for _ in range(ROUNDS[sys.argv[1]] * STEPS):
    total += 1
print("cost", total * (1 + time.time_ns() % 1000 / 1e5), "ms")
'''
SLOWER = {"tool.py": TOOL.replace('"parse": 1', '"parse": 24')}
CRASHES = {
    "tool.py": TOOL.replace(
        "total = 0\n",
        'print("::error title=driftgate::open", "::set-output name=gate::open", sep="\\n")\n'
        'print("::notice::injected", file=sys.stderr)\n'
        "sys.exit(7)\n",
    )
}
"""It fails, and what it prints would be commands of the runner."""
PROFILE = """\
harness = "hyperfine"
about = "What a user waits for"
command = "python3 -I -S {side}/tool.py {part}"
matrix = { part = ["parse", "print"] }
timeout = "30 s"
trials = { screen = 3, confirm_pairs = 40 }

[side.head]
dir = "."

# What it prints, so that no other work on the machine decides what becomes of a pull request.
[output.cost]
pattern = "^cost ([0-9.]+) ms$"
unit = "ms"
better = "lower"

[metric.cost]
tolerance = "50%"
[metric.wall]
role = "watch"
"""
_WHO = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Dev"), ("EMAIL", "dev@example.com"))
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """A pull request as it stands on GitHub."""

    number: int
    head: str
    base: str
    branch: str
    merge: str
    """The commit that GitHub makes of both, where workflows of `pull_request` run."""
    fork: str = ""
    """`owner/name` that it comes from, where that is another repository."""


class User:
    """Somebody who works on acme/tool."""

    def __init__(self, world: World) -> None:
        self.world, self.clone = world, world.place / "clone"
        if not world.bare.is_dir():
            self._create()
        self.git("remote", "set-url", "origin", str(world.bare))

    def _create(self) -> None:
        """An empty repository, on GitHub and here."""
        self.world.bare.mkdir(parents=True)
        self._run(self.world.bare, "init", "--quiet", "--bare", "--initial-branch=main")
        # As on GitHub: whoever may read may ask for any commit.
        self._run(self.world.bare, "config", "uploadpack.allowAnySHA1InWant", "true")
        self.clone.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("remote", "add", "origin", str(self.world.bare))

    @property
    def environment(self) -> dict[str, str]:
        """Of what this user starts by hand: a name, a home of nobody, and no host class but ours."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("GATE_")}
        return own | _WHO | self.world.env | {"HOME": str(self.world.place / "home")}

    def git(self, *words: str) -> str:
        return self._run(self.clone, *words)

    def _run(self, place: Path, *words: str) -> str:
        done = subprocess.run(
            ["git", *words],
            cwd=place,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"git {' '.join(words)}: {done.stderr}"
        return done.stdout.strip()

    def gate(self, *arguments: str) -> str:
        """`gate ARGUMENTS` in the clone, as its owner would call it."""
        done = subprocess.run(
            [self.world.env["DRIFTGATE_GATE"], *arguments],
            cwd=self.clone,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"gate {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout

    def commit(self, files: Mapping[str, str | None], message: str = "work") -> str:
        """Write the files (None removes one), commit everything, return the commit."""
        for name, text in files.items():
            path = self.clone / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def push(self, branch: str = "main") -> str:
        self.git("push", "--quiet", "--force", "origin", f"HEAD:refs/heads/{branch}")
        return self.git("rev-parse", "HEAD")

    def pull(
        self, files: Mapping[str, str | None], *, number: int = 7, fork: str = "", branch: str = ""
    ) -> Pull:
        """Open a pull request against main with one commit, or push another commit to it."""
        branch = branch or f"change-{number}"
        self.git("fetch", "--quiet", "origin")
        base = self.git("rev-parse", "origin/main")
        self.git("checkout", "--quiet", "-B", branch, base)
        head = self.commit(files, "change")
        if not fork:
            self.push(branch)
        self.git("push", "--quiet", "--force", "origin", f"{head}:refs/pull/{number}/head")
        # Of the merge commit, only that it is one more than the head with the same tree matters.
        tree = self.git("rev-parse", f"{head}^{{tree}}")
        merge = self.git("commit-tree", tree, "-p", base, "-p", head, "-m", f"Merge {head}")
        self.git("push", "--quiet", "--force", "origin", f"{merge}:refs/pull/{number}/merge")
        self.git("checkout", "--quiet", "--detach", merge)
        return Pull(number=number, head=head, base=base, branch=branch, merge=merge, fork=fork)

    def change_on_main(self, files: Mapping[str, str | tuple[str, str] | None]) -> str:
        """Push to the default branch: whole texts, None to remove, or (old, new) to replace once."""
        self.on_main()
        whole: dict[str, str | None] = {}
        for name, given in files.items():
            if not isinstance(given, tuple):
                whole[name] = given
                continue
            text = (self.clone / name).read_text(encoding="utf-8")
            assert text.count(given[0]) == 1, (
                f"{name} holds {given[0]!r} {text.count(given[0])} times"
            )
            whole[name] = text.replace(*given)
        self.commit(whole, "on main")
        return self.push()

    def on_main(self) -> Path:
        """The clone as the default branch on GitHub stands: where `workflow_run` and others run."""
        self.git("fetch", "--quiet", "origin")
        self.git("checkout", "--quiet", "--force", "-B", "main", "origin/main")
        return self.clone
