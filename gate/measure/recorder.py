"""A session as it is written, and what happened to the machine meanwhile."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gate.clock import now
from gate.formats.session.session_file import write_session
from gate.linux.machine import ThisMachine
from gate.linux.proc_stat import read_stat
from gate.measure.trial_retry import trials_that_count
from gate.model import State
from gate.model.host import changed_facts, describe_changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from gate.measure.run_context import RunContext
    from gate.model import Session, Trial


_SUSPENDED = 1.0
_STEAL_NOTED = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Counters of the machine at one moment."""

    asleep: float
    """Seconds the machine spent suspended since boot."""
    cpus: int
    """Processors this process may use."""
    steal: int
    """Clock ticks the hypervisor took, all processors."""
    ticks: int
    """All clock ticks."""


def snapshot() -> Snapshot:
    """Look at the machine now."""
    stat = read_stat(ThisMachine())
    asleep = time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)
    cpus = len(os.sched_getaffinity(0))
    return Snapshot(asleep=asleep, cpus=cpus, steal=stat.steal, ticks=sum(stat.total))


def disturbances(before: Snapshot, after: Snapshot, *, watched: bool = False) -> tuple[str, ...]:
    """Reasons why what was measured in between must not be judged.

    Where trials are `watched`, those that a suspended machine spoilt are set aside one by one.
    """
    found = []
    if after.asleep - before.asleep > _SUSPENDED and not watched:
        found.append(f"the machine was suspended for {after.asleep - before.asleep:.0f} s")
    if after.cpus != before.cpus:
        found.append(f"the number of usable processors went from {before.cpus} to {after.cpus}")
    return tuple(found)


def notes(before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    """What a reader should know, short of a disturbance."""
    ticks = after.ticks - before.ticks
    share = (after.steal - before.steal) / ticks if ticks > 0 else 0.0
    if share < _STEAL_NOTED:
        return ()
    return (f"the hypervisor took {share * 100:.0f} % of the processors' time",)


class SessionRecorder:
    """A session that grows on disk, whole after every trial."""

    def __init__(self, run: RunContext, session: Session, path: Path) -> None:
        self.session, self.path = session, path
        self._run = run
        self._before = snapshot()
        self._left_open: tuple[str, ...] = ()
        write_session(path, session)

    def begin(self) -> None:
        """Before the first trial: look at the machine at rest, unless a resumed session has."""
        run = self._run
        if run.watch is not None and run.watch.blind:
            self._update(notes=(*self.session.notes, *run.watch.blind))
        if run.storage is not None:
            run.storage.budget.before += self.session.written
        if run.accountant is not None and self.session.idle is None:
            self._write(idle=run.accountant.reference(run.stop))  # what goes on needs the same

    def add(self, trial: Trial) -> None:
        """Append one trial and write."""
        storage, written = self._run.storage, 0.0
        if storage is not None:
            storage.budget.end(trial.benchmark)  # first: it finds what no sum holds
            written = storage.budget.since_last()
        self._write(trials=(*self.session.trials, trial), written=self.session.written + written)

    def add_controls(self, seconds: Mapping[str, float], failed: str = "") -> None:
        """Append one run of each built-in control, and why one could not be run.

        It is written with the next trial: a session that goes on without it runs them again.
        """
        known = self.session.controls
        runs = {name: (*known.get(name, ()), value) for name, value in seconds.items()}
        notes = (*self.session.notes, failed) if failed else self.session.notes
        self._update(controls=known | runs, notes=notes)

    def add_disturbance(self, why: str) -> None:
        """Write down why the session must not be judged."""
        self._write(disturbances=(*self.session.disturbances, why))

    def leave_open(self, benchmarks: Iterable[str]) -> None:
        """Write down what the time budget leaves undecided: nothing, where there is none."""
        self._left_open = tuple(benchmarks)

    def complete(self) -> None:
        """Everything planned was run: look once more at rest and host, then say so."""
        for why in filter(None, self._changes_meanwhile()):
            self.add_disturbance(why)
        if (storage := self._run.storage) is not None:
            written = storage.budget.summary()
            storage.say(written)
            self._update(notes=(*self.session.notes, written))
        self._write(state=State.COMPLETE)

    def _changes_meanwhile(self) -> Iterator[str]:
        """What of the machine is not as it was before the first trial."""
        run, session = self._run, self.session
        if run.accountant is not None and not run.restarts and session.idle is not None:
            trials = trials_that_count(session.trials)
            changed = run.accountant.look_again(trials, session.idle, run.stop)
            if changed and not run.accountant.gated:  # what is only watched voids nothing
                self._write(notes=(*session.notes, changed))
            else:
                yield changed
        if run.tuned is not None:
            yield from run.tuned.moved()
        if run.reread is not None:
            before, host = session.host, run.reread()
            facts = (
                *changed_facts(before.stable, host.stable),
                *changed_facts(before.epoch, host.epoch),
            )
            # Trials before and after a fact moved are of two hosts: nobody knows which is which.
            if facts:
                yield f"the host changed while it measured: {describe_changed(facts)}"

    def _write(self, **changes: Any) -> None:
        self._update(**changes)
        write_session(self.path, self.session)

    def _update(self, **changes: Any) -> None:
        after = snapshot()
        known = changes.pop("disturbances", self.session.disturbances)
        watched = self._run.watch is not None
        disturbed = (*known, *disturbances(self._before, after, watched=watched))
        noted = (*changes.pop("notes", self.session.notes), *notes(self._before, after))
        self._before = after
        countdown = self._run.countdown
        self.session = replace(
            self.session,
            ended=now(),
            budget=countdown.fact(self._left_open) if countdown else None,
            disturbances=tuple(dict.fromkeys(disturbed)),
            notes=tuple(dict.fromkeys(noted))[:20],
            **changes,
        )
