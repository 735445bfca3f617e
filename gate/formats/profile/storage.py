"""`[storage]` of a profile: checked for steps that contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.formats import names
from gate.model import Steady, Storage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.errors import InputError
    from gate.formats.profile.profile_form import ProfileForm, SteadyForm, StorageForm
    from gate.formats.profile.sizes import Sized


def storage_of(form: ProfileForm, source: Sized, metrics: set[str]) -> Storage | None:
    """The state that the storage must be in; None where the profile does not ask."""
    if form.storage is None:
        return None
    for key, why in _contradictions(form, form.storage):
        raise source.refused(why, "storage", key)
    own = {
        "device": form.storage.device or "",
        "filesystem": form.storage.filesystem or "",
        "steady": _steady(form.storage.steady, source, metrics) if form.storage.steady else None,
        "write_budget": _budget(form.storage, source),
    }
    return Storage(**form.storage.as_fields() | own)


def _contradictions(form: ProfileForm, storage: StorageForm) -> Iterator[tuple[str, str]]:
    if form.harness == "replay":
        yield "device", "recorded values have no storage"
    if storage.device is not None and not names.is_plain(storage.device):
        yield "device", f"{storage.device[:80]!r} is no name of a device in the allow-list"
    if storage.filesystem and not storage.device:
        yield "filesystem", "one is made on a device only; name it with device"
    raw = storage.device is not None and storage.filesystem is None
    for key, steps in (("precondition", storage.precondition), ("prepare", storage.prepare)):
        if len(set(steps)) < len(steps):
            yield key, "a step stands there twice"
    for step, possible, needs in (
        ("blkdiscard", raw, "a device without a file system"),
        ("remount", bool(storage.filesystem), "a file system on a device"),
        ("mkfs", bool(storage.filesystem), "a file system on a device"),
        ("fresh", not raw, "files, and this device has none"),
        ("fstrim", not raw, "a file system, and this device has none"),
    ):
        if step in storage.prepare and not possible:
            yield "prepare", f"{step} needs {needs}"
    undone = [one for one in ("fresh", "blkdiscard", "mkfs") if one in storage.prepare]
    if storage.steady and any(one.over for one in form.metric.values()):
        yield "steady", "in pairs the points of a curve follow each other, so none would be steady"
    if storage.precondition and undone:
        yield "precondition", f"{undone[0]} before every trial would undo it"


def _steady(form: SteadyForm, source: Sized, metrics: set[str]) -> Steady:
    def wrong(said: str) -> InputError:
        return source.wrong(f"storage.steady.{said}.", "storage", "steady")

    if form.metric not in metrics:
        known = ", ".join(sorted(metrics))
        raise wrong(f"metric: {form.metric[:80]!r} is none of the profile's metrics: {known}")
    if form.limit < form.window:
        raise wrong(f"limit is {form.limit}, less than the window of {form.window} trials")
    shares = {}
    for key in ("range", "slope"):
        shares[key] = source.percent(getattr(form, key), "storage", "steady", key)
        if not 0 < shares[key] <= 1:
            raise wrong(f"{key} must be above zero and at most 100%")
    return Steady(**form.as_fields() | shares)


def _budget(form: StorageForm, source: Sized) -> float | None:
    if form.write_budget is None:
        return None
    size = source.quantity(form.write_budget, "B", "storage", "write_budget")
    if size <= 0:
        raise source.wrong("storage.write_budget must be above zero.", "storage", "write_budget")
    return size


def state_text(storage: Storage) -> str:
    """What of it decides the state that is measured in, as the budget does not; or nothing."""
    one = storage.steady
    criterion = (one.metric, one.window, one.range, one.slope, one.limit) if one else ()
    decides = (storage.device, storage.filesystem, storage.precondition, storage.prepare, criterion)
    return repr(decides) if any(decides) else ""
