"""What of a repository was reviewed, as a measurement needs it: trees that run, and the change."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import MaxLen

from gate.model.bounds import LongText, Natural, Strict, Text

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_READ = 200
"""Files of each kind that are named."""
_Files = Annotated[tuple[LongText, ...], MaxLen(MOST_READ)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedTrees:
    """The trees of one profile under a merge base: what of them is in force, and what differs."""

    top: Path
    """The repository's top, of the working tree that is judged."""
    copies: Mapping[Path, Path] = field(default_factory=dict)
    """Top of a tree -> its copy that runs in its place, with the inputs of the merge base."""
    changed: Mapping[str, str]
    """Path from the top -> `A`, `D`, `M` or `T`, of each file that the change changed."""
    inputs: frozenset[str]
    """Paths of the inputs from the top, those included that the change adds or removes."""
    unknown: str = ""
    """Why it is not known what changed; empty where it is."""

    def in_force(self, path: Path) -> Path:
        """Where what belongs to a path is run from."""
        for top, copy in self.copies.items():
            if path.is_relative_to(top):
                return copy / path.relative_to(top)
        return path


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReads(Strict):
    """What a benchmark opened of the repository that it is in: one run more, not measured."""

    changed: Natural = 0
    """Files that the change changed, without inputs, of which the merge base's are in force."""
    read: _Files = ()
    """Those of them that were opened."""
    others: _Files = ()
    """Opened, and neither below the side nor an input; the change did not edit them."""
    edited: _Files = ()
    """Likewise, and edited by the change: nobody reviewed what was run."""
    built: _Files = ()
    """Opened, of the product, and not in git: nobody knows of what they were made."""
    unknown: Text = ""
    """Why nothing was traced, or not all; empty where everything was."""
