"""From a directory down to the disks: mounts, partitions, volumes, RAID, loops, overlays."""

from __future__ import annotations

from pathlib import Path

import pytest
from host.made import ATA, NVME, WORK, Made, server

from gate.linux.mounts import mounts_carrying
from gate.model import UNKNOWN

SECOND = NVME.replace("03:00.0/nvme/nvme0/nvme0n1", "04:00.0/nvme/nvme1/nvme1n1")
MADE_UP = "/sys/devices/virtual/block"


def stacked(name, *below, uuid="", level=""):
    """A machine whose work directory lies on a made-up device above other ones."""
    made = Made().block(f"{MADE_UP}/{name}", "253:0").mount("253:0", "xfs", f"/dev/{name}")
    for one in below:
        made.links[f"{MADE_UP}/{name}/slaves/{one}"] = f"/sys/class/block/{one}"
    if uuid:
        made.put(f"{MADE_UP}/{name}/dm/uuid", f"{uuid}\n")
    if level:
        made.put(f"{MADE_UP}/{name}/md/level", f"{level}\n")
    return made


def test_a_raid_of_two_alike():
    """Both disks are named, as two of a kind; the RAID itself is an epoch fact."""
    made = stacked("md0", "nvme0n1p2", "nvme1n1p2", level="raid1").nvme(number="").nvme(SECOND, "")
    host = made.read()
    assert host.stable["disk_model"] == "2 x SAMSUNG MZQL2960"
    assert host.stable["disk_link"] == "2 x 8 GT/s x4"
    assert host.epoch["disk_layers"] == "raid1"
    assert host.epoch["disk_scheduler"] == "none"


def test_a_raid_of_two_kinds():
    """Disks that differ are both named, whichever stands first."""
    first = stacked("md0", "nvme0n1p2", "nvme1n1p2").nvme(number="").nvme(SECOND, "", "Micron")
    other = (
        stacked("md0", "nvme1n1p2", "nvme0n1p2").nvme(SECOND, "").nvme(number="", model="Micron")
    )
    assert first.read().stable["disk_model"] == "Micron + SAMSUNG MZQL2960"
    assert first.read().stable == other.read().stable


def test_a_volume_on_an_encrypted_partition():
    """LVM on LUKS on a partition of one disk: the disk is the identity, the layers are told."""
    made = (
        stacked("dm-1", "dm-0", uuid="LVM-pqQzCjYzX0a9")
        .block(f"{MADE_UP}/dm-0", "")
        .nvme(number="")
    )
    made.put(f"{MADE_UP}/dm-0/dm/uuid", "CRYPT-LUKS2-0af1e5ad87d44b0c9bb5a4a0b5ab4bde-root\n")
    made.links[f"{MADE_UP}/dm-0/slaves/nvme0n1p2"] = "/sys/class/block/nvme0n1p2"
    host = made.read()
    assert host.stable["disk_model"] == "SAMSUNG MZQL2960"
    assert host.epoch["disk_layers"] == "lvm, crypt"
    assert "0af1e5ad" not in repr(host)


def test_paths_of_one_nvme_disk():
    """An NVMe disk with several controllers tells its link by each of them."""
    head = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1"
    subsystem = head.rpartition("/")[0]
    made = Made().block(head, "259:0").mount("259:0", "xfs", "/dev/nvme0n1")
    made.links[f"{head}/device"] = subsystem
    made.put(f"{subsystem}/model", "MZWLJ\n").put(f"{subsystem}/firmware_rev", "EPK9\n")
    for i in range(2):
        slot = f"/sys/devices/pci0000:00/0000:0{i}:00.0"
        made.links[f"{subsystem}/nvme{i}"] = f"{slot}/nvme/nvme{i}"
        made.links[f"{slot}/nvme/nvme{i}/device"] = slot
        made.put(f"{slot}/max_link_speed", "16.0 GT/s PCIe\n").put(f"{slot}/max_link_width", "2\n")
    stable = made.read().stable
    assert (stable["disk_model"], stable["disk_firmware"]) == ("MZWLJ", "EPK9")
    assert stable["disk_link"] == "2 x 16 GT/s x2"


def test_nvme_over_a_network():
    """A disk that is reached over a network says so, and has no slot."""
    made = server().put(f"{NVME.rpartition('/')[0]}/transport", "tcp\n")
    assert made.read().stable["disk_kind"] == "nvme over tcp, solid state"


@pytest.mark.parametrize(
    ("speed", "width"), [("Unknown", "4"), ("16.0 GT/s PCIe", "0"), ("16.0 GT/s PCIe", "255"), ("", "")]
)  # fmt: skip
def test_a_link_that_the_slot_does_not_tell(speed, width):
    """What one end does not tell is left to the other; where neither tells it is unknown."""
    made = server()
    device = NVME.partition("/nvme/")[0]
    port = device.rpartition("/")[0]
    made.put(f"{device}/max_link_speed", speed).put(f"{device}/max_link_width", width)
    assert made.read().stable["disk_link"] in {"8 GT/s x4", "8 GT/s x16"}
    made.put(f"{port}/max_link_speed", speed).put(f"{port}/max_link_width", width)
    assert made.read().stable["disk_link"] == UNKNOWN


def test_older_kernels_say_the_link_in_other_words():
    """`8 GT/s` of an older kernel and `8.0 GT/s PCIe` of a newer one are one fact."""
    made = server()
    slot = NVME.partition("/nvme/")[0]
    made.put(f"{slot}/max_link_speed", "8 GT/s\n")
    old = made.read().stable
    assert old == made.put(f"{slot}/max_link_speed", "8.0 GT/s PCIe\n").read().stable


def test_a_sata_disk():
    """The port's speed at best is the link; the one it now has is live."""
    host = Made().sata(rotational="1").mount("8:1", "ext4", "/dev/sda1").read()
    assert host.stable["disk_kind"] == "sata, rotating"
    assert host.stable["disk_link"] == "6.0 Gbit/s"
    assert host.live["disk_link_now"] == "3.0 Gbit/s"


@pytest.mark.parametrize(
    ("directory", "kind"),
    [
        ("/sys/devices/pci0/virtio1/block/vda", "virtio"),
        ("/sys/devices/pci0/virtio2/host0/target0:0:0/0:0:0:1/block/sda", "virtio scsi"),
        ("/sys/devices/pci0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb", "usb"),
        ("/sys/devices/LNXSYSTM:00/VMBUS:01/x/host0/target0:0:0/0:0:0:0/block/sda", "scsi"),
        ("/sys/devices/pci0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/block/sda", "sas"),
        ("/sys/devices/platform/soc/1d84000.ufshc/host0/target0:0:0/0:0:0:0/block/sda", "ufs"),
        ("/sys/devices/vbd-51712/block/xvda", "xen"),
        ("/sys/devices/virtual/block/zram0", "zram"),
        ("/sys/devices/virtual/block/loop7", "loop"),
        ("/sys/devices/virtual/block/ram1", "ram"),
        ("/sys/devices/ndbus0/region0/namespace0.0/block/pmem0", "pmem"),
        ("/sys/devices/css0/0.0.0000/0.0.e900/block/dasda", "dasd"),
    ],
)
def test_kinds_of_disks(directory, kind):
    """How the disk is attached, without the letter or number that it happened to get."""
    made = Made().block(directory, "8:0").mount("8:0", "ext4", "/dev/disk")
    stable = made.read().stable
    assert stable["disk_kind"] == f"{kind}, solid state"
    assert stable["disk_model"] == UNKNOWN


def test_a_scsi_disk_is_named_with_its_maker():
    """Azure, VMware and SAS disks go by maker and model."""
    made = server()
    place = "/sys/devices/vmbus/host0/target0:0:0/0:0:0:0/block/sda"
    made.block(place, "8:0").put(f"{place}/device/vendor", "Msft    \n")
    made.put(f"{place}/device/model", "Virtual Disk    \n").put(f"{place}/device/rev", "1.0 \n")
    made.mounted = []
    stable = made.mount("8:0", "xfs", "/dev/sda").read().stable
    assert (stable["disk_model"], stable["disk_firmware"]) == ("Msft Virtual Disk", "1.0")


def test_btrfs_has_a_number_of_its_own():
    """The devices of btrfs go by name; all members of the file system count."""
    made = Made().nvme(number="").nvme(SECOND, "", "Micron")
    made.links["/dev/mapper/data"] = "/dev/nvme0n1p2"
    made.put("/dev/nvme0n1p2", "")
    options = "rw,ssd,subvolid=256,subvol=/@work"
    made.mount("0:40", "btrfs", "/dev/mapper/data", options=options, root="/@work")
    host = made.read()
    assert host.stable["disk_model"] == "SAMSUNG MZQL2960"
    assert host.epoch["file_system"] == "btrfs, relatime, rw, ssd"
    for uuid, members in {
        "11111111-0000-4000-8000-000000000001": ("sdz",),
        "11111111-0000-4000-8000-000000000002": ("nvme0n1p2", "nvme1n1p2"),
    }.items():
        for one in members:
            made.put(f"/sys/fs/btrfs/{uuid}/devices/{one}/size", "1\n")
    assert made.read().stable["disk_model"] == "Micron + SAMSUNG MZQL2960"


def test_several_sources():
    """A file system that names all its devices is on all of them."""
    made = Made().nvme(number="").nvme(SECOND, "")
    made.mount("0:41", "bcachefs", "/dev/nvme0n1p2:/dev/nvme1n1p2")
    assert made.read().stable["disk_model"] == "2 x SAMSUNG MZQL2960"


@pytest.mark.parametrize("kind", ["tmpfs", "ramfs"])
def test_memory_is_no_disk(kind):
    """A directory in memory has no disk, which is known, and not unknown."""
    made = server().mount("0:30", kind, kind, point="/srv/work", id_=2, parent=1, options="size=9k")
    host = made.read()
    disk = {name: value for name, value in host.stable.items() if name.startswith("disk_")}
    assert disk.pop("disk_kind") == kind
    assert set(disk.values()) == {"no disk"}
    assert host.epoch["disk_scheduler"] == "no disk"
    assert host.epoch["file_system"] == f"{kind}, relatime, rw"
    assert host.live["disk_wear"] == "no disk"


def test_a_network_file_system():
    """The disks of a server are unknown; neither its name nor its address is told."""
    made = server()
    options = "rw,vers=4.2,addr=10.0.0.9,clientaddr=10.0.0.4"
    made.mount("0:31", "nfs4", "files.lab:/home", point="/srv", id_=2, parent=1, options=options)
    host = made.read()
    assert host.stable["disk_kind"] == "nfs4"
    assert host.stable["disk_model"] == UNKNOWN
    assert host.epoch["file_system"] == "nfs4, relatime, rw, vers=4.2"


def test_an_overlay_stands_on_another_mount():
    """What an overlay writes goes to its upper directory, whose disk counts."""
    made = server().mount(
        "0:50", "overlay", "overlay", point="/srv", id_=2, parent=1,
        options="rw,lowerdir=/a:/b,upperdir=/var/lib/up,workdir=/var/lib/wk",
    )  # fmt: skip
    host = made.read()
    assert host.stable == server().read().stable
    told = "overlay, relatime, rw; ext4, errors=remount-ro, relatime, rw"
    assert host.epoch["file_system"] == told


def test_an_overlay_on_itself_ends():
    """Overlays that go round in a circle are an unknown disk, and no endless loop."""
    made = Made().mount("0:50", "overlay", "overlay", options="rw,upperdir=/up")
    assert made.read().stable["disk_model"] == UNKNOWN


@pytest.mark.parametrize("file", ["/var/images/disk.img", "/dev/nvme0n1p2"])
def test_a_loop_stands_on_a_file_or_a_device(file):
    """The disk of a loop is that of the file or the device which it shows."""
    made = server().block(f"{MADE_UP}/loop3", "7:3")
    made.put("/dev/nvme0n1p2", "").put(f"{MADE_UP}/loop3/loop/backing_file", f"{file}\n")
    host = made.mount("7:3", "ext4", "/dev/loop3", point="/srv/work", id_=2, parent=1).read()
    assert host.stable == server().read().stable
    assert host.epoch["disk_layers"] == "loop"


def test_a_loop_whose_file_is_nowhere():
    """A loop that shows what cannot be found, or itself, is its own disk."""
    for file in ("/gone (deleted)", "/srv/work/itself.img"):
        made = (
            Made().block(f"{MADE_UP}/loop3", "7:3").mount("7:3", "ext4", "/dev/loop3", point="/srv")
        )
        made.put(f"{MADE_UP}/loop3/loop/backing_file", f"{file}\n")
        assert made.read().stable["disk_kind"] == "loop, solid state"


def test_devices_that_stand_on_each_other():
    """Devices that name each other as their parts are an unknown disk, and no endless loop."""
    made = stacked("dm-0", "dm-1").block(f"{MADE_UP}/dm-1", "")
    made.links[f"{MADE_UP}/dm-1/slaves/dm-0"] = "/sys/class/block/dm-0"
    assert made.read().stable["disk_model"] == UNKNOWN


MOUNTS = [
    "20 1 8:1 / / rw - ext4 /dev/sda1 rw",
    "21 20 8:2 / /srv rw - ext4 /dev/sda2 rw",
    "22 21 8:3 / /srv/work rw - ext4 /dev/sda3 rw",
    "23 20 8:4 / /srv2 rw - ext4 /dev/sda4 rw",
    "24 21 8:5 / /srv/a\\040b rw - ext4 /dev/sda5 rw",
    "25 23 8:6 / /srv2 rw - ext4 /dev/sda6 rw",
    "26 20 8:7 / /deep/er rw - ext4 /dev/sda7 rw",
    "27 20 8:8 / /deep rw - ext4 /dev/sda8 rw",
    "a line of another form",
    "28 20 8:9 / /short rw - ext4",
]


@pytest.mark.parametrize(
    ("work", "device"),
    [
        ("/srv/work/x/y", "8:3"),
        ("/srv/workshop", "8:2"),
        ("/srv/a b", "8:5"),
        ("/home", "8:1"),
        ("/srv2/x", "8:6"),
        ("/deep/er/x", "8:8"),
        ("/short/x", "8:1"),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_the_mount_of_a_directory(work, device, order):
    """The deepest mount that is not hidden by a later one above it, in whatever order they stand."""
    made = Made()
    made.mounted = MOUNTS[::order]
    assert [one.device for one in mounts_carrying(made.machine(), Path(work))] == [device]


def test_a_directory_that_is_not_there_yet():
    """The disk of a directory that will be made is that of its nearest parent, links followed."""
    made = server()
    made.links["/srv/link"] = "/mnt/data"
    made.mount("8:1", "ext4", "/dev/sda1", point="/mnt", id_=2, parent=1).sata(ATA)
    assert made.read(Path("/srv/link/to/be/made")).stable["disk_model"] == "ST4000NM0035-1V4"
    assert made.read(WORK / "to/be/made").stable["disk_model"] == "SAMSUNG MZQL2960"


def test_no_mounts_at_all():
    """Where the mounts cannot be read the disk is unknown."""
    made = server()
    made.mounted = []
    assert made.read().stable["disk_model"] == UNKNOWN


def test_a_device_that_is_measured_itself():
    """Every disk fact is that of the device, and not of the disk below the work directory."""
    made = server().nvme(SECOND, "259:9", "Micron 7450", partition="", sectors="2000")
    made.put(f"{SECOND}/queue/scheduler", "none [kyber]\n")
    made.put(f"{SECOND}/queue/write_cache", "write through\n")
    sensor = f"{SECOND.rpartition('/')[0]}/hwmon3/temp1_input"
    made.put(sensor, "61000\n")
    log = '{"percentage_used": 7}'
    made.commands["nvme smart-log -o json /dev/nvme1n1"] = log
    below, raw = made.read(), made.read(device="/dev/nvme1n1")
    assert below.stable["disk_model"] == "SAMSUNG MZQL2960"
    assert raw.stable["disk_model"] == "Micron 7450"
    assert raw.stable["disk_size"] == "0.0 GB (1024000 B)"
    assert raw.epoch["disk_scheduler"] == "kyber"
    assert raw.epoch["disk_write_cache"] == "write through"
    assert raw.epoch["disk_layers"] == "none"
    assert raw.epoch["file_system"] == "raw"
    assert raw.live["disk_temperature"] == "61 °C"
    assert raw.live["disk_wear"] == "7 % of its rated writes"
    others = [{k: v for k, v in one.stable.items() if "disk" not in k} for one in (below, raw)]
    assert others[0] == others[1]
    assert raw.host_class == below.host_class
    on = made.read(device="/dev/nvme1n1", filesystem="xfs", live=False)
    assert (on.stable, on.live) == (raw.stable, {})
    assert on.epoch == raw.epoch | {"file_system": "xfs"}


def test_a_volume_that_is_measured_itself():
    """The disks below a volume are its identity; those of the work directory are not named."""
    made = stacked("dm-7", "nvme1n1", uuid="LVM-pqQzCjYzX0a9").nvme(SECOND, "", "Micron 7450")
    made.links["/dev/mapper/fast-scratch"] = "/dev/dm-7"
    made.mounted = []
    host = made.mount("8:1", "ext4", "/dev/sda1").sata().read(device="/dev/mapper/fast-scratch")
    assert host.stable["disk_model"] == "Micron 7450"
    assert host.epoch["disk_layers"] == "lvm"


def test_a_device_that_is_gone_is_unknown():
    """Nothing is told of the work directory's disk in the place of a device that is not there."""
    host = server().read(device="/dev/nvme9n1")
    disk = [one for one in host.stable if one.startswith("disk_")]
    assert {host.stable[one] for one in disk} == {UNKNOWN}
    assert host.epoch["disk_scheduler"] == UNKNOWN
