"""A shell with `gate` and git, for lines that a reader would copy."""

from __future__ import annotations

import os
import subprocess
import sys

from builders import _START, HOST_CLASS, PLAY


class Shell:
    """Runs lines in a directory, with a `gate` of the builders' on the PATH."""

    def __init__(self, place, root):
        self.root, self.bin = root, place / "bin"
        self.bin.mkdir()
        program = self.bin / "gate"
        lock = place / "lock"
        words = f"sys.argv[1:1] = [{str(lock)!r}, 'unwatched']"
        program.write_text(f"#!{sys.executable}\nPLAY = {PLAY!r}\nimport sys\n{words}\n{_START}")
        program.chmod(0o755)

    def __call__(self, line, cwd=None, **env):
        """One line in bash: its status, and all that it printed."""
        done = subprocess.run(
            ["bash", "-c", line],
            check=False,
            cwd=cwd or self.root,
            env={
                **{k: v for k, v in os.environ.items() if k not in {"CI", "GITHUB_SERVER_URL"}},
                "PATH": f"{self.bin}:{os.environ['PATH']}",
                "GATE_HOST_CLASS": HOST_CLASS,
                "TMPDIR": str(self.bin.parent),
                **env,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        return done.returncode, done.stdout


def git(root, *words):
    done = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *words],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def commit_all(root, text="x"):
    """All of a directory as a commit; its hash."""
    git(root, "add", "-A")
    git(root, "commit", "--allow-empty", "-m", text)
    return git(root, "rev-parse", "HEAD")


def begin(root):
    """A repository whose reports are ignored."""
    (root / ".gitignore").write_text("reports/\n")
    git(root, "init", "-b", "main")
