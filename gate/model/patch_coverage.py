"""Whether a workload ran what a change changed: functions of a kernel, files of a repository."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from annotated_types import MaxLen

from gate.model.bounds import Amount, Count, LongText, Natural, Number, Strict, Text

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_CHANGED = 200
"""Functions that are named."""
HOW = ("changed", "added", "removed")
"""What may have happened to a function."""
_Function = Annotated[str, MaxLen(300)]


class Changes(NamedTuple):
    """What differs, and what of that is not known."""

    functions: dict[str, str]
    """`changed`, `added` or `removed`, by names as /proc/kallsyms has them."""
    unknown: str
    """Why more may differ; empty where this is all."""
    identical: bool
    """Whether nothing differs at all, by the build-ids."""

    def touch(self, ran: dict[str, Ran], unknown: str) -> Touch:
        """What a trial executed of them; what `ran`, the largest first, is named before others."""
        rest = (name for name in sorted(self.functions) if name not in ran)
        names = [*ran, *rest][:MOST_CHANGED]
        return Touch(
            count=len(self.functions),
            functions={name: self.functions[name] for name in names},
            executed=len(ran),
            ran=dict(islice(ran.items(), MOST_CHANGED)),
            unknown=unknown,
            identical=self.identical,
        )


class Untouched(StrEnum):
    """What becomes of a pass when no changed function was executed."""

    NOTE = "note"
    CLOSE = "close"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran(Strict):
    """What a function executed in one trial, or how often it was called."""

    instructions: Number = 0.0
    """Of the long run, above zero; zero where calls were counted."""
    calls: Number = 0.0
    """Of an extra run, above zero; zero where instructions were counted."""
    per_operation: Amount
    """Instructions, the long run's less the short one's by the operations between; or calls."""
    shared: bool = False
    """Whether several functions have the name, so that it may have been another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch(Strict):
    """What differs between the sides, and what of that one trial executed."""

    count: Count
    """Functions that are known to differ."""
    functions: Annotated[dict[_Function, Text], MaxLen(MOST_CHANGED)] = field(default_factory=dict)
    """The first of them: `null_handle_cmd [null_blk]`, and `changed`, `added` or `removed`."""
    executed: Natural = 0
    """How many of all of them ran."""
    ran: Annotated[dict[_Function, Ran], MaxLen(MOST_CHANGED)] = field(default_factory=dict)
    """Those that ran, the largest first to be kept."""
    unknown: Text = ""
    """Why it is not known of all that the guest ran which functions differ; empty where it is."""
    identical: bool = False
    """Whether kernel and modules are the same files, by their build-ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchedFunction(Strict):
    """A function that differs, and what it executed on each side."""

    name: LongText
    how: LongText
    """`changed`, `added` or `removed`."""
    executed: bool
    shared: bool = False
    """Whether several functions have the name, so that it may have been another."""
    calls: bool = False
    """Whether calls were counted, and not instructions."""
    base: float | None = None
    """Instructions, or calls, of one operation, median of the trials; absent where that side did
    not run."""
    head: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched(Strict):
    """Whether the trials of a profile executed what differs between the sides."""

    profile: LongText
    headline: LongText
    """`0 of 7 changed functions executed: this pass is empty`."""
    count: Count
    """Functions that are known to differ."""
    executed: Natural
    """How many of them ran, on any side."""
    empty: bool
    """Whether functions differ, and none of them ran."""
    functions: Annotated[tuple[TouchedFunction, ...], MaxLen(MOST_CHANGED)] = ()
    """Those that ran first; only so many are kept."""
    unknown: LongText = ""
    """Why it is not known of all that ran which functions differ."""


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
