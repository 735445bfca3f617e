"""Recordings: gzip CSV of `series,better,session,trial,value`, one line per trial."""

from __future__ import annotations

import csv
import gzip
import math
import zlib
from typing import TYPE_CHECKING

from gate.errors import InputError, NothingCompared
from gate.model import Better
from gate.model.calibration import RecordedSeries, Recording

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COLUMNS = ["series", "better", "session", "trial", "value"]
_MOST_BYTES = 200 * 1024 * 1024
"""Of text, unpacked: a small file can unpack to more than any memory holds."""
_LONGEST_NAME = 200
_CURE = "Every line gives: series, lower or higher, session number, trial number, value above 0."

Row = tuple[str, Better, int, int, float]


def read_recording(path: Path) -> Recording:
    """A recording, checked.

    Raises:
        InputError: the file cannot be read, is no gzip CSV, or a line is wrong (G201, G247).
        NothingCompared: it holds no trial.
    """
    found: dict[str, tuple[Better, dict[int, dict[int, float]]]] = {}
    for line, (name, better, session, trial, value) in _rows(path):
        known, sessions = found.setdefault(name, (better, {}))
        trials = sessions.setdefault(session, {})
        if known is not better:
            raise _wrong(path, line, f"series {name!r} was {known.value} before")
        if trial in trials:
            raise _wrong(path, line, f"trial {trial} of session {session} stands twice")
        trials[trial] = value
    if not found:
        raise NothingCompared("G280", "the recording is empty.", cure=_CURE, place=str(path))
    return Recording(
        name=path.name,
        series=tuple(
            RecordedSeries(
                name=name,
                better=better,
                sessions={
                    number: tuple(value for _, value in sorted(trials.items()))
                    for number, trials in sorted(sessions.items())
                },
            )
            for name, (better, sessions) in sorted(found.items())
        ),
    )


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    lines = csv.reader(_text(path))
    if next(lines, None) != COLUMNS:
        raise _wrong(path, 1, f"the first line must be {','.join(COLUMNS)}")
    for cells in lines:
        yield lines.line_num, _row(cells, path, lines.line_num)


def _text(path: Path) -> Iterator[str]:
    """Lines of the unpacked file."""
    size = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            for line in file:
                size += len(line)
                if size > _MOST_BYTES:
                    message = f"unpacks to more than {_MOST_BYTES >> 20} MiB."
                    raise InputError("G202", message, cure="Split it.", place=str(path))
                yield line
    except (gzip.BadGzipFile, EOFError, zlib.error, UnicodeDecodeError) as error:
        message = "not a gzip-compressed text file, or cut short."
        raise InputError("G247", message, cure=_CURE, place=str(path)) from error
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}."
        cure = "Check the path and its permissions."
        raise InputError("G201", message, cure=cure, place=str(path)) from error


def _row(cells: list[str], path: Path, line: int) -> Row:
    try:
        name, better, session, trial, text = cells
        row = name, Better(better), int(session), int(trial), float(text)
    except ValueError:
        raise _wrong(path, line, f"not a trial: {','.join(cells)[:80]!r}") from None
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise _wrong(path, line, f"{name[:80]!r} is no name of a series")
    if not (math.isfinite(row[4]) and row[4] > 0):
        raise _wrong(path, line, f"the value {text[:40]} is not a finite number above 0")
    return row


def _wrong(path: Path, line: int, what: str) -> InputError:
    return InputError("G247", f"{what}.", cure=_CURE, place=f"{path}:{line}")
