"""The state of the storage: what happens to it before a trial, so that each finds the same."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gate.errors import InputError, MeasureError, TrialFailed
from gate.formats.host.devices_file import DEVICES, read_devices
from gate.harness.base import Command
from gate.host.disk_guard.filesystem import (
    FileSystem,
    enter_own_mounts,
    forget_writing,
    note_writing,
    ours,
)
from gate.host.disk_guard.first_use import write_label
from gate.host.disk_guard.guard import check_device, demand_same, hold_device
from gate.host.journal import state_directory
from gate.linux.machine import ThisMachine
from gate.measure.process.process import trial_processes
from gate.measure.storage.budget import Budget
from gate.measure.storage.steps import (
    LONGEST,
    Identity,
    data_files,
    demand_success,
    directory_of,
    discard,
    drop_caches,
    empty,
    identity,
    precondition_words,
    run_system_program,
)
from gate.units import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from gate.harness.base import TrialContext
    from gate.host.disk_guard.guard import Device
    from gate.measure.process.stop import Stop
    from gate.model import AllowedDevice, Profile
    from gate.model import Storage as Wanted

LEAST = 16 << 20
"""Bytes below which a device is no storage to measure."""
_REPORTED_EVERY = 2.0


@dataclass(slots=True)
class StorageState:
    """The storage of one run."""

    wanted: Wanted
    work: Path
    """Where data files are: the work directory, or what is mounted in it."""
    budget: Budget
    environment: Mapping[str, str]
    """For programs that prepare it."""
    stop: Stop
    say: Callable[[str], None]
    allowed: AllowedDevice | None = None
    """The device, as its owner allows it; none where files will do."""
    found: Device | None = None
    """What the device was when this run was set up; it must stay that."""
    home: tuple[int, int] = (0, 0)
    """Which directory `work` is."""
    fs: FileSystem | None = None
    _handle: int = -1
    """The device, held so that nobody else takes it; none while a file system does."""
    _written: set[Identity] = field(default_factory=set)
    """Files that are preconditioned: device, number, size."""
    _device_written: bool = False

    @property
    def device(self) -> str:
        """Real path of the allowed device; empty without one."""
        return self.found.path if self.found else ""

    @property
    def size(self) -> int:
        """Bytes of the device."""
        return self.found.size if self.found else 0

    def before(self, context: TrialContext) -> bool:
        """Do the steps of `prepare` before a trial; whether data files must be laid out anew.

        A step that fails fails the trial; a budget without room for another such trial, and a
        device that may not be written any more, end the run.
        """
        self.budget.demand(context.benchmark.name)
        anew = False
        for step in self.wanted.prepare:
            if step == "fresh":
                empty(self.work, self.home)
                anew = True
            elif step == "mkfs" and self.fs is not None:
                _try(step, self.fs.make)
                self.home = directory_of(self.work)
                anew = True
            elif step == "remount" and self.fs is not None:
                _try(step, self.fs.unmount)
                _try(step, self.fs.mount)
                self.home = directory_of(self.work)
            elif step == "fstrim":
                _try(step, lambda: run_system_program(("fstrim", str(self.work))))
            elif step == "blkdiscard":
                discard(self._handle, self.size)
        return anew

    def laid_out(self, context: TrialContext) -> None:
        """After the data files are there: precondition what is new, then drop the caches."""
        if self.wanted.precondition:
            self._precondition(context)
        if "drop_caches" in self.wanted.prepare:
            drop_caches()
        self.budget.begin()

    def _precondition(self, context: TrialContext) -> None:
        raw = bool(self.device) and self.fs is None
        if raw:
            due = [] if self._device_written else [(self.device, self.size)]
        else:
            files = data_files(self.work)
            due = [(name, size) for name, size, who in files if who not in self._written]
        total = float(sum(size for _, size in due) * len(self.wanted.precondition))
        self.budget.demand_bytes(total, "preconditioning")
        for step in self.wanted.precondition:
            for target, size in due:
                self._write_whole(target, size, step, context.work)
        if raw:
            self._device_written = True
        else:
            self._written |= {identity(self.work / name) for name, _ in due}

    def _write_whole(self, target: str, size: int, step: str, directory: Path) -> None:
        start, reported = self.budget.live(), 0.0

        def progress() -> float:
            nonlocal reported
            if time.monotonic() - reported >= _REPORTED_EVERY:
                reported = time.monotonic()
                done = show(self.budget.live() - start, "B")
                self.say(f"precondition, {step}: {done} of {show(float(size), 'B')}")
            return _REPORTED_EVERY

        argv, own = precondition_words(target, size, step), self.environment
        command = Command(argv=argv, directory=directory, environment=own, timeout=LONGEST)
        cure = "Preconditioning needs fio and storage that takes direct I/O (tmpfs does not)."
        demand_success(command, self.stop, f"{step} of {target}", cure, progress)

    @property
    def look(self) -> Callable[[], float] | None:
        """What looks at a running trial; None where it may write whatever it likes."""
        return self.budget.look if self.budget.limit is not None else None

    def checked(self) -> Device:
        """The device, looked at again; refused where it may not be written."""
        if self.allowed is None:
            raise InputError("G255", "the profile names no device.")
        now = check_device(ThisMachine(), self.allowed, least=LEAST, ours=ours())
        if self.found is not None:
            # Its name may lead to another drive by now, and its path to somebody else's.
            demand_same(self.found, now)
        return now

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Inside, the device is ours alone, and its file system is made and mounted.

        What other profiles did to it meanwhile is nobody's business: it counts as not written. A
        device that may not be written any more is refused before anything is.
        """
        self._written.clear()
        self._device_written = False
        self.home = directory_of(self.work)
        with ExitStack() as stack:
            stack.callback(self._close)
            if self.allowed is not None:
                now = stack.enter_context(self._labelled(self.allowed))
                if self.wanted.filesystem:
                    stack.enter_context(self._mounted())
                else:
                    self._handle = stack.enter_context(hold_device(now))
            yield

    @contextmanager
    def _labelled(self, allowed: AllowedDevice) -> Iterator[Device]:
        """Tell the first write to the device before it is made; at the end label it as the gate's.

        In between it is written down that the gate writes it.
        """
        now, state = self.checked(), state_directory()
        for note in now.notes:
            self.say(f"{self.device}: {note}")
        note_writing(state, allowed.by_id)
        now = replace(now, ours=now.ours | {allowed.by_id})
        try:
            yield now
        finally:
            try:
                with hold_device(now) as handle:
                    write_label(handle)
            except (OSError, InputError) as error:
                # It stays written down that what it holds is the gate's.
                self.say(f"{self.device}: it could not be labelled as the gate's: {error}")
            else:
                forget_writing(state, allowed.by_id)

    def _close(self) -> None:
        self._handle, self.fs = -1, None

    @contextmanager
    def _mounted(self) -> Iterator[None]:
        enter_own_mounts()
        fs = FileSystem(
            kind=self.wanted.filesystem,
            device=self.device,
            place=self.work,
            run=run_system_program,
            check=self.checked,
            state=state_directory(),
        )
        try:
            fs.make()
            self.fs, self.home = fs, directory_of(self.work)
            yield
        finally:
            fs.wipe()


def _try(step: str, action: Callable[[], None]) -> None:
    try:
        action()
    except MeasureError as error:
        raise TrialFailed(f"{step}: {error}") from None


def make_storage(
    profile: Profile,
    work: Path,
    environment: Mapping[str, str],
    stop: Stop,
    say: Callable[[str], None],
) -> StorageState | None:
    """The storage of a profile for one run; none where it asks for no state.

    The device is looked at, and refused where no list allows it or it may not be written.
    """
    wanted = profile.storage
    if wanted is None:
        return None
    place = work / f"storage-{profile.name}"  # of its own: `fresh` empties it
    place.mkdir(exist_ok=True)
    own = StorageState(
        wanted=wanted,
        work=place,
        budget=Budget(limit=wanted.write_budget, profile=profile.path, running=trial_processes),
        environment=environment,
        stop=stop,
        say=say,
    )
    if wanted.device:
        own.allowed = allowed_device(wanted.device, profile.path)
        own.budget.endurance = own.allowed.endurance
        own.found = own.checked()
    return own


def allowed_device(name: str, place: str) -> AllowedDevice:
    """The device that this machine's owner gave to the gate under that name, or G255."""
    devices = {one.name: one for one in read_devices()}
    if name not in devices:
        known = f"it names {', '.join(sorted(devices))}" if devices else "it names none"
        raise InputError(
            "G255",
            f"this machine's owner gave the gate no device {name[:80]!r}: {known}.",
            cure=f"Root may add [device.{name[:80]}] with by_id to {DEVICES}: everything on that "
            "device will be lost.",
            place=place,
        )
    return devices[name]
