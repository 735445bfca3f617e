"""How a step talks to GitHub's runner: commands on stdout, and the files that it hands out.

The runner takes every line of stdout and of stderr that begins with `::` for a command. So what is
meant as one is made by `gate.text`, and everything else is guarded before it is printed.
"""

from __future__ import annotations

import os
import re
import secrets
from typing import TYPE_CHECKING

from gate.errors import PublishError
from gate.text import clean, guard_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

LARGEST_SUMMARY = (1 << 20) - 1024
"""Bytes of one step's summary; above 1 MiB GitHub shows none of it, and fails nothing."""
LONGEST_VALUE = 1000
"""Characters of one output."""

_LINE = re.compile(r"\r\n|\r|\n")


def guard_lines(text: str) -> str:
    """The same text, no line of which a runner takes for a command; a bare CR is a line end too."""
    return "\n".join(guard_line(line).replace("##[", "## [") for line in _LINE.split(text))


def output_lines(
    values: Mapping[str, str], *, mark: Callable[[], str] = lambda: secrets.token_hex(16)
) -> str:
    """The lines that set outputs: each value one line between marks that nobody can guess."""
    lines = []
    for name, value in values.items():
        end = f"end_{mark()}"
        lines.append(f"{name}<<{end}\n{clean(value, LONGEST_VALUE)}\n{end}\n")
    return "".join(lines)


def append_text(path: Path, text: str) -> None:
    """Add to a file of the runner, on a line of its own."""
    try:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
        with os.fdopen(os.open(path, flags, 0o644), "r+b") as stream:
            if stream.seek(0, os.SEEK_END):
                stream.seek(-1, os.SEEK_END)
                text = text if stream.read(1) == b"\n" else f"\n{text}"
            stream.write(text.encode("utf-8"))
    except (OSError, ValueError) as error:
        raise _unwritable(path, str(error)) from error


def append_summary(path: Path, text: str, instead: str) -> None:
    """Add to the summary of the step; where that would be too much, `instead`, which is short."""
    try:
        room = LARGEST_SUMMARY - 2 - (path.stat().st_size if path.exists() else 0)
    except (OSError, ValueError) as error:
        raise _unwritable(path, str(error)) from error
    for one in (text, instead):
        if len(one.encode("utf-8")) <= room:
            append_text(path, one if one.endswith("\n") else f"{one}\n")
            return
    raise _unwritable(path, "other summaries of this step have filled it")


def _unwritable(path: Path, why: str) -> PublishError:
    return PublishError(
        "G279",
        f"the runner's file cannot be written: {clean(why, 200)}.",
        cure="Check free space; outside GitHub leave GITHUB_STEP_SUMMARY and GITHUB_OUTPUT unset.",
        place=str(path),
    )
