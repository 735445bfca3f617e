"""Who a machine is, from made-up machines: stable facts, and the class that they make."""

from __future__ import annotations

import os
import re
import string
from pathlib import Path

import pytest
from host.made import AMD, ARM, CPU, INTEL, LIVE, MACHINES, NVME, XEON, Made, arm_server, server
from hypothesis import given
from hypothesis import strategies as st

from gate.cli.options import _HOST_CLASS
from gate.formats.host.host_file import facts_of
from gate.formats.names import is_plain
from gate.host.identity.identity import boot_id, class_name, read_host
from gate.model import UNKNOWN

STABLE, EPOCH = facts_of("stable"), facts_of("epoch")

EXPECTED = {
    "server": {
        "architecture": "x86_64",
        "cpu_model": "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz (family 6 model 106 stepping 6)",
        "cpu_sockets": "2",
        "cpu_cores": "4",
        "cpu_threads": "8",
        "numa_nodes": "2",
        "memory": "128 GiB",
        "virtualisation": "none",
        "container": "none",
        "system": "Dell Inc. PowerEdge R650",
        "board": "Dell Inc. 0PYXKY",
        "disk_model": "SAMSUNG MZQL2960",
        "disk_firmware": "GDC5902Q",
        "disk_kind": "nvme, solid state",
        "disk_size": "512.1 GB (512110190592 B)",
        "disk_lba": "512 B logical, 4096 B physical",
        "disk_link": "8 GT/s x4",
    },
    "cloud": {
        "cpu_cores": "2",
        "cpu_threads": "4",
        "memory": "16 GiB",
        "virtualisation": "vm",
        "container": "none",
        "system": UNKNOWN,
        "board": UNKNOWN,
        "disk_model": UNKNOWN,
        "disk_firmware": UNKNOWN,
        "disk_kind": "virtio, rotating",
        "disk_link": UNKNOWN,
    },
    "arm_server": {
        "cpu_model": "Arm 0x41 part 0xd0c variant 0x3 revision 1",
        "cpu_threads": "64",
        "memory": "256 GiB",
        "virtualisation": "none",
        "system": "GIGABYTE R272-P30-JG",
        "disk_model": "ST4000NM0035-1V4",
        "disk_firmware": "TN02",
        "disk_kind": "sata, solid state",
        "disk_link": "6.0 Gbit/s",
    },
    "board": {
        "cpu_model": "Arm 0x41 part 0xd05 variant 0x3 revision 1"
        " + Arm 0x41 part 0xd0c variant 0x3 revision 1",
        "cpu_threads": "6",
        "virtualisation": "none",
        "system": "Raspberry Pi 9 Model X",
        "disk_model": "SN64G",
        "disk_firmware": "0x8600",
        "disk_kind": "mmc, solid state",
    },
    "laptop": {"cpu_cores": "12", "cpu_threads": "16", "cpu_sockets": "1"},
    "container": {
        "cpu_sockets": UNKNOWN,
        "cpu_cores": UNKNOWN,
        "cpu_threads": "2",
        "memory": "24 GiB",
        "virtualisation": "vm",
        "container": "docker",
        "disk_model": UNKNOWN,
        "disk_kind": "overlay",
    },
    "nothing": dict.fromkeys(STABLE, UNKNOWN),
}
CLASSES = {
    "server": "bm-intel-xeon-gold-6338-8t-128g",
    "cloud": "vm-amd-epyc-7r13-4t-16g",
    "arm_server": "bm-gigabyte-r272-p30-jg-64t-256g",
    "board": "bm-raspberry-pi-9-model-x-6t-4g",
    "laptop": "bm-12th-gen-intel-core-i7-1260p-16t-16g",
    "container": "ct-amd-epyc-7r13-2t-24g",
    "nothing": "hw-unknown-unknown-unknown",
}


@pytest.mark.parametrize("name", MACHINES)
def test_each_machine_reads_as_it_is(name):
    """Every kind of machine gives its facts, and `unknown` for what it does not tell."""
    host = MACHINES[name]().read()
    assert {fact: host.stable[fact] for fact in EXPECTED[name]} == EXPECTED[name]
    assert host.host_class == CLASSES[name]
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", host.fingerprint)


@pytest.mark.parametrize("name", MACHINES)
def test_each_machine_has_all_facts(name):
    """Absent facts are `unknown`, never left out; each has its reason in the table of facts."""
    host = MACHINES[name]().read()
    assert list(host.stable) == list(STABLE)
    assert set(host.epoch) == set(EPOCH)
    assert all({**host.stable, **host.epoch, **host.live}.values())


def test_a_machine_that_tells_nothing():
    """Of an empty machine every fact is `unknown`, but that nothing was tuned."""
    host = MACHINES["nothing"]().read()
    assert set(host.stable.values()) == {UNKNOWN}
    assert set(host.live.values()) == {UNKNOWN}
    assert {name for name, value in host.epoch.items() if value != UNKNOWN} == {"tuned"}


def test_machines_differ():
    """No two of the made-up machines share a fingerprint or a class."""
    hosts = [build().read() for build in MACHINES.values()]
    assert len({host.fingerprint for host in hosts}) == len(MACHINES)
    assert len({host.host_class for host in hosts}) == len(MACHINES)


OTHER = {
    "CPU model": lambda m: m.cpus(INTEL, 8, **XEON | {"name": "Intel(R) Xeon(R) Gold 6348 CPU"}),
    "stepping": lambda m: m.cpus(INTEL.replace("stepping\t: 6", "stepping\t: 5"), 8, **XEON),
    "cores": lambda m: m.topology([(i % 2, i // 2) for i in range(8)], nodes=2),
    "threads": lambda m: m.topology([(i % 2, i // 2 % 2) for i in range(16)], nodes=2),
    "nodes": lambda m: m.put("/sys/devices/system/node/node2/cpulist", "0\n"),
    "more memory": lambda m: m.memory(196_608_000),
    "less memory": lambda m: m.memory(65_536_000),
    "hypervisor": lambda m: m.cpus(INTEL, 8, **XEON | {"flags": " hypervisor"}),
    "container": lambda m: m.put("/proc/2/comm", "sh\n").put("/run/systemd/container", "lxc\n"),
    "system": lambda m: m.put("/sys/class/dmi/id/product_name", "PowerEdge R750\n"),
    "board": lambda m: m.put("/sys/class/dmi/id/board_name", "0PYXKZ\n"),
    "disk model": lambda m: m.nvme(model="Micron_7450_MTFDKBG960TFR"),
    "disk firmware": lambda m: m.put(f"{NVME.rpartition('/')[0]}/firmware_rev", "GDC5A02Q\n"),
    "disk size": lambda m: m.put(f"{NVME}/size", "2000430432\n"),
    "LBA format": lambda m: m.put(f"{NVME}/queue/logical_block_size", "4096\n"),
    "slot": lambda m: m.put("/sys/devices/pci0000:00/0000:00:1d.0/max_link_width", "2\n"),
}


@pytest.mark.parametrize("change", OTHER.values(), ids=OTHER)
def test_another_machine_has_another_fingerprint(change):
    """Another processor, size, hypervisor, maker, disk, firmware or slot is another machine."""
    before, made = server().read(), server()
    change(made)
    after = made.read()
    assert after.fingerprint != before.fingerprint
    assert after.epoch == before.epoch
    assert sum(after.stable[name] != before.stable[name] for name in STABLE) == 1


@pytest.mark.parametrize("kib", [131_072_000, 131_900_000, 128_500_000])
def test_what_the_kernel_reserves_is_not_memory(kib):
    """Kernels that reserve a little more or less see the memory that was installed."""
    assert Made().memory(kib).read().stable["memory"] == "128 GiB"


@pytest.mark.parametrize(
    ("vendor", "product", "flags", "told"),
    [
        ("QEMU", "Standard PC (Q35 + ICH9, 2009)", " hypervisor", "qemu"),
        ("QEMU", "Standard PC (Q35 + ICH9, 2009)", "", "qemu"),
        ("VMware, Inc.", "VMware20,1", " hypervisor", "vmware"),
        ("innotek GmbH", "VirtualBox", " hypervisor", "virtualbox"),
        ("Microsoft Corporation", "Virtual Machine", " hypervisor", "hyper-v"),
        ("Microsoft Corporation", "Surface Laptop 4", "", "none"),
        ("Amazon EC2", "m5.large", " hypervisor", "amazon"),
        ("Amazon EC2", "m5.metal", "", "none"),
        ("Google", "Google Compute Engine", " hypervisor", "google"),
        ("Google", "Eve", "", "none"),
        ("OpenStack Foundation", "OpenStack Nova", " hypervisor", "kvm"),
        ("Xen", "HVM domU", " hypervisor", "xen"),
        ("ACME", "Box", " hypervisor", "vm"),
        ("ACME", "Box", "", "none"),
        ("", "", "", "none"),
    ],
)
def test_the_hypervisor_by_name(vendor, product, flags, told):
    """A virtual machine is called by its hypervisor where the firmware gives its name."""
    made = Made().cpus(INTEL, 2, **XEON | {"flags": flags})
    made.put("/sys/class/dmi/id/sys_vendor", f"{vendor}\n")
    made.put("/sys/class/dmi/id/product_name", f"{product}\n")
    assert made.read().stable["virtualisation"] == told


def test_the_hypervisor_without_firmware_tables():
    """Without DMI, the clock that the hypervisor offers gives its name."""
    made = Made().cpus(AMD, 2)
    clocks = "/sys/devices/system/clocksource/clocksource0/available_clocksource"
    assert made.put(clocks, "tsc kvm-clock\n").read().stable["virtualisation"] == "kvm"
    made.put("/sys/hypervisor/type", "xen\n")
    assert made.read().stable["virtualisation"] == "xen"
    made.put("/proc/xen/capabilities", "control_d\n")
    assert made.read().stable["virtualisation"] == "xen dom0"


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("/sys/class/dmi/id/sys_vendor", "QEMU\n", "qemu"),
        ("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n", "amazon"),
        ("/proc/device-tree/compatible", "linux,dummy-virt\0", "qemu"),
        ("/proc/device-tree/hypervisor/compatible", "linux,kvm\0", "kvm"),
        ("/proc/device-tree/model", "Raspberry Pi 4 Model B\0", "none"),
        ("/etc/hostname", "x", UNKNOWN),
    ],
)
def test_an_arm_machine_does_not_flag_its_hypervisor(path, text, told):
    """Arm has no flag: the firmware's tables decide, and without any it is unknown."""
    assert Made().cpus(ARM, 2).put(path, text).read().stable["virtualisation"] == told


@pytest.mark.parametrize(
    "text",
    ["To Be Filled By O.E.M.", "Default string", "System Product Name", "None", "0x00000000"],
)
def test_what_makers_leave_in_a_field_is_unknown(text):
    """A field that the maker never filled does not make two machines alike."""
    made = server().put("/sys/class/dmi/id/board_name", f"{text}\n")
    made.put("/sys/class/dmi/id/board_vendor", f"{text}\n")
    assert made.read().stable["board"] == UNKNOWN


@pytest.mark.parametrize(
    ("present", "threads"),
    [("0-3", "4"), ("0,2-3,8", "4"), ("0", "1"), ("junk", UNKNOWN), ("²", UNKNOWN)],
)
def test_processors_present(present, threads):
    """The kernel's list of processors is counted, gaps and single ones included."""
    assert Made().put(f"{CPU}/present", f"{present}\n").read().stable["cpu_threads"] == threads


def test_threads_switched_off_are_still_there():
    """Switching second threads off opens an epoch and makes no other machine."""
    made = server()
    before = made.read()
    made.put(f"{CPU}/online", "0-3\n")
    for i in range(4, 8):
        for name in ("physical_package_id", "core_id", "thread_siblings_list"):
            del made.files[f"{CPU}/cpu{i}/topology/{name}"]
        made.files.pop(f"{CPU}/cpufreq/policy{i}/scaling_governor")
    after = made.read()
    assert after.stable == before.stable
    moved = {name for name in EPOCH if after.epoch[name] != before.epoch[name]}
    assert moved == {"offline_cpus"}
    assert after.epoch["offline_cpus"] == "all but 0-3"


def test_a_named_class_is_kept():
    """A class that the user names replaces the made one and does not touch the fingerprint."""
    assert server().read(host_class="lab").host_class == "lab"
    assert server().read(host_class="lab").fingerprint == server().read().fingerprint


def test_boot_id():
    """The boot's id is read, and is empty where there is none."""
    assert boot_id(MACHINES["nothing"]().machine()) == ""
    assert boot_id(server().machine()) == "11e9e0a4-8c55-4286-9af1-1510b752ad3d"


def test_an_architecture_of_an_older_kernel():
    """Before Linux 6.1 no file tells the architecture, and uname does."""
    made = arm_server()
    assert made.read().stable["architecture"] == UNKNOWN
    made.commands["uname -m"] = "aarch64\n"
    assert made.read().stable["architecture"] == "aarch64"


@pytest.mark.parametrize(
    ("row", "model"),
    [
        (("processor\t: 0\nhart\t: 0\nmvendorid\t: 0x489\nmarchid\t: 0x7\nmimpid\t: 0x1\n"
         "uarch\t: sifive,u74\n"), "RISC-V sifive,u74 0x489/0x7/0x1"),
        ("processor\t: 0\ncpu\t\t: POWER9, altivec supported\nrevision\t: 2.2 (pvr 004e 1202)\n",
         "POWER9, altivec supported 2.2 (pvr 004e 1202)"),
        (("vendor_id : IBM/S390\nprocessor 0: version = FF,  identification = 0133E8,  "
         "machine = 2964\n"), "IBM/S390 2964 version FF"),
    ],
)  # fmt: skip
def test_other_processors(row, model):
    """RISC-V, POWER and S/390 go by the numbers that they give, without what names one machine."""
    assert Made().put("/proc/cpuinfo", row).read().stable["cpu_model"] == model


STRANGE = [*server().files, "/run/systemd/container", "/proc/mounts"]
JUNK = st.one_of(
    st.text(max_size=60),
    st.text("0123456789-,: kBMemTotalmodelname\n\t[]²٣\0", max_size=400),
)


@given(st.dictionaries(st.sampled_from(STRANGE), JUNK, min_size=1), JUNK)
def test_strange_files_are_no_error(files, mount):
    """Whatever /proc and /sys hold: nothing raised, a safe class, short and printable facts."""
    made = server()
    made.files |= files
    made.mounted.append(mount)
    host = made.read()
    for fact in (*host.stable.values(), *host.epoch.values(), *host.live.values()):
        assert fact
        assert fact.isprintable()
        assert len(fact) <= 200
    assert _safe(host.host_class)


def _safe(name):
    """Whether the command line, the files and any file system take it for a plain name."""
    return bool(_HOST_CLASS.fullmatch(name)) and is_plain(name)


HOSTILE = st.one_of(st.text(max_size=200), st.text(string.punctuation + "aZ0 ", max_size=200))
NAMED = ("cpu_model", "cpu_threads", "memory", "virtualisation", "container", "system")


@given(st.fixed_dictionaries(dict.fromkeys(NAMED, HOSTILE)))
def test_a_class_is_always_a_safe_file_name(facts):
    """Whatever the facts say, the class is a plain, short file name that the options accept."""
    assert _safe(class_name(facts)), class_name(facts)


@pytest.mark.parametrize(
    ("model", "system", "name"),
    [
        ("Arm 0x41 part 0xd0c variant 0x3 revision 1", UNKNOWN, "arm-0x41-0xd0c"),
        (
            "Arm 0x41 part 0xd0c variant 0x3 revision 1",
            "Amazon EC2 m6g.metal",
            "amazon-ec2-m6g-metal",
        ),
        ("RISC-V sifive,u74-mc 0x489/0x8/0x7", UNKNOWN, "risc-v-sifive-u74-mc"),
        ("RISC-V  0x489/0x8/0x7", UNKNOWN, "risc-v"),
        (
            "AMD EPYC 9454P 48-Core Processor (family 25 model 17 stepping 1)",
            "X",
            "amd-epyc-9454p-48-core",
        ),
        (
            "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz (family 6 model 106)",
            "X",
            "intel-xeon-gold-6338",
        ),
        (UNKNOWN, UNKNOWN, UNKNOWN),
    ],
)
def test_a_class_can_be_read(model, system, name):
    """A class is called after the processor; after the board where that gives only numbers."""
    facts = {"cpu_model": model, "system": system, "cpu_threads": "4", "memory": "8 GiB"}
    assert class_name(facts | {"virtualisation": "none"}) == f"bm-{name}-4t-8g"


def test_a_class_is_made_of_stable_facts_alone():
    """Another kernel, microcode or governor leaves the class as it is."""
    made = server().cpus(INTEL, 8, **XEON | LIVE | {"microcode": "0xd0003f6"})
    made.put("/proc/sys/kernel/osrelease", "6.13.0\n")
    assert made.read().host_class == CLASSES["server"]


def test_this_machine():
    """The machine that runs this test is read without an error and twice alike."""
    first, second = read_host(Path.cwd()), read_host(Path.cwd())
    assert (first.stable, first.epoch) == (second.stable, second.epoch)
    assert first.fingerprint == second.fingerprint
    assert int(first.stable["cpu_threads"]) >= (os.cpu_count() or 0)
    assert first.epoch["kernel"] == os.uname().release
    assert first.stable["architecture"] == os.uname().machine
    assert _safe(first.host_class)
