"""What the tests of silent passes share: a check, what it must say, and programs of our making."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from builders import QUIET

TOOLS = Path(__file__).parent.parent / "data" / "tool-output"


SLOW = [1.3 * one for one in QUIET]


OUT = ("--out", "out", "--quiet")


def check(project, *arguments, env=None):
    """`gate check` into a fresh directory."""
    shutil.rmtree(project.root / "out", ignore_errors=True)
    return project.gate("check", *arguments, *OUT, env=env)


def report(project):
    return json.loads((project.root / "out" / "report.json").read_text(encoding="utf-8"))


def codes(project):
    return {finding["code"] for finding in report(project)["findings"]}


def closed(project, answer, status, *expected):
    """The check ended with this status, wrote its report, closed, and gave these codes."""
    assert answer.status == status, answer
    assert report(project)["gate"] == "closed"
    assert report(project)["exit_status"] == status
    assert codes(project) >= set(expected)


def edit(path, before, after):
    text = path.read_text(encoding="utf-8")
    assert before in text, text
    path.write_text(text.replace(before, after), encoding="utf-8")


class Fake:
    """Programs of our own making on PATH, and nothing else."""

    def __init__(self, root, monkeypatch):
        self.root, self.bin = root, root / "bin"
        self.bin.mkdir()
        for name in ("sh", "cat", "true", "kill"):
            (self.bin / name).symlink_to(shutil.which(name) or f"/bin/{name}")
        monkeypatch.setenv("PATH", str(self.bin))

    def write(self, name, body):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def hyperfine(self, then='printf \'%s\' "$EXPORT" > "$out"', version="1.20.0", export=None):
        """A hyperfine that answers for its version and then does `then`; $out is its export."""
        result = export or {
            "results": [{"command": "x", "user": 0.1, "system": 0.1, "times": ["T"],
                         "exit_codes": [0]}]
        }  # fmt: skip
        text = json.dumps(result).replace('"T"', "'\"$t\"'")
        self.write(
            "hyperfine",
            f"""if [ "$1" = --version ]; then echo "hyperfine {version}"; exit 0; fi
while [ "$1" != --export-json ]; do shift; done
out=$2
n=$(cat {self.root}/count 2>/dev/null || echo 1)
echo $((n + 1)) > {self.root}/count
t=1.00$((n * 37 % 90 + 10))
EXPORT='{text}'
{then}""",
        )
