"""Readiness of the disk: room, link and wear, from recorded machines."""

from __future__ import annotations

import pytest
from host.readiness_machines import answers, changed, link, said, server

from gate.model.disturbance import Answer


@pytest.mark.parametrize(
    ("free", "size", "answer"),
    [
        ("50", "1000", "ok"),
        ("49", "1000", "off"),
        ("10", "100", "ok"),
        ("9", "100", "off"),
        ("1", "4", "ok"),
        ("0.9", "4", "off"),
    ],
)
def test_room_is_a_tenth_within_bounds(free, size, answer):
    """Wanted is a tenth of the file system, 50 GB at most and 1 GB at least (figures in GB)."""
    told = f"Avail 1B-blocks\n{float(free) * 1e9:.0f} {float(size) * 1e9:.0f}\n"
    full = changed(server(), commands={"df -B1 --output=avail,size /": told})
    found = answers(full)["free_space"]
    assert found.answer.value == answer
    assert bool(found.cure) == (answer == "off")


def test_the_room_of_a_directory_to_be_made_is_that_above_it():
    """A work directory that is not there yet is on the file system of the nearest one above."""
    assert answers(server(), work="/data/not/there")["free_space"].answer is Answer.OK


@pytest.mark.parametrize("silent", ["Unknown", "Unknown speed"])
def test_a_slot_that_does_not_know_what_it_could_proves_no_fallen_link(silent):
    """A drive below its own most is no loss where nobody says that the slot could do more."""
    drive = "/sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0"
    files = link(drive.rpartition("/")[0], now="8.0 GT/s PCIe", most=silent)
    files |= link(drive, now="8.0 GT/s PCIe", most="16.0 GT/s PCIe")
    found = answers(changed(server(), files))["disk_link"]
    assert (found.answer.value, found.value) == ("ok", "nvme0n1 8.0 GT/s x4")


def test_a_slow_slot_is_no_fallen_link():
    """A drive of 16 GT/s in a slot made for 8 GT/s is at its best, and ok."""
    port, drive = (f"/sys/devices/pci0000:00/0000:00:1d.0{x}" for x in ("", "/0000:03:00.0"))
    files = link(port, now="8.0 GT/s PCIe", most="8.0 GT/s PCIe")
    files |= link(drive, now="8.0 GT/s PCIe", most="16.0 GT/s PCIe")
    found = answers(changed(server(), files))["disk_link"]
    assert said(found) == ("ok", "nvme0n1 8.0 GT/s x4")


@pytest.mark.parametrize(("limit", "answer"), [("6.0 Gbps", "ok"), ("3.0 Gbps", "off")])
def test_a_sata_link_that_the_kernel_slowed_down_is_off(limit, answer):
    """A SATA link whose limit was lowered after errors is off; one at the port's limit is ok."""
    sda = "/sys/devices/pci0000:00/0000:00:17.0/ata2/host1/target1:0:0/1:0:0:0/block/sda"
    sata = changed(
        server(),
        {
            f"{sda}/dev": "8:0\n",
            f"{sda}/device/model": "ST4000NM0035\n",
            "/sys/class/ata_link/link2/sata_spd": f"{limit}\n",
            "/sys/class/ata_link/link2/sata_spd_limit": f"{limit}\n",
            "/sys/class/ata_link/link2/hw_sata_spd_limit": "6.0 Gbps\n",
            "/proc/self/mountinfo": "27 1 8:0 / / rw - ext4 /dev/sda rw\n",
        },
        links={"/sys/dev/block/8:0": sda, "/sys/class/block/sda": sda},
    )
    assert answers(sata)["disk_link"].answer.value == answer


@pytest.mark.parametrize(
    ("told", "answer", "value"),
    [
        ('{"percent_used": 97, "critical_warning": 0}', "off", "nvme0n1 97 % used"),
        ('{"percent_used": 3, "critical_warning": 4}', "off", "nvme0n1 3 % used, warning"),
        ('{"percentage_used": 3, "critical_warning": {"value": 0}}', "ok", "nvme0n1 3 % used"),
        ("[", "unknown", "not reported"),
    ],
)
def test_wear_is_what_the_drive_says(told, answer, value):
    """A drive beyond 90 % of its endurance or with a warning is off; nonsense is unknown."""
    worn = changed(server(), commands={"nvme smart-log -o json /dev/nvme0n1": told})
    assert said(answers(worn)["disk_wear"]) == (answer, value)


def test_wear_is_asked_of_smartctl_too():
    """Without nvme-cli, smartctl's JSON tells, of NVMe and of ATA drives; sleeping ones sleep on."""
    for told, value in (
        ('{"nvme_smart_health_information_log": {"percentage_used": 5}}', "nvme0n1 5 % used"),
        ('{"endurance_used": {"current_percent": 7}}', "nvme0n1 7 % used"),
    ):
        other = server()
        other["commands"] = {"smartctl -j -A -n standby -H /dev/nvme0n1": told}
        assert said(answers(other)["disk_wear"]) == ("ok", value)


def test_btrfs_is_found_by_the_source_of_its_mount():
    """A mount whose number is no device's is found by the device that it was mounted from."""
    btrfs = changed(
        server(),
        {"/proc/self/mountinfo": "27 1 0:31 /@ / rw - btrfs /dev/nvme0n1p2 rw\n"},
        links={"/dev/nvme0n1p2": "/dev/nvme0n1p2"},
    )
    assert answers(btrfs)["disk_link"].value == "nvme0n1 16.0 GT/s x4"


def test_the_disks_behind_a_loop_and_an_overlay_are_found():
    """The disk of an overlay's upper directory, in a file that a loop shows, is asked as another is."""
    loop = "/sys/devices/virtual/block/loop3"
    stacked = changed(
        server(),
        {
            "/proc/self/mountinfo": "27 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw\n"
            "28 27 7:3 / /a\\040b rw - ext4 /dev/loop3 rw\n"
            "29 27 0:40 / /work rw - overlay overlay rw,upperdir=/a\\040b/up\n",
            f"{loop}/loop/backing_file": "/images/one.img\n",
        },
        links={"/sys/dev/block/7:3": loop, "/work": "/work", "/a b/up": "/a b/up"},
    )
    assert said(answers(stacked, work="/work")["disk_wear"]) == ("ok", "nvme0n1 4 % used")
