"""The environment of what is measured: a few names, what the profile names, and what a side sets.

A variable that nobody named would decide what is measured, and differ from one machine to another.
"""

from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING

from gate.formats.profile.variables import variables_used
from gate.model import ALWAYS_INHERITED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.harness.base import TrialContext
    from gate.model import Profile
    from gate.subject.command import ActiveSide

UNSET = "unset"
"""Of a variable that was named and not there."""
_RUNNERS = re.compile(
    r"(GITHUB|ACTIONS|RUNNER|INPUT|STATE|GITEA|FORGEJO)_.*"  # files, addresses, inputs, state
    r"|GATE_API_URL"
    r"|CI_JOB_(TOKEN|JWT.*)|CI_REGISTRY_PASSWORD|CI_DEPLOY_PASSWORD|CI_REPOSITORY_URL"  # GitLab
    r"|(?i:(.*_)?(TOKEN|PAT|SECRETS?|PASSPHRASE|CREDENTIALS?|JWT|AUTH|AUTH_CONFIG|AUTHORIZATION))"
    r"|(?i:.*(PASSWORD|PASSWD)(_.*)?|TOKEN_.*|MYSQL_PWD)"  # also PGPASSWORD
    r"|(?i:SSH_AUTH_SOCK)"  # the agent behind it signs in the name of the job
    r"|(?i:(.*_)?(API|ACCESS|SECRET|PRIVATE|DEPLOY|SIGNING)_?KEY(_ID|_BASE64)?)"
)
"""What the runner of a CI job keeps for itself, and secrets by their names.

With them a benchmark could set outputs, environment and path of later steps, write the summary, or
speak for the job. It is no wall: a benchmark runs as the same user on the same machine and can look
for them elsewhere. It keeps accidents and easy tricks out. `CI` stays, since tests ask for it.
"""


def is_runners(name: str) -> bool:
    """Whether a variable is the runner's own, or a secret by its name: `GITHUB_ENV`, `NPM_TOKEN`.

    A profile's `environment` or `--head-env` gives one of the latter to a benchmark that needs it.
    """
    return _RUNNERS.fullmatch(name) is not None


def child_environment(
    active: ActiveSide | None = None,
    own: Mapping[str, str] | None = None,
    inherits: Sequence[str] = (),
) -> dict[str, str]:
    """What a harness sees: a few names of ours and those of `inherits`, the profile's `own` on top.

    On top of both what the side sets; all in the C locale. A secret, by its name, and what a
    runner keeps for itself arrives only where the profile or the command line sets it.
    """
    names = {*ALWAYS_INHERITED, *inherits}
    inherited = {
        name: value for name, value in os.environ.items() if name in names and not is_runners(name)
    }
    side = dict(active.environment) if active else {}
    return inherited | {"LC_ALL": "C.UTF-8"} | dict(own or {}) | side


def switching_environment() -> dict[str, str]:
    """What commands see that activate a side: ours, but for what a CI job's runner keeps."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GATE_") and not is_runners(name)
    }
    return inherited | {"LC_ALL": "C.UTF-8"}


def recorded_environment(profile: Profile) -> dict[str, str]:
    """Of each variable that its workload inherits, by name: a hash of the value, or `unset`."""
    given = child_environment(inherits=profile.work.inherits)
    names = {name for name in ALWAYS_INHERITED if name in given} | {*profile.work.inherits}
    return {name: _hash(given[name]) if name in given else UNSET for name in sorted(names)}


def refuse_unnamed(context: TrialContext) -> None:
    """Refuse a command or job that uses a variable of ours which nobody named (G286)."""
    profile = context.profile
    work, load = profile.work, profile.background
    texts = work.command, work.prepare, work.job_text
    loads = (load.command, load.job_text) if load else ()
    for text in filter(None, (*texts, *loads)):
        for name in sorted(variables_used(text) - context.environment.keys()):
            if name in os.environ:
                cure = f'Write inherits = ["{name}"], or set it in `environment`.'
                if is_runners(name):
                    cure = "What is a secret by its name is given by `environment` or --head-env."
                why = f"the workload uses ${name}, which nobody named: it would not arrive."
                raise context.error("G286", why, cure)


def _hash(value: str) -> str:
    raw = value.encode("utf-8", "surrogateescape")
    return f"sha256:{hashlib.sha256(raw).hexdigest()[:16]}"
