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

_TEMPLATES = resources.files("gate").joinpath("cli", "github")
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
_COMMON = {f"driftgate-{name}.yml": f"{name}.yml" for name in ("accept", "baseline", "aa")}
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
    """Path -> text of each file, below the repository's root."""
    for name, value, pattern in (
        ("--machine", options.machine, _MACHINE_NAME),
        ("--owners", options.owners, _OWNERS_NAME),
        ("--branch", options.branch, _BRANCH),
    ):
        if not pattern.fullmatch(value):
            what = f"{name} {value[:80]!r} cannot stand in a workflow."
            raise InputError("G200", what, cure="Use letters, digits, dots and dashes.")
    repository, commit = _source(options.source)
    host_class = options.host_class or ""
    changes = {
        f"{_REPOSITORY}/.github": f"{repository}/.github",
        f"{_COMMIT} # v0.1.0": f"{commit} # v{__version__}",
        _MACHINE: options.machine,
        'host-class: ""': f'host-class: "{host_class}"',
        _OWNERS: options.owners,
        "one-stage: false": f"one-stage: {str(options.shape == 'one-stage').lower()}",
        "branches: [main]": f"branches: [{options.branch}]",
        "branch: main": f"branch: {options.branch}",
        "profiles: first": f"profiles: {options.profile}",
    }
    files = {
        f".github/workflows/{name}": template
        for name, template in (_FILES[options.shape] | _COMMON).items()
    }
    files[".github/CODEOWNERS"] = "CODEOWNERS"
    texts = {path: _TEMPLATES.joinpath(name).read_text("utf-8") for path, name in files.items()}
    for old, new in changes.items():
        texts = {path: text.replace(old, new) for path, text in texts.items()}
    return texts


def steps(options: WorkflowOptions, profile: str, where: str) -> str:
    """What is left to do, in commands that can be pasted; `where` changes the directory."""
    known = f" --host-class {options.host_class}" if options.host_class else ""
    owners = f"\n- Put your team for {_OWNERS} in .github/CODEOWNERS." * (options.owners == _OWNERS)
    forks = (
        "\n- Actions, General: require approval for all external contributors. Forks are not"
        "\n  measured before you have read docs/github.md of driftgate, and say so."
    ) * (options.shape == "two-stages")
    text = _TEMPLATES.joinpath("next-steps.txt").read_text("utf-8")
    named = {"machine": options.machine, "branch": options.branch, "profile": profile}
    return text.rstrip("\n").format(where=where, known=known, forks=forks, owners=owners, **named)


def _source(given: str | None) -> tuple[str, str]:
    pinned = given or _installed_from()
    match = _SOURCE.fullmatch(pinned)
    if match is None:
        what = "--source: a repository and the full hash of a commit of driftgate are needed"
        what += f", not {pinned[:120]!r}." if pinned else ", and this gate cannot tell its own."
        cure = f"Write for example --source {_REPOSITORY}@{'1234567890' * 4}."
        raise InputError("G200", what, cure=cure)
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
