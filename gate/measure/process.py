"""One child process in a group of its own: waited for without polling, killed whole."""

from __future__ import annotations

import ctypes
import os
import secrets
import select
import signal
import subprocess
import tempfile
import time
from typing import IO, TYPE_CHECKING

from gate.harness.base import Command, Outcome

if TYPE_CHECKING:
    from gate.measure.stop import Stop

_CAP = 16 << 20
_GRACE = 2.0
_MARK = "DRIFTGATE_TRIAL"
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def run(command: Command, stop: Stop) -> Outcome:
    """Run a command to its end, its timeout or a stop request.

    Output goes to files, not pipes, so that this process sleeps while the child is measured.
    Whatever the child left behind, in its group or out of it, is killed, also after a normal exit.

    Raises:
        StopRequested: a signal came; the group is dead.
        OSError: the program cannot be started.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        mark, started = secrets.token_hex(8), time.monotonic()
        child = subprocess.Popen(  # noqa: S603
            command.argv,
            cwd=command.directory,
            env=dict(command.environment) | {_MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
            preexec_fn=_die_with_parent,  # noqa: PLW1509 - no threads run in this process
        )
        try:
            with stop.interruptible():
                timed_out = not _ended(child, command.timeout)
        finally:
            _kill_group(child)
            _kill_strays(mark)
        return Outcome(
            status=child.returncode,
            output=_text(output),
            errors=_text(errors),
            timed_out=timed_out,
            duration=time.monotonic() - started,
        )


def _die_with_parent() -> None:
    """If the gate is killed outright, the harness must not go on writing to the disk.

    SIGTERM, because fio then ends its workers, which have left its process group.
    """
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def _ended(child: subprocess.Popen[bytes], timeout: float) -> bool:
    """Sleep until the child ends or its time is up."""
    handle = os.pidfd_open(child.pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        return bool(poll.poll(timeout * 1000))
    finally:
        os.close(handle)


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    """End the child if it still runs (politely first), then everything in its group.

    It is waited for last: until then its number, which is its group's, cannot be another's.
    """
    if not _ended(child, 0):
        _signal_group(child.pid, signal.SIGTERM)
        _ended(child, _GRACE)
    _signal_group(child.pid, signal.SIGKILL)
    child.wait()


def _signal_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return  # the group is gone, or only members of another user are left


def _kill_strays(mark: str) -> None:
    """Kill what has left the group, as fio's workers do: the mark is in its environment."""
    wanted = f"{_MARK}={mark}".encode()
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            with open(f"/proc/{entry.name}/environ", "rb") as stream:  # noqa: PTH123 - many, fast
                if wanted in stream.read().split(b"\0"):
                    os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue  # gone meanwhile, or of another user


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read(_CAP).decode("utf-8", "replace")
