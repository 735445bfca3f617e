"""What a held block device holds, and who else has it open: the looks that need the device itself.

A look that cannot be made is a reason too: what nobody could examine is not written.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import shutil
import stat
import struct
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.host.disk_guard.uses import Reason
from gate.linux.machine import ThisMachine
from gate.linux.mounts import unescape
from gate.linux.processes import in_container

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLKROGET, _BLKGETSIZE64, _BLKGETDISKSEQ = 0x125E, 0x80081272, 0x80081280
_LOOP_GET_STATUS64 = 0x4C05
_LOOP_STATUS = struct.Struct("=QQQ")
"""The first fields of `struct loop_info64`: the file's file system, inode, and device number."""
_LOOP_STATUS_SIZE = 232
_LOOP_MAJOR = 7
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_PATIENCE = 60.0
_NOTHING, _SECTORS, _GPT = 2, (512, 4096), b"EFI PART"
_SHOWN_IN = {"fd": "open", "map_files": "mapped"}
_RING, _REGISTERED = "anon_inode:[io_uring]", re.compile(r"^\s+\d+: (/.*)$", re.MULTILINE)
_GONE = {errno.ENOENT, errno.ESRCH}
_WIPE = "Look what it is; if it is not needed: wipefs --all {}"


def size_of(handle: int) -> int:
    """Bytes."""
    return int(struct.unpack("Q", fcntl.ioctl(handle, _BLKGETSIZE64, b"\0" * 8))[0])


def is_read_only(handle: int) -> bool:
    """Whether the kernel refuses writes to it."""
    return bool(struct.unpack("i", fcntl.ioctl(handle, _BLKROGET, b"\0" * 4))[0])


def sequence_of(handle: int) -> str:
    """The number that no other disk gets until the next boot; empty before Linux 5.15."""
    try:
        return str(struct.unpack("Q", fcntl.ioctl(handle, _BLKGETDISKSEQ, b"\0" * 8))[0])
    except OSError:
        return ""


def opened_by_others(number: int) -> Iterator[Reason]:
    """Processes that have the device open, and loops that show it or the same file as it does.

    Where not every process is seen, that is a reason: what it has open or mounted is not found.
    """
    if in_container():
        said = "this is a container: who else uses the device cannot be seen"
        yield Reason("G253", said, "Run the gate outside of containers.")
    processes = [one for one in os.scandir("/proc") if one.name.isdigit()]
    if all(one.name != "1" for one in processes):
        said = "/proc hides other users' processes: who else uses the device cannot be seen"
        yield Reason("G253", said, "Run the gate where /proc shows every process.")
    for entry in processes:
        if int(entry.name) != os.getpid():
            yield from _open_in(entry, number)
    yield from _shown_by_loops(number)


def _shown_by_loops(number: int) -> Iterator[Reason]:
    own = _loop_status(os.minor(number)) if os.major(number) == _LOOP_MAJOR else None
    for name in (one.name for one in Path("/sys/block").iterdir()):  # or else it raises
        minor = name.removeprefix("loop")
        if not name.startswith("loop") or not minor.isdigit():
            continue
        itself = (os.major(number), os.minor(number)) == (_LOOP_MAJOR, int(minor))
        other = None if itself else _loop_status(int(minor))
        if other is None:
            continue
        if other[2] == number and other[2] != 0:
            yield Reason("G251", f"{name} shows it", "Detach that loop.")
        elif own is not None and other[:2] == own[:2]:
            yield Reason("G251", f"{name} shows the same file", "Detach that loop.")


def _open_in(process: os.DirEntry[str], number: int) -> Iterator[Reason]:
    """What one process's open files say against the device: nothing, if it is gone meanwhile.

    A file that is mapped, or registered with io_uring, may be closed, and is written all the same.
    """
    try:
        found = ""
        for folder, how in _SHOWN_IN.items():
            with os.scandir(f"{process.path}/{folder}") as handles:
                found = found or (how if any(_leads_to(one, number) for one in handles) else "")
        with os.scandir(f"{process.path}/fd") as handles:
            if not found and any(_registers(process, one, number) for one in handles):
                found = "registered with io_uring"
    except OSError as error:
        # Init may seal itself, also from root; it opens no drives, and in a container, where it may
        # be anything, it does not come to this.
        if error.errno not in _GONE and process.name != "1":
            said = f"what process {process.name} has open cannot be seen: {error.strerror}"
            yield Reason("G253", said, "Run the gate as root, outside of containers.")
        return
    if found:
        command = ThisMachine().text(f"/proc/{process.name}/comm").strip() or "gone"
        said = f"process {process.name} ({command}) has it {found}"
        yield Reason("G251", said, "End that process, if it may be ended.")


def _leads_to(handle: os.DirEntry[str], number: int) -> bool:
    """Whether an open file is the device; raises OSError where nobody may know."""
    try:
        seen = handle.stat()
    except OSError as error:
        if error.errno in _GONE or _is_elsewhere(handle.path):
            return False  # closed meanwhile, or of no interest
        raise
    return _is_number(seen, number)


def _registers(process: os.DirEntry[str], handle: os.DirEntry[str], number: int) -> bool:
    """Whether this open file is a ring of io_uring with which the device is registered.

    The kernel shows paths, of whichever namespace, and none while the ring is busy.
    """
    try:
        if str(Path(handle).readlink()) != _RING:
            return False
        told = Path(process.path, "fdinfo", handle.name).read_text("utf-8", "replace")
    except OSError as error:
        if error.errno in _GONE:
            return False
        raise
    files = told.partition("\nUserFiles:")[2].partition("\nUserBufs:")[0]
    paths = [unescape(path) for path in _REGISTERED.findall(files)]
    places = {
        place
        for path in paths
        for place in (path, f"{process.path}/root{path}", f"/dev/{Path(path).name}")
    }
    return any(_is_device(place, number) for place in places)


def _is_device(place: str, number: int) -> bool:
    try:
        return _is_number(Path(place).stat(), number)
    except (OSError, ValueError):
        return False


def _is_number(seen: os.stat_result, number: int) -> bool:
    return stat.S_ISBLK(seen.st_mode) and seen.st_rdev == number


def _is_elsewhere(handle: str) -> bool:
    """Whether an open file that tells nothing lies outside /dev.

    A file system of another user (FUSE) answers only him, and has no devices. Where /proc itself
    refuses, the link cannot be read either.
    """
    try:
        return not str(Path(handle).readlink()).startswith("/dev/")
    except OSError as error:
        return error.errno in _GONE


def _loop_status(minor: int) -> tuple[int, int, int] | None:
    """File system and inode of a loop's file, and its number if it is a device."""
    try:
        handle = os.open(f"/dev/loop{minor}", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        raw = fcntl.ioctl(handle, _LOOP_GET_STATUS64, b"\0" * _LOOP_STATUS_SIZE)
    except OSError:
        return None  # nothing is set up on it
    finally:
        os.close(handle)
    device, inode, number = _LOOP_STATUS.unpack_from(raw)
    return int(device), int(inode), int(number)


def signatures(path: str, handle: int, ours: frozenset[str]) -> Iterator[Reason]:
    """File systems, tables, members of arrays, keys: everything that has a name, but for ours."""
    cure = _WIPE.format(path)
    looks = {"wipefs": _wipefs, "blkid": _blkid}
    there = {name: place for name in looks if (place := shutil.which(name, path=_PATH))}
    if not there:
        said = "nothing here can tell what it holds: neither wipefs nor blkid is installed"
        yield Reason("G253", said, "Install util-linux.")
    for name, program in there.items():
        try:
            found = [one for one in looks[name](program, path) if one[1] not in ours]
        except (OSError, ValueError, LookupError, TypeError, subprocess.SubprocessError) as error:
            said = f"{name} cannot tell what it holds: {error}"
            yield Reason("G253", said, f"Run `{name}` on {path} by hand to see why.")
            continue
        if found:
            kinds = ", ".join(dict.fromkeys(kind for kind, _ in found))
            yield Reason("G252", f"it holds a signature of {kinds}", cure)
            return
    if _has_spare_table(handle):
        yield Reason("G252", "its last sector holds the spare copy of a partition table", cure)


def _run(*argv: str) -> tuple[int, str]:
    done = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=_PATIENCE,
        check=False,
        env={"PATH": _PATH, "LC_ALL": "C.UTF-8"},
    )
    if done.returncode not in {0, _NOTHING}:
        message = f"status {done.returncode} {(done.stderr.strip() or done.stdout)[:200]}".strip()
        raise ValueError(message)
    return done.returncode, done.stdout


def _wipefs(program: str, path: str) -> list[tuple[str, str]]:
    """Kind and UUID of every signature."""
    status, said = _run(program, "--no-act", "--json", path)
    if status != 0:
        message = f"status {status}"
        raise ValueError(message)
    found: list[dict[str, Any]] = json.loads(said or '{"signatures": []}')["signatures"]
    return [(str(one["type"]), str(one.get("uuid") or "")) for one in found]


def _blkid(program: str, path: str) -> list[tuple[str, str]]:
    """Likewise; `blkid` ends with 2 where it found nothing, with 8 where it found too much."""
    status, said = _run(program, "-p", "-o", "export", path)
    facts = dict(one.split("=", 1) for one in said.splitlines() if "=" in one)
    if status == _NOTHING and not facts:
        return []
    found = [(facts[key], "") for key in ("PTTYPE",) if key in facts]
    found += [(facts["TYPE"], facts.get("UUID", ""))] if "TYPE" in facts else []
    return found or [("something that has no name", "")]


def _has_spare_table(handle: int) -> bool:
    """Whether a GPT's second header stands at the end, which is all that is left of some disks."""
    size = size_of(handle)
    return any(os.pread(handle, len(_GPT), size - one) == _GPT for one in _SECTORS if size > one)
