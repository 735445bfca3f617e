"""What a device stands on and carries, played from what a machine with real disks told.

The recordings of tests/data/block were made by tests/vm/guard_in_vm.py, each with what the guard
must say: device-mapper, md RAID 1 and LVM on NVMe drives, partitions, loops.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recorded_machine import RecordedMachine

from gate.errors import InputError
from gate.host.disk_guard.guard import examine_device
from gate.linux.block import chain
from gate.model import AllowedDevice

RECORDED = sorted((Path(__file__).parents[1] / "data" / "block").glob("*.json"))
SIGNATURES = ("linux_raid_member", "LVM2_member")
"""What only the device's own bytes tell, and no recording of /sys."""


def recorded(name):
    return json.loads((RECORDED[0].parent / f"{name}.json").read_text(encoding="utf-8"))


def refusal(data, by_id=None):
    """Code and words of the refusal; both empty where nothing was found."""
    allowed = AllowedDevice(name="x", by_id=by_id or data["by_id"])
    try:
        examine_device(RecordedMachine(data), allowed)
    except InputError as error:
        return error.code, error.message
    return "", ""


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_machine_is_judged_as_the_real_one_was(path):
    """19 states of four NVMe drives: refused with the reason, or let pass."""
    data = json.loads(path.read_text(encoding="utf-8"))
    code, message = refusal(data)
    if data["words"] in SIGNATURES:
        assert (code, message) == ("", "")
    else:
        assert (code, data["words"] in message) == (data["code"], True)


def test_there_are_as_many_recordings_as_cases():
    """None was lost."""
    assert len(RECORDED) == 19


def test_a_chain_is_walked_to_its_ends():
    """A drive carries its array, the array stands on both drives, each name once."""
    machine = RecordedMachine(recorded("md-mounted"))
    array = chain(machine, "md0")
    assert (array.below, array.above) == (("nvme0n1", "nvme1n1"), ())
    drive = chain(RecordedMachine(recorded("nvme-under-mounted-md")), "nvme1n1")
    assert drive.lost == ("nvme1n1", "md0")


def test_a_circle_ends():
    """Links that lead back, as no kernel makes them, do not hang the guard."""
    files = {f"/sys/class/block/{one}/dev": "1:1" for one in "ab"}
    links = {"/sys/class/block/a/slaves/b": "/x", "/sys/class/block/b/slaves/a": "/y"}
    machine = RecordedMachine({"files": files, "links": links})
    assert chain(machine, "a").below == ("b",)


DISK = "259:7"
"""The number of the drive in the machines that are changed below."""


def changed(data, path, line):
    """The same machine with one line more in a file, or another line in a file of one."""
    before = data["files"].get(path, "")
    text = before + line + "\n" if path.startswith("/proc/") else line + "\n"
    dev = "/sys/class/block/nvme0n1/dev"
    links = {f"/sys/dev/block/{DISK}": "/sys/devices/virtual/nvme-subsystem/nvme0n1"}
    uevent = {f"/sys/dev/block/{DISK}/uevent": "DEVNAME=nvme0n1\n"}
    files = data["files"] | uevent | {dev: DISK + "\n", path: text}
    return data | {"files": files, "links": data["links"] | links}


MOUNT = "90 20 {} / {} rw,relatime - {} {} rw"


@pytest.mark.parametrize(
    ("name", "path", "line", "code", "words"),
    [
        (
            "dm-linear-alone",
            "/proc/self/mountinfo",
            MOUNT.format("0:40", "/", "btrfs", "/dev/dm-0"),
            "G251",
            "it is a device that the machine itself runs from (/)",
        ),
        (
            "dm-linear-alone",
            "/proc/self/mountinfo",
            MOUNT.format(DISK, "/boot", "ext4", "/dev/x"),
            "G251",
            "it stands on nvme0n1, which is a device that the machine itself runs from (/boot)",
        ),
        (
            "nvme-empty",
            "/proc/self/mountinfo",
            MOUNT.format("0:44", "/mnt/a\\040b", "btrfs", "/dev/nvme0n1"),
            "G251",
            "it is mounted on /mnt/a b",
        ),
        ("nvme-empty", "/proc/7/mountinfo", MOUNT.format(DISK, "/x", "ext4", "/d"), "G251", "/x"),
        ("nvme-empty", "/proc/swaps", "F\n/dev/nvme0n1 partition 1 0 -2", "G251", "it is swap"),
        ("nvme-empty", "/proc/cmdline", "ro root=/dev/nvme0n1", "G251", "command line"),
        ("nvme-empty", "/sys/class/block/nvme0n1/hidden", "1", "G253", "the kernel hides it"),
        ("nvme-empty", "/sys/fs/btrfs/u/devices/nvme0n1/dev", DISK, "G251", "place of btrfs u"),
        (
            "nvme-empty",
            "/sys/kernel/config/nvmet/subsystems/s/namespaces/1/device_path",
            "/dev/nvme0n1",
            "G251",
            "it is exported to other machines as s",
        ),
    ],
)
def test_one_line_more_refuses(name, path, line, code, words):
    """A machine that passed is refused as soon as one file tells of a use."""
    data = recorded(name)
    assert refusal(data) == ("", "")
    found, message = refusal(changed(data, path, line))
    assert (found, words in message) == (code, True), message


def test_a_name_that_is_not_below_by_id_is_no_device():
    """Whatever a model holds: only names that stay with the drive are followed."""
    assert refusal(recorded("nvme-empty"), "/dev/nvme0n1")[0] == "G250"


def test_a_machine_that_tells_no_mounts_is_refused():
    """What cannot be seen is not taken for nothing."""
    data = recorded("nvme-empty")
    files = {one: text for one, text in data["files"].items() if "mountinfo" not in one}
    assert refusal(data | {"files": files})[0] == "G253"
