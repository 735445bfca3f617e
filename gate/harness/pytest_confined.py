"""Whether pytest would start, and write, inside the project: its directory and its arguments.

The tests themselves are the project's own code and do as they like. What a profile adds is looked
at: `--basetemp=DIR` empties that directory, and a dozen other options write a file by name.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from gate.files.confined import why_not_literal, why_outside
from gate.harness.strict import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.harness.base import TrialContext

_OPTIONS = "PYTEST_ADDOPTS"
_EMPTIES = "basetemp"
_SPLIT = re.compile(r"[=,:\s]")
_SHORT = re.compile(r"-[a-zA-Z](?=[^-])")


def confinement(context: TrialContext, directory: Path) -> str:
    """Why pytest must not be started so; empty when it may."""
    given = context.profile.work.directory or ""
    inside = [Path(context.profile.root), context.work]
    inside += [context.side_directory] if context.side_directory else []
    why = why_not_literal(given) or why_outside(directory, inside)
    if why:
        return f"pytest is not started in {quote(given or str(directory))}: {why}."
    for argument in _arguments(context):
        if _EMPTIES in argument:
            return f"pytest's argument {quote(argument)} would empty a directory."
        for piece in _pieces(argument):
            why = "it holds a variable" if "$" in piece else ""  # pytest expands it, and ~ too
            why = why or ("it holds a ~" if piece.startswith("~") else "")
            why = why or why_outside(directory / piece, inside)
            if why:
                return f"pytest's argument {quote(argument)} is refused: {why}."
    return ""


def _arguments(context: TrialContext) -> Iterator[str]:
    """What the profile gives to pytest, in the open or by the variable that pytest reads."""
    yield from context.profile.work.arguments
    sides = context.profile.sides.values()
    for variables in (context.profile.work.environment, *(one.environment for one in sides)):
        try:
            yield from shlex.split(variables.get(_OPTIONS, ""))
        except ValueError:
            yield variables[_OPTIONS]


def _pieces(argument: str) -> Iterator[str]:
    """Everything in an argument that pytest may take for a path."""
    for word in _SPLIT.split(argument):
        yield word
        if _SHORT.match(word):
            yield word[2:]
