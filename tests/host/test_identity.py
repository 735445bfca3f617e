"""Who a machine is, from recorded machines: stable facts, epoch facts, and its class."""

from __future__ import annotations

import os
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cli.options import _HOST_CLASS
from gate.files.names import is_plain
from gate.host.identity import UNKNOWN, boot_id, class_name, read_host

INTEL = """\
processor\t: {i}
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: {model}
model name\t: {name}
stepping\t: 6
microcode\t: 0xd0003d1
cpu MHz\t\t: {mhz}
physical id\t: 0
flags\t\t: fpu vme{flags}
bogomips\t: {bogomips}
"""
AMD = """\
processor\t: {i}
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 1
model name\t: AMD EPYC 7R13 Processor
stepping\t: 1
microcode\t: 0xa0011d5
cpu MHz\t\t: {mhz}
flags\t\t: fpu hypervisor
bogomips\t: {bogomips}
"""
ARM = """\
processor\t: {i}
BogoMIPS\t: {bogomips}
Features\t: fp asimd
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x3
CPU part\t: 0xd0c
CPU revision\t: 1
"""
LIVE = {"mhz": "2000.113", "bogomips": "4000.00"}
OTHER_LIVE = {"mhz": "3499.997", "bogomips": "7002.11"}
XEON = {"model": "106", "name": "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz", "flags": ""}
HYBRID = {"model": "154", "name": "12th Gen Intel(R) Core(TM) i7-1260P", "flags": ""}


class Machine:
    """A recorded machine: files below a root."""

    def __init__(self, root):
        self.root = root
        self.work = root.parent / "work"
        self.work.mkdir(exist_ok=True)

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def cpus(self, template, threads, **facts):
        rows = [template.format(i=i, **LIVE | facts) for i in range(threads)]
        self.put("proc/cpuinfo", "\n".join(rows) + "\n")

    def topology(self, cores, *, nodes=1):
        """`cores` is (package, core) for each thread."""
        cpu = "sys/devices/system/cpu"
        self.put(f"{cpu}/online", f"0-{len(cores) - 1}\n")
        for i, (package, core) in enumerate(cores):
            self.put(f"{cpu}/cpu{i}/topology/physical_package_id", f"{package}\n")
            self.put(f"{cpu}/cpu{i}/topology/core_id", f"{core}\n")
            self.put(f"{cpu}/cpu{i}/topology/die_id", "0\n")
        for i in range(nodes):
            self.put(f"sys/devices/system/node/node{i}/cpulist", "0\n")

    def memory(self, kib):
        self.put("proc/meminfo", f"MemTotal:       {kib} kB\nMemFree:  1 kB\n")

    def disk(self, place, *, model="", partition="", rotational="0", sectors="1000215216"):
        """A disk at `place` below /sys/devices that holds the work directory."""
        whole = f"sys/devices/{place}"
        self.put(f"{whole}/size", f"{sectors}\n")
        self.put(f"{whole}/queue/rotational", f"{rotational}\n")
        if model:
            self.put(f"{whole}/device/model", f"{model}\n")
            self.put(f"{whole}/device/serial", "S1\n")
        if partition:
            self.put(f"{whole}/{partition}/partition", "2\n")
        device = self.work.stat().st_dev
        link = self.root / f"sys/dev/block/{os.major(device)}:{os.minor(device)}"
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(self.root / whole / partition)

    def read(self, **more):
        return read_host(self.work, root=self.root, **more)


def bare_metal_intel(machine):
    machine.cpus(INTEL, 8, **XEON)
    machine.topology([(i % 2, i // 2 % 2) for i in range(8)], nodes=2)
    machine.memory(131_072_000)
    machine.disk("pci0/nvme/nvme0/nvme0n1", model="SAMSUNG MZQL2960 ", partition="nvme0n1p2")
    machine.put("sys/class/dmi/id/sys_vendor", "Dell Inc.\n")
    machine.put("proc/sys/kernel/osrelease", "6.12.1\n")
    machine.put("proc/sys/kernel/hostname", "lab1\n")
    machine.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
    machine.put("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n")
    machine.put("sys/devices/system/cpu/smt/control", "on\n")


def amd_cloud(machine):
    machine.cpus(AMD, 4)
    machine.topology([(0, i // 2) for i in range(4)])
    machine.memory(16_073_000)
    machine.put("proc/sys/kernel/osrelease", "6.8.0-aws\n")


def arm_server(machine):
    machine.cpus(ARM, 64)
    machine.topology([(0, i) for i in range(64)])
    machine.memory(263_000_000)
    machine.disk("platform/sda", model="INTEL SSDSC2KB96", partition="sda1")


def hybrid_laptop(machine):
    machine.cpus(INTEL, 16, **HYBRID)
    performance = [(0, i // 2 * 4) for i in range(8)]
    machine.topology([*performance, *((0, 32 + i) for i in range(8))])
    machine.memory(16_000_000)
    machine.put("sys/class/dmi/id/sys_vendor", "LENOVO\n")


def sata(machine):
    machine.cpus(INTEL, 2, **XEON)
    machine.topology([(0, 0), (0, 1)])
    machine.memory(8_000_000)
    machine.disk("pci0/ata1/sdb", model="ST4000NM0035", rotational="1", sectors="7814037168")


def container(machine):
    machine.cpus(AMD, 2)
    machine.memory(24_600_000)


def nothing(machine):
    machine.root.mkdir(exist_ok=True)


MACHINES = {
    one.__name__: one
    for one in (bare_metal_intel, amd_cloud, arm_server, hybrid_laptop, sata, container, nothing)
}
EXPECTED = {
    "bare_metal_intel": {
        "cpu_model": "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz (family 6 model 106 stepping 6)",
        "cpu_sockets": "2",
        "cpu_cores": "4",
        "cpu_threads": "8",
        "numa_nodes": "2",
        "memory": "128 GiB",
        "virtualisation": "none",
        "disk_model": "SAMSUNG MZQL2960",
        "disk_size": "512110190592 B",
        "disk_rotational": "0",
    },
    "amd_cloud": {
        "cpu_threads": "4",
        "cpu_cores": "2",
        "memory": "16 GiB",
        "virtualisation": "vm",
        "disk_model": UNKNOWN,
        "disk_size": UNKNOWN,
    },
    "arm_server": {
        "cpu_model": "Arm 0x41/0xd0c/0x3",
        "cpu_threads": "64",
        "memory": "256 GiB",
        "disk_model": "INTEL SSDSC2KB96",
    },
    "hybrid_laptop": {"cpu_cores": "12", "cpu_threads": "16", "cpu_sockets": "1"},
    "sata": {"disk_model": "ST4000NM0035", "disk_rotational": "1", "disk_size": "4000787030016 B"},
    "container": {
        "cpu_sockets": UNKNOWN,
        "cpu_cores": UNKNOWN,
        "cpu_threads": "2",
        "numa_nodes": UNKNOWN,
        "memory": "24 GiB",
        "disk_model": UNKNOWN,
        "disk_rotational": UNKNOWN,
    },
    "nothing": dict.fromkeys(
        ("cpu_model", "cpu_sockets", "cpu_cores", "cpu_threads", "numa_nodes", "memory"), UNKNOWN
    ),
}
CLASSES = {
    "bare_metal_intel": "bm-intel-xeon-gold-6338-8t-128g",
    "amd_cloud": "vm-amd-epyc-7r13-4t-16g",
    "arm_server": "bm-arm-0x41-0xd0c-0x3-64t-256g",
    "hybrid_laptop": "bm-12th-gen-intel-core-i7-1260p-16t-16g",
    "sata": "bm-intel-xeon-gold-6338-2t-8g",
    "container": "vm-amd-epyc-7r13-2t-24g",
    "nothing": "bm-unknown-unknown-unknown",
}


@pytest.fixture
def machine(tmp_path):
    """An empty machine."""
    return Machine(tmp_path / "root")


@pytest.fixture(params=MACHINES)
def known(request, machine):
    """Each recorded machine in turn, with its name."""
    MACHINES[request.param](machine)
    return request.param, machine


def test_each_machine_reads_as_it_is(known):
    """Every kind of machine gives its facts, and `unknown` for what it does not tell."""
    name, machine = known
    host = machine.read()
    shown = {fact: host.stable[fact] for fact in EXPECTED[name]}
    assert shown == EXPECTED[name]
    assert host.host_class == CLASSES[name]
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", host.fingerprint)
    assert all(host.stable.values())
    assert all(host.epoch.values())


def test_each_machine_has_all_facts(known):
    """Absent facts are `unknown`, never left out: two machines can always be compared."""
    _, machine = known
    host = machine.read()
    assert set(host.stable) == {
        *("architecture", "cpu_model", "cpu_sockets", "cpu_cores", "cpu_threads", "numa_nodes"),
        *("memory", "virtualisation", "disk_model", "disk_size", "disk_rotational"),
    }
    assert set(host.epoch) == {"kernel", "microcode", "governor", "turbo", "smt"}


def test_machines_differ(tmp_path):
    """No two of the recorded machines share a fingerprint or a class."""
    hosts = []
    for name, build in MACHINES.items():
        place = tmp_path / name
        place.mkdir()
        build(made := Machine(place / "root"))
        hosts.append(made.read())
    assert len({host.fingerprint for host in hosts}) == len(MACHINES)
    assert len({host.host_class for host in hosts}) == len(MACHINES)


def test_live_values_and_names_are_no_identity(machine):
    """MHz, bogomips, hostname, serial numbers, free memory and load change nothing stable."""
    bare_metal_intel(machine)
    before = machine.read()
    machine.cpus(INTEL, 8, **XEON | OTHER_LIVE)
    machine.put("proc/sys/kernel/hostname", "lab2\n")
    machine.put("proc/loadavg", "99.0 99.0 99.0 1/1 1\n")
    machine.put("proc/meminfo", "MemTotal:       131072000 kB\nMemFree:  999 kB\n")
    machine.put("sys/devices/pci0/nvme/nvme0/nvme0n1/device/serial", "S2\n")
    machine.put("sys/class/dmi/id/product_serial", "S3\n")
    assert machine.read() == before


def test_epoch_facts_are_no_identity(machine):
    """Kernel, microcode, governor, turbo and SMT control open an epoch and refuse nothing."""
    bare_metal_intel(machine)
    before = machine.read()
    assert before.epoch == {
        "kernel": "6.12.1",
        "microcode": "0xd0003d1",
        "governor": "performance",
        "turbo": "off",
        "smt": "on",
    }
    machine.put("proc/sys/kernel/osrelease", "6.13.0\n")
    machine.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n")
    machine.put("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n")
    after = machine.read()
    assert (after.fingerprint, after.stable) == (before.fingerprint, before.stable)
    assert (after.epoch["kernel"], after.epoch["turbo"]) == ("6.13.0", "on")


def _model(machine):
    machine.cpus(INTEL, 8, **XEON | {"name": "Intel(R) Xeon(R) Gold 6348 CPU @ 2.60GHz"})


def _stepping(machine):
    machine.cpus(INTEL.replace("stepping\t: 6", "stepping\t: 5"), 8, **XEON)


def _cores(machine):
    machine.topology([(i % 2, i // 2) for i in range(8)], nodes=2)


def _threads(machine):
    machine.topology([(i % 2, i // 2 % 2) for i in range(16)], nodes=2)


def _nodes(machine):
    machine.put("sys/devices/system/node/node2/cpulist", "0\n")


def _more_memory(machine):
    machine.memory(196_608_000)


def _less_memory(machine):
    machine.memory(65_536_000)


def _other_disk(machine):
    machine.disk("pci0/nvme/nvme1/nvme1n1", model="Micron_7450", partition="nvme1n1p2")


def _larger_disk(machine):
    machine.put("sys/devices/pci0/nvme/nvme0/nvme0n1/size", "2000430432\n")


def _hypervisor(machine):
    machine.cpus(INTEL, 8, **XEON | {"flags": " hypervisor"})


@pytest.mark.parametrize(
    "change",
    [
        *(_model, _stepping, _cores, _threads, _nodes, _more_memory, _less_memory),
        *(_other_disk, _larger_disk, _hypervisor),
    ],
)
def test_another_machine_has_another_fingerprint(change, machine):
    """Another CPU, core count, memory size, disk or hypervisor is another machine."""
    bare_metal_intel(machine)
    before = machine.read()
    change(machine)
    assert machine.read().fingerprint != before.fingerprint


@pytest.mark.parametrize("kib", [131_072_000, 131_900_000, 128_500_000])
def test_what_the_kernel_reserves_is_not_memory(kib, machine):
    """Kernels that reserve a little more or less see the memory that was installed."""
    machine.memory(kib)
    assert machine.read().stable["memory"] == "128 GiB"


@pytest.mark.parametrize(
    ("vendor", "told"),
    [("QEMU", "qemu"), ("VMware, Inc.", "vmware"), ("Amazon EC2", "amazon ec2"), ("ACME", "vm")],
)
def test_the_hypervisor_by_name(vendor, told, machine):
    """A virtual machine is called by its hypervisor where that gives its name."""
    machine.cpus(AMD, 2)
    machine.put("sys/class/dmi/id/sys_vendor", f"{vendor}\n")
    assert machine.read().stable["virtualisation"] == told


@pytest.mark.parametrize(
    ("online", "threads"),
    [("0-3", "4"), ("0,2-3,8", "4"), ("0", "1"), ("junk", UNKNOWN), ("²", UNKNOWN)],
)
def test_processors_online(online, threads, machine):
    """The kernel's list of processors is counted, gaps and single ones included."""
    machine.put("sys/devices/system/cpu/online", f"{online}\n")
    assert machine.read().stable["cpu_threads"] == threads


def test_a_named_class_is_kept(machine):
    """A class that the user names replaces the made one and does not touch the fingerprint."""
    amd_cloud(machine)
    assert machine.read(host_class="lab").host_class == "lab"
    assert machine.read(host_class="lab").fingerprint == machine.read().fingerprint


def test_a_work_directory_that_is_not_there_yet(machine):
    """The disk of a directory that will be made is that of its nearest parent."""
    sata(machine)
    host = read_host(machine.work / "to" / "be" / "made", root=machine.root)
    assert host.stable["disk_model"] == "ST4000NM0035"


def test_a_disk_without_model(machine):
    """A virtual disk without a model goes by its kind, not by its number."""
    for name in ("vda", "loop7", "dm-0"):
        machine.disk(f"virtual/{name}")
        assert machine.read().stable["disk_model"] in {"vda", "loop", "dm-"}


def test_boot_id(machine):
    """The boot's id is read, and is empty where there is none."""
    assert boot_id(machine.root) == ""
    machine.put("proc/sys/kernel/random/boot_id", "11e9e0a4\n")
    assert boot_id(machine.root) == "11e9e0a4"


FILES = [
    *("proc/cpuinfo", "proc/meminfo", "proc/sys/kernel/osrelease", "sys/class/dmi/id/sys_vendor"),
    *("sys/devices/system/cpu/online", "sys/devices/system/cpu/cpu0/topology/core_id"),
    *("sys/devices/pci0/ata1/sdb/size", "sys/devices/pci0/ata1/sdb/device/model"),
    "sys/devices/system/cpu/intel_pstate/no_turbo",
]
JUNK = st.one_of(
    st.binary(max_size=60),
    st.text("0123456789-,: kBMemTotalmodelname\n\t²٣", max_size=60).map(str.encode),
)


@given(st.dictionaries(st.sampled_from(FILES), JUNK, min_size=1))
def test_strange_files_are_no_error(tmp_path_factory, files):
    """Whatever /proc and /sys hold, reading the machine raises nothing and names a class."""
    machine = Machine(tmp_path_factory.mktemp("strange") / "root")
    sata(machine)
    for name, content in files.items():
        path = machine.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    host = machine.read()
    assert all(host.stable.values())
    assert all(host.epoch.values())
    assert _safe(host.host_class)


def test_files_that_cannot_be_read_are_absent(machine):
    """Directories and dangling links in place of facts read as `unknown`."""
    for name in FILES:
        path = machine.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if "cpu" in name:
            path.mkdir()
        else:
            path.symlink_to("nowhere")
    assert machine.read().stable["memory"] == UNKNOWN


def _safe(name):
    """Whether the command line, the files and any file system take it for a plain name."""
    return bool(_HOST_CLASS.fullmatch(name)) and is_plain(name)


HOSTILE = st.one_of(st.text(max_size=200), st.text(string.punctuation + "aZ0 ", max_size=200))


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_a_class_is_always_a_safe_file_name(model, threads, memory, virtual):
    """Whatever the facts say, the class is a plain, short file name that the options accept."""
    facts = {
        "cpu_model": model,
        "cpu_threads": threads,
        "memory": memory,
        "virtualisation": virtual,
    }
    assert _safe(class_name(facts)), class_name(facts)


def test_this_machine():
    """The machine that runs this test is read without an error and twice alike."""
    from pathlib import Path

    first, second = read_host(Path.cwd()), read_host(Path.cwd())
    assert first == second
    assert first.stable["cpu_threads"] == str(os.cpu_count())
    assert _safe(first.host_class)
