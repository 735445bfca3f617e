"""The host of a session that measured on a device: its disk facts are those of the device."""

import json

import pytest
from lab import Lab, loop_device
from turns import MACHINE

from gate.formats.profile.profile_file import load_profiles
from gate.host.disk_guard.guard import Device
from gate.host.identity.identity import read_host
from gate.measure.process.stop import Stop
from gate.measure.setup import HostUse, prepare_run
from gate.measure.storage import state as measured_storage
from gate.model import AllowedDevice

pytestmark = MACHINE

SIZE = 400 << 20
PROFILE = """
expects = ["steal", "foreign_cpu", "foreign_io", "memory_pressure"]
harness = "fio"
job = "p.fio"
trials = { screen = 2 }
[metric.iops]
"""
RAW = "[j]\nfilename=${GATE_DEVICE}\nrw=randwrite\nbs=4k\nsize=4m\ndirect=1\n"
FILES = "[j]\nrw=write\nbs=64k\nsize=4m\n"


def measured(tmp_path, job, storage):
    """A session with such a storage, and one of files below the work directory."""
    with loop_device(tmp_path / "disk", SIZE) as device:
        lab = Lab(tmp_path, {"scratch": device})
        (tmp_path / "profiles").mkdir()
        for name, text, more in (("p", job, f"[storage]\n{storage}\n"), ("q", FILES, "")):
            (tmp_path / f"profiles/{name}.fio").write_text(text)
            profile = PROFILE.replace("p.fio", f"{name}.fio") + more
            (tmp_path / f"profiles/{name}.toml").write_text(profile)
        done = lab.gate("run", "p", "q", cwd=tmp_path)
    assert done.status == 0, done.err
    found = (tmp_path / f"reports/sessions/{name}-001.json" for name in "pq")
    return [json.loads(path.read_text()) for path in found]


@pytest.mark.parametrize(
    ("job", "storage", "made"),
    [
        (RAW, 'prepare = ["blkdiscard"]', "raw"),
        (FILES, 'filesystem = "ext4"\nprepare = ["mkfs", "drop_caches"]', "ext4"),
        (FILES, 'filesystem = "xfs"\nprepare = ["remount", "fstrim"]', "xfs"),
        (FILES, 'filesystem = "btrfs"\nprepare = ["mkfs"]', "btrfs"),
    ],
)
def test_the_drive_that_is_measured_is_described(tmp_path, job, storage, made):
    """The loop and what is made on it, not the disk of the work directory; the class is the same,
    and what the gate itself does to the device is no change of the host."""
    own, other = measured(tmp_path, job, f'device = "scratch"\n{storage}')
    stable, epoch = own["host"]["stable"], own["host"]["epoch"]
    assert stable["disk_kind"].startswith("loop")
    assert stable["disk_size"] == "0.4 GB (419430400 B)"
    assert (epoch["disk_layers"], epoch["file_system"]) == ("loop", made)
    assert other["host"]["stable"]["disk_size"] != stable["disk_size"]
    assert own["host"]["host_class"] == other["host"]["host_class"]
    assert own["disturbances"] == other["disturbances"] == []


def test_a_sitting_knows_the_facts_of_its_device(tmp_path, monkeypatch):
    """Before anything is written, and read again; the device is given as if all had been asked."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles/p.fio").write_text(FILES)
    profile = tmp_path / "profiles/p.toml"
    storage = '[storage]\ndevice = "scratch"\nfilesystem = "ext4"\n'
    profile.write_text(PROFILE + storage)
    (chosen,) = load_profiles([str(profile)], tmp_path)
    with loop_device(tmp_path / "disk", SIZE) as path:
        allowed = AllowedDevice(name="scratch", by_id="/dev/disk/by-id/test-scratch")
        device = Device(
            allowed=allowed, path=path, name=path[5:], number="7:0", sequence="", size=SIZE
        )
        monkeypatch.setattr(measured_storage, "allowed_device", lambda *_: allowed)
        monkeypatch.setattr(measured_storage, "check_device", lambda *_, **__: device)
        sitting = prepare_run(chosen, HostUse(work=tmp_path, stop=Stop(), tell=lambda _: None))
        again = sitting.reread()
    host, below = sitting.host, read_host(tmp_path)
    assert host.stable["disk_size"] == "0.4 GB (419430400 B)"
    assert (host.epoch["disk_layers"], host.epoch["file_system"]) == ("loop", "ext4")
    assert (again.stable, again.epoch, again.live) == (host.stable, host.epoch, {})
    assert host.host_class == below.host_class
    assert below.stable["disk_size"] != host.stable["disk_size"]
