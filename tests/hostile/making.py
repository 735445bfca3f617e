"""What a hostile file is, and how one is made of an honest handover."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Data = dict[str, Any]


class Honest:
    """Handovers that `gate check` wrote in the project that is attacked."""

    def __init__(self, fine: Data, slow: Data, accepted: tuple[str, ...]) -> None:
        self.fine = fine
        """One profile, all passed: the gate would be open."""
        self.slow = slow
        """Two profiles, one of which lost 30 % by pairs: the gate would be closed."""
        self.accepted = accepted
        """Ids of sessions that stand in the baseline."""

    def __repr__(self) -> str:
        return "honest handovers"


@dataclass(frozen=True)
class Hostile:
    """One hostile file and what must come of it."""

    name: str
    write: Callable[[Path, Honest], None]
    code: str = ""
    """Of the error, where it is refused (exit status 2)."""
    status: int = 2
    """Of `gate judge`; 0 only where the numbers are fine, and nothing but a text is hostile."""
    slow: bool = False
    """Whether it goes to the project in which a loss is to be hidden."""

    @property
    def refused(self) -> bool:
        """Whether nothing of it may be judged at all."""
        return bool(self.code)


def raw(name: str, content: Callable[[Honest], bytes], code: str) -> Hostile:
    """A file of bytes that is refused."""
    return Hostile(name, lambda path, honest: _write(path, content(honest)), code)


def text(name: str, change: Callable[[str], str], code: str) -> Hostile:
    """The text of the honest handover, changed."""
    return raw(name, lambda honest: change(dump(honest.fine)).encode(), code)


def edit(name: str, *changes: Callable[[Data], Any], code: str = "", status: int = 2) -> Hostile:
    """The honest handover with changes to its data."""
    return _edited(name, "fine", changes, code, status)


def edit_slow(
    name: str, *changes: Callable[[Data], Any], code: str = "", status: int = 10
) -> Hostile:
    """The handover that holds a loss, with changes that would hide it."""
    return _edited(name, "slow", changes, code, status)


def _edited(
    name: str, which: str, changes: tuple[Callable[[Data], Any], ...], code: str, status: int
) -> Hostile:
    def write(path: Path, honest: Honest) -> None:
        data = copy.deepcopy(getattr(honest, which))
        for change in changes:
            change(data)
        _write(path, dump(data).encode("utf-8", "surrogatepass"))

    return Hostile(name, write, code, status, slow=which == "slow")


def put(*path_and_value: Any) -> Callable[[Data], None]:
    """A change that sets the value at a path of the handover."""
    *path, key, value = path_and_value

    def change(data: Any) -> None:
        for part in path:
            data = data[part]
        data[key] = value

    return change


def ses(*path_and_value: Any, number: int = 0) -> Callable[[Data], None]:
    """A change that sets the value at a path of one of its sessions."""
    return put("sessions", number, *path_and_value)


def every(name: str, key: str, value: Any) -> Callable[[Data], None]:
    """A change of the same key in every item of a list of every session: `trials`, `metrics`."""

    def change(data: Data) -> None:
        for session in data["sessions"]:
            for item in session[name]:
                item[key] = value

    return change


def values(value: Any) -> Callable[[Data], None]:
    """A change that makes every measured value the same."""

    def change(data: Data) -> None:
        for session in data["sessions"]:
            for trial in session["trials"]:
                for one in trial["values"]:
                    one["value"] = value

    return change


def dump(data: Any) -> str:
    """JSON that may hold what no honest writer writes: NaN, half surrogates."""
    return json.dumps(data, indent=1, ensure_ascii=True)


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)
