"""Preconditioning: everything written once, in order and at random, by capacity and never by time.

A drive or file that was never written answers from its tables, and one that was just trimmed has
more spare room than it will ever have again. fio writes, as it does for every storage test.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gate.errors import MeasureError
from gate.harness.base import Command
from gate.measure.process import run
from gate.units import show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from gate.measure.stop import Stop

_LONGEST = 72 * 3600.0
"""Seconds; a hard disk of 30 TB takes a day and a half."""
_TOLD_EVERY = 2.0
STEPS = {
    "fill": ("--rw=write", "--bs=1M", "--iodepth=8"),
    "random": ("--rw=randwrite", "--bs=4k", "--iodepth=32", "--random_generator=lfsr"),
}
"""Each covers its target once: a random map leaves no block out and takes none twice."""


def precondition(
    target: str,
    size: int,
    step: str,
    *,
    directory: Path,
    environment: Mapping[str, str],
    stop: Stop,
    say: Callable[[str], None],
    written: Callable[[], float],
) -> None:
    """Write a whole target, a device or a file in `directory`, once.

    Raises:
        MeasureError: G258, fio failed.
        StopRequested: a signal came.
    """
    start, told = written(), 0.0

    def progress() -> float:
        nonlocal told
        if time.monotonic() - told >= _TOLD_EVERY:
            told = time.monotonic()
            done = show(written() - start, "B")
            say(f"precondition, {step}: {done} of {show(float(size), 'B')}")
        return _TOLD_EVERY

    argv = (
        *("fio", "--name=precondition", f"--filename={_plain(target)}"),
        *(f"--size={size}", "--ioengine=libaio", "--direct=1", "--overwrite=1"),
        *("--fallocate=none", "--end_fsync=1", "--refill_buffers", *STEPS[step]),
    )
    command = Command(argv=argv, directory=directory, environment=environment, timeout=_LONGEST)
    try:
        outcome = run(command, stop, sample=progress)
    except OSError as error:
        raise _failed(step, target, str(error)) from None
    if outcome.timed_out or outcome.status != 0:
        said = (outcome.errors or outcome.output).strip().splitlines()
        raise _failed(step, target, said[-1][:200] if said else f"status {outcome.status}")


def _plain(target: str) -> str:
    """A name that fio takes as it is: it splits at colons, strips blanks, and knows `-`."""
    path = target if target.startswith("/") else f"./{target}"
    return path.replace(":", "\\:")


def _failed(step: str, target: str, why: str) -> MeasureError:
    return MeasureError(
        "G258",
        f"the storage could not be brought into its state: {step} of {target}: {why}.",
        cure="Preconditioning needs fio and storage that takes direct I/O (tmpfs does not).",
    )
