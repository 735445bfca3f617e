"""The project that is attacked: a real git repository with two profiles and their baselines."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

from builders import HOST_CLASS, LEVELS, QUIET, Project, run_gate

if TYPE_CHECKING:
    from pathlib import Path

PROFILE = """\
harness = "replay"
replay = "{name}.json"
benchmarks = {benchmarks}
trials = {{ screen = 3, confirm_pairs = 30 }}
{sides}
[metric.wall]
tolerance = "5%"
[metric.heat]
role = "watch"
"""
METRICS = {"wall": {"unit": "s", "better": "lower"}, "heat": {"unit": "1", "better": "lower"}}


class Attacked(NamedTuple):
    """The repository as the judging job checks it out, and what an honest machine sent."""

    root: Path
    """The base branch is `main`; HEAD is a commit of a change that touches no law."""
    sent: dict[str, Any]
    accepted: tuple[str, ...]
    """Ids of sessions that stand in the baseline of `p`."""


def write(root: Path, name: str, benchmarks: list[str], *, sides: bool) -> None:
    """One profile."""
    both = "[side.base]\n[side.head]" if sides else ""
    text = PROFILE.format(name=name, benchmarks=json.dumps(benchmarks), sides=both)
    (root / "profiles").mkdir(parents=True, exist_ok=True)
    (root / "profiles" / f"{name}.toml").write_text(text, encoding="utf-8")


def record(root: Path, name: str, benchmarks: list[str], level: float, base: float = 1.0) -> None:
    """What it plays: steady trials, the head's at a level."""
    data: Any = {
        "metrics": METRICS,
        "benchmarks": {
            benchmark: {
                side: {metric: [one * factor for one in QUIET] * 20 for metric in METRICS}
                for side, factor in (("head", level), ("base", base))
            }
            for benchmark in benchmarks
        },
    }
    (root / "profiles" / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")


def git(root: Path, *words: str) -> None:
    """One call of git."""
    told = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-C", str(root)]
    subprocess.run([*told, *words], check=True, capture_output=True)


def build(root: Path, profiles: dict[str, list[str]]) -> None:
    """The repository: profiles, five accepted sessions each, a base branch, a change."""
    project = Project(root, next(iter(profiles)))
    for name, benchmarks in profiles.items():
        write(root, name, benchmarks, sides=name == "q")
        sessions = []
        for level in LEVELS:
            record(root, name, benchmarks, level)
            answer = run_gate(["run", name, "--json", "--quiet"], cwd=root)
            sessions.append(answer.json["sessions"][0]["path"])
        told = project.gate("baseline", "accept", *sessions, "--reason", "first", "--by", "me")
        assert told.status == 0, told
        record(root, name, benchmarks, 1.0)
    (root / ".gitignore").write_text("reports/\nout*/\n", encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    git(root, "checkout", "-qb", "change")
    (root / "README").write_text("a change\n", encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "change")


def handover(root: Path, names: list[str], level: float, status: int) -> dict[str, Any]:
    """What `gate check` measures, as one handover; `q` is played at the level given."""
    if "q" in names:
        record(root, "q", ["k"], level)
    out = f"reports/check-{level}"
    answer = run_gate(["check", *names, "--out", out, "--quiet"], cwd=root)
    assert answer.status == status, answer
    if "q" in names:
        record(root, "q", ["k"], 1.0)
    stages = ("head.json", "base.json", "pairs-base.json", "pairs-head.json")
    paths = [root / out / name / stage for name in names for stage in stages]
    sessions = [json.loads(path.read_text()) for path in paths if path.exists()]
    return {
        "schema": 1,
        "version": "0.1.0",
        "shard": 1,
        "shards": 1,
        "sessions": sessions,
        "error": "",
    }


def attacked(root: Path, *, slow: bool = False) -> Attacked:
    """The repository with profile `p`, and with `q`, which is slower, where that is asked for."""
    profiles = {"p": ["b", "c"], **({"q": ["k"]} if slow else {})}
    build(root, profiles)
    found = handover(root, list(profiles), 1.3 if slow else 1.0, 10 if slow else 0)
    text = (root / "baselines" / HOST_CLASS / "p.toml").read_text(encoding="utf-8")
    return Attacked(root, found, tuple(sorted(set(re.findall(r'session = "([^"]+)"', text)))))
