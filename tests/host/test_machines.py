"""Recorded machines: what each is said to be, checked by eye against its source."""

from __future__ import annotations

import itertools
import json
import re
import tomllib

import pytest
from host.recordings import EXPECTED, LARGEST, MACHINES, play, recording

from gate.formats.host.host_file import facts_of
from gate.formats.names import is_plain
from gate.model import UNKNOWN
from gate.text import NAMES_ONE

STABLE, EPOCH = facts_of("stable"), facts_of("epoch")

ONE_MACHINE = {frozenset({"desktop-kingston-nvme", "desktop-kingston-sata"})}
"""Recorded twice, with the work directory on another disk."""


_NAMING = re.compile(r"(serial|(?<!/dm/)uuid|wwid|address|asset_tag)$")
"""Files that name one machine or one part."""


def expected():
    return tomllib.loads(EXPECTED.read_text())


def test_every_recording_is_expected():
    """There are 35 recordings, each with its place in the table and nothing beside them."""
    assert sorted(expected()) == sorted(MACHINES)
    assert len(MACHINES) == 35


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_is_what_its_source_says(name):
    """Class, stable and epoch facts are those of the table; what it does not tell is unknown."""
    host, wanted = play(name), expected()[name]
    facts = host.stable | host.epoch
    assert host.host_class == wanted["class"]
    assert {k: v for k, v in host.stable.items() if v != UNKNOWN} == wanted["stable"]
    assert {k: v for k, v in host.epoch.items() if v != UNKNOWN} == wanted["epoch"]
    assert sorted(k for k, v in facts.items() if v == UNKNOWN) == sorted(wanted["unknown"])
    assert set(host.stable) == set(STABLE)
    assert set(host.epoch) == set(EPOCH)


def test_no_two_machines_are_one():
    """All 595 pairs of recordings differ in their fingerprints."""
    prints = {name: play(name).fingerprint for name in MACHINES}
    pairs = list(itertools.combinations(MACHINES, 2))
    assert len(pairs) == 595
    assert [pair for pair in pairs if prints[pair[0]] == prints[pair[1]]] == []


def test_classes_are_shared_only_where_a_name_cannot_tell():
    """Machines of one class by name are the desktop twice, and a virtual machine with other disks."""
    classes = {name: play(name).host_class for name in MACHINES}
    shared = {
        frozenset(pair)
        for pair in itertools.combinations(MACHINES, 2)
        if classes[pair[0]] == classes[pair[1]]
    }
    assert shared == ONE_MACHINE | {frozenset({"qemu-q35-nvme", "qemu-q35-sata"})}
    assert all(is_plain(one) for one in classes.values())


def test_every_kind_of_machine_is_there():
    """Bare metal, clouds, laptops, Arm, machines without DMI or cpufreq, and six kinds of disk."""
    hosts = {name: play(name) for name in MACHINES}
    virtual = [host.stable["virtualisation"] for host in hosts.values()]
    kinds = {host.stable["disk_kind"].split(",")[0] for host in hosts.values()}
    models = " ".join(host.stable["cpu_model"] for host in hosts.values())
    assert virtual.count("none") == 13
    assert {"google", "hyper-v", "kvm", "qemu", "vm"} <= set(virtual)
    assert {"nvme", "sata", "scsi", "virtio", "virtio scsi"} <= kinds
    assert {host.stable["architecture"] for host in hosts.values()} >= {"x86_64", "aarch64"}
    assert all(one in models for one in ("Intel", "AMD", "Arm", "RISC-V", "IBM/S390", "POWER7"))
    assert sum(host.epoch["governor"] == UNKNOWN for host in hosts.values()) >= 12
    assert sum(host.stable["system"] == UNKNOWN for host in hosts.values()) >= 12


@pytest.mark.parametrize("name", MACHINES)
def test_a_recording_names_its_source_and_no_machine(name):
    """Each has a source, fewer than 60 KiB, and no UUID, address, serial number or host name."""
    data, text = recording(name), (EXPECTED.parent / f"{name}.json").read_text()
    assert data["source"]
    assert data["about"]
    assert len(text) < LARGEST
    told = [one for one in re.findall(NAMES_ONE, text) if len(set(one) - set("0x:-")) > 1]
    assert told == []
    read = "\n".join([*data["files"].values(), *data["commands"].values()])
    assert (
        re.search(r"^Serial|identification =|hostname|\\bip=", read, re.MULTILINE | re.IGNORECASE)
        is None
    )
    paths = [*data["files"], *data.get("links", {})]
    assert [one for one in paths if _NAMING.search(one)] == []
    volumes = [text for path, text in data["files"].items() if path.endswith("/dm/uuid")]
    assert set(volumes) <= {"LVM-"}


def test_recordings_are_plain_json():
    """A recording holds only text: paths to text, to targets, to names, and commands to output."""
    for name in MACHINES:
        data = json.loads((EXPECTED.parent / f"{name}.json").read_text())
        keys = {"about", "source", "files", "links", "names", "commands"}
        assert set(data) <= keys
        for part in ("files", "links", "commands"):
            assert all(isinstance(one, str) for pair in data[part].items() for one in pair)
