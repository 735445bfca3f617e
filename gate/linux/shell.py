"""Lines that a profile gives to a shell: a pipe of which any part fails must fail as a whole.

Without `pipefail` the status of `program | cat` is that of `cat`, and a program that crashes at
once is a very fast one. bash, zsh, ksh, busybox and dash from 0.5.13 on have it. So a shell is
asked once, before anything is measured, and a line that may hold a pipe is run with it or not at
all. Lines without a pipe are run as ever.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import lru_cache
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.formats.strict import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

_PATIENCE = 10.0
_TOKEN = re.compile(
    r"""\\.|'[^']*'|"(?P<double>(?:\\.|[^"\\])*)"|\|\||>\||(?P<pipe>\|)""", re.DOTALL
)
"""What a pipe is not: an escaped character, a quoted string, `||` and `>|`."""


def has_pipe(line: str) -> bool:
    """Whether a line of shell holds a pipe, also one in a `"$(a | b)"`; a comment's counts."""
    return any(
        match["pipe"] or ("|" in inner and ("$(" in inner or "`" in inner))
        for match in _TOKEN.finditer(line)
        for inner in [match["double"] or ""]
    )


def shell_words(
    line: str, environment: Mapping[str, str], shell: tuple[str, ...] = ("sh",)
) -> tuple[str, ...]:
    """The words that run a line in this shell, with `pipefail` where the line may hold a pipe.

    Raises:
        InputError: G283, the line holds a pipe, and the shell cannot tell that a part of it fails.
    """
    path = environment.get("PATH", os.defpath)
    if "|" in line and _has_pipefail(shell, path):
        return (*shell, "-o", "pipefail", "-c", line)
    if has_pipe(line):
        message = (
            f"{shell[0]} has no pipefail, and a pipe ends as its last part does: in "
            f"“{quote(line)}” a program could fail unnoticed, which looks like a gain."
        )
        raise InputError("G283", message, cure='Write shell = "bash", or do without the pipe.')
    return (*shell, "-c", line)


def sh_words(line: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The same in sh, or for a pipe in bash where sh has no `pipefail`: for what is not measured.

    Raises:
        InputError: G283, the line holds a pipe, and neither has `pipefail`.
    """
    path = environment.get("PATH", os.defpath)
    by_bash = has_pipe(line) and not _has_pipefail(("sh",), path)
    if by_bash and shutil.which("bash", path=path):
        return shell_words(line, environment, ("bash",))
    return shell_words(line, environment)


@lru_cache(maxsize=100)
def _has_pipefail(shell: tuple[str, ...], path: str) -> bool:
    """Whether this shell knows the option; one that cannot be started does not tell, and will."""
    try:
        answer = subprocess.run(
            (*shell, "-c", "set -o pipefail"),
            env={"PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE,
            check=False,
            start_new_session=True,
        )
    except OSError:
        return True
    except subprocess.TimeoutExpired:
        return False
    return answer.returncode == 0
