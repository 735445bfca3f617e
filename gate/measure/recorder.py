"""A session that grows on disk, whole after every trial."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gate.files.session_file import write_session
from gate.measure import disturbance
from gate.measure.aside import counted
from gate.measure.sitting import now
from gate.model import State
from gate.model.moved import moved, told

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.measure.sitting import Sitting
    from gate.model import Host, Session, Trial


class Recorder:
    """A session that grows on disk, whole after every trial."""

    def __init__(self, session: Session, path: Path) -> None:
        self.session, self.path = session, path
        self._before = disturbance.snapshot()
        self._sitting: Sitting | None = None
        write_session(path, session)

    def settle(self, sitting: Sitting) -> None:
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
            trials = counted(self.session.trials)
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
        facts = (*moved(before.stable, host.stable), *moved(before.epoch, host.epoch))
        if facts:
            self.disturbed(f"the host changed while it measured: {told(facts)}")

    def _write(self, **changes: Any) -> None:
        after = disturbance.snapshot()
        known = changes.pop("disturbances", self.session.disturbances)
        watched = self._sitting is not None and self._sitting.watch is not None
        seen = (*known, *disturbance.disturbances(self._before, after, watched=watched))
        own_notes = changes.pop("notes", self.session.notes)
        noted = (*own_notes, *disturbance.notes(self._before, after))
        self._before = after
        self.session = replace(
            self.session,
            ended=now(),
            disturbances=tuple(dict.fromkeys(seen)),
            notes=tuple(dict.fromkeys(noted))[:20],
            **changes,
        )
        write_session(self.path, self.session)
