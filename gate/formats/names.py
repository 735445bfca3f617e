"""Names that become file names, and directories that a profile may name.

A profile may come with a pull request, so what it names must stay inside the project. Only the
command line, which is the user's own word, may name a place outside.
"""

from __future__ import annotations

import difflib
import os
from typing import TYPE_CHECKING

from gate.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


RESERVED = ("calibration", "host")
"""`calibration.toml` and `host.toml` stand beside the baselines of a class."""
_LONGEST = 100

RULE = f"at most {_LONGEST} printable characters without a slash, not starting with . or -"
RENAME = f"Rename the file: {RULE}, and not {' or '.join(RESERVED)}."
"""The cure for a file that no baseline or finding could be called like."""


def is_plain(name: str) -> bool:
    """Whether a file may be called so, wherever the name came from."""
    return (
        0 < len(name.encode("utf-8", "replace")) <= _LONGEST
        and name.isprintable()
        and "/" not in name
        and name[0] not in ".-"
        and name == name.strip()
        and name not in RESERVED
    )


def unknown_profile(
    name: str, known: Sequence[str], where: str = "", place: str = ""
) -> InputError:
    """The error for a name that is none of those known."""
    close = difflib.get_close_matches(name, known, n=1)
    hint = f'Did you mean "{close[0]}"?' if close else f"There are: {', '.join(known) or 'none'}."
    return InputError("G211", f"no profile {name[:200]}{where}.", cure=hint, place=place)


def why_not_literal(text: str) -> str:
    """Why a path must not be taken as it is written; empty when it may."""
    if "\0" in text:
        return "it holds a NUL"
    if "$" in text or "`" in text:
        return "it holds a variable, which nothing replaces here"
    if any(part.startswith("~") for part in text.split("/")):
        return "it holds a ~, which nothing replaces here"
    return ""


def why_outside(path: Path, inside: Iterable[Path]) -> str:
    """Why a path, its links followed, is in none of the directories; empty when it is in one."""
    try:
        real = os.path.realpath(path)
        places = [os.path.realpath(one) for one in inside]
    except (OSError, ValueError) as error:
        return f"it cannot be followed: {error}"
    if any(real == one or real.startswith(f"{one.rstrip(os.sep)}{os.sep}") for one in places):
        return ""
    return f"it leads to {real}, which is outside the project"
