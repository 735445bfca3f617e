"""The disk guard on real NVMe drives, device-mapper, md and LVM, inside the virtual machine.

    tests/vm/boot.sh --disk nvme --disk nvme --disk nvme --disk nvme -- \\
        .venv/bin/python tests/vm/guard_in_vm.py [--record]

Prints each case and ends with 1 if one came out otherwise than expected. With --record it prints
what the guard read too, as the files of tests/data/block that tests/host/test_block_chain.py plays.
"""

from __future__ import annotations

import hashlib
import json
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from gate.errors import InputError
from gate.host.disk_guard.guard import check_device, hold_device
from gate.linux.machine import MachineRecorder, ThisMachine
from gate.model import AllowedDevice

DISKS = [f"nvme-QEMU_NVMe_Ctrl_GATE{number}" for number in range(4)]
PATHS = [str(Path("/dev/disk/by-id", one).resolve()) for one in DISKS]
OLD = ("/proc/self/mountinfo", "/proc/swaps", "/proc/cmdline")
wrong = 0


def say(*words: object) -> None:
    """A line of the answer."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def sh(command: str) -> None:
    """A shell command that must succeed, and what udev does after it."""
    subprocess.run(["bash", "-eo", "pipefail", "-c", f"{command}; udevadm settle"], check=True)


def case(name: str, by_id: str, code: str = "", words: str = "") -> None:
    """Look at a device, and compare what the guard says."""
    global wrong  # noqa: PLW0603 - a script
    recorder = MachineRecorder(ThisMachine())
    allowed = AllowedDevice(name="x", by_id=f"/dev/disk/by-id/{by_id}")
    try:
        check_device(recorder, allowed, least=1 << 20)
        got, said = "", "passed"
    except InputError as error:
        got, said = error.code, error.message
    fine = got == code and words in said
    wrong += not fine
    say("as expected" if fine else f"WRONG (expected {code} {words})", f"{name}: {got} {said}")
    if "--record" in sys.argv:
        kept = {
            path: text
            for path, text in recorder.files.items()
            if text and (not path.startswith("/proc/") or path in OLD)
        }
        data = {
            "about": name,
            "source": f"tests/vm/guard_in_vm.py, Linux {Path('/proc/sys/kernel/osrelease').read_text().strip()}",
            "by_id": allowed.by_id,
            "code": code,
            "words": words,
            "files": kept,
            "links": {path: real for path, real in recorder.links.items() if real},
            "names": {p: list(n) for p, n in recorder.listed.items() if n and p != "/proc"},
        }
        # What is written in the machine stays there: the record goes out as text.
        say("RECORD", f"{name.replace(' ', '-')}.json", json.dumps(data))


def partition(device: str) -> None:
    """A DOS table with one partition."""
    entry = struct.pack("<B3sB3sII", 0, bytes(3), 0x83, bytes(3), 2048, 65536)
    with Path(device).open("r+b") as stream:
        stream.write(bytes(446) + entry + bytes(48) + b"\x55\xaa")
    sh(f"blockdev --rereadpt {device}")


def digest(device: str) -> str:
    """A hash of every byte."""
    with Path(device).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def held_case() -> None:
    """While it is held, nobody else takes the device, and fio can write it."""
    global wrong  # noqa: PLW0603 - a script
    path = PATHS[3]
    device = check_device(
        ThisMachine(), AllowedDevice(name="x", by_id=f"/dev/disk/by-id/{DISKS[3]}"), least=1
    )
    before = digest(path)
    with hold_device(device):
        for command in (
            f"mkfs.ext4 -q {path}",
            f"mount -t ext4 {path} /mnt",
            f"pvcreate -q {path}",
            f"mdadm --create /dev/md1 --run --level=1 --force --raid-devices=1 {path}",
            f"dmsetup create x --table '0 2048 linear {path} 0'",
            f"mkswap {path} && swapon {path}",
        ):
            done = subprocess.run(command, shell=True, capture_output=True, check=False)
            wrong += done.returncode == 0
            say("refused" if done.returncode else "WRONG: done", command)
    same = digest(path) == before
    wrong += not same
    say("as expected" if same else "WRONG", "held: no byte changed by any of them")


def main() -> int:
    """Every case, each on what the one before left."""
    first, second, third, fourth = PATHS
    name = Path(first).name
    case("nvme empty", DISKS[0])
    sh(f"modprobe dm-mod; dmsetup create lin --table '0 65536 linear {first} 2048'")
    case("nvme under dm", DISKS[0], "G251", "it is in use by dm-0")
    case("dm linear alone", "dm-name-lin")
    sh(f"dmsetup create lin2 --table '0 65536 linear {first} 4096'")
    case("dm linear overlapped", "dm-name-lin", "G251", f"{name}, which it stands on, also carries")
    sh("dmsetup remove lin2; dmsetup remove lin")
    case("nvme free of dm", DISKS[0])
    sh(
        "modprobe raid1; mdadm --create /dev/md0 --run --level=1 --raid-devices=2 "
        f"--metadata=1.2 --name=a:m {first} {second} >/dev/null 2>&1"
    )
    case("nvme under md", DISKS[0], "G251", "it is in use by md0")
    case("md empty", "md-name-a:m")
    sh("mkfs.ext4 -q /dev/md0; mount /dev/md0 /mnt")
    case("md mounted", "md-name-a:m", "G251", "it is mounted on /mnt")
    case("nvme under mounted md", DISKS[1], "G251", "md0, which is on it, is mounted on /mnt")
    sh("umount /mnt; mdadm --stop /dev/md0 2>/dev/null")
    case("nvme of stopped md", DISKS[0], "G252", "linux_raid_member")
    sh(f"pvcreate -q {third}; vgcreate -q vg {third}")
    sh("lvcreate -q -n lv -L 64M vg; lvcreate -q -n lv2 -L 64M vg")
    case("nvme under lvm", DISKS[2], "G251", "it is in use by dm-0, dm-1")
    case("lv beside another", "dm-name-vg-lv", "G251", "also carries dm-1")
    sh("lvremove -qy vg/lv2")
    case("lv alone", "dm-name-vg-lv")
    sh("vgchange -qan vg")
    case("nvme of inactive lvm", DISKS[2], "G252", "LVM2_member")
    partition(fourth)
    case("nvme with partitions", DISKS[3], "G252", "it has partitions")
    case("a partition", f"{DISKS[3]}-part1", "G253", "it is a partition")
    sh(f"mkfs.ext4 -q {fourth}p1; mount {fourth}p1 /mnt")
    case("nvme with a mounted partition", DISKS[3], "G251", "which is on it, is mounted on /mnt")
    sh(f"umount /mnt; wipefs -aq {fourth}p1 {fourth}; blockdev --rereadpt {fourth}")
    case("nvme wiped", DISKS[3])
    sh(f"losetup /dev/loop0 {fourth}")
    case("nvme shown by a loop", DISKS[3], "G251", "it is in use by loop0")
    sh("losetup -d /dev/loop0")
    held_case()
    say(f"{wrong} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
