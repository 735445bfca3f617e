"""The background load of a trial: started before it, proven to work during it, killed after it.

A command is run again and again by a loop of ours, which writes down when each round ended; a fio
job runs without end. Proof of work: the load lives when the measured process starts and when it
has ended, and in between it finished rounds, or used processor time or I/O by the kernel's count.
Whatever it started carries a mark and is killed in every ending; should the gate be killed
outright, the kernel tells the load, and its loop kills its whole group.
"""

from __future__ import annotations

import os
import secrets
import signal
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from gate.errors import TrialFailed
from gate.formats.strict import last_line
from gate.harness.base import Command
from gate.harness.expand import expand
from gate.harness.fio.run import check_load, load_command, prepare_load, read_rate
from gate.linux.shell import sh_words
from gate.measure.process.process import (
    kill_group,
    kill_strays,
    marked_processes,
    start,
    text_of,
    wait_for_end,
)
from gate.measure.process.rounds import (
    LOOP,
    ROUNDS,
    ProcessUsage,
    Rounds,
    read_rounds_done,
    tally,
)
from gate.model import BACKGROUND_RATE, Role, Value, is_loaded

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from gate.harness.base import TrialContext
    from gate.measure.process.stop import Stop
    from gate.model import Background

_FIRST_SIGN = 15.0
"""Seconds in which a load must show that it works."""
_LOOK = 0.02
_POLITE = 10.0
"""Seconds that fio has to write its account once it was asked to stop."""
_STARTED = ProcessUsage(cpu=0.03, moved=64 << 10)
"""What a shell uses up merely to start: a command that did more is at work."""
_SILENT, _MISSED = 1.0, 3
"""A load at work ends a round in so many seconds, or mean rounds, at a trial's end."""
_WATCHERS = 2
"""Threads of fio's own process beside its jobs: the one that waits, and its helper."""


def check_background(context: TrialContext) -> None:
    """Refuse a load that cannot be expanded or must not be run (G232, G233, G234)."""
    background = _background_of(context)
    if background is not None and background.command is not None:
        sh_words(expand(background.command, context), context.environment)
    elif background is not None:
        check_load(background, context)


def prepare_background(context: TrialContext) -> None:
    """Lay out what the load needs before the first trial beside it."""
    background = _background_of(context)
    if background is not None and background.job_text is not None:
        prepare_load(background, context)


def _background_of(context: TrialContext) -> Background | None:
    """The load that belongs beside this trial; None where it runs alone."""
    loaded = is_loaded(context.profile, context.benchmark)
    return context.profile.background if loaded else None


@contextmanager
def background_load(context: TrialContext, stop: Stop) -> Iterator[Load | None]:
    """The load beside a trial, at work; None where none belongs there.

    A load that does not start, dies, or shows no sign of life fails the trial.
    """
    background = _background_of(context)
    if background is None:
        yield None
        return
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        load = Load(context, background, output, errors)
        try:
            load.wait_for_life(stop)
            yield load
        finally:
            load.kill()


class Load:
    """One running load."""

    def __init__(
        self, context: TrialContext, background: Background, output: IO[bytes], errors: IO[bytes]
    ) -> None:
        self._context, self._background = context, background
        self._output, self._errors = output, errors
        self._rounds = context.scratch / ROUNDS
        self._mark = secrets.token_hex(8)
        self._used = 0.0
        self._before, self._after = ProcessUsage(), ProcessUsage()
        self._from = self._until = self._started = _now()
        try:
            self._child: subprocess.Popen[bytes] = start(
                self._command(), self._mark, output, errors
            )
        except OSError as error:
            raise TrialFailed(f"the background load cannot be started: {error.strerror}") from None

    def _command(self) -> Command:
        context, given = self._context, self._background
        if given.command is not None:
            words = sh_words(expand(given.command, context), context.environment)
            argv: tuple[str, ...] = ("sh", "-c", LOOP, "background", str(self._rounds), *words)
            directory = Path(context.profile.root)
        else:
            argv, directory = load_command(given, context), context.work
        return Command(argv=argv, directory=directory, environment=context.environment, timeout=0.0)

    def wait_for_life(self, stop: Stop) -> None:
        """Sleep until the load works; fail the trial where it never does."""
        first = self._workers()
        with stop.interruptible():
            while not self._lives(first):
                self._refuse_death()
                if _now() - self._started > _FIRST_SIGN:
                    raise TrialFailed(
                        f"the background load showed no sign of life within {_FIRST_SIGN:g} s: "
                        "it used neither processor nor I/O, and finished no round"
                    )
                if not first.tasks:
                    first = self._workers()
                time.sleep(_LOOK)

    def _lives(self, first: ProcessUsage) -> bool:
        since = self._workers() - first
        if self._background.command is not None:
            return bool(read_rounds_done(self._rounds, self._started).ends) or _at_work(since)
        # fio itself is at work before its jobs are: those are what must move.
        return first.tasks > 0 and since.worked

    def _workers(self) -> ProcessUsage:
        """What the load has done; of fio its jobs, without the process that only watches them."""
        if self._background.command is not None:
            return tally(marked_processes(self._mark))
        others = [number for number in marked_processes(self._mark) if number != self._child.pid]
        whole = tally([self._child.pid])
        threads = whole if whole.tasks > _WATCHERS else ProcessUsage()
        return tally(others) if others else threads

    def begin(self) -> None:
        """The measured process is about to start: its part begins here, if the load lives."""
        self._refuse_death()
        self._before, self._from = self._workers(), _now()

    def end(self) -> None:
        """The measured process has ended."""
        self._after, self._until = self._workers(), _now()

    def cpu(self) -> float:
        """CPU-seconds that the load has used so far."""
        self._used = max(self._used, tally(marked_processes(self._mark)).cpu)
        return self._used

    def finish(self) -> tuple[tuple[Value, ...], tuple[str, ...]]:
        """The load's rate, or a note in its place; a fio job is stopped for it.

        A load that died, or did nothing or too little during the trial, fails it.
        """
        self._refuse_death()
        window, work = self._until - self._from, self._after - self._before
        is_loop = self._background.command is not None
        rounds = Rounds(self._started, ())
        if is_loop:
            rounds = read_rounds_done(self._rounds, self._started)
        done = rounds.during(self._from, self._until)
        if done is None and not work.worked:
            raise TrialFailed(
                f"the background load did nothing during the {window:.1f} s of the trial: "
                f"{'it finished no round and' if is_loop else 'its jobs'} used neither processor "
                "nor I/O"
            )
        if done is not None:
            self._refuse_stall(rounds, window, *done[:2])
        elif is_loop:
            self._demand(0.0, f"no round of it ended in the {window:.1f} s of the trial")
            self._demand_no_rate(window)
            note = (
                f"no round of the background load ended in {window:.1f} s; it was at work, with "
                f"{work.cpu:.2f} CPU-seconds and {work.moved} bytes and calls"
            )
            return (), (note,)
        count, rate, step = done or self._stop_job()
        return (Value(metric=BACKGROUND_RATE, value=rate, samples=count, resolution=step),), ()

    def _refuse_stall(self, rounds: Rounds, window: float, count: int, rate: float) -> None:
        account = f"{count} rounds of it ended in the {window:.1f} s of the trial"
        # Over whole rounds, and over the whole window: the last may have been long ago.
        self._demand(rate, account)
        self._demand(count / window, account)
        silence, since = rounds.silence(self._from, self._until, self._after)
        if silence > max(_SILENT, _MISSED / rate) and not _at_work(since):
            raise TrialFailed(
                f"the background load stalled: {account}, but none in its last {silence:.1f} s, in "
                "which it used neither processor nor I/O"
            )

    def _stop_job(self) -> tuple[int, float, float]:
        """I/Os of the fio job, how many per second, and the resolution of that."""
        self._child.send_signal(signal.SIGINT)
        if not wait_for_end(self._child, _POLITE):
            raise TrialFailed(f"the background load did not stop within {_POLITE:g} s")
        try:
            ios, seconds = read_rate(self._context)
        except TrialFailed as failure:
            raise TrialFailed(f"the background load gave no rate: {failure}") from None
        if seconds <= 0:
            raise TrialFailed("the background load gave no rate: fio measured no time")
        self._demand(ios / seconds, f"{ios} I/Os in {seconds:.1f} s")
        return ios, ios / seconds, 1 / seconds

    def _demand(self, rate: float, account: str) -> None:
        least = self._background.least
        if rate < least:
            raise TrialFailed(
                f"the background load was too slow: {account}, which is {rate:.4g} op/s, and at "
                f"least {least:.4g} op/s are asked for"
            )

    def _demand_no_rate(self, window: float) -> None:
        for metric in self._context.profile.metrics:
            source = metric.derived.of if metric.derived else metric.name
            if source == BACKGROUND_RATE and metric.role is Role.GATE:
                raise TrialFailed(
                    f"no value for {BACKGROUND_RATE}: no round of the load ended in the "
                    f"{window:.1f} s of the trial; let a trial last longer, or a round less long"
                )

    def _refuse_death(self) -> None:
        if not wait_for_end(self._child, 0):
            return
        died = read_rounds_done(self._rounds, self._started).died
        lived = (_now() if died is None else died) - self._started
        when = f"{'within' if died is None else 'after'} {max(lived, 0.0):.1f} s"
        # Asked for, not waited for: until then its number, and its group's, cannot be another's.
        end = os.waitid(os.P_PID, self._child.pid, os.WEXITED | os.WNOWAIT)
        status = end.si_status if end else 0
        how = "with status" if end and end.si_code == os.CLD_EXITED else "by signal"
        said = last_line(text_of(self._errors)) or last_line(text_of(self._output))
        ending = f": {said}" if said else " and said nothing"
        raise TrialFailed(f"the background load died {when} {how} {status}{ending}")

    def kill(self) -> None:
        """End it and everything that it started."""
        kill_group(self._child)
        kill_strays(self._mark)


def _at_work(since: ProcessUsage) -> bool:
    return since.cpu >= _STARTED.cpu or since.moved >= _STARTED.moved


def _now() -> float:
    """Seconds since boot, the clock of /proc/uptime."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
