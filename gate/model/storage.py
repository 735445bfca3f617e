"""What state the storage must be in before a trial counts, and how much may be written."""

from __future__ import annotations

from dataclasses import dataclass

PRECONDITIONS = {
    "fill": "write the whole target sequentially, once",
    "random": "overwrite the whole target at random offsets, once",
}
"""Steps of `precondition`, done once per session, by capacity and never by time."""
PREPARATIONS = {
    "fresh": "begin with no data files of an earlier trial",
    "fstrim": "trim the free space of the work directory's file system",
    "blkdiscard": "discard the whole device",
    "drop_caches": "write back and drop the page cache",
    "remount": "unmount and mount the device's file system again",
    "mkfs": "make a new file system on the device and mount it as the work directory",
}
"""Steps of `prepare`, done before every trial in the order given, not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steady:
    """When a series of trials counts as steady (SNIA's criterion, on the trials' own values)."""

    metric: str
    window: int = 5
    """Trials looked at together."""
    range: float = 0.2
    """Largest spread of the window about its mean, as a ratio of the mean."""
    slope: float = 0.1
    """Largest move of the best line through the window, as a ratio of the mean."""
    limit: int = 25
    """Trials after which a benchmark that is still not steady fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """`[storage]` of a profile."""

    device: str = ""
    """Name of a device in this machine's own allow-list; empty for files in the work directory."""
    filesystem: str = ""
    """`ext4`, `xfs`: made on the device for `prepare = ["mkfs"]`."""
    precondition: tuple[str, ...] = ()
    prepare: tuple[str, ...] = ()
    steady: Steady | None = None
    write_budget: float | None = None
    """Most bytes that one check or run of the profile may write; None where none was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedDevice:
    """One device that its owner gave to the gate, in a file outside every repository."""

    name: str
    """What profiles call it."""
    by_id: str
    """`/dev/disk/by-id/...`: a name that is bound to the drive, not to the order of finding."""
    endurance: float | None = None
    """Bytes that the drive is rated to take, where its owner says so."""
