"""What a command answers: one JSON value for a machine that asked for it, else lines to read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from gate.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable


def print_answer(lines: Iterable[str], *, json_: bool, **values: object) -> None:
    """The values as JSON where that was asked for, else the lines."""
    if json_:
        print_json({"schema": 1, **values})
    else:
        print_lines(lines)


def print_json(answer: object) -> None:
    """A value as JSON: the same to a parser, and no command to a CI runner."""
    shown = json.dumps(answer, indent=1, allow_nan=False)
    click.echo(shown.replace("##[", "##\\u005b"))


def print_lines(lines: Iterable[str]) -> None:
    """Lines, none of which is a command to a CI runner."""
    for line in lines:
        click.echo(one_line(line))
