"""The journal of restarts: on the disk before this machine is restarted into a side's kernel.

    <state>/boots.json

It says which side was asked for and what came up instead, if something else did; which command is
to go on, and with which kernel the machine was found. Whoever goes on after a restart reads here,
and nowhere else, what this boot was meant to be.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from gate.errors import InputError
from gate.formats import disk
from gate.linux.kernel_modules import build_id_in
from gate.linux.machine import ThisMachine, line, read_boot_id

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.linux.machine import RawMachine

JOURNAL = "boots.json"
_SCHEMA = 1
_LONGEST = 4096
"""Characters: more than the kernel takes for a command line."""
_CURE = "Look at what it says, then forget it: gate host resume --forget."


class BootStage(StrEnum):
    """How far the last boot that was asked for has come."""

    ASKED = "asked"
    """The next start is armed."""
    MEASURING = "measuring"
    """It came up as asked, and its trial has begun."""
    DONE = "done"
    """Its trial has ended, well or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningKernel:
    """The kernel that runs, by its own account."""

    boot: str
    """Drawn anew at each start."""
    release: str
    version: str
    build_id: str
    command_line: str = ""

    @property
    def label(self) -> str:
        """`6.1.0-56-amd64 build-id 0123456789ab`."""
        return f"{self.release} build-id {self.build_id[:12] or 'unknown'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """One restart, and what came of it."""

    side: str
    build_id: str
    """Of the side's kernel."""
    release: str
    asked_in: str
    """The boot in which it was asked for."""
    asked_at: float
    """Seconds since 1970."""
    came: RunningKernel | None = None
    """What was running afterwards; absent until somebody looked."""
    proven: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Boots:
    """The journal."""

    key: str
    """What is measured: profile and sides."""
    first: RunningKernel
    """What was running when the first restart was asked for: the known-good kernel."""
    directory: str
    """Where the command is to go on."""
    words: tuple[str, ...]
    """Of the command that goes on, behind `gate`."""
    environment: Mapping[str, str]
    restart: str
    """A shell command that restarts the machine; `systemctl reboot` if empty."""
    boots: tuple[Restart, ...]
    doing: BootStage

    @property
    def last(self) -> Restart:
        """The boot that was asked for last."""
        return self.boots[-1]

    def now(self, doing: BootStage, **changes: Any) -> Boots:
        """The journal with its last boot changed."""
        return replace(self, doing=doing, boots=(*self.boots[:-1], replace(self.last, **changes)))


def running_kernel(machine: RawMachine | None = None) -> RunningKernel:
    """The kernel of this machine; texts are empty where it does not say."""
    machine = machine or ThisMachine()
    return RunningKernel(
        boot=read_boot_id(machine),
        release=line(machine, "/proc/sys/kernel/osrelease"),
        version=line(machine, "/proc/sys/kernel/version"),
        build_id=build_id_in(machine.data("/sys/kernel/notes")),
        command_line=machine.text("/proc/cmdline").strip()[:_LONGEST],
    )


def read_boots(state: Path) -> Boots | None:
    """The journal, or G269 where it cannot be understood; None where no restart is under way."""
    path = state / JOURNAL
    try:
        if disk.is_absent(path):
            return None
        return _parsed(json.loads(disk.read_text(path, "profile")))
    except (InputError, ValueError, KeyError, TypeError, RecursionError) as error:
        why = error.message if isinstance(error, InputError) else f"{type(error).__name__}."
        raise InputError(
            "G269", f"the journal of restarts cannot be used: {why}", cure=_CURE, place=str(path)
        ) from error


def write_boots(state: Path, boots: Boots) -> None:
    """Replace the journal in one step; it is on the disk, or G208, and nothing may restart."""
    state.mkdir(parents=True, exist_ok=True)
    disk.write_text(state / JOURNAL, json.dumps({"schema": _SCHEMA, **asdict(boots)}, indent=1))


def forget_boots(state: Path) -> None:
    """Nothing is to go on any more."""
    with suppress(OSError):
        (state / JOURNAL).unlink(missing_ok=True)


def _parsed(data: Any) -> Boots:
    boots = tuple(
        Restart(**{**one, "came": RunningKernel(**one["came"]) if one["came"] else None})
        for one in data["boots"]
    )
    words = tuple(data["words"])
    if data.pop("schema") != _SCHEMA or not boots or not all(isinstance(w, str) for w in words):
        raise ValueError("of another schema, or without a boot")
    first, doing = RunningKernel(**data["first"]), BootStage(data["doing"])
    return Boots(**{**data, "first": first, "words": words, "boots": boots, "doing": doing})
