"""The files that `gate init --github` writes: workflows that call those of driftgate, pinned."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib import metadata, resources
from pathlib import Path
from urllib.parse import urlsplit

from gate import __version__, vcs
from gate.errors import InputError

SHAPES = ("one-stage", "two-stages")
_REPOSITORY, _COMMIT = "driftgate/driftgate", "0" * 40
"""What the templates say, which are workflows that can be linted as they stand."""
_MACHINE, _OWNERS = "driftgate-machine", "@OWNERS"
_FILES = {
    "one-stage": {"driftgate.yml": "one-stage.yml"},
    "two-stages": {
        "driftgate.yml": "two-stages.yml",
        "driftgate-judge.yml": "two-stages-judge.yml",
    },
}
_COMMON = {
    "driftgate-accept.yml": "accept.yml",
    "driftgate-baseline.yml": "baseline.yml",
    "driftgate-aa.yml": "aa.yml",
}
_SOURCE = re.compile(r"(?P<repository>[\w.-]{1,100}/[\w.-]{1,100})@(?P<commit>[0-9a-f]{40})")
_MACHINE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_OWNERS_NAME = re.compile(r"@[\w.-]{1,100}(/[\w.-]{1,100})?")
_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowOptions:
    """What the workflows are to say."""

    shape: str = ""
    source: str | None
    """`OWNER/REPOSITORY@COMMIT` of driftgate; by default where this gate came from."""
    machine: str
    host_class: str | None
    owners: str
    branch: str
    profile: str = ""
    """One that takes little time, for the A/A run."""


def github_files(options: WorkflowOptions) -> dict[str, str]:
    """Path -> text of each file, below the repository's root.

    Raises:
        InputError: G200, a name that cannot stand in a workflow, or no commit to pin.
    """
    for name, value, pattern in (
        ("--machine", options.machine, _MACHINE_NAME),
        ("--owners", options.owners, _OWNERS_NAME),
        ("--branch", options.branch, _BRANCH),
    ):
        if not pattern.fullmatch(value):
            raise InputError(
                "G200",
                f"{name} {value[:80]!r} cannot stand in a workflow.",
                cure="Use letters, digits, dots and dashes.",
            )
    repository, commit = _source(options.source)
    host_class = options.host_class or ""
    changes = {
        f"{_REPOSITORY}/.github": f"{repository}/.github",
        f"{_COMMIT} # v0.1.0": f"{commit} # v{__version__}",
        _MACHINE: options.machine,
        'host-class: ""': f'host-class: "{host_class}"',
        _OWNERS: options.owners,
        "branches: [main]": f"branches: [{options.branch}]",
        "branch: main": f"branch: {options.branch}",
        "profiles: first": f"profiles: {options.profile}",
    }
    files = {
        f".github/workflows/{name}": template
        for name, template in (_FILES[options.shape] | _COMMON).items()
    }
    files[".github/CODEOWNERS"] = "CODEOWNERS"
    return {path: _filled(template, changes) for path, template in files.items()}


def steps(options: WorkflowOptions, profile: str, where: str) -> str:
    """What is left to do, in commands that can be pasted; `where` changes the directory."""
    known = f" --host-class {options.host_class}" if options.host_class else ""
    owners = f"\n- Put your team for {_OWNERS} in .github/CODEOWNERS." * (options.owners == _OWNERS)
    forks = (
        "\n- Actions, General: require approval for all external contributors. Forks are not"
        "\n  measured before you have read docs/github.md of driftgate, and say so."
    ) * (options.shape == "two-stages")
    return f"""
Next, on the machine that measures, a self-hosted runner with the label {options.machine}:
  {where}gate run {profile} --repeat 5 --trials 10{known}
  gate baseline accept reports/sessions/{profile}-*.json --reason "first baseline"
  git add --all
  git commit --message "Gate pull requests with driftgate"
  git push origin {options.branch}

{options.branch} must be the default branch. Then, in the settings of the repository:
- Actions, General: allow GitHub Actions to create and approve pull requests.{forks}{owners}
- Open a first pull request. When it was measured, require the status check `driftgate`
  for {options.branch}, and a review from code owners.

From then on each pull request is measured, and one that is slower is closed. To accept what
it costs, write this comment in it, or start the workflow `driftgate accept`:
  /driftgate accept REASON"""


def _filled(template: str, changes: dict[str, str]) -> str:
    text = resources.files("gate").joinpath("cli", "github", template).read_text(encoding="utf-8")
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


def _source(given: str | None) -> tuple[str, str]:
    """Repository and commit of driftgate that the workflows are pinned to."""
    pinned = given or _installed_from()
    match = _SOURCE.fullmatch(pinned)
    if match is None:
        raise InputError(
            "G200",
            "--source: a repository and the full hash of a commit of driftgate are needed"
            + (f", not {pinned[:120]!r}." if pinned else ", and this gate cannot tell its own."),
            cure=f"Write for example --source {_REPOSITORY}@{'1234567890' * 4}.",
        )
    return match["repository"], match["commit"]


def _installed_from() -> str:
    """Where this gate came from, as the installer wrote it down or as its checkout tells."""
    try:
        text = metadata.distribution("driftgate").read_text("direct_url.json")
        origin = json.loads(text) if text else {}
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    url = str(origin.get("url", ""))
    commit = str(origin.get("vcs_info", {}).get("commit_id", ""))
    if url.startswith("file://") and not commit:
        place = Path(urlsplit(url).path)
        known = vcs.checkout(place)
        url, commit = vcs.remote(place) or "", known.commit if known else ""
    repository = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+?)(\.git)?/?$", url)
    return f"{repository[1] if repository else _REPOSITORY}@{commit}" if commit else ""
