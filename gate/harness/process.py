"""What the harnesses share when they run a program: time left, failed ends, exports, versions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gate.errors import MeasureError, TrialFailed, TrialTimeout
from gate.formats.strict import last_line
from gate.harness.base import Command

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from gate.harness.base import Outcome, TrialContext
    from gate.model import Value

_LONGEST_QUESTION = 60.0


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
    end = (
        f"was ended by signal {-outcome.status}"
        if outcome.status < 0
        else (f"ended with status {outcome.status}")
    )
    raise TrialFailed(f"{what} {end}{f': {said}' if said else ' and said nothing'}")


class Clock:
    """The time that a trial has left, shared by the processes it runs one after another."""

    def __init__(self, context: TrialContext) -> None:
        self._context = context
        self._left = context.profile.timeout

    def run(self, argv: Sequence[str], directory: Path) -> Outcome:
        """Run one process of the trial in `directory`, within the time that is left.

        Raises:
            TrialFailed: it cannot be started.
        """
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
    import subprocess  # noqa: PLC0415 (kept out of the start of every command)

    name = os.path.basename(argv[0])  # noqa: PTH119 (a name, not a file)
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
    except (OSError, subprocess.TimeoutExpired) as error:
        said = error.strerror if isinstance(error, OSError) else "it did not answer in time"
        message = f"{name} cannot be asked for its version: {said}."
        raise MeasureError("G231", message, cure=cure) from None
    if answer.returncode != 0:
        said = last_line(answer.stderr.decode("utf-8", "replace"))
        message = f"{name} cannot be asked for its version: status {answer.returncode}. {said}"
        raise MeasureError("G231", message.rstrip(), cure=cure)
    silent = errors and not answer.stdout.strip()
    return (answer.stderr if silent else answer.stdout).decode("utf-8", "replace")
