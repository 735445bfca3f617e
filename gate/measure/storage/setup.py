"""The storage of a sitting: made with it, open while something is measured on it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.formats.host.devices_file import DEVICES, read_devices
from gate.measure.process.process import trial_processes
from gate.measure.storage.budget import Budget
from gate.measure.storage.state import StorageState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from gate.measure.process.stop import Stop
    from gate.measure.run_context import RunContext
    from gate.model import AllowedDevice, Profile


def make_storage(
    profile: Profile,
    *,
    work: Path,
    environment: Mapping[str, str],
    stop: Stop,
    say: Callable[[str], None],
) -> StorageState | None:
    """The storage of a profile for one sitting; none where it asks for no state.

    The device is looked at, and nothing is written yet.

    Raises:
        InputError: the device is in no allow-list, or may not be written.
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


@contextmanager
def storage_open(sitting: RunContext) -> Iterator[None]:
    """Inside, the sitting's storage may be written; nothing to do where it asks for no state.

    Raises:
        InputError: the device may not be written any more.
        MeasureError: its file system cannot be made.
    """
    if sitting.storage is None:
        yield
        return
    sitting.prepared.clear()
    try:
        with sitting.storage.opened():
            yield
    finally:
        sitting.prepared.clear()


def allowed_device(name: str, place: str) -> AllowedDevice:
    """The device that this machine's owner gave to the gate under that name.

    Raises:
        InputError: G255, there is none; the owner's file is malformed or unsafe.
    """
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
