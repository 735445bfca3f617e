"""What is kept of extra runs: their counts as JSON, their stacks in the folded format.

Folded stacks are a line each, frames joined by semicolons and then the number of samples, as
every tool that draws flame graphs reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.files import disk
from gate.files.session_file import as_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.model import Side
    from gate.model.extra import ExtraRuns, Folded


def write_extra_runs(place: Path, runs: ExtraRuns, folded: Mapping[Side, Folded]) -> Path:
    """Write the next `PROFILE-N.json` of a directory, and the stacks of both sides beside it.

    Raises:
        InputError: it cannot be written.
    """
    number = 1
    while (path := place / f"{runs.profile}-{number}.json").exists():
        number += 1
    disk.write_text(path, as_json(runs))
    for side, one in folded.items():
        disk.write_text(path.with_suffix(f".{side.value}.folded"), folded_text(one))
    return path


def folded_text(folded: Folded) -> str:
    """The stacks, those of most samples first."""
    ranked = sorted(folded.stacks.items(), key=lambda one: (-one[1], one[0]))
    return "".join(f"{stack} {count}\n" for stack, count in ranked)
