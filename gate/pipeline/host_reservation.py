"""A host reserved for measuring: alone, guarded and tuned, with a fresh directory for data files.

In this order: the measuring lock; settings that a killed gate left are put back; a guardian; the
host's own file, and what it says of tuning; the work directory. All of it ends in reverse order.

Between two runs, while nothing of the host is tuned, laid out or switched, lock and guardian are
given up if somebody waits, and had again in turn.
"""

from __future__ import annotations

import math
import os
import shutil
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import click

from gate.errors import InputError
from gate.formats.host.host_file import HOST_FILE, read_known_host
from gate.host.identity.identity import read_host
from gate.host.journal import JOURNAL, SYSTEM, state_directory
from gate.host.lock import anybody_waits, exclusive
from gate.host.tuning.restore import restore
from gate.host.tuning.tuning import tune_host
from gate.linux.mounts import mounts_below
from gate.measure.process.guardian import with_guardian
from gate.measure.setup import HostUse
from gate.scratch import kept_directory_of
from gate.subject.module_journal import unload_left
from gate.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gate.measure.process.stop import Stop
    from gate.measure.setup import Trees
    from gate.model import KnownHost
    from gate.pipeline.progress import ProgressDisplay

NOT_PUT_BACK = "G261"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostClaim:
    """Which host's file counts, where data files go, and how long to wait for the host."""

    store: Path | None
    """The baseline directory, where there is one."""
    work: Path
    host_class: str | None
    wait: float = 0.0
    """Seconds to wait at most while another process measures here."""
    trees: Trees = lambda _: None
    """Gives the trees that a profile is run from; None for those where it stands."""
    shares: bool = True
    """Whether others who wait get their turn between two runs; then waiting has no limit."""


@contextmanager
def reserved_host(claim: HostClaim, ui: ProgressDisplay, stop: Stop) -> Iterator[HostUse]:
    """Be alone, guarded, and tuned as the class's host.toml says, with a fresh work directory.

    Raises:
        CannotJudge: G240, the host is busy.
        InputError: G208, G260, G262, or host.toml is wrong.
    """
    with _Turns(claim, ui, stop) as turns:
        known = known_host(claim)
        names, cpus = (known.tune, known.measured_cpus) if known else ((), "")
        with (
            tune_host(names, measured_cpus=cpus, tell=warn) as tuned,
            work_directory(claim.work) as work,
        ):
            for note in tuned.notes:
                ui.say(note)
            try:
                yield HostUse(
                    work=work,
                    host_class=claim.host_class,
                    stop=stop,
                    tell=ui,
                    say=ui.say,
                    store=claim.store,
                    trees=claim.trees,
                    tuned=tuned,
                    await_turn=turns.next if claim.shares and not tuned.names else lambda: None,
                )
            finally:
                ui.done()


class _Turns(AbstractContextManager["_Turns"]):
    """The host as long as it takes, and between two runs as long as nobody waits for it."""

    def __init__(self, claim: HostClaim, ui: ProgressDisplay, stop: Stop) -> None:
        self._claim, self._ui, self._stop = claim, ui, stop
        self._reserved = ExitStack()
        self._used = False

    def __enter__(self) -> Self:
        self._reserve(self._claim.wait)
        return self

    def __exit__(self, *_: object) -> None:
        self._reserved.close()

    def next(self) -> None:
        """Before a run: first come, first served, if there was one before in this turn.

        Raises:
            StopRequested: a signal came; the host is not reserved any more.
        """
        if self._used and anybody_waits():
            self._ui.say("another gate waits for this host: it goes first")
            self._reserved.close()
            self._reserve(math.inf)
        self._used = True

    def _reserve(self, wait: float) -> None:
        lock = exclusive(wait=wait, tell=self._ui.say, pause=self._stop.sleep)
        self._reserved.enter_context(alone(lock, self._ui.say))


@contextmanager
def alone(lock: AbstractContextManager[int], say: Callable[[str], None]) -> Iterator[None]:
    """Be alone on the host and guarded; what a killed gate left tuned is put back first.

    Raises:
        CannotJudge: G240, the host is busy.
        InputError: G208, G262.
    """
    with lock as handle:
        restored = restore(state_directory())
        for line in restored.lines():
            (warn if restored.left else say)(f"after a gate that was killed: {line}")
        for line in unload_left(state_directory()):
            say(f"after a gate that was killed: {line}")
        if os.geteuid() != 0 and (SYSTEM / JOURNAL).exists():
            warn(
                "root's gate left settings of this host tuned; root puts them back: gate host "
                "restore"
            )
        with with_guardian(handle, state_directory()):
            yield


def known_host(claim: HostClaim) -> KnownHost | None:
    """The file of this machine's class; facts are only read where there is any such file."""
    host_class = claim.host_class
    if claim.store is None:
        return None
    if host_class is None:
        if not any(claim.store.glob(f"*/{HOST_FILE}")):
            return None
        host_class = read_host(claim.work.absolute()).host_class
    return read_known_host(claim.store, host_class)


def warn(text: str) -> None:
    """What must not be overlooked, even by those who asked for no progress."""
    click.echo(one_line(f"warning[{NOT_PUT_BACK}]: {text}"), err=True)


@contextmanager
def work_directory(path: Path) -> Iterator[Path]:
    """A fresh directory for data files below `path`, removed afterwards.

    Fresh, because what stands in `path` already may have come with a pull request: a link there
    would lead a harness out of it. Where it cannot be made that is an error (G208).
    """
    existed = os.path.lexists(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        stack = ExitStack()
        fresh = stack.enter_context(
            kept_directory_of(
                "work", path.resolve(strict=True), lambda one: not mounts_below(str(one))
            )
        )
    except (OSError, RuntimeError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or "a loop of links"
        raise InputError(
            "G208",
            f"the work directory cannot be used: {why}.",
            cure="Name another with --work DIR.",
            place=str(path),
        ) from error
    try:
        yield fresh
    finally:
        # A command may have mounted something in it: what is there is not ours to remove.
        if not mounts_below(str(fresh)):
            shutil.rmtree(fresh, ignore_errors=True)
        stack.close()
        if not existed:
            with suppress(OSError):
                path.rmdir()
