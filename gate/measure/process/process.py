"""One child process: its environment, waited for without polling, killed with its whole group."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import secrets
import select
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from gate.harness.base import Command, Outcome, Usage
from gate.linux.processes import own_mark, processes_with
from gate.measure.process.stragglers import Stragglers, wait_for_stragglers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gate.measure.process.stop import Stop

_CAP = 16 << 20
_GRACE = 2.0
_PASSES, _DYING = 20, 0.005
"""How often strays are looked for, and the seconds that those found have to die in."""
_UNSEEN = "a process that was started meanwhile"
_MARK = "DRIFTGATE_TRIAL"
_GATE = "DRIFTGATE_GATE"
"""By which everything that a gate started is found again after its death."""
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def run_process(
    command: Command,
    stop: Stop,
    *,
    sample: Callable[[], float] | None = None,
    enter: Callable[[], None] | None = None,
) -> Outcome:
    """Run a command to its end, its timeout or a stop request.

    `sample` is called before the start, at the end, and in between: it gives the seconds until it
    wants to be called again. `enter` is called in the child before it runs anything.

    Output goes to files, not pipes, so that this process sleeps while the child is measured.
    Whatever the child left behind, in its group or out of it, is named, and killed, also after a
    normal exit. What clears its environment and leaves the group is not found.
    `OSError` where the program cannot be started.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        mark, started = secrets.token_hex(8), time.monotonic()
        if sample is not None:
            sample()
        child, stragglers = start(command, mark, output, errors, enter), Stragglers()
        try:
            with stop.interruptible():
                timed_out = not wait_for_end(child, command.timeout, sample)
            if not timed_out:
                stragglers = wait_for_stragglers(lambda: marked_processes(mark))
        finally:
            usage = kill_group(child)
            orphans = kill_strays(mark)
        return Outcome(
            status=child.returncode,
            output=text_of(output),
            errors=text_of(errors),
            timed_out=timed_out,
            duration=time.monotonic() - started,
            usage=usage,
            orphans=orphans or stragglers.is_any,
            stragglers=stragglers.names or (_UNSEEN,) * (orphans and not timed_out),
        )


def start(
    command: Command,
    mark: str,
    output: IO[bytes],
    errors: IO[bytes],
    enter: Callable[[], None] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own, marked, and bound to end with the gate.

    `OSError` where the program cannot be started, or `enter` failed in the child.
    """

    def prepare() -> None:
        # If the gate is killed outright, the harness must not go on writing to the disk. SIGTERM,
        # because fio then ends its workers, which have left its process group.
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if enter is not None:
            enter()

    try:
        return subprocess.Popen(
            command.argv,
            cwd=command.directory,
            env=with_gate_mark(command.environment) | {_MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
            preexec_fn=prepare,
        )
    except subprocess.SubprocessError:
        raise OSError(errno.EPERM, "it cannot be put onto its processors") from None


def with_gate_mark(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which a guardian finds what this process started."""
    return dict(environment) | {_GATE: own_mark()}


def wait_for_end(
    child: subprocess.Popen[bytes], timeout: float, sample: Callable[[], float] | None = None
) -> bool:
    """Sleep until the child ends or its time is up; but for `sample`, nothing is done."""
    handle = os.pidfd_open(child.pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        if sample is None:
            return bool(poll.poll(timeout * 1000))
        until = time.monotonic() + timeout
        while (left := until - time.monotonic()) > 0:
            if poll.poll(min(left, sample()) * 1000):
                sample()
                return True
        return False
    finally:
        os.close(handle)


def kill_group(child: subprocess.Popen[bytes]) -> Usage:
    """End the child if it still runs (politely first), then everything in its group.

    It is waited for last: until then its number, which is its group's, cannot be another's.
    """
    if not wait_for_end(child, 0):
        _signal_group(child.pid, signal.SIGTERM)
        wait_for_end(child, _GRACE)
    _signal_group(child.pid, signal.SIGKILL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    # A child is born with our own memory, which counts as its largest until it needs more.
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Usage(
        user=used.ru_utime,
        system=used.ru_stime,
        memory=used.ru_maxrss * 1024.0 if used.ru_maxrss > own else 0.0,
        voluntary=used.ru_nvcsw,
        involuntary=used.ru_nivcsw,
    )


def _signal_group(group: int, number: signal.Signals) -> None:
    # The group may be gone, or only members of another user left.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def kill_strays(mark: str) -> bool:
    """Kill what has left the group, as fio's workers do: the mark is in its environment.

    Again until none is left: one may start another before it dies. Whether there were any.
    """
    for turn in range(_PASSES):
        left = list(marked_processes(mark))
        if not left:
            return turn > 0
        for number in left:
            with suppress(OSError):  # gone meanwhile, or of another user
                os.kill(number, signal.SIGKILL)
        time.sleep(_DYING)
    return True


def marked_processes(mark: str) -> Iterator[int]:
    """The processes that carry a mark in their environment, whatever their group."""
    return processes_with(f"{_MARK}={mark}\0".encode())


def gate_processes(gate: str) -> Iterator[int]:
    """What a gate started, in this trial or beside it, by the gate's own mark."""
    return processes_with(f"{_GATE}={gate}\0".encode())


def trial_processes() -> Iterator[int]:
    """The processes of whatever trial this gate runs now; another gate's are none of ours."""
    return processes_with(f"{_MARK}=".encode(), f"{_GATE}={own_mark()}\0".encode())


def text_of(stream: IO[bytes]) -> str:
    """What a child has written into a file so far, at most 16 MiB of it."""
    stream.seek(0)
    return stream.read(_CAP).decode("utf-8", "replace")
