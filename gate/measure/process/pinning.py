"""Pinning: the processors that a trial and everything it starts may use.

Affinity is set in the child before it runs anything. A program can widen its own affinity, so
where a cpuset can be made the child is put into one too, which nothing inside can leave: a fresh
group below our own, removed afterwards. Groups that are there already are never touched, and no
controller is ever enabled.
"""

from __future__ import annotations

import os
import secrets
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import TrialFailed
from gate.linux.cpu_list import cpu_list_text, cpus_of
from gate.linux.machine import ThisMachine
from gate.linux.mounts import mounts
from gate.linux.processes import control_groups, lives, own_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PREFIX = "driftgate-"
_PATIENCE = 2.0
"""Seconds in which killed processes leave their group."""


def chosen_cpus(text: str, usable: frozenset[int]) -> frozenset[int]:
    """`2`: the first two usable processors; `0-1,3`: these. Without them, the trial fails."""
    if text.isdecimal():
        count = int(text)
        if not 0 < count <= len(usable):
            raise TrialFailed(
                f"cpus = {text} asks for {text} processors, and {len(usable)} may be used here "
                f"({cpu_list_text(usable)})"
            )
        return frozenset(sorted(usable)[:count])
    try:
        wanted = cpus_of(text)
    except ValueError:
        wanted = frozenset()
    if not wanted:
        raise TrialFailed(f"cpus = {text[:80]} is no count and no list of processors")
    if lacking := wanted - usable:
        raise TrialFailed(
            f"cpus = {text} asks for processor {cpu_list_text(lacking)}, "
            f"and only {cpu_list_text(usable)} may be used here"
        )
    return wanted


@contextmanager
def pin_child(cpus: frozenset[int]) -> Iterator[Callable[[], None] | None]:
    """What a child calls before it runs anything; None without processors to pin it to."""
    if not cpus:
        yield None
        return
    group = _make_group(cpus)

    def enter() -> None:
        if group is not None:
            _enter(group)
        os.sched_setaffinity(0, cpus)

    try:
        yield enter
    finally:
        if group is not None:
            _remove(group, _PATIENCE)


def _make_group(cpus: frozenset[int]) -> Path | None:
    """A cpuset of these processors, in the first hierarchy that lets us make one; maybe none."""
    for parent, memory in _parents():
        _sweep(parent)
        group = parent / f"{_PREFIX}{own_mark()}-{secrets.token_hex(4)}"
        try:
            group.mkdir()
            if memory:
                (group / "cpuset.mems").write_text((parent / "cpuset.mems").read_text("ascii"))
            (group / "cpuset.cpus").write_text(cpu_list_text(cpus))
            _try_to_enter(group)
        except OSError:
            _remove(group, 0.0)
            continue
        return group
    return None


def _enter(group: Path) -> None:
    (group / "cgroup.procs").write_text("0", encoding="ascii")  # 0 is whoever writes


def _try_to_enter(group: Path) -> None:
    """A group that nobody may enter is of no use: let a child of ours try."""
    child = os.fork()
    if child == 0:
        try:
            _enter(group)
        except OSError:
            os._exit(1)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        raise OSError("no process may enter it")


def _parents() -> Iterator[tuple[Path, bool]]:
    """Groups in which a cpuset may be made, and whether it needs memory nodes too (version 1)."""
    own = control_groups(ThisMachine())
    for mount in mounts(ThisMachine()):
        if mount.kind == "cgroup" and "cpuset" in mount.options:
            names = next((key for key in own if "cpuset" in key.split(",")), None)
            if names is not None:
                yield _below(mount.point, mount.root, own[names]), True
        elif mount.kind == "cgroup2" and "" in own:
            parent = _below(mount.point, mount.root, own[""])
            with suppress(OSError):
                enabled = (parent / "cgroup.subtree_control").read_text("ascii").split()
                if "cpuset" in enabled:
                    yield parent, False


def _below(place: str, root: str, path: str) -> Path:
    """Where a group stands in this mount, which may show only part of the hierarchy."""
    shown = root != "/" and (path == root or path.startswith(f"{root}/"))
    inside = path.removeprefix(root) if shown else path
    return Path(place) / inside.lstrip("/")


def _sweep(parent: Path) -> None:
    """Remove what a killed gate left: empty groups whose maker is gone."""
    left: list[Path] = []
    with suppress(OSError):
        left += parent.glob(f"{_PREFIX}*")
    for group in left:
        parts = group.name.removeprefix(_PREFIX).split("-")
        if len(parts) > 1 and parts[0].isdecimal() and not lives(int(parts[0]), parts[1]):
            _remove(group, 0.0)


def _remove(group: Path, patience: float) -> None:
    """Remove a group once the last of its processes has left; one that never leaves keeps it."""
    until = time.monotonic() + patience
    while True:
        try:
            group.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() >= until:
                return
            time.sleep(0.01)
        else:
            return
