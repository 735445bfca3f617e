"""Steps that bring storage into its state before a trial; each fails the trial where it cannot.

Preconditioning writes everything once, in order or at random, by capacity and never by time. A
drive or file that was never written answers from its tables, and one that was just trimmed has
more spare room than it will ever have again. fio writes, as it does for every storage test.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import MeasureError, TrialFailed
from gate.formats.strict import last_line
from gate.harness.base import Command
from gate.linux.mounts import mounts_below
from gate.measure.process.process import run_process
from gate.measure.process.stop import Stop
from gate.subject.module_journal import SYSTEM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


_BLKDISCARD = 0x1277
_LEFT = "lost+found"
"""What `fresh` leaves alone: it belongs to the file system."""

Identity = tuple[int, int, int]


def data_files(work: Path) -> Iterator[tuple[str, int, Identity]]:
    """Name below `work`, bytes and identity of every data file, in order of the name.

    One with a second name, which may stand anywhere, fails the trial.
    """
    for place, directories, names in os.walk(work):
        directories[:] = sorted(one for one in directories if one != _LEFT)
        for name in sorted(names):
            path = Path(place) / name
            if path.is_symlink() or not path.is_file():
                continue
            seen = path.stat()
            if seen.st_nlink > 1:
                raise TrialFailed(f"the data file {name!r} has a second name, perhaps elsewhere")
            if seen.st_size:
                yield str(path.relative_to(work)), seen.st_size, identity(path)


def directory_of(work: Path) -> tuple[int, int]:
    """Which directory a path is: device and number."""
    seen = work.lstat()
    return seen.st_dev, seen.st_ino


def identity(path: Path) -> Identity:
    """What tells a file from another that takes its name: device, number, size."""
    seen = path.stat()
    return seen.st_dev, seen.st_ino, seen.st_size


def empty(work: Path, home: tuple[int, int]) -> None:
    """Remove every data file from the directory that `work` was when it was `home`.

    The trial fails where one cannot be removed, something is mounted among them, or `work` is
    another directory by now, which a command may have put there.
    """
    try:
        now = directory_of(work)
    except OSError as error:
        raise TrialFailed(f"fresh: the work directory is gone: {error.strerror}") from None
    if now != home:
        raise TrialFailed("fresh: something else stands where the work directory was")
    if mounted := mounts_below(str(work.resolve())):
        # A command may have mounted it: what is there is not ours to remove.
        raise TrialFailed(f"fresh: something is mounted on {mounted[0]}, in the work directory")
    try:
        for entry in work.iterdir():
            if entry.name == _LEFT:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
    except OSError as error:
        raise TrialFailed(f"fresh: the work directory cannot be emptied: {error}") from None


def discard(handle: int, size: int) -> None:
    """Discard a whole device through the handle that we hold: `blkdiscard` wants it for itself."""
    try:
        fcntl.ioctl(handle, _BLKDISCARD, struct.pack("QQ", 0, size))
    except OSError as error:
        raise TrialFailed(f"blkdiscard: the device cannot be discarded: {error}") from None


def drop_caches() -> None:
    """Write everything back and drop the page cache, which only root may."""
    os.sync()
    try:
        Path("/proc/sys/vm/drop_caches").write_text("3\n", encoding="ascii")
    except OSError as error:
        raise TrialFailed(f"drop_caches: {error.strerror}; this needs root") from None


LONGEST = 72 * 3600.0
"""Seconds to write a whole target; a hard disk of 30 TB takes a day and a half."""
_PATIENCE = 600.0
"""Seconds for a step between trials: mkfs, trim, mount."""
STEPS = {
    "fill": ("--rw=write", "--bs=1M", "--iodepth=8"),
    "random": ("--rw=randwrite", "--bs=4k", "--iodepth=32", "--random_generator=lfsr"),
}
"""Each covers its target once: a random map leaves no block out and takes none twice."""


def precondition_words(target: str, size: int, step: str) -> tuple[str, ...]:
    """The fio that writes a whole target once: a device, or a file in its directory."""
    return (
        *("fio", "--name=precondition", f"--filename={_fio_name(target)}"),
        *(f"--size={size}", "--ioengine=libaio", "--direct=1", "--overwrite=1"),
        *("--fallocate=none", "--end_fsync=1", "--refill_buffers", *STEPS[step]),
    )


def run_system_program(argv: Sequence[str]) -> None:
    """Run a program to its end, also after a signal: half a file system helps nobody. Or G258."""
    command = Command(argv=tuple(argv), directory=Path("/"), environment=SYSTEM, timeout=_PATIENCE)
    demand_success(command, Stop(), " ".join(argv), "Run it by hand to see why.")


def demand_success(
    command: Command,
    stop: Stop,
    what: str,
    cure: str,
    progress: Callable[[], float] | None = None,
) -> None:
    """Run a step to its end, or G258."""
    try:
        outcome = run_process(command, stop, sample=progress)
    except OSError as error:
        why = error.strerror or str(error)
    else:
        if outcome.status == 0 and not outcome.timed_out:
            return
        said = last_line(outcome.errors or outcome.output)[:200]
        why = said or f"status {outcome.status}"
    raise MeasureError(
        "G258", f"the storage could not be brought into its state: {what}: {why}.", cure=cure
    )


def _fio_name(target: str) -> str:
    """A name that fio takes as it is: it splits at colons, strips blanks, and knows `-`."""
    return (target if target.startswith("/") else f"./{target}").replace(":", "\\:")
