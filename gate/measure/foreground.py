"""A command of the user's in the foreground, guarded, and on the measured processors."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.measure.process import with_gate_mark
from gate.measure.stop import StopRequested

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.measure.stop import Stop

_GRACE = 5.0
"""Seconds that the command has to end in, before it is asked once more, and killed."""
_BY_SIGNAL = 128


def in_foreground(argv: Sequence[str], cpus: frozenset[int], stop: Stop) -> int:
    """Run a command to its end; gives its exit status as a shell would.

    A signal to us is a signal to the command; what it answers counts.

    Raises:
        InputError: G201, it cannot be started.
    """

    def enter() -> None:
        if cpus:
            os.sched_setaffinity(0, cpus)

    try:
        child = subprocess.Popen(  # noqa: S603 - the user's own command
            list(argv),
            env=with_gate_mark(os.environ),
            preexec_fn=enter,  # noqa: PLW1509 - no threads run in this process
        )
    except (OSError, subprocess.SubprocessError) as error:
        why = error.strerror if isinstance(error, OSError) else f"not on processors {sorted(cpus)}"
        raise InputError("G201", f"{argv[0]} cannot be started: {why}.") from error
    try:
        with stop.interruptible():
            child.wait()
    except StopRequested as request:
        _end(child, request.number)
    status = child.returncode
    return status if status >= 0 else _BY_SIGNAL - status


def _end(child: subprocess.Popen[bytes], number: int) -> None:
    """Pass a signal on, unless the terminal has given it to the command as well."""
    if number != signal.SIGINT:
        child.send_signal(number)
    for harder in (child.terminate, child.kill, None):
        try:
            child.wait(_GRACE if harder else None)
        except subprocess.TimeoutExpired:
            if harder:
                harder()
        else:
            return
