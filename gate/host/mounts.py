"""Which mounts carry a directory, by `/proc/self/mountinfo`; an overlay stands on another mount."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from gate.files.mounts import MOUNTINFO, parsed

if TYPE_CHECKING:
    from pathlib import Path

    from gate.files.mounts import Mount
    from gate.host.machine import Machine

_DEEPEST = 8
"""Overlays on overlays that are followed."""


def mounts(machine: Machine) -> tuple[Mount, ...]:
    """Every mount that this process sees, in the kernel's order."""
    return parsed(machine.text(MOUNTINFO))


def carrying(machine: Machine, work: Path) -> tuple[Mount, ...]:
    """The mount of a directory, then those that it stands on; empty where none is known."""
    every = mounts(machine)
    found: list[Mount] = []
    place: str = existing(machine, work)
    while place and len(found) < _DEEPEST:
        mount = _mount_of(every, place)
        if mount is None or mount in found:
            break
        found.append(mount)
        # What an overlay writes goes to its upper directory; without one it only reads.
        under = mount.option("upperdir") or mount.option("lowerdir").partition(":")[0]
        place = under if mount.kind == "overlay" and under.startswith("/") else ""
    return tuple(found)


def existing(machine: Machine, work: Path) -> str:
    """The real path of a directory that may have to be made yet.

    A path of which nothing is known, as in a recording, is taken as it stands.
    """
    real, below = nearest(machine, work)
    return str(PurePosixPath(real) / below) if real else str(work)


def nearest(machine: Machine, work: Path) -> tuple[str, Path]:
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
    tops = [one for one in every if one.parent not in ids or one.parent == one.id]
    current = max(filter(None, (_if_on(one, path) for one in tops)), key=_depth, default=None)
    for _ in every:
        if current is None:
            break
        here = current
        children = [one for one in every if one.parent == here.id and one.id != here.id]
        inside = [one for one in children if _if_on(one, path)]
        if not inside:
            break
        # The first directory on the way that something is mounted on hides all below it.
        current = min(reversed(inside), key=_depth)
    return current


def _depth(mount: Mount) -> int:
    return len(mount.point.rstrip("/"))


def _if_on(mount: Mount, path: str) -> Mount | None:
    point = mount.point.rstrip("/")
    return mount if path == point or path.startswith(f"{point}/") else None
