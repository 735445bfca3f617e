"""The variables that commands and jobs use, and do not set themselves."""

from __future__ import annotations

import re

_USED = re.compile(r"\$\{{0,2}([A-Za-z_]\w*)")
"""Also with the doubled brace that is a plain one in a profile's command."""
_SET = re.compile(
    r"(?<![\w$])([A-Za-z_]\w*)\+?=|\bfor\s+([A-Za-z_]\w*)|\bread((?:\s+-\w+|\s+[A-Za-z_]\w*)+)"
)
SHELLS_OWN = frozenset(
    {
        *("PWD", "OLDPWD", "PPID", "UID", "EUID", "IFS", "RANDOM", "SECONDS", "LINENO"),
        *("HOSTNAME", "OPTARG", "OPTIND", "SHLVL", "BASH", "BASHPID", "BASH_VERSION", "PIPESTATUS"),
    }
)
"""What a shell sets without being asked."""


def variables_used(text: str) -> set[str]:
    """Names that a command or a fio job takes from outside: `$NAME` or `${NAME}`."""
    own = {
        word for match in _SET.finditer(text) for one in match.groups("") for word in one.split()
    }
    return {*_USED.findall(text)} - own - SHELLS_OWN
