"""Readiness of the disk that holds the work directory: its room, its link, its wear."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from gate.host import block_chain
from gate.host.readiness_ground import Check, number
from gate.units import show

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gate.host.machine import Machine
    from gate.host.readiness_ground import Ground
    from gate.model.readiness import Readiness

_SHARE, _ENOUGH, _LEAST = 0.10, 50e9, 1e9
"""Room wanted: a tenth of the file system, of large ones 50 GB, of small ones 1 GB."""
_WORN = 90
"""Per cent of the rated endurance from which a drive may slow down or fail."""
_PCI = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


def place_of(machine: Machine, work: Path) -> str:
    """The directory, or where it is not there yet, the nearest one above it that is."""
    for path in (work, *work.parents):
        if found := machine.real(str(path)):
            return found
    return "/"


def free_space(ground: Ground, work: Path) -> Readiness:
    """Whether the work directory's file system has room to spare."""
    check = Check(
        "free_space",
        "a tenth of the file system free (50 GB at most, 1 GB at least)",
        "A full file system scatters new files, and a full drive collects garbage while it writes.",
    )
    place = place_of(ground.machine, work)
    told = ground.machine.ask("df", "-B1", "--output=avail,size", place).split()[-2:]
    known = [number(word) for word in told]
    match known:
        case [int(free), int(size)] if size > 0:
            value = f"{show(float(free), 'B')} of {show(float(size), 'B')}"
            wanted = max(min(_SHARE * size, _ENOUGH), _LEAST)
            if free >= wanted:
                return check.ok(value)
            more = show(wanted - free, "B")
            return check.off(value, f"free {more} more there, or name another with --work")
        case _:
            return check.unknown("not told", "run `df` on the work directory by hand")


def disks_of(machine: Machine, work: Path) -> tuple[str, ...]:
    """The whole disks that hold a directory, by the kernel's names; none where nothing tells."""
    best, device, source = "", "", ""
    place = place_of(machine, work)
    for row in machine.text("/proc/self/mountinfo").splitlines():
        left, _, right = row.partition(" - ")
        words, more = left.split(), right.split()
        if len(words) < 5 or len(more) < 2:  # noqa: PLR2004 - fields of proc_pid_mountinfo(5)
            continue
        point = words[4].replace("\\040", " ")
        inside = place == point or place.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):  # a later mount hides an earlier one
            best, device, source = point, words[2], more[1]
    name = block_chain.name_of_number(machine, device) if device else ""
    # btrfs numbers its own devices; the source of the mount is one that it stands on.
    name = name or block_chain.name_of_path(machine, source)
    if not name:
        return ()
    below = block_chain.chain(machine, name).below
    return tuple(
        one
        for one in (name, *below)
        if machine.real(f"{block_chain.CLASS}/{one}/device")
        or not tuple(block_chain.below(machine, one))
    )


def link(ground: Ground, work: Path) -> Readiness:
    """Whether a disk is attached by less than both ends can do."""
    check = Check(
        "disk_link",
        "the speed and width that drive and slot both have",
        "A link that fell back to a lower speed halves what the drive gives, until it is reseated.",
    )
    found = [one for disk in disks_of(ground.machine, work) for one in _links(ground, disk)]
    slow = [text for text, fallen in found if fallen]
    if slow:
        return check.off("; ".join(slow[:2]), "reseat the drive or its cable; look in the BIOS")
    if found:
        return check.ok("; ".join(text for text, _ in found[:2]))
    return check.unknown("not told", ground.hidden("the disk has no PCIe or SATA link of its own"))


def _links(ground: Ground, disk: str) -> Iterator[tuple[str, bool]]:
    """The links on the way to a disk, each with whether it is below what it could be."""
    where = ground.machine.real(f"{block_chain.CLASS}/{disk}").split("/")
    for part in where:
        if re.fullmatch(r"ata\d+", part):
            spot = f"/sys/class/ata_link/link{part.removeprefix('ata')}"
            limit, could = (ground.line(f"{spot}/{n}sata_spd_limit") for n in ("", "hw_"))
            if now := ground.line(f"{spot}/sata_spd"):
                fallen = _speed(limit) < _speed(could)
                yield f"{disk} SATA {now}" + (f", limited from {could}" if fallen else ""), fallen
            return
    ends = [n for n, part in enumerate(where) if _PCI.fullmatch(part)]
    if ends:
        # The device, and the port above it.
        yield from _pci(ground, disk, ["/".join(where[: n + 1]) for n in reversed(ends[-2:])])


def _pci(ground: Ground, disk: str, ends: list[str]) -> Iterator[tuple[str, bool]]:
    """The link of a PCIe device; the port above it may be slower by its making."""
    now = [ground.line(f"{ends[0]}/current_link_{what}") for what in ("speed", "width")]
    most = [
        min((_speed(t) for t in (ground.line(f"{e}/max_link_{w}") for e in ends) if t), default=0.0)
        for w in ("speed", "width")
    ]
    if not all(_speed(text) for text in now):
        return
    shown = f"{disk} {now[0].removesuffix(' PCIe')} x{now[1]}"
    fallen = any(_speed(text) < could for text, could in zip(now, most, strict=True))
    could = f", could be {most[0]:g} GT/s x{most[1]:g}" if fallen else ""
    yield shown + could, fallen


def _speed(text: str) -> float:
    """The number that a text begins with: `16.0 GT/s PCIe`; 0 without one."""
    found = re.match(r"\d+(?:\.\d+)?", text)
    return float(found[0]) if found else 0.0


def wear(ground: Ground, work: Path) -> Readiness:
    """Whether a drive has used up what it is rated for."""
    check = Check(
        "disk_wear",
        f"below {_WORN} % of the rated endurance, no warning",
        "A worn drive corrects and remaps more, and slows down before it fails.",
    )
    disks = disks_of(ground.machine, work)
    used = {disk: told for disk in disks if (told := _used(ground.machine, disk)) is not None}
    if not used:
        cure = "install smartmontools or nvme-cli and run as root: smartctl -A /dev/DISK"
        return check.unknown("not told", ground.hidden(cure))
    value = ", ".join(
        f"{disk} {share} % used{', warning' * warned}" for disk, (share, warned) in used.items()
    )
    if any(share >= _WORN or warned for share, warned in used.values()):
        return check.off(value, "replace the drive; then `gate host enroll` anew")
    return check.ok(value)


def _used(machine: Machine, disk: str) -> tuple[int, bool] | None:
    """Per cent of the rated endurance that is used, and whether the drive warns."""
    if disk.startswith("nvme"):
        told = _json(machine.ask("nvme", "smart-log", "-o", "json", f"/dev/{disk}"))
        share = told.get("percent_used", told.get("percentage_used"))
        if isinstance(share, int):
            return share, _warns(told)
    told = _json(machine.ask("smartctl", "-j", "-H", "-A", f"/dev/{disk}"))
    warned = told.get("smart_status", {}).get("passed") is False
    log = told.get("nvme_smart_health_information_log", {})
    if isinstance(share := log.get("percentage_used"), int):
        return share, warned or _warns(log)
    share = told.get("endurance_used", {}).get("current_percent")
    return (share, warned) if isinstance(share, int) else None


def _warns(log: dict[str, Any]) -> bool:
    """Newer nvme-cli takes the bits of the warning apart beside its value."""
    warning = log.get("critical_warning")
    return bool(warning.get("value") if isinstance(warning, dict) else warning)


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
