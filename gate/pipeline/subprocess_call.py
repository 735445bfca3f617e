"""Judging in a process of its own, so that the measuring process stays small.

A check computes several times. It has one such process from its start to its end, which loads what
it needs while the check plans and prepares, and sleeps while anything is measured. Other commands
compute once, each time in a new one.
"""

from __future__ import annotations

import ctypes
import os
import signal
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from gate.errors import MeasureError
from gate.measure.process.stop import SIGNALS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from gate.measure.process.stop import Stop

    Answer = tuple[Any, BaseException | None]

P = ParamSpec("P")
R = TypeVar("R")
_PR_SET_PDEATHSIG = 1
_HEAVY = ("gate.judge.judge", "gate.pipeline.report_files", "gate.report.html.html")
"""What judging and showing a check load: jinja2 among it."""


def call_in_subprocess(
    stop: Stop, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """Call a function in a forked child and return its value; its exceptions come back too.

    In a check the child lives already: then function and arguments are pickled.

    Raises:
        StopRequested: a signal came; the child is dead.
    """
    if _lasting and _lasting[-1].lives:
        return cast("R", _lasting[-1].call(stop, function, *args, **kwargs))

    def work(pipe: Connection) -> None:
        pipe.send(_answer(function, *args, **kwargs))

    child = _Child(work)
    try:
        return cast("R", child.value(stop))
    finally:
        child.end()


@contextmanager
def lasting_subprocess() -> Iterator[None]:
    """Inside, one child does all calls of this process, and loads what they need from now on."""
    child = _LastingChild()
    _lasting.append(child)
    try:
        yield
    finally:
        _lasting.remove(child)
        child.end()


def wait_until_loaded(stop: Stop) -> None:
    """Sleep until the lasting child, where there is one, does nothing but wait for calls.

    Raises:
        StopRequested: a signal came; the child is dead.
    """
    if _lasting and _lasting[-1].lives:
        _lasting[-1].load(stop)


class _Child:
    """A forked child with a pipe to it."""

    def __init__(self, work: Callable[[Connection], None]) -> None:
        fork, parent = get_context("fork"), os.getpid()
        self.pipe, theirs = fork.Pipe()

        def run() -> None:
            _die_with(parent)
            self.pipe.close()
            work(theirs)

        self._process = fork.Process(target=run)
        self._process.start()
        theirs.close()
        self.lives = True

    def value(self, stop: Stop) -> object:
        """What it answers next; after a signal or its own death it is dead."""
        whole = False
        try:
            with stop.interruptible():
                value, error = self.pipe.recv()
            whole = True
        except (EOFError, ConnectionResetError):
            self._process.join()
            message = f"the judging process ended with status {self._process.exitcode}."
            cure = "See what it printed, and whether the machine has memory and room left."
            raise MeasureError("G287", message, cure=cure) from None
        finally:
            if not whole:
                self.end()
        if error is not None:
            raise error
        return value

    def end(self) -> None:
        """Kill it: nothing that it does outlives the call."""
        self.lives = False
        self._process.kill()
        self._process.join()
        self.pipe.close()


class _LastingChild(_Child):
    """A child that answers one call after another."""

    def __init__(self) -> None:
        super().__init__(_serve)
        self._is_loaded = False

    def load(self, stop: Stop) -> None:
        """Sleep until it has loaded everything; once."""
        if not self._is_loaded:
            self.value(stop)
            self._is_loaded = True

    def call(
        self, stop: Stop, function: Callable[..., object], *args: object, **kwargs: object
    ) -> object:
        """The function's value, or its exception."""
        self.load(stop)
        with suppress(BrokenPipeError):  # it is dead, as the next line finds out
            self.pipe.send((function, args, kwargs))
        return self.value(stop)


_lasting: list[_LastingChild] = []
"""Of this process; the last one is in use."""


def _serve(pipe: Connection) -> None:
    with suppress(Exception):  # what cannot be loaded is told by the first call that needs it
        for name in _HEAVY:
            import_module(name)
    pipe.send((None, None))
    with suppress(EOFError):
        while True:
            function, args, kwargs = pipe.recv()
            pipe.send(_answer(function, *args, **kwargs))


def _answer(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Answer:
    try:
        return function(*args, **kwargs), None
    except Exception as error:  # noqa: BLE001 - raised again in the parent
        return None, error


def _die_with(parent: int) -> None:
    """Interruptions are the parent's business; its end is ours, as we hold its lock too."""
    os.setsid()
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
