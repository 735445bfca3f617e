"""A real git history of pull requests that accept what they cost, for levels and where they hold."""

from __future__ import annotations

import json
import os
import subprocess

from builders import QUIET, write_replay_project

GIT = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}


class AcceptedHistory:
    """A project whose code costs what the files below `code/` say, and pull requests of it.

    Each file holds a factor; a commit costs the product of its files. What is measured is played
    from a recording whose edits git does not look at, so that every session is of a clean commit.
    """

    def __init__(self, root, *, sides=True) -> None:
        self.project = write_replay_project(root, sides=sides)
        self.root = root
        (root / ".gitignore").write_text("reports/\nout*/\n")
        self.git("init", "-q", "-b", "main")
        self.change("start", 1.0)
        self.git("update-index", "--skip-worktree", "profiles/p.json")
        self.project.accept()
        self.commit("first baseline")

    def git(self, *words):
        done = subprocess.run(
            ["git", "-c", "user.name=me", "-c", "user.email=me@example.com",
             "-c", "commit.gpgsign=false", *words],
            cwd=self.root, check=True, capture_output=True, text=True, env=GIT,
        )  # fmt: skip
        return done.stdout.strip()

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def change(self, name, factor, text=None):
        """A commit whose code costs `factor` times what it cost before."""
        (self.root / "code").mkdir(exist_ok=True)
        (self.root / "code" / f"{name}.txt").write_text(text or f"{factor}\n")
        return self.commit(f"change {name}")

    def branch(self, name, start="main"):
        self.git("checkout", "-q", "-b", name, start)

    def pull_request(self, name, factor):
        """A branch off main with one change."""
        self.branch(name)
        return self.change(name, factor)

    def cost(self, revision="HEAD"):
        """What the code of a commit costs."""
        total = 1.0
        for path in self.git("ls-tree", "--name-only", revision, "code/").splitlines():
            total *= float(self.git("show", f"{revision}:{path}").split()[0])
        return total

    def play(self):
        """Record what HEAD and its merge base with main cost."""
        base = self.git("merge-base", "main", "HEAD")
        rows = [[one * self.cost(side) for one in QUIET] * 40 for side in ("HEAD", base)]
        self.project.record({"b": rows[0]}, {"b": rows[1]})

    def accept(self, count=1, level=None):
        """Measure HEAD and accept it; returns the text of the baseline, which is not committed."""
        level = self.cost() if level is None else level
        paths = [self.project.session({"b": [one * level for one in QUIET]}) for _ in range(count)]
        words = ("--reason", "it is worth it", "--by", "me")
        answer = self.project.gate("baseline", "accept", *paths, *words)
        assert answer.status == 0, answer
        return self.project.baseline.read_text()

    def accept_alone(self, name, count=1):
        """Accept HEAD in a pull request that carries the baseline alone, merged by now."""
        here = self.git("rev-parse", "--abbrev-ref", "HEAD")
        self.git("merge", "-q", "main", "-m", f"main into {here}")
        text = self.accept(count)
        self.git("checkout", "-q", "-f", "-b", f"carrier-{name}", "main")
        self.project.baseline.write_text(text)
        self.commit(f"accept {name}")
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "--no-ff", "-m", f"merge carrier-{name}", f"carrier-{name}")
        self.git("checkout", "-q", here)

    def merge(self, name, how="merge"):
        """Merge a branch into main, and stay on main."""
        if how == "rebase":
            self.git("checkout", "-q", name)
            self.git("rebase", "-q", "main")
            self.git("checkout", "-q", "main")
            self.git("merge", "-q", "--ff-only", name)
            return
        self.git("checkout", "-q", "main")
        if how == "squash":
            self.git("merge", "-q", "--squash", name)
            self.git("commit", "-q", "-m", f"{name} (#1)")
        else:
            self.git("merge", "-q", "--no-ff", "-m", f"merge {name}", name)

    def check(self, *more, out="out"):
        """`gate check --merge-base main` of HEAD; its answer and its report."""
        self.play()
        answer = self.project.gate("check", "--merge-base", "main", "--out", out, "--quiet", *more)
        return answer, json.loads((self.root / out / "report.json").read_text())

    def clone(self, place, *branches):
        """Another clone with the history of some branches; of all where none is named."""
        self.git("init", "-q", "-b", "empty", str(place))
        wanted = [f"+refs/heads/{one}:refs/remotes/origin/{one}" for one in branches or ("*",)]
        self.git("-C", str(place), "fetch", "-q", str(self.root), *wanted)
        self.git("-C", str(place), "checkout", "-q", "--detach", "origin/main")
        return place
