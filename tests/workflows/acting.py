"""The workflows run for real, on this machine: nektos/act in host mode, no Docker, no github.com.

    world = World(tmp_path)                     # bare repositories, artifacts, a clean HOME
    acted = world.act("pull_request", payload, clone)
    acted.jobs["gate"], acted.outputs["gate"], acted.summaries["gate"], acted.annotations

Whatever needs github.com is replaced, and nothing else: `REPLACED` names each with its reason.
Our own actions and reusable workflows are run as they stand in this tree.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OURS = "driftgate/driftgate"
REPOSITORY = "acme/tool"
REPLACED = {
    "actions/checkout": "it clones from github.com; the stand-in clones from a bare repository",
    "actions/upload-artifact": "it sends to GitHub's own store; the stand-in fills a directory "
    "which the test's API serves",
}
"""The only steps that are replaced -> why."""
HOSTED = "ubuntu-24.04"
_USES = re.compile(r"""uses:\s*["']?([\w.-]+/[\w.-]+)([^@\s"']*)@([0-9a-f]{40})\b""")
_LONGEST = 240.0


def act_program() -> str:
    """The runner of workflows; without it nothing here is proven, so that is no skip."""
    ours = ROOT / ".tools/act"
    found = str(ours) if ours.is_file() else shutil.which("act")
    assert found, "nektos/act is missing: `.ci/setup.sh tests` installs it as .tools/act"
    return found


def export_of(root: Path, target: Path) -> Path:
    """This tree as a checkout of it would be: what git tracks or would track, nothing ignored."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    for name in filter(None, names):
        source = root / name
        if source.is_file() or source.is_symlink():  # a tracked file may be removed by now
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name, follow_symlinks=False)
    return target


def used_actions(*places: Path) -> dict[tuple[str, str], set[str]]:
    """Every action and workflow of another repository that files below `places` use.

    (owner/name, commit) -> paths inside that repository.
    """
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for place in places:
        for path in sorted(place.rglob("*.y*ml")):
            for name, inside, commit in _USES.findall(path.read_text(encoding="utf-8")):
                found[name, commit].add(inside)
    return dict(found)


class Annotation(NamedTuple):
    """What a workflow command put beside the code."""

    job: str
    level: str
    title: str
    text: str


@dataclass(kw_only=True)
class Acted:
    """What a run of a workflow left, by the id of its jobs."""

    status: int
    jobs: dict[str, str] = field(default_factory=dict)
    """Job -> success, failure; skipped where no runner answers to its labels, or its `if` fails."""
    outputs: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    """Job -> outputs of its steps, of a name the last."""
    told_by: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """(job, step's id, output) -> value."""
    summaries: defaultdict[str, str] = field(default_factory=lambda: defaultdict(str))
    steps: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    """Job -> step -> success, failure, skipped."""
    annotations: list[Annotation] = field(default_factory=list)
    logs: defaultdict[str, str] = field(default_factory=lambda: defaultdict(str))
    """Job -> what its steps printed and did, for people."""
    told: str = ""
    """What act itself says."""

    @property
    def log(self) -> str:
        return "\n".join(f"--- {job}\n{text}" for job, text in self.logs.items()) + self.told

    def expect(self, **jobs: str) -> None:
        """The jobs ended so, and no others ran; else the whole log is shown."""
        assert self.jobs == jobs, f"{self.jobs}\n{self.log}"


def parsed(status: int, lines: Sequence[str], told: str) -> Acted:
    """What act told with --json."""
    acted = Acted(status=status, told=told)
    for line in lines:
        try:
            one = json.loads(line)
        except ValueError:
            acted.told += line + "\n"
            continue
        job = one.get("jobID")
        if job is None:
            acted.told += one.get("msg", "") + "\n"
            continue
        _take(acted, job, one)
    return acted


def _take(acted: Acted, job: str, one: dict[str, Any]) -> None:
    if "jobResult" in one:
        acted.jobs[job] = _worse(acted.jobs.get(job), one["jobResult"])
    elif "Skipping unsupported platform" in one.get("msg", ""):
        acted.jobs.setdefault(job, "skipped")
    if one.get("stage") == "Main" and "stepResult" in one and len(one.get("stepID", ())) == 1:
        acted.steps[job][one["step"].split("\n")[0]] = one["stepResult"]
    match one.get("command"):
        case "set-output":
            acted.outputs[job][one["name"]] = one["arg"]
            if len(one.get("stepID", ())) == 1:
                acted.told_by[job, one["stepID"][0], one["name"]] = one["arg"]
        case "summary" if len(one.get("stepID", ())) == 1:  # a composite action tells it again
            acted.summaries[job] += one["content"]
        case "error" | "warning" | "notice":
            title = (one.get("kvPairs") or {}).get("title", "")
            acted.annotations.append(Annotation(job, one["command"], title, one["arg"]))
    acted.logs[job] += one.get("msg", "").rstrip("\n") + "\n"


def _worse(before: str | None, now: str) -> str:
    """A matrix has several jobs of one id."""
    return now if before in {None, "success", "skipped"} else before


class World:
    """What stands in for GitHub: its git, its artifacts; and a home of nobody."""

    def __init__(self, place: Path, driftgate: Path, env: Mapping[str, str]) -> None:
        self.place, self.driftgate, self.env = place, driftgate, dict(env)
        self.git, self.artifacts = place / "git", place / "artifacts"
        self.checkouts = place / "checkouts.log"
        for one in (self.git, self.artifacts, place / "home"):
            one.mkdir(parents=True, exist_ok=True)

    @property
    def bare(self) -> Path:
        return self.git / f"{REPOSITORY}.git"

    def act(
        self,
        event: str,
        payload: Mapping[str, Any],
        clone: Path,
        *,
        run: int = 1,
        answering: Sequence[str] = (HOSTED, "self-hosted"),
        workflow: str = "",
        env: Mapping[str, str] | None = None,
        token: str = "",
        variables: Mapping[str, str] | None = None,
    ) -> Acted:
        """Run the workflows of `clone` that listen to the event; `answering` are runners' labels."""
        file = self.place / f"event-{run}.json"
        file.write_text(json.dumps(payload), encoding="utf-8")
        environment = {
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": str(run),
            "STANDIN_GIT": str(self.git),
            "STANDIN_ARTIFACTS": str(self.artifacts),
            "STANDIN_DRIFTGATE": str(self.driftgate),
            "STANDIN_LOG": str(self.checkouts),
            **self.env,
            **(env or {}),
        }
        words = [act_program(), event, "--json", "--no-cache-server", "--no-skip-checkout"]
        words += ["--action-cache-path", str(self.place / "act"), "--eventpath", str(file)]
        words += ["--defaultbranch", "main", "--actor", payload["sender"]["login"]]
        words += [f"-P={label}=-self-hosted" for label in answering]
        words += [f"--env={name}={value}" for name, value in environment.items()]
        words += [f"--secret=GITHUB_TOKEN={token}"] if token else []
        words += [f"--var={name}={value}" for name, value in (variables or {}).items()]
        words += [f"--local-repository={one}" for one in self._local(clone)]
        words += ["-W", f".github/workflows/{workflow}"] if workflow else []
        done = subprocess.run(
            words,
            cwd=clone,
            env={"PATH": os.environ["PATH"], "HOME": str(self.place / "home"), "LANG": "C.UTF-8"},
            capture_output=True,
            text=True,
            timeout=_LONGEST,
            check=False,
        )
        return parsed(done.returncode, done.stdout.splitlines(), done.stderr)

    def _local(self, clone: Path) -> list[str]:
        """`OWNER/NAME@COMMIT=DIRECTORY` of everything that is used, so that nothing is fetched."""
        found = []
        for name, commit in used_actions(clone / ".github", self.driftgate / ".github"):
            if name != OURS and name not in REPLACED:
                continue  # act will try to fetch it, fail, and say so
            own = HERE / "standins" / name.split("/")[1]
            found.append(f"{name}@{commit}={self.driftgate if name == OURS else own}")
        return found
