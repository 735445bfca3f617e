"""The guardian: a process that outlives a killed gate just long enough to tidy up after it.

It is forked before anything is started or tuned, and sleeps on a pipe that only the gate can
write to. A gate that ends in order says so. Where the pipe ends without a word the gate was
killed: the guardian kills what carries the gate's mark, waits until it is gone, and puts the
host's settings back. Until then it keeps the measuring lock, which it inherited: nobody measures
beside what is still dying.

The pipe ends with the last copy of its writing end. Children lose theirs when they start their
program, by which time they carry the mark: none is missed in between.

A command of the user's runs in the foreground, guarded, and on the measured processors.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import GateError, InputError
from gate.host.lock import KILLING
from gate.host.lock_holder import GUARDIAN
from gate.host.tuning.restore import restore
from gate.linux.processes import lives, start_of
from gate.measure.process.process import gate_processes, with_gate_mark
from gate.measure.process.stop import StopRequested
from gate.subject.module_journal import unload_left

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.measure.process.stop import Stop

_DONE = b"."
_PR_SET_NAME = 15
_STEP, _CALM = 0.01, 2
"""Seconds between two looks; empty looks one after another that are enough."""
_LAST_TO_DIE = "-500"
"""Short of memory, the kernel is to kill the gate before what tidies up after it."""
_LIBC = ctypes.CDLL(None)


@contextmanager
def with_guardian(lock: int, state: Path) -> Iterator[int]:
    """Inside, a guardian watches this process; gives the guardian's number.

    `lock` is the open file of the measuring lock, `state` the directory of the journal.
    """
    gate, start, place = os.getpid(), start_of(os.getpid()), state.absolute()
    theirs, ours = os.pipe()
    guardian = os.fork()
    if guardian == 0:
        try:
            _step_back(theirs, lock)
            if not os.read(theirs, 1):
                _tidy_up(gate, start, place)
        finally:
            os._exit(0)
    os.close(theirs)
    try:
        yield guardian
    finally:
        with suppress(BrokenPipeError):  # it was killed, and cannot tell
            os.write(ours, _DONE)
        os.close(ours)
        os.waitpid(guardian, 0)


def _step_back(pipe: int, lock: int) -> None:
    """Leave the gate's terminal, group, directory and files, but for the two that it needs."""
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    os.chdir("/")
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        if standard not in {pipe, lock}:
            os.dup2(nothing, standard)
    for file in list(Path("/proc/self/fd").iterdir()):
        if int(file.name) not in {0, 1, 2, pipe, lock}:
            with suppress(OSError):  # that of the directory itself
                os.close(int(file.name))
    _LIBC.prctl(_PR_SET_NAME, GUARDIAN.encode(), 0, 0, 0)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_LAST_TO_DIE, "ascii")


def _tidy_up(gate: int, start: str, state: Path) -> None:
    """The gate is dead, or dies: end what it left, then put the settings back."""
    while lives(gate, start):
        time.sleep(_STEP)
    _kill_all(f"{gate}-{start}")
    with suppress(GateError):  # the next start says what is wrong with the journal
        restore(state)
    unload_left(state)


def _kill_all(mark: str) -> None:
    """Kill what carries a mark until none is left: one may start another before it dies."""
    calm, until = 0, time.monotonic() + KILLING
    while calm < _CALM and time.monotonic() < until:
        left = list(gate_processes(mark))
        calm = 0 if left else calm + 1
        for number in left:
            with suppress(OSError):  # gone meanwhile, or of another user
                os.kill(number, signal.SIGKILL)
        time.sleep(_STEP)


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
        environment = with_gate_mark(os.environ)
        child = subprocess.Popen(list(argv), env=environment, preexec_fn=enter)
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
    for harder in (child.terminate, child.kill):
        try:
            child.wait(_GRACE)
        except subprocess.TimeoutExpired:
            harder()
    child.wait()
