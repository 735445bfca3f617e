"""What the harnesses share when they run programs: time left, failed ends, versions, needs.

A program that a profile needs and that is missing fails the trials of this profile, each with the
way to install it; it is never a reason to leave anything out.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import MeasureError, TrialFailed, TrialTimeout
from gate.formats.strict import last_line, quote
from gate.harness.base import Command

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gate.harness.base import Outcome, TrialContext
    from gate.model import Need, Value

_LONGEST_QUESTION = 60.0
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)+(?:[-+~.]?[0-9A-Za-z]+)*")
_DIGITS = 12


def finish(outcome: Outcome, what: str) -> Outcome:
    """`outcome`, provided the process ended well.

    Raises:
        TrialTimeout: it was killed because its time was up.
        TrialFailed: it ended with a status other than 0, or by a signal.
    """
    if outcome.timed_out:
        raise TrialTimeout(f"{what} was killed after {outcome.duration:.1f} s: its time was up")
    if outcome.status == 0:
        return outcome
    said = last_line(outcome.errors) or last_line(outcome.output)
    end = f"ended with status {outcome.status}"
    if outcome.status < 0:
        end = f"was ended by signal {-outcome.status}"
    raise TrialFailed(f"{what} {end}{f': {said}' if said else ' and said nothing'}")


class Clock:
    """The time that a trial has left, shared by the processes it runs one after another."""

    def __init__(self, context: TrialContext) -> None:
        self._context = context
        self._left = context.profile.timeout

    def run(self, argv: Sequence[str], directory: Path) -> Outcome:
        """Run one process of the trial in `directory`, within the time that is left."""
        command = Command(
            argv=tuple(argv),
            directory=directory,
            environment=self._context.environment,
            timeout=max(self._left, 0.001),
        )
        try:
            outcome = self._context.run(command)
        except OSError as error:
            raise TrialFailed(f"{argv[0]} cannot be started: {error.strerror}") from None
        self._left -= outcome.duration
        return outcome


def demand(
    context: TrialContext,
    kinds: Iterable[str],
    values: Iterable[Value],
    missing: Mapping[str, str],
) -> None:
    """Refuse a reading that lacks a metric of this harness which the profile or a group needs.

    Metrics that are none of the harness's own (CPU cost) come from elsewhere and are not
    asked for here.

    Raises:
        TrialFailed: a metric is lacking; the message says why and what to do.
    """
    given = {value.metric for value in values}
    own = set(kinds)
    for metric in context.profile.metrics:
        name = metric.derived.of if metric.derived else metric.name
        if name in own and name not in given:
            why = missing.get(name, "the export does not hold it")
            raise TrialFailed(f"no value for {name}: {why}")


def ask(
    argv: Sequence[str], environment: Mapping[str, str], *, cure: str, errors: bool = False
) -> str:
    """Ask a program for its version, on its standard output.

    With `errors`, standard error answers where standard output holds nothing.

    Raises:
        MeasureError: it is missing (`G230`), or does not answer (`G231`).
    """
    name = Path(argv[0]).name
    try:
        answer = subprocess.run(
            argv,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LONGEST_QUESTION,
            check=False,
            start_new_session=True,  # a Ctrl-C is ours to answer
        )
    except FileNotFoundError:
        raise MeasureError("G230", f"{name} is not installed.", cure=cure) from None
    except OSError as error:
        why = f"{error.strerror}."
    except subprocess.TimeoutExpired:
        why = "it did not answer in time."
    else:
        silent = errors and not answer.stdout.strip()
        if answer.returncode == 0:
            return (answer.stderr if silent else answer.stdout).decode("utf-8", "replace")
        said = last_line(answer.stderr.decode("utf-8", "replace"))
        why = f"status {answer.returncode}. {said}".rstrip()
    raise MeasureError("G231", f"{name} cannot be asked for its version: {why}", cure=cure)


def ask_version(
    program: str,
    pattern: re.Pattern[str],
    environment: Mapping[str, str],
    *,
    oldest: tuple[int, int],
    below: tuple[int, int] | None = None,
    name: str = "",
    cure: str,
) -> str:
    """The version that a program says of itself, which has to be one that the gate knows.

    `pattern` finds the version, its major and its minor number; `name` is for messages.

    Raises:
        MeasureError: it is missing (`G230`), or says no version or an unknown one (`G231`).
    """
    said, name = ask((program, "--version"), environment, cure=cure), name or program
    match = pattern.search(said)
    if match is None:
        message = f"{name} does not say its version: {quote(said)}."
        raise MeasureError("G231", message, cure=cure)
    number = int(match[2]), int(match[3])
    if number < oldest or (below is not None and number >= below):
        wrong = "is not a version that the gate knows" if below else "is too old"
        raise MeasureError("G231", f"{name} {quote(match[1])} {wrong}.", cure=cure)
    return quote(match[1])


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
            with Path(place).open("rb") as file:
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
    # An empty path would be the gate's own, not that of what is measured.
    path = shutil.which(need.program, path=environment.get("PATH") or "/nowhere")
    if path is None:
        raise TrialFailed(f"{need.program} is not installed: {quote(need.install)}")
    return path
