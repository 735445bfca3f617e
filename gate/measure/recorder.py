"""A session that grows on disk, whole after every trial.

What happened to the machine while it measured, over the whole sitting.
"""

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
    from collections.abc import Mapping
    from pathlib import Path

    from gate.measure.run_context import RunContext
    from gate.model import Host, Session, Trial


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

    def __init__(self, session: Session, path: Path) -> None:
        self.session, self.path = session, path
        self._before = snapshot()
        self._sitting: RunContext | None = None
        write_session(path, session)

    def settle(self, sitting: RunContext) -> None:
        """Look at the idle machine, where CPU cost is asked for; a resumed session keeps its own.

        Raises:
            StopRequested: a signal came.
        """
        self._sitting = sitting
        if sitting.watch is not None and sitting.watch.blind:
            self._write(notes=(*self.session.notes, *sitting.watch.blind))
        if sitting.storage is not None:
            sitting.storage.budget.before += self.session.written
        if sitting.accountant is not None and self.session.idle is None:
            self._write(idle=sitting.accountant.reference(sitting.stop))

    def add(self, trial: Trial) -> None:
        """Append one trial and write."""
        own, written = self._sitting, 0.0
        if own is not None and own.storage is not None:
            own.storage.budget.end(trial.benchmark)  # first: it finds what no sum holds
            written = own.storage.budget.taken()
        self._write(trials=(*self.session.trials, trial), written=self.session.written + written)

    def controlled(self, seconds: Mapping[str, float], failed: str = "") -> None:
        """Append one run of each built-in control, and why one could not be run."""
        known = self.session.controls
        grown = {name: (*known.get(name, ()), value) for name, value in seconds.items()}
        notes = (*self.session.notes, failed) if failed else self.session.notes
        self._write(controls=known | grown, notes=notes)

    def disturbed(self, why: str) -> None:
        """Write down why the session must not be judged."""
        self._write(disturbances=(*self.session.disturbances, why))

    def complete(self) -> None:
        """Mark that everything planned was run; where CPU cost was told, look at rest once more.

        Raises:
            StopRequested: a signal came.
        """
        changed, own = "", self._sitting
        accountant = own.accountant if own is not None and not own.restarts else None
        if own is not None and accountant is not None and self.session.idle is not None:
            trials = trials_that_count(self.session.trials)
            changed = accountant.look_again(trials, self.session.idle, own.stop)
        if changed:
            self._write(disturbances=(*self.session.disturbances, changed))
        for turned in own.tuned.moved() if own is not None and own.tuned is not None else ():
            self.disturbed(turned)
        if own is not None and own.reread is not None:
            self._look_at_host(own.reread())
        if own is not None and own.storage is not None:
            written = own.storage.budget.told()
            own.storage.say(written)
            self._write(notes=(*self.session.notes, written))
        self._write(state=State.COMPLETE)

    def _look_at_host(self, host: Host) -> None:
        """Trials before and after a fact moved are of two hosts: nobody knows which is which."""
        before = self.session.host
        facts = (
            *changed_facts(before.stable, host.stable),
            *changed_facts(before.epoch, host.epoch),
        )
        if facts:
            self.disturbed(f"the host changed while it measured: {describe_changed(facts)}")

    def _write(self, **changes: Any) -> None:
        after = snapshot()
        known = changes.pop("disturbances", self.session.disturbances)
        watched = self._sitting is not None and self._sitting.watch is not None
        seen = (*known, *disturbances(self._before, after, watched=watched))
        own_notes = changes.pop("notes", self.session.notes)
        noted = (*own_notes, *notes(self._before, after))
        self._before = after
        self.session = replace(
            self.session,
            ended=now(),
            disturbances=tuple(dict.fromkeys(seen)),
            notes=tuple(dict.fromkeys(noted))[:20],
            **changes,
        )
        write_session(self.path, self.session)
