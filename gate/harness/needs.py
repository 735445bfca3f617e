"""Programs that a workload needs: found on the path of what is measured, with their versions.

A missing one fails the trials of its own profile, each with the way to install it; it is never a
reason to leave anything out.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
from typing import TYPE_CHECKING

from gate.errors import MeasureError, TrialFailed
from gate.formats.strict import quote
from gate.harness.process import ask

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gate.model import Need

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)+(?:[-+~.]?[0-9A-Za-z]+)*")
_DIGITS = 12


def versions_of(needs: Iterable[Need], environment: Mapping[str, str]) -> dict[str, str]:
    """The versions of those programs that are there and say theirs, by name."""
    versions = {}
    for need in needs:
        try:
            versions[need.program] = version_of(need, environment)
        except TrialFailed:
            continue  # each trial says so itself
    return versions


def demand_needs(
    needs: Iterable[Need], tools: Mapping[str, str], environment: Mapping[str, str]
) -> None:
    """Refuse a trial without the programs that the session knows the versions of.

    Raises:
        TrialFailed: one is missing, does not say its version, or came after the sitting began.
    """
    for need in needs:
        _place(need, environment)
        if need.program not in tools:
            version_of(need, environment)
            raise TrialFailed(f"{need.program} was not there when this sitting began: start anew")


def version_of(need: Need, environment: Mapping[str, str]) -> str:
    """What tells this program from another version of it.

    The version that its command prints first, from the number on where there is one, so that what
    stands before its first dot is the major version; else the hash of the program.

    Raises:
        TrialFailed: it is missing, or its version cannot be found out.
    """
    place = _place(need, environment)
    if not need.version:
        try:
            with open(place, "rb") as file:  # noqa: PTH123 - what `which` gave
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise TrialFailed(f"{need.program} cannot be read: {error.strerror}") from None
        return f"sha256:{digest[:_DIGITS]}"
    try:
        said = ask(shlex.split(need.version), environment, cure="", errors=True)
    except MeasureError as error:
        raise TrialFailed(f"the version of {need.program}: {error.message}") from None
    line = next((line for line in said.splitlines() if line.strip()), "")
    if not line:
        raise TrialFailed(f"the version of {need.program}: “{quote(need.version)}” says nothing")
    number = _NUMBER.search(line)
    return quote(number[0] if number else line)


def _place(need: Need, environment: Mapping[str, str]) -> str:
    """Where the program is."""
    # An empty path would be the gate's own, not that of what is measured.
    path = shutil.which(need.program, path=environment.get("PATH") or "/nowhere")
    if path is None:
        raise TrialFailed(f"{need.program} is not installed: {quote(need.install)}")
    return path
