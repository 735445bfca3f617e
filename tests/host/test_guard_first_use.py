"""First use of a device: blank, or carrying the gate's own label; and who has it mapped."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from host.test_guard import EXT4, looked_at, refusal
from lab import Lab, loop_device
from measure.storage.test_device import RAW, project
from own_mounts import Loops, ask
from turns import MACHINE

from gate.host.disk_guard.guard import Device

pytestmark = MACHINE

MIB = 1 << 20
RING = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
ring = libc.syscall(425, 4, ctypes.create_string_buffer(120))
handle = os.open(sys.argv[1], os.O_RDWR)
assert ring >= 0 and libc.syscall(427, ring, 2, (ctypes.c_int * 1)(handle), 1) == 0
os.close(handle)
print("registered", flush=True)
input()
"""
MAPPED = """
import mmap, os, sys
handle = os.open(sys.argv[1], os.O_RDWR)
view = mmap.mmap(handle, 4096)
os.close(handle)
del handle
for fd in range(3, 100):
    try:
        if os.path.realpath(f"/proc/self/fd/{fd}").startswith("/dev/loop"):
            os.close(fd)  # mmap keeps a copy of the descriptor, C does not
    except OSError:
        pass
print("mapped", flush=True)
input()
view[0:4] = b"mine"
"""


@pytest.fixture
def loops(tmp_path):
    with Loops(tmp_path) as made:
        yield made


def test_a_process_that_has_it_mapped_is_named(loops):
    """The descriptor is closed, and the map still writes: the process is found all the same."""
    device = loops.make("mapped")
    with subprocess.Popen(
        [sys.executable, "-c", MAPPED, device],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "mapped\n"
        links = [os.path.realpath(one.path) for one in os.scandir(f"/proc/{process.pid}/fd")]
        assert device not in links
        code, message = refusal(loops, "mapped")
        process.communicate("\n")
    assert (code, f"process {process.pid} (" in message) == ("G251", True), message
    assert "has it mapped" in message


@pytest.mark.skipif(
    subprocess.run(
        [sys.executable, "-c", RING, "/dev/null"], capture_output=True, check=False, input=b"\n"
    ).returncode,
    reason="this kernel gives no ring of io_uring",
)
def test_a_process_that_has_it_registered_with_io_uring_is_named(loops):
    """The descriptor is closed, and the ring still writes: the kernel shows what stands in it."""
    device = loops.make("registered")
    with subprocess.Popen(
        [sys.executable, "-c", RING, device],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "registered\n"
        links = [os.path.realpath(one.path) for one in os.scandir(f"/proc/{process.pid}/fd")]
        assert device not in links
        code, message = refusal(loops, "registered")
        process.communicate("\n")
    assert (code, f"process {process.pid} (" in message) == ("G251", True), message
    assert "has it registered with io_uring" in message


def test_random_data_is_refused_until_its_owner_says_erase(loops):
    """Without a signature, and not the gate's: nobody but the owner knows what it is."""
    device = loops.make("noise")
    with Path(device).open("r+b") as stream:
        stream.write(random.Random(7).randbytes(MIB))
    code, message = refusal(loops, "noise")
    assert (code, "no signature belongs to" in message) == ("G252", True)
    found = looked_at(loops, "noise", erase=True)
    assert isinstance(found, Device)
    assert "will be lost" in found.notes[0]


@pytest.mark.parametrize("place", [5 * MIB + 4096, 2 * MIB - 512, 11 * MIB])
def test_a_few_bytes_in_the_middle_are_found(loops, place):
    """A small device is read whole: its two ends are not enough."""
    device = loops.make("middle")
    with Path(device).open("r+b") as stream:
        stream.seek(place)
        stream.write(b"precious")
    assert refusal(loops, "middle")[0] == "G252"


@pytest.mark.parametrize("size", ["64M", "6G"])
def test_ext4_without_its_beginning_is_known_by_a_backup(loops, size):
    """The first 8 KiB are gone, and `e2fsck -b` would bring all of it back."""
    device = loops.make("ext", size)
    ask(*EXT4, device)
    ask("dd", "if=/dev/zero", f"of={device}", "bs=4096", "count=2", "conv=fsync")
    assert "ext" not in ask("wipefs", "--no-act", device)
    code, message = refusal(loops, "ext")
    assert (code, "a spare superblock of ext2, ext3 or ext4" in message) == ("G252", True), message


@pytest.mark.skipif(shutil.which("mkfs.xfs") is None, reason="needs mkfs.xfs (xfsprogs)")
def test_the_realtime_device_of_an_unmounted_xfs_is_refused(loops, tmp_path):
    """It has no signature of its own, and holds the files."""
    data, realtime = loops.make("data", "320M"), loops.make("realtime", "64M")
    made = ["mkfs.xfs", "-q", "-f", "-d", "rtinherit=1", "-r", f"rtdev={realtime}", data]
    if subprocess.run(made, check=False, capture_output=True).returncode:
        pytest.skip("this mkfs.xfs makes no realtime device")
    (tmp_path / "m").mkdir()
    mounted = ["mount", "-t", "xfs", "-o", f"rtdev={realtime}", data, tmp_path / "m"]
    if subprocess.run(mounted, check=False, capture_output=True).returncode:
        pytest.skip("this kernel mounts no XFS with a realtime device")
    try:
        (tmp_path / "m/precious").write_bytes(b"\xa5" * (4 * MIB))
        assert refusal(loops, "realtime")[0] == "G251"
    finally:
        ask("umount", tmp_path / "m")
    assert refusal(loops, "realtime")[0] == "G252"


def test_the_first_write_is_told_and_the_second_run_knows_the_device(tmp_path):
    """A blank device gets the gate's label; what a run leaves on it is refused nowhere again."""
    with loop_device(tmp_path / "disk", 48 * MIB) as disk:
        lab = Lab(tmp_path, {"scratch": disk}, allow={"scratch": ""})
        root = project(tmp_path, RAW, 'device = "scratch"\n')
        first = lab.gate("run", "p", cwd=root)
        assert first.status == 0, first.err
        assert f"{disk}: first write" in first.err
        assert any((tmp_path / "disk").read_bytes()[: 8 * MIB])
        second = lab.gate("run", "p", cwd=root)
        assert second.status == 0, second.err
        assert "first write" not in second.err
        with Path(disk).open("r+b") as stream:
            stream.write(b"somebody else's" * 100)
        third = lab.gate("run", "p", cwd=root)
        assert third.status == 2, third
        assert "error[G252]" in third.err
