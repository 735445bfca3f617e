"""Profiles by their names: those of a directory, in one size."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError, NothingCompared
from gate.formats import disk
from gate.formats.profile.profile_file import read_profile
from gate.formats.profile.sizes import FULL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Profile


def load_profiles(names: Sequence[str], directory: Path, size: str = FULL) -> tuple[Profile, ...]:
    """The named profiles, or all of the directory, in one size; a name may be a path.

    Raises:
        NothingCompared: the directory holds no profile.
        InputError: a name or size is unknown, or a profile is wrong.
    """
    if not names:
        found = [] if disk.is_absent(directory) else sorted(directory.glob("*.toml"))
        if not found:
            raise NothingCompared(
                "G280",
                "there is no profile here, so nothing would be compared.",
                cure="Write one with `gate init`, or name the directory with --profiles.",
                place=str(directory),
            )
    else:
        found = [_path_of(name, directory) for name in dict.fromkeys(names)]
    return tuple(read_profile(path, size) for path in found)


def is_there(name: str, directory: Path) -> bool:
    """Whether anything stands where a profile of this name, or path, would."""
    return os.path.lexists(_place(name, directory))


def _place(name: str, directory: Path) -> Path:
    return Path(name) if name.endswith(".toml") else directory / f"{name}.toml"


def _path_of(name: str, directory: Path) -> Path:
    path = _place(name, directory)
    if os.path.lexists(path):
        return path  # reading it tells what is wrong with what is no plain file
    known = sorted(entry.stem for entry in directory.glob("*.toml"))
    close = difflib.get_close_matches(name, known, n=1)
    hint = f'Did you mean "{close[0]}"?' if close else f"There are: {', '.join(known) or 'none'}."
    raise InputError("G211", f"no profile {name[:200]}.", cure=hint, place=str(directory))
