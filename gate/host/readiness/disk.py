"""Readiness of the disk that holds the work directory: its room, its link, its wear."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gate.host.identity.facts_disk import pcie_link
from gate.host.identity.facts_live import SMART_LOG, ask_json, nvme, share_used, smartctl
from gate.host.readiness.ground import number, off, ok, question, unreported
from gate.linux.block import storage_of
from gate.linux.mounts import nearest
from gate.units import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.host.readiness.ground import MachineUnderCheck, Result
    from gate.linux.machine import LinuxMachine

_SHARE, _ENOUGH, _LEAST = 0.10, 50e9, 1e9
"""Room wanted: a tenth of the file system, of large ones 50 GB, of small ones 1 GB."""
_WORN = 90
"""Per cent of the rated endurance from which a drive may slow down or fail."""
_PCI = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


@question("free_space", "a tenth of the file system free (50 GB at most, 1 GB at least)")
def free_space(ground: MachineUnderCheck) -> Result:
    """A full file system scatters new files, and a full drive collects garbage while it writes."""
    place = nearest(ground.machine, ground.work)[0] or "/"
    words = ground.machine.ask("df", "-B1", "--output=avail,size", place).split()[-2:]
    known = [number(word) for word in words]
    match known:
        case [int(free), int(size)] if size > 0:
            value = f"{show(float(free), 'B')} of {show(float(size), 'B')}"
            wanted = max(min(_SHARE * size, _ENOUGH), _LEAST)
            if free >= wanted:
                return ok(value)
            more = show(wanted - free, "B")
            return off(value, f"free {more} more there, or name another with --work")
        case _:
            return unreported("run `df` on the work directory by hand")


@question("disk_link", "the speed and width that drive and slot both have")
def link(ground: MachineUnderCheck) -> Result:
    """A link that fell back to a lower speed halves what the drive gives, until it is reseated."""
    disks = storage_of(ground.machine, ground.work).disks
    found = [one for disk in disks for one in _links(ground, disk)]
    slow = [text for text, fallen in found if fallen]
    if slow:
        return off("; ".join(slow[:2]), "reseat the drive or its cable; look in the BIOS")
    if found:
        return ok("; ".join(text for text, _ in found[:2]))
    return unreported(ground.hidden("the disk has no PCIe or SATA link of its own"))


def _links(ground: MachineUnderCheck, disk: str) -> Iterator[tuple[str, bool]]:
    """The links on the way to a disk, each with whether it is below what it could be.

    The disk is its directory in /sys.
    """
    where = disk.split("/")
    name = where[-1]
    if port := re.search(r"/ata(\d+)/", disk):
        spot = f"/sys/class/ata_link/link{port[1]}"
        limit, could = (ground.line(f"{spot}/{n}sata_spd_limit") for n in ("", "hw_"))
        if now := ground.line(f"{spot}/sata_spd"):
            fallen = _speed(limit) < _speed(could)
            yield f"{name} SATA {now}" + (f", limited from {could}" if fallen else ""), fallen
        return
    ends = [n for n, part in enumerate(where) if _PCI.fullmatch(part)]
    # The device, and the port above it, which may be slower by its making.
    places = ["/".join(where[: n + 1]) for n in reversed(ends[-2:])]
    speed, width = pcie_link(ground.machine, places[:1], "current")
    most = [_lesser_end(ground, places, what) for what in ("speed", "width")]
    if speed and width:
        fallen = speed < most[0] or width < most[1]
        could = f", could be {most[0] or speed:g} GT/s x{most[1] or width:g}" if fallen else ""
        yield f"{name} {speed:.1f} GT/s x{width}{could}", fallen


def _lesser_end(ground: MachineUnderCheck, places: list[str], what: str) -> float:
    """What both ends of a PCIe link could; 0 where one says that it does not know."""
    said = [text for place in places if (text := ground.line(f"{place}/max_link_{what}"))]
    return min((0.0 if text == "255" else _speed(text) for text in said), default=0.0)


def _speed(text: str) -> float:
    """The number that a text begins with: `16.0 GT/s PCIe`; 0 without one."""
    found = re.match(r"\d+(?:\.\d+)?", text)
    return float(found[0]) if found else 0.0


@question("disk_wear", f"below {_WORN} % of the rated endurance, no warning")
def wear(ground: MachineUnderCheck) -> Result:
    """A worn drive corrects and remaps more, and slows down before it fails."""
    disks = storage_of(ground.machine, ground.work).disks
    used = {disk: words for disk in disks if (words := _used(ground.machine, disk)) is not None}
    if not used:
        cure = "install smartmontools or nvme-cli and run as root: smartctl -A /dev/DISK"
        return unreported(ground.hidden(cure))
    value = ", ".join(
        f"{disk.rpartition('/')[2]} {share} % used{', warning' * warned}"
        for disk, (share, warned) in used.items()
    )
    if any(share >= _WORN or warned for share, warned in used.values()):
        return off(value, "replace the drive; then `gate host enroll` anew")
    return ok(value)


def _used(machine: LinuxMachine, disk: str) -> tuple[int, bool] | None:
    """Per cent of the rated endurance that is used, and whether the drive warns."""
    log = ask_json(machine, nvme(disk))
    smart = {} if share_used({}, log) is not None else ask_json(machine, smartctl(disk, "-H"))
    share = share_used(smart, log)
    if share is None:
        return None
    failing = smart.get("smart_status", {}).get("passed") is False
    return share, failing or _warns(log) or _warns(smart.get(SMART_LOG, {}))


def _warns(log: dict[str, Any]) -> bool:
    """Newer nvme-cli takes the bits of the warning apart beside its value."""
    warning = log.get("critical_warning")
    return bool(warning.get("value") if isinstance(warning, dict) else warning)
