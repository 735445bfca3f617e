"""Variables of a CI runner that no benchmark inherits: its files, its addresses, its secrets.

With them a benchmark could set outputs, environment and path of later steps, write the summary, or
speak for the job. It is no wall: a benchmark runs as the same user on the same machine and can look
for them elsewhere. It keeps accidents and easy tricks out. `CI` stays, since tests ask for it.
"""

from __future__ import annotations

import re

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
