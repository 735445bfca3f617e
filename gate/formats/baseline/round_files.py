"""The directory of a calibration in progress: its schedule, and a directory per round.

    schedule.json                the draw, and what the newest command asked for
    round-0007/plan.json         written before anything is measured
    round-0007/PROFILE/*.json    the sessions of the check
    round-0007/round.json        written last: a round that has it is finished

Rounds finish one after another, so that at most one is unfinished.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from gate.errors import InputError
from gate.formats import disk
from gate.formats.document import read_json
from gate.formats.session.session_file import as_json
from gate.model import RoundPlan, Schedule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gate.model import Round

T = TypeVar("T")

_ROUND = re.compile(r"round-(\d{4,9})")


@contextmanager
def alone_in(directory: Path) -> Iterator[None]:
    """Refuse a second calibration in one directory; the kernel frees it when we die.

    Raises:
        InputError: G222 in use, G208 it cannot be made.
    """
    cure = "Name another directory with --out."
    with disk.opened_directory(directory, "cannot be used", cure) as handle:
        try:
            disk.hold(handle)
        except OSError as error:
            message = "another calibration goes on in this directory."
            cure = "Wait for it to end, or name another with --out."
            raise InputError("G222", message, cure=cure, place=str(directory)) from error
        yield


def round_directory(directory: Path, number: int) -> Path:
    """Where the round of that number stands."""
    return directory / f"round-{number:04d}"


def count_finished(directory: Path) -> int:
    """How many rounds are finished."""
    if disk.is_absent(directory):
        return 0
    numbers = [
        int(match[1])
        for entry in directory.iterdir()
        if (match := _ROUND.fullmatch(entry.name)) and not disk.is_absent(entry / "round.json")
    ]
    return max(numbers, default=0)


def read_schedule(directory: Path) -> Schedule | None:
    """The schedule in force; None where none was drawn."""
    return _read(directory / "schedule.json", Schedule)


def write_schedule(directory: Path, schedule: Schedule) -> None:
    """Write the schedule whole."""
    disk.write_text(directory / "schedule.json", as_json(schedule))


def read_plan(directory: Path, number: int) -> RoundPlan | None:
    """The plan of a round; None before it was begun."""
    return _read(round_directory(directory, number) / "plan.json", RoundPlan)


def write_plan(directory: Path, plan: RoundPlan) -> None:
    """Write the plan of a round whole."""
    disk.write_text(round_directory(directory, plan.number) / "plan.json", as_json(plan))


def finish(directory: Path, number: int, done: Round) -> None:
    """Say that a round is finished; its result must be stored already."""
    disk.write_text(round_directory(directory, number) / "round.json", as_json(done))


def give_up(directory: Path, number: int) -> Path:
    """Put the trials of a round aside that cannot go on; it begins anew with the same plan."""
    place = round_directory(directory, number)
    count = 1
    while (aside := place.with_name(f"{place.name}-given-up-{count}")).exists():
        count += 1
    place.rename(aside)
    return aside


def _read(path: Path, kind: type[T]) -> T | None:
    if disk.is_absent(path):
        return None
    try:
        return read_json(path, "calibration").validate(kind)
    except InputError as error:
        cure = f"Remove {path.parent}: the results of finished rounds stand beside the baselines."
        raise InputError(error.code, error.message, cure=cure, place=error.place) from error
