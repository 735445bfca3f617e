"""The disk guard on real loop devices: what holds data or is in use is refused, with the reason."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from own_mounts import Loops, ask, bind, in_own_mounts, swap_on
from turns import MACHINE

from gate.errors import InputError
from gate.host.disk_guard import content
from gate.host.disk_guard.content import opened_by_others
from gate.host.disk_guard.guard import UNSEEN, Device, check_device, hold_device
from gate.linux.machine import ThisMachine
from gate.model import AllowedDevice

pytestmark = MACHINE

LEAST = 1 << 20
EXT4 = ("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0")


@pytest.fixture
def loops(tmp_path):
    with Loops(tmp_path) as made:
        yield made


def allowed(name, **more):
    return AllowedDevice(name=name, by_id=f"/dev/disk/by-id/test-{name}", **more)


def looked_at(loops, name, *, by_id=None, before=lambda: None, erase=None, **more):
    """What `check_device` says of a device that is allowed: the device, or code and words."""

    def look():
        before()
        try:
            one = allowed(name) if erase is None else allowed(name, erase=erase)
            return check_device(ThisMachine(), one, **{"least": LEAST} | more)
        except InputError as error:
            return error.code, error.message

    return in_own_mounts(look, by_id=by_id or loops.by_id)


def refusal(*args, **more):
    found = looked_at(*args, **more)
    assert not isinstance(found, Device), found
    return found


def test_an_empty_device_passes(loops):
    """A zeroed loop device is allowed, with its size and number, and nothing is said against it."""
    device = loops.make("good")
    found = looked_at(loops, "good")
    assert (found.path, found.size) == (device, 16 << 20)
    assert found.notes == ("first write to it: it is blank (all of it was read)", UNSEEN)
    assert found.number == f"7:{device.removeprefix('/dev/loop')}"
    assert found.sequence == ask("cat", f"/sys/block/{found.name}/diskseq")


def test_a_signature_is_refused_and_named(loops):
    """An unmounted ext4 holds data; one that the gate made itself does not."""
    device = loops.make("full")
    ask(*EXT4, device)
    assert refusal(loops, "full")[0] == "G252"
    assert "it holds a signature of ext4" in refusal(loops, "full")[1]
    uuid = ask("blkid", "-p", "-o", "value", "-s", "UUID", device)
    assert looked_at(loops, "full", ours=frozenset({uuid, allowed("full").by_id})).path == device
    assert refusal(loops, "full", ours=frozenset({"another"}))[0] == "G252"


def test_swap_in_use_and_out_of_use_is_refused(loops):
    """Swap is in use; switched off, its signature is still there."""
    device = loops.make("swap")
    swap_on(device)
    try:
        assert refusal(loops, "swap") == ("G251", said("swap", device, "it is swap"))
    finally:
        ask("swapoff", device)
    assert "it holds a signature of swap" in refusal(loops, "swap")[1]


def said(name, device, why):
    return f"the device {name} ({device}) must not be written: {why}."


def test_a_mounted_device_is_refused_also_by_another_name(loops, tmp_path):
    """A mount is seen through every link, and the place is named."""
    device = loops.make("mounted")
    ask(*EXT4, device)
    (tmp_path / "a place").mkdir()
    ask("mount", device, tmp_path / "a place")
    try:
        message = said("mounted", device, f"it is mounted on {tmp_path}/a place")
        assert refusal(loops, "mounted") == ("G251", message)
        other = {"test-other": "test-mounted", **loops.by_id}
        assert "(/dev/loop" in refusal(loops, "other", by_id=other)[1]
    finally:
        ask("umount", tmp_path / "a place")


def test_a_mount_in_another_namespace_is_found(loops, tmp_path):
    """Mounted where we do not see it: found among the mounts of the process that does."""
    device = loops.make("hidden")
    ask(*EXT4, device)
    (tmp_path / "m").mkdir()
    hide = f"mount {device} {tmp_path}/m && echo mounted && read _"
    with subprocess.Popen(
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", hide],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "mounted\n"
        assert refusal(loops, "hidden") == (
            "G251",
            said("hidden", device, f"it is mounted on {tmp_path}/m"),
        )
        process.communicate("\n")


def test_a_claim_that_nobody_shows_is_respected(loops):
    """Whoever holds the device for himself in the kernel is enough to refuse, seen or not."""
    device = loops.make("claimed")
    handle = os.open(device, os.O_RDONLY | os.O_EXCL)
    try:
        code, message = refusal(loops, "claimed")
    finally:
        os.close(handle)
    assert code == "G251"
    assert "the kernel refuses to claim it" in message


def test_a_process_that_has_it_open_is_named(loops):
    """A virtual machine or a database opens a raw device without claiming it."""
    device = loops.make("open")
    hold = f"stream = open({device!r}, 'rb'); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "open\n"
        code, message = refusal(loops, "open")
        process.communicate("\n")
    assert (code, f"process {process.pid} (" in message) == ("G251", True)
    assert "has it open" in message


CONTAINER = "this is a container: who else uses the device cannot be seen"
LOOK = """
from gate.errors import InputError
from gate.host.disk_guard.guard import check_device
from gate.linux.machine import ThisMachine
from gate.model import AllowedDevice
try:
    print(check_device(ThisMachine(), AllowedDevice(name="x", by_id={by_id!r}), least=1))
except InputError as error:
    print(error.code, error.message)
"""


def test_a_container_is_refused_as_it_shows_no_other_process(loops):
    """In a PID namespace nobody sees who outside of it has the device open: nothing is written."""
    device = loops.make("open")
    code = LOOK.format(by_id="/dev/disk/by-id/test-open")

    def look():
        inside = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", code]
        return subprocess.run(inside, check=True, capture_output=True, text=True).stdout.strip()

    message = f"the device x ({device}) must not be written: {CONTAINER}."
    with Path(device).open("rb"):
        assert in_own_mounts(look, by_id=loops.by_id) == f"G253 {message}"
    assert in_own_mounts(look, by_id=loops.by_id) == f"G253 {message}"


def test_processes_that_cannot_be_looked_at_are_reasons(loops):
    """Whoever may not see what others have open refuses, and says of whom."""
    number = Path(loops.make("open")).stat().st_rdev

    def look():
        os.setgroups([])
        os.setuid(65534)
        return [tuple(one[:2]) for one in opened_by_others(number)]

    words = f"what process {os.getpid()} has open cannot be seen: Permission denied"
    assert ("G253", words) in in_own_mounts(look, by_id={})


class Handle:
    """An open file that tells nothing of itself."""

    def __init__(self, path, error):
        self.path, self._error = str(path), error

    def stat(self):
        raise OSError(self._error, os.strerror(self._error))


@pytest.mark.parametrize(
    ("error", "target", "hidden"),
    [
        (errno.ENOENT, "/dev/sda", False),
        (errno.ESRCH, "/dev/sda", False),
        (errno.EACCES, "/run/user/1000/gvfs/file", False),
        (errno.EACCES, "/dev/sda", True),
        (errno.EIO, "/dev/sda", True),
        (errno.EACCES, None, False),
    ],
)
def test_an_open_file_that_tells_nothing_is_a_reason_unless_it_is_closed(
    error, target, hidden, tmp_path
):
    """Closed meanwhile, or a file of another user's file system, is none; a device is one."""
    if target:
        (tmp_path / "3").symlink_to(target)
    handle = Handle(tmp_path / "3", error)
    if not hidden:
        assert content._leads_to(handle, 1) is False
        return
    with pytest.raises(OSError, match=os.strerror(error)):
        content._leads_to(handle, 1)


def test_a_proc_that_hides_others_is_a_reason(monkeypatch):
    """Where process 1 is not listed, neither may be others that use the device."""
    monkeypatch.setattr(content.os, "scandir", lambda _: [])
    (found,) = opened_by_others(os.makedev(8, 0))
    assert (found.code, found.why.startswith("/proc hides other users' processes")) == (
        "G253",
        True,
    )


def test_a_locked_device_is_refused(loops):
    """udev and partition tools lock a device while they change it."""
    device = loops.make("locked")

    def lock():
        fcntl.flock(os.open(device, os.O_RDONLY), fcntl.LOCK_EX)

    code, message = refusal(loops, "locked", before=lock)
    assert (code, "another program has locked it" in message) == ("G251", True)


def test_partitions_are_refused_known_to_the_kernel_or_not(loops):
    """A table holds data, read by the kernel or not; a partition is no whole device."""
    device = loops.make("table")
    entry = struct.pack("<B3sB3sII", 0, bytes(3), 0x83, bytes(3), 2048, 8192)
    with Path(device).open("r+b") as stream:
        stream.write(bytes(446) + entry + bytes(48) + b"\x55\xaa")
    assert "it holds a signature of dos" in refusal(loops, "table")[1]
    ask("addpart", device, 1, 2048, 8192)
    try:
        name = device.removeprefix("/dev/")
        by_id = {**loops.by_id, "test-one": f"{device}p1"}
        message = said("table", device, f"it has partitions: {name}p1")
        assert refusal(loops, "table") == ("G252", message)
        code, message = refusal(loops, "one", by_id=by_id)
        assert (code, "it is a partition" in message) == ("G253", True)
    finally:
        ask("delpart", device, 1)


def test_a_spare_table_at_the_end_is_found(loops):
    """A disk whose beginning was overwritten is perhaps being rescued."""
    device = loops.make("spare")
    with Path(device).open("r+b") as stream:
        stream.seek(-512, os.SEEK_END)
        stream.write(b"EFI PART")
    assert "spare copy of a partition table" in refusal(loops, "spare")[1]


def test_loops_that_show_the_same_bytes_are_refused(loops):
    """A device shown by a loop, a file shown twice, and a part of a file are all refused."""
    device = loops.make("one")
    upper = loops.make("upper", file=device)
    name = upper.removeprefix("/dev/")
    assert refusal(loops, "one") == ("G251", said("one", device, f"it is in use by {name}"))
    loops.make("first")
    loops.make("second", file=loops.file("first"))
    assert "shows the same file" in refusal(loops, "first")[1]
    loops.make("part", options=("--offset", "1048576"))
    assert "it shows only a part of" in refusal(loops, "part")[1]


def test_the_same_file_by_another_name_is_found(loops, tmp_path):
    """A second loop over a hard link shows the same bytes under another path."""
    loops.make("first")
    os.link(loops.file("first"), tmp_path / "link.img")
    loops.make("second", file=tmp_path / "link.img")
    assert "shows the same file" in refusal(loops, "first")[1]


def test_read_only_small_and_gone_are_refused(loops):
    """A device must be writable, large enough, and there."""
    loops.make("fixed", options=("--read-only",))
    assert refusal(loops, "fixed")[0] == "G253"
    loops.make("small", "512K")
    code, message = refusal(loops, "small")
    assert (code, "it has 524.3 kB, and 1.049 MB are needed" in message) == ("G253", True)
    loops.make("lost")
    loops.file("lost").unlink()
    assert "cannot be found" in refusal(loops, "lost")[1]
    assert refusal(loops, "absent") == (
        "G250",
        "the device absent must not be written: no such device is here.",
    )


@pytest.mark.parametrize("target", ["/etc/passwd", "/dev/null", "/dev/loop-control", "/nowhere"])
def test_what_is_no_block_device_is_refused(loops, target):
    """A name that leads to a file, a character device or nothing is no device."""
    assert refusal(loops, "odd", by_id={"test-odd": target})[0] == "G250"


def test_a_disguised_node_is_found_out(loops, tmp_path):
    """A block node made elsewhere, or one whose name belongs to another device, is not taken."""
    device = loops.make("good")
    node = tmp_path / "node"
    os.mknod(node, 0o600 | 0o060000, Path(device).stat().st_rdev)
    assert refusal(loops, "odd", by_id={"test-odd": str(node)})[0] == "G250"
    other = loops.make("other")

    def disguise():
        bind(other, device)

    code, message = refusal(loops, "good", before=disguise)
    assert (code, "is not block device" in message) == ("G250", True)


def test_the_machines_own_disk_is_refused_in_any_case():
    """The device of / is refused as what the machine runs from, whatever else is said of it."""
    rows = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    root = next(row.split()[2] for row in rows if row.split()[4] == "/")
    device = f"/dev/{Path(f'/sys/dev/block/{root}').resolve().name}"

    def look():
        with pytest.raises(InputError) as caught:
            check_device(ThisMachine(), allowed("root"), least=0)
        return caught.value.code, caught.value.message

    code, message = in_own_mounts(look, by_id={"test-root": device})
    assert code == "G251"
    assert "it is a device that the machine itself runs from (/)" in message


def test_a_held_device_cannot_be_mounted_by_others(loops, tmp_path):
    """While it is held, mkfs and mount fail; afterwards it is free."""
    device = loops.make("good")

    def hold():
        found = check_device(ThisMachine(), allowed("good"), least=LEAST)
        with hold_device(found) as handle:
            os.pwrite(handle, b"x", 0)
            made = subprocess.run([*EXT4, device], capture_output=True, check=False)
        return made.returncode, made.stderr

    status, errors = in_own_mounts(hold, by_id=loops.by_id)
    assert status != 0
    assert b"in use by the system" in errors
    ask(*EXT4, device)


def test_a_device_that_changed_between_look_and_use_is_refused(loops):
    """Between check and use: a signature, another drive under the name, the same name anew."""
    loops.make("good")
    other = loops.make("other")

    def late(change):
        def look():
            found = check_device(ThisMachine(), allowed("good"), least=LEAST)
            change()
            try:
                with hold_device(found):
                    return "held"
            except InputError as error:
                return error.code, error.message

        return in_own_mounts(look, by_id=loops.by_id)

    def exchange():
        link = Path("/dev/disk/by-id/test-good")
        link.unlink()
        link.symlink_to(other)

    def replug():
        device = loops.devices["good"]
        ask("losetup", "--detach", device)
        until = time.monotonic() + 5
        while ask("losetup", "--list", "--noheadings", device) and time.monotonic() < until:
            time.sleep(0.05)
        ask("losetup", device, loops.file("good"))

    changed = "it became another device since it was looked at"
    assert late(lambda: None) == "held"
    assert late(exchange) == ("G250", said("good", other, changed))
    for _ in range(5):
        try:
            found = late(replug)
        except subprocess.CalledProcessError:  # somebody else took the number meanwhile
            del loops.devices["good"]
            loops.make("good")
        else:
            break
    device = loops.devices["good"]
    assert found == ("G250", said("good", device, changed))
    assert late(lambda: ask(*EXT4, device))[0] == "G252"


@pytest.mark.parametrize("tools", ["none", "broken"])
def test_a_device_that_cannot_be_examined_is_refused(loops, tmp_path, tools):
    """Without wipefs and blkid, or when one of them fails, nothing is written."""
    loops.make("good")
    (tmp_path / "false").write_text("#!/bin/sh\nexit 4\n", encoding="utf-8")
    (tmp_path / "false").chmod(0o755)

    def spoil():
        for program in ("wipefs", "blkid"):
            for place in ("/usr/sbin", "/usr/bin", "/sbin", "/bin"):
                path = Path(place, program)
                if path.exists() and tools == "broken":
                    bind(tmp_path / "false", path)
                elif path.exists():
                    (tmp_path / "plain").touch()  # no program: it may not be run
                    bind(tmp_path / "plain", path)

    code, message = refusal(loops, "good", before=spoil)
    assert code == "G253"
    expected = "neither wipefs nor blkid is installed" if tools == "none" else "cannot tell what"
    assert expected in message
