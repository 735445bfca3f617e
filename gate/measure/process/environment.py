"""The environment of what a trial runs.

Variables of a CI runner that no benchmark inherits: its files, its addresses, its secrets.

With them a benchmark could set outputs, environment and path of later steps, write the summary, or
speak for the job. It is no wall: a benchmark runs as the same user on the same machine and can look
for them elsewhere. It keeps accidents and easy tricks out. `CI` stays, since tests ask for it.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.subject.command import ActiveSide


_RUNNERS = re.compile(
    r"(GITHUB|ACTIONS|RUNNER|INPUT|STATE|GITEA|FORGEJO)_.*"  # files, addresses, inputs, state
    r"|CI_JOB_(TOKEN|JWT.*)|CI_REGISTRY_PASSWORD|CI_DEPLOY_PASSWORD|CI_REPOSITORY_URL"  # GitLab
    r"|(?i:(.*_)?(TOKEN|PAT|SECRETS?|PASSPHRASE|CREDENTIALS?|JWT|AUTH|AUTH_CONFIG|AUTHORIZATION))"
    r"|(?i:.*(PASSWORD|PASSWD)(_.*)?|TOKEN_.*|MYSQL_PWD)"  # also PGPASSWORD
    r"|(?i:SSH_AUTH_SOCK)"  # the agent behind it signs in the name of the job
    r"|(?i:(.*_)?(API|ACCESS|SECRET|PRIVATE|DEPLOY|SIGNING)_?KEY(_ID|_BASE64)?)"
)


def is_runners(name: str) -> bool:
    """Whether a variable is the runner's own, or a secret by its name: `GITHUB_ENV`, `NPM_TOKEN`.

    A profile's `environment` or `--head-env` gives one of the latter to a benchmark that needs it.
    """
    return _RUNNERS.fullmatch(name) is not None


def child_environment(
    active: ActiveSide | None = None, own: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What a harness sees: ours, in the C locale, the profile's `own`, the side's on top.

    Not ours: what is the gate's, and what the runner of a CI job gave to the gate alone
    (`is_runners`). What the profile or the command line names is given all the same.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GATE_") and not is_runners(name)
    }
    side = dict(active.environment) if active else {}
    return inherited | {"LC_ALL": "C.UTF-8"} | dict(own or {}) | side
