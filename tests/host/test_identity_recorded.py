"""Recordings: what is played is what was read, and nothing in them names the machine."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from builders import HOST_CLASS, run_gate
from host.made import CPU, MACHINES, NVME, WORK, Made, server
from recorded_machine import RecordedMachine

from gate.formats.host.host_file import facts_of
from gate.formats.schemas import HostShowForm, schema_text
from gate.host.identity.identity import read_host
from gate.host.identity.recording import publishable_recording
from gate.linux.machine import MachineRecorder, ThisMachine

STABLE, EPOCH = facts_of("stable"), facts_of("epoch")

UUID = "0af1e5ad-87d4-4b0c-9bb5-a4a0b5ab4bde"
SECRETS = {
    UUID,
    UUID.replace("-", ""),
    *("lab7", "alice", "b0:7b:25:de:ad:01", "10000000abcdef01", "0133E8", "S64GNN0T1", "10.9.8.7"),
}


def recorded(machine, work=WORK):
    """The facts of a machine, and those of its recording, with that recording."""
    recorder = MachineRecorder(machine)
    host = read_host(work, machine=recorder)
    data = json.loads(json.dumps(publishable_recording(recorder, work, about="a", source="b")))
    return host, read_host(WORK, machine=RecordedMachine(data)), data


@pytest.mark.parametrize("name", MACHINES)
def test_a_recording_gives_the_same_facts(name):
    """Played back, a recording tells every tier as the machine itself did."""
    host, again, data = recorded(MACHINES[name]().machine())
    assert again == host
    assert set(data) == {"about", "source", "files", "links", "names", "commands"}


def test_a_recording_of_this_machine():
    """The machine that runs this test, recorded, is the same machine."""
    host, again, _ = recorded(ThisMachine(), Path.cwd())
    assert (again.stable, again.epoch) == (host.stable, host.epoch)


def test_a_recording_of_a_recording_is_the_same():
    """Nothing is lost or replaced a second time."""
    _, _, data = recorded(named().machine())
    assert recorded(RecordedMachine(data))[2] == data


def named():
    """A machine with names in everything that is read: volumes, mounts, cards, command line."""
    made = server()
    made.mounted = []
    cpuinfo = made.files["/proc/cpuinfo"]
    made.put(
        "/proc/cpuinfo", f"{cpuinfo}\nSerial\t\t: 10000000abcdef01\nidentification = 0133E8, \n"
    )
    made.put(
        "/proc/cmdline", f"BOOT_IMAGE=/v root=UUID={UUID} ip=10.9.8.7 hostname=lab7 ro quiet\n"
    )
    made.put("/proc/swaps", "Filename Type\n/home/alice/swap file 1 0\n/dev/zram0 partition 1 0\n")
    made.put("/proc/1/cgroup", f"0::/lab7/docker/{UUID.replace('-', '')}{'0' * 32}\n")
    del made.files["/proc/2/comm"]
    device = "/sys/devices/virtual/block/dm-0"
    made.block(device, "").put(f"{device}/dm/uuid", f"CRYPT-LUKS2-{UUID.replace('-', '')}-alice\n")
    made.links[f"{device}/slaves/nvme0n1p2"] = "/sys/class/block/nvme0n1p2"
    made.put("/dev/dm-0", "")
    made.links[f"/dev/mapper/luks-{UUID}"] = "/dev/dm-0"
    made.put(f"/sys/fs/btrfs/{UUID}/devices/dm-0/size", "1\n")
    made.mount(
        "0:40", "btrfs", f"/dev/mapper/luks-{UUID}", root="/@alice", options="rw,subvol=/@alice"
    )
    made.mount(
        "0:51", "nfs4", "lab7:/x", point="/lab7", id_=3, parent=1, options="rw,addr=10.9.8.7"
    )
    supply = "/sys/class/power_supply/hid-b0:7b:25:de:ad:01-battery"
    made.put(f"{supply}/type", "Battery\n").put(f"{supply}/status", "Full\n")
    made.commands["smartctl -j -A -n standby /dev/nvme0n1"] = json.dumps(
        {"serial_number": "S64GNN0T1", "temperature": {"current": 30}, "wwn": {"id": "S64GNN0T1"}}
    )
    return made


def test_a_recording_names_nobody():
    """Serial numbers, UUIDs, addresses, users, hosts and volumes are in the machine and not in it."""
    made = named()
    everything = repr((made.files, made.links, made.commands, made.mounted))
    assert {one for one in SECRETS if one not in everything} == set()
    host, again, data = recorded(made.machine())
    assert again == host
    assert host.stable["disk_model"] == "SAMSUNG MZQL2960"
    assert host.epoch["file_system"] == "btrfs, relatime, rw"
    assert {one for one in SECRETS if one.lower() in json.dumps(data).lower()} == set()
    assert {one for one in SECRETS if one.lower() in repr(host).lower()} == set()


def test_a_recording_keeps_only_the_mounts_that_decide():
    """Of all mounts, those below the work directory are kept, with paths of ours."""
    made = server().block("/sys/devices/virtual/block/loop3", "7:3")
    made.put("/sys/devices/virtual/block/loop3/loop/backing_file", "/home/alice/disk.img\n")
    made.mount("7:3", "ext4", "/dev/loop3", point="/srv/work", id_=2, parent=1)
    made.mount("0:51", "proc", "proc", point="/proc", id_=3, parent=1)
    _, _, data = recorded(made.machine())
    assert data["files"]["/proc/self/mountinfo"].splitlines() == [
        "1 0 7:3 / /srv/work rw,relatime,rw - ext4 /dev/loop3",
        "1 0 259:2 / /loop3 rw,relatime,rw,errors=remount-ro - ext4 /dev/nvme0n1p2",
    ]


def test_only_what_was_asked_is_recorded():
    """A file that no fact is read from is not in the recording, and no serial number is asked."""
    recorder = MachineRecorder(server().machine())
    read_host(WORK, machine=recorder)
    asked = {*recorder.files, *recorder.links, *recorder.listed}
    assert not [one for one in asked if "serial" in one or "uuid" in one or "hostname" in one]
    assert "/sys/class/net/eth0/address" not in asked


class Test_playing:  # noqa: N801 - a group of sentences
    """The machine that a recording makes, by the rules of links and directories."""

    data = {  # noqa: RUF012 - read by all
        "files": {f"{NVME}/size": "5\n", f"{NVME.rpartition('/')[0]}/model": "X\n", "/empty": ""},
        "links": {
            "/sys/dev/block/259:0": f"../../{NVME.removeprefix('/sys/')}",
            "/sys/block/nvme0n1": NVME,
            f"{NVME}/device": "../../nvme0",
            "/loop/a": "/loop/b",
            "/loop/b": "a",
            "/here": "/here",
        },
        "names": {"/listed": ["b", "a"]},
        "commands": {"lscpu -J": "{}"},
    }
    machine = RecordedMachine(data)

    def test_links_are_followed(self):
        """Relative and absolute ones, one after another, also in the middle of a path."""
        assert self.machine.real("/sys/dev/block/259:0") == NVME
        assert self.machine.text("/sys/dev/block/259:0/size") == "5\n"
        assert self.machine.text("/sys/block/nvme0n1/device/model") == "X\n"

    def test_what_is_not_there(self):
        """No text, no names, no real path; also where links go round in a circle."""
        assert self.machine.text("/gone") == ""
        assert self.machine.names("/gone") == ()
        assert self.machine.real("/gone") == ""
        assert self.machine.real("/loop/a") == ""
        assert self.machine.ask("lsblk", "-J") == ""

    def test_what_is_there(self):
        """Empty files and links to themselves are there; names are those listed and those read."""
        assert self.machine.real("/empty") == "/empty"
        assert self.machine.real("/here") == "/here"
        assert self.machine.names("/listed") == ("a", "b")
        assert self.machine.names("/sys/block/nvme0n1") == ("device", "size")
        assert self.machine.real("/") == "/"
        assert self.machine.ask("lscpu", "-J") == "{}"


def test_everything_is_asked_once():
    """Facts of one reading come from one look at each file, however many need it."""
    asked = []

    class Counting(RecordedMachine):
        def text(self, path):
            asked.append(path)
            return super().text(path)

    read_host(WORK, machine=Counting({"files": server().files}))
    assert "/proc/cpuinfo" in asked
    assert len(asked) == len(set(asked))


def test_this_machine_answers_like_a_recording(tmp_path):
    """Files, directories, links and programs of the real one, and its silence."""
    machine = ThisMachine()
    (tmp_path / "a").write_text("text\n", "utf-8")
    (tmp_path / "link").symlink_to("a")
    assert machine.text(str(tmp_path / "link")) == "text\n"
    assert machine.names(str(tmp_path)) == ("a", "link")
    assert machine.real(str(tmp_path / "link")) == os.path.realpath(tmp_path / "a")
    assert machine.text(str(tmp_path)) == ""
    assert machine.names(str(tmp_path / "gone")) == ()
    assert machine.ask("uname", "-m").strip() == os.uname().machine
    assert machine.ask("no-such-program") == machine.ask("false") == ""


def test_host_show_fits_80_columns(tmp_path):
    """Every fact in its tier, by name, `unknown` where nothing is told, on lines of 80 at most."""
    answer = run_gate(["host", "show"], cwd=tmp_path, env={"COLUMNS": "80"})
    assert answer.status == 0
    assert max(map(len, answer.out.splitlines())) <= 80
    assert answer.out.startswith(f"host class   {HOST_CLASS}\nfingerprint  sha256:")
    tiers = answer.out.split("\n\n")
    assert [one.partition(":")[0] for one in tiers[1:]] == ["stable", "epoch", "live"]
    for facts, tier in zip((STABLE, EPOCH), tiers[1:3], strict=True):
        assert {one for one in facts if f"\n  {one} " not in tier} == set()


def test_host_show_as_json_has_a_schema(tmp_path):
    """What `--json` prints is of the published form: no key too many, none too few."""
    answer = run_gate(["host", "show", "--json"], cwd=tmp_path)
    form = HostShowForm.model_validate_json(answer.out)
    assert form.stable == read_host(tmp_path).stable
    assert answer.json["schema"] == 1
    published_schema = json.loads(schema_text("host-show"))
    assert set(published_schema["required"]) == set(answer.json)


def test_host_show_records(tmp_path):
    """`--record` writes a new file, says that no serial number is in it, and never overwrites."""
    answer = run_gate(["host", "show", "--json", "--record", "machine.json"], cwd=tmp_path)
    assert answer.err == (
        "machine.json: what was read of this machine; no serial numbers, addresses or names.\n"
    )
    text = (tmp_path / "machine.json").read_text("utf-8")
    played = read_host(WORK, machine=RecordedMachine(json.loads(text)))
    assert played.stable == answer.json["stable"]
    again = run_gate(["host", "show", "--record", "machine.json"], cwd=tmp_path)
    assert (again.status, again.out) == (2, "")
    assert "error[G208]: machine.json: stands there already." in again.err
    assert (tmp_path / "machine.json").read_text("utf-8") == text


def test_a_recording_cannot_be_written_where_no_file_can_be(tmp_path):
    """A path that cannot be is an error before anything is shown."""
    (tmp_path / "file").write_text("", "utf-8")
    answer = run_gate(["host", "show", "--record", "file/machine.json"], cwd=tmp_path)
    assert (answer.status, answer.out) == (2, "")
    assert "file/machine.json" in answer.err


def test_hostile_recordings_end():
    """Links that lead up and around, and a work directory with dots, raise nothing."""
    made = Made().mount("8:1", "ext4", "/dev/sda1")
    made.links |= {"/sys/dev/block/8:1": "../../../..", "/": "/x", "/x": "/", f"{CPU}/cpu0": "."}
    assert made.read(Path("/a/../b")).stable["memory"] == "unknown"
