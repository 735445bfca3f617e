"""The journal of what the gate changed on this host: on the disk before anything is changed.

    <state>/tuning.json  {"schema": 1, "boot": ..., "view": ...,
                          "owner": {"pid": ..., "start": ...},
                          "entries": [{"setting", "path", "before", "after"}, ...]}

It is there while settings are tuned, and gone when all are back. Entries stand in the order in
which the knobs were turned. Whoever finds one whose owner has ended puts everything back. <state>
is the directory outside every repository where the gate keeps what it must find after a crash.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gate.errors import InputError
from gate.formats import disk
from gate.host.tuning.settings import SettingChange, owns
from gate.linux.processes import lives

JOURNAL = "tuning.json"
_SCHEMA = 1
_LONGEST = 4096
_KEYS = ("setting", "path", "before", "after")


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """What was changed, by whom, and since which boot."""

    boot: str
    pid: int
    start: str
    """Clock ticks from boot to the owner's start: its number may come again."""
    entries: tuple[SettingChange, ...]
    view: str = ""
    """Through which mounts it was tuned: others may hide settings, or this boot's id."""

    @property
    def owned(self) -> bool:
        """Whether the gate that wrote it still runs."""
        return lives(self.pid, self.start)


def read_journal(state: Path) -> Journal | None:
    """The journal; None where nothing is tuned.

    Raises:
        InputError: G262, it cannot be read or understood, so nobody knows what was changed.
    """
    path = state / JOURNAL
    try:
        if disk.is_absent(path):
            return None
        return _parsed(json.loads(disk.read_text(path, "profile")))
    except InputError as error:
        raise _unusable(path, error.message.rstrip(".")) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _unusable(path, f"it is damaged ({type(error).__name__})") from error


def _parsed(data: Any) -> Journal:
    if data["schema"] != _SCHEMA:
        message = "of another schema"
        raise ValueError(message)
    owner = data["owner"]
    entries = tuple(_entry(one) for one in data["entries"])
    known = isinstance(owner["pid"], int), isinstance(owner["start"], str)
    if not all(known) or not isinstance(data["boot"], str):
        message = "no owner"
        raise TypeError(message)
    return Journal(
        boot=data["boot"],
        pid=owner["pid"],
        start=owner["start"],
        entries=entries,
        view=str(data.get("view", "")),
    )


def _entry(data: Any) -> SettingChange:
    words = {name: data[name] for name in _KEYS}
    sound = all(
        isinstance(word, str) and 0 < len(word) < _LONGEST and "\0" not in word
        for word in words.values()
    )
    if not sound or len(data) != len(_KEYS) or not owns(words["setting"], words["path"]):
        message = "no entry of ours"
        raise ValueError(message)
    return SettingChange(**words)


def write_journal(state: Path, journal: Journal) -> None:
    """Replace the journal in one step; it is on the disk when this returns.

    Raises:
        InputError: G208, and nothing may be changed.
    """
    owner = {"pid": journal.pid, "start": journal.start}
    entries = [asdict(one) for one in journal.entries]
    data = {
        "schema": _SCHEMA,
        "boot": journal.boot,
        "view": journal.view,
        "owner": owner,
        "entries": entries,
    }
    disk.write_text(state / JOURNAL, json.dumps(data, indent=1) + "\n")


def close_journal(state: Path) -> None:
    """Everything is back: the journal goes.

    Raises:
        InputError: G208, it cannot be removed.
    """
    path = state / JOURNAL
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        cure = "Everything it names is back; remove it."
        message = f"cannot be removed: {error.strerror}."
        raise InputError("G208", message, cure=cure, place=str(path)) from error
    disk.sync_directory(state)


def _unusable(path: Path, why: str) -> InputError:
    return InputError(
        "G262",
        f"the journal of tuned settings cannot be used: {why}; what was tuned is not known.",
        cure="Reboot, which forgets every setting, or put back by hand what it still shows; then "
        "remove it.",
        place=str(path),
    )


SYSTEM = Path("/var/lib/driftgate")
"""For root, whose changes concern the whole machine."""


def state_directory() -> Path:
    """The directory for this user; it need not exist yet."""
    if os.geteuid() == 0:
        return SYSTEM
    named = os.environ.get("XDG_STATE_HOME", "")
    base = Path(named) if Path(named).is_absolute() else Path.home() / ".local/state"
    return base / "driftgate"
