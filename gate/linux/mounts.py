"""Mounts as the kernel lists them: which carry a directory, and which lie inside one."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.linux.machine import LinuxMachine

MOUNTINFO = "/proc/self/mountinfo"
_FIELDS, _MORE = 6, 2
"""Fields of a line, at least, before and behind the dash."""
_KERNELS = ("/proc/", "/sys/")
_DEEPEST = 8
"""Overlays on overlays that are followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """One line of mountinfo, unescaped."""

    id: str
    parent: str
    device: str
    """`major:minor`; major 0 where the file system has no device of its own."""
    root: str
    point: str
    options: tuple[str, ...]
    """Of this mount and then of the file system."""
    kind: str
    """`ext4`"""
    source: str
    """`/dev/vda1`, or whatever the file system calls it."""

    def option(self, name: str) -> str:
        """The value of `name=value`; empty where there is none."""
        start = f"{name}="
        return next((o.removeprefix(start) for o in self.options if o.startswith(start)), "")


def parse_mounts(mountinfo: str) -> tuple[Mount, ...]:
    """Every mount of a text such as /proc/PID/mountinfo (proc(5)), in the kernel's order."""
    # No splitlines: the kernel escapes blank, tab, newline and backslash, and nothing else.
    found = (_mount(row) for row in mountinfo.split("\n"))
    return tuple(one for one in found if one is not None)


def _mount(text: str) -> Mount | None:
    left, _, right = text.partition(" - ")
    fields, rest = left.split(" "), right.split(" ")
    if len(fields) < _FIELDS or len(rest) < _MORE:
        return None
    options = ",".join((fields[5], *rest[_MORE:]))
    return Mount(
        id=fields[0],
        parent=fields[1],
        device=fields[2],
        root=unescape(fields[3]),
        point=unescape(fields[4]),
        options=tuple(unescape(one) for one in options.split(",") if one),
        kind=rest[0],
        source=unescape(rest[1]),
    )


def unescape(text: str) -> str:
    """Blanks and the like are written as octal numbers."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def mounts_below(directory: str) -> tuple[str, ...]:
    """Mount points inside a directory, whose path holds no link; none where it cannot be read."""
    try:
        # Whole, however long: what is overlooked here might be deleted.
        text = os.fsdecode(Path(MOUNTINFO).read_bytes())
    except OSError:
        return ()
    inside = f"{directory}{os.sep}"
    return tuple(one.point for one in parse_mounts(text) if one.point.startswith(inside))


def mounts(machine: LinuxMachine) -> tuple[Mount, ...]:
    """Every mount that this process sees, in the kernel's order."""
    return parse_mounts(machine.text(MOUNTINFO))


def mounts_of_all(machine: LinuxMachine) -> tuple[Mount, ...]:
    """The mounts of this process and of every other, which may have a namespace of its own."""
    processes = [one for one in machine.names("/proc") if one.isdigit()]
    texts = {machine.text(f"/proc/{one}/mountinfo") for one in ("self", *processes)}
    return parse_mounts("\n".join(sorted({row for text in texts for row in text.split("\n")})))


def mounts_carrying(machine: LinuxMachine, work: Path) -> tuple[Mount, ...]:
    """The mount of a directory, then those that it stands on; empty where none is known."""
    every = mounts(machine)
    found: list[Mount] = []
    real, below = nearest(machine, work)
    # A path of which nothing is known, as in a recording, is taken as it stands.
    place = str(PurePosixPath(real) / below) if real else str(work)
    while place and len(found) < _DEEPEST:
        mount = _mount_of(every, place)
        if mount is None or mount in found:
            break
        found.append(mount)
        # What an overlay writes goes to its upper directory; without one it only reads.
        under = mount.option("upperdir") or mount.option("lowerdir").partition(":")[0]
        place = under if mount.kind == "overlay" and under.startswith("/") else ""
    return tuple(found)


def nearest(machine: LinuxMachine, work: Path) -> tuple[str, Path]:
    """The real path of the nearest directory that is there, and what is to be made below it.

    The first is empty where nothing is known.
    """
    for place in (work, *work.parents):
        if real := machine.real(str(place)):
            return real, work.relative_to(place)
    return "", work


def _mount_of(every: tuple[Mount, ...], path: str) -> Mount | None:
    """Where a path leads: down from the root, and at each place into what is mounted there."""
    ids = {mount.id for mount in every}
    on_way = [one for one in every if f"{path}/".startswith(f"{one.point.rstrip('/')}/")]
    tops = [one for one in on_way if one.parent not in ids or one.parent == one.id]
    current = max(tops, key=_depth, default=None)
    for _ in every:
        inside = [one for one in on_way if current and current.id == one.parent != one.id]
        if not inside:
            break
        # The first directory on the way that something is mounted on hides all below it.
        current = min(reversed(inside), key=_depth)
    return current


def _depth(mount: Mount) -> int:
    return len(mount.point.rstrip("/"))


def kernel_view(machine: LinuxMachine, paths: Iterable[str]) -> str:
    """What these files of the kernel are seen through: a word that is another where one is hidden.

    The name of a mount namespace would not do: it comes again as soon as the namespace is gone.
    """
    every = mounts(machine)
    through = {_mount_of(every, path) for path in paths if path.startswith(_KERNELS)}
    words = sorted(f"{one.point} {one.root} {one.kind}" for one in through if one)
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]
