"""Heavy computing in a process of its own, so that the measuring process never loads numpy."""

from __future__ import annotations

import ctypes
import os
import signal
from multiprocessing import get_context
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

from gate.measure.process.stop import SIGNALS

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.measure.process.stop import Stop

P = ParamSpec("P")
R = TypeVar("R")
_PR_SET_PDEATHSIG = 1


def call_in_subprocess(
    stop: Stop, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """Call a function in a forked child and return its value; its exceptions come back too.

    Raises:
        StopRequested: a signal came; the child is dead.
    """
    fork = get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)

    def answer() -> None:
        _die_with(parent)
        value, failure = None, None
        try:
            value = function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - raised again in the parent
            failure = error
        theirs.send((value, failure))

    parent = os.getpid()
    child = fork.Process(target=answer)
    child.start()
    try:
        theirs.close()
        with stop.interruptible():
            value, error = ours.recv()
    except EOFError:
        child.join()
        message = f"the judging process ended with status {child.exitcode}"
        raise RuntimeError(message) from None
    finally:
        child.kill()
        child.join()
        ours.close()
    if error is not None:
        raise error
    return cast("R", value)


def _die_with(parent: int) -> None:
    """Interruptions are the parent's business; its end is ours, as we hold its lock too."""
    os.setsid()
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
