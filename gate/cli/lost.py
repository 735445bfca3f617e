"""What is asked for: the profiles of the tree, and those that only the merge base has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.wiring import is_there, load_profiles
from gate.errors import NothingCompared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.cli.trusted import Trusted
    from gate.model import Profile


def profiles_of(
    names: Sequence[str], directory: Path, size: str, known: Trusted
) -> tuple[tuple[Profile, ...], tuple[str, ...]]:
    """The profiles of the tree that are asked for, and the names of those that it has lost.

    Lost is what the merge base has and the tree has not; without names all of both are asked for.

    Raises:
        NothingCompared: neither has any.
        InputError: a name is unknown to both, or a profile of the tree is wrong.
    """
    if not names:
        try:
            there = load_profiles((), directory, size)
        except NothingCompared:
            if not known.profiles:
                raise
            there = ()
        return there, tuple(sorted(known.profiles.keys() - {one.name for one in there}))
    stems = {name: Path(name).stem if name.endswith(".toml") else name for name in names}
    lost = {
        name: stem
        for name, stem in stems.items()
        if stem in known.profiles and not is_there(name, directory)
    }
    kept = [name for name in names if name not in lost]
    there = load_profiles(kept, directory, size) if kept else ()
    return there, tuple(sorted(set(lost.values()) - {one.name for one in there}))
