"""Machines made up of the files that the kernel would show; tests change one thing at a time."""

from __future__ import annotations

from pathlib import Path

from recorded_machine import RecordedMachine

from gate.host.identity.identity import read_host

WORK = Path("/srv/work")
CPU = "/sys/devices/system/cpu"
INTEL = """\
processor\t: {i}
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: {model}
model name\t: {name}
stepping\t: 6
microcode\t: {microcode}
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
microcode\t: {microcode}
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
CPU part\t: {part}
CPU revision\t: 1
"""
LIVE = {"mhz": "2000.113", "bogomips": "4000.00", "microcode": "0xd0003d1", "part": "0xd0c"}
XEON = {"model": "106", "name": "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz", "flags": ""}
HYBRID = {"model": "154", "name": "12th Gen Intel(R) Core(TM) i7-1260P", "flags": ""}
NVME = "/sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0/nvme0n1"
ATA = "/sys/devices/pci0000:00/0000:00:17.0/ata2/host1/target1:0:0/1:0:0:0/block/sda"


class Made:
    """Files, links and answers of one machine."""

    def __init__(self):
        self.files, self.links, self.commands = {}, {}, {}
        self.mounted = []

    def put(self, path, text):
        self.files[path] = text
        return self

    def machine(self):
        files = self.files | {"/proc/self/mountinfo": "".join(f"{m}\n" for m in self.mounted)}
        data = {"files": files, "links": self.links, "commands": self.commands}
        return RecordedMachine(data)

    def read(self, work=WORK, **more):
        return read_host(work, machine=self.machine(), **more)

    def cpus(self, template, threads, **facts):
        rows = [template.format(i=i, **LIVE | facts) for i in range(threads)]
        return self.put("/proc/cpuinfo", "\n".join(rows) + "\n")

    def topology(self, cores, *, nodes=1):
        """`cores` is (package, core) for each thread."""
        for name in ("present", "online"):
            self.put(f"{CPU}/{name}", f"0-{len(cores) - 1}\n")
        for i, core in enumerate(cores):
            siblings = ",".join(str(j) for j, other in enumerate(cores) if other == core)
            self.put(f"{CPU}/cpu{i}/topology/physical_package_id", f"{core[0]}\n")
            self.put(f"{CPU}/cpu{i}/topology/core_id", f"{core[1]}\n")
            self.put(f"{CPU}/cpu{i}/topology/thread_siblings_list", f"{siblings}\n")
        for i in range(nodes):
            self.put(f"/sys/devices/system/node/node{i}/cpulist", "0\n")
        return self

    def memory(self, kib):
        return self.put("/proc/meminfo", f"MemTotal:       {kib} kB\nMemFree:  1 kB\n")

    def block(self, directory, number, *, sectors="1000215216", rotational="0", partition=""):
        """A block device; one of its partitions has `number`, where there is one."""
        self.put(f"{directory}/size", f"{sectors}\n")
        self.put(f"{directory}/queue/rotational", f"{rotational}\n")
        self.put(f"{directory}/queue/scheduler", "[none] mq-deadline\n")
        self.put(f"{directory}/queue/write_cache", "write back\n")
        self.put(f"{directory}/queue/nr_requests", "1023\n")
        self.put(f"{directory}/queue/logical_block_size", "512\n")
        self.put(f"{directory}/queue/physical_block_size", "4096\n")
        name = directory.rpartition("/")[2]
        self.links[f"/sys/class/block/{name}"] = directory
        if partition:
            self.put(f"{directory}/{partition}/partition", "2\n")
            self.links[f"/sys/class/block/{partition}"] = f"{directory}/{partition}"
            directory = f"{directory}/{partition}"
        if number:
            self.links[f"/sys/dev/block/{number}"] = directory
        return self

    def nvme(self, directory=NVME, number="259:2", model="SAMSUNG MZQL2960", **more):
        """An NVMe disk, with what its controller and slot say."""
        name = directory.rpartition("/")[2]
        self.block(directory, number, **{"partition": f"{name}p2"} | more)
        controller, _, _ = directory.rpartition("/")
        slot = controller.partition("/nvme/")[0]
        self.links[f"{directory}/device"] = controller
        self.links[f"{controller}/device"] = slot
        self.put(f"{controller}/model", f"{model} ")
        self.put(f"{controller}/firmware_rev", "GDC5902Q\n")
        self.put(f"{controller}/serial", "S64GNN0T100001\n")
        self.put(f"{controller}/transport", "pcie\n")
        for place, speed, width in ((slot, "16.0", 4), (slot.rpartition("/")[0], "8", 16)):
            self.put(f"{place}/max_link_speed", f"{speed} GT/s PCIe\n")
            self.put(f"{place}/max_link_width", f"{width}\n")
        self.put(f"{slot}/current_link_speed", "8.0 GT/s PCIe\n")
        self.put(f"{slot}/current_link_width", "2\n")
        return self

    def sata(self, directory=ATA, number="8:1", model="ST4000NM0035-1V4", **more):
        """A SATA disk."""
        name = directory.rpartition("/")[2]
        self.block(directory, number, **{"partition": f"{name}1"} | more)
        self.put(f"{directory}/device/vendor", "ATA     \n")
        self.put(f"{directory}/device/model", f"{model}\n")
        self.put(f"{directory}/device/rev", "TN02\n")
        self.put("/sys/class/ata_link/link2/hw_sata_spd_limit", "6.0 Gbps\n")
        self.put("/sys/class/ata_link/link2/sata_spd", "3.0 Gbps\n")
        return self

    def mount(self, device, kind, source, *, point="/", options="", id_=1, parent=0, root="/"):
        mount = f"{id_} {parent} {device} {root} {point} rw,relatime shared:1 - {kind} {source}"
        self.mounted.append(f"{mount} {options or 'rw'}")
        return self


def server():
    """A bare-metal server with two sockets and an NVMe disk, with everything that it can tell."""
    made = Made().cpus(INTEL, 8, **XEON).memory(131_072_000)
    made.topology([(i % 2, i // 2 % 2) for i in range(8)], nodes=2)
    made.nvme().mount("259:2", "ext4", "/dev/nvme0n1p2", options="rw,errors=remount-ro")
    dmi = {"sys_vendor": "Dell Inc.", "product_name": "PowerEdge R650", "board_name": "0PYXKY"}
    dmi |= {"board_vendor": "Dell Inc.", "bios_version": "1.9.2", "bios_date": "11/17/2022"}
    dmi |= {"product_serial": "4JQ1XK3", "product_uuid": "4c4c4544-004a-5110-8031-b4c04f584b33"}
    for name, text in dmi.items():
        made.put(f"/sys/class/dmi/id/{name}", f"{text}\n")
    for i in range(8):
        policy = f"{CPU}/cpufreq/policy{i}"
        made.put(f"{policy}/scaling_governor", "performance\n")
        made.put(f"{policy}/scaling_driver", "intel_pstate\n")
        made.put(f"{policy}/energy_performance_preference", "performance\n")
    weak = f"{CPU}/vulnerabilities"
    files = {
        "/proc/sys/kernel/osrelease": "6.12.1",
        "/proc/sys/kernel/arch": "x86_64",
        "/proc/sys/kernel/version": "#1 SMP PREEMPT_DYNAMIC Mon Nov 4 10:00:00 UTC 2024",
        "/proc/sys/kernel/hostname": "lab1",
        "/proc/sys/kernel/random/boot_id": "11e9e0a4-8c55-4286-9af1-1510b752ad3d",
        "/proc/sys/kernel/numa_balancing": "1",
        "/proc/cmdline": "BOOT_IMAGE=/vmlinuz-6.12.1 root=/dev/sda2 ro quiet isolcpus=2-3",
        "/proc/swaps": "Filename Type Size Used Priority\n/dev/sda3 partition 1 0 -2",
        "/proc/loadavg": "0.10 0.20 0.30 1/200 4711",
        "/proc/2/comm": "kthreadd",
        f"{CPU}/intel_pstate/no_turbo": "1",
        f"{CPU}/intel_pstate/status": "active",
        f"{CPU}/smt/control": "on",
        f"{CPU}/cpuidle/current_driver": "intel_idle",
        f"{CPU}/cpuidle/current_governor_ro": "menu",
        f"{weak}/meltdown": "Not affected",
        f"{weak}/mmio_stale_data": "Vulnerable: Clear CPU buffers attempted, no microcode",
        f"{weak}/spectre_v2": "Mitigation: Enhanced / Automatic IBRS; BHI: Not affected",
        "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
        "/sys/kernel/mm/transparent_hugepage/defrag": "always defer [madvise] never",
        "/sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
        "/sys/class/net/eth0/address": "b0:7b:25:00:00:01",
    }
    for path, text in files.items():
        made.put(path, f"{text}\n")
    made.put("/sys/class/hwmon/hwmon1/name", "coretemp\n")
    return made.put("/sys/class/hwmon/hwmon1/temp1_input", "45000\n")


def cloud():
    """A virtual machine without firmware tables, clocks, or a disk that says what it is."""
    made = Made().cpus(AMD, 4).topology([(0, i // 2) for i in range(4)]).memory(16_073_000)
    made.block("/sys/devices/pci0/virtio1/block/vda", "254:1", partition="vda1", rotational="1")
    made.mount("254:1", "xfs", "/dev/vda1")
    return made.put("/proc/sys/kernel/osrelease", "6.8.0-aws\n").put("/proc/2/comm", "kthreadd\n")


def arm_server():
    made = Made().cpus(ARM, 64).topology([(0, i) for i in range(64)]).memory(263_000_000)
    made.put("/sys/class/dmi/id/sys_vendor", "GIGABYTE\n").put("/proc/2/comm", "kthreadd\n")
    made.put("/sys/class/dmi/id/product_name", "R272-P30-JG\n")
    return made.sata(rotational="0").mount("8:1", "ext4", "/dev/sda1")


def board():
    """A small Arm board: two kinds of cores, a device tree, a memory card."""
    made = Made().cpus(ARM, 4).memory(3_900_000)
    other = "\n".join(ARM.format(i=i, **LIVE | {"part": "0xd05"}) for i in range(4, 6))
    made.put(
        "/proc/cpuinfo", f"{made.files['/proc/cpuinfo']}\n{other}\nSerial\t: 10000000abcdef01\n"
    )
    made.put("/proc/device-tree/model", "Raspberry Pi 9 Model X\0")
    card = "/sys/devices/platform/emmc2bus/mmc_host/mmc0/mmc0:aaaa/block/mmcblk0"
    made.block(card, "179:2", partition="mmcblk0p2")
    made.put(f"{card}/device/name", "SN64G\n").put(f"{card}/device/fwrev", "0x8600\n")
    made.put(f"{card}/device/serial", "0xb1a2c3d4\n").put("/proc/2/comm", "kthreadd\n")
    return made.mount("179:2", "ext4", "/dev/root")


def laptop():
    made = Made().cpus(INTEL, 16, **HYBRID).memory(16_000_000)
    performance = [(0, i // 2 * 4) for i in range(8)]
    made.topology([*performance, *((0, 32 + i) for i in range(8))])
    made.put("/sys/class/dmi/id/sys_vendor", "LENOVO\n").put("/proc/2/comm", "kthreadd\n")
    return made.put("/sys/class/dmi/id/product_name", "21BTCTO1WW\n")


def container():
    """A container on a virtual machine: its file system lies on a directory that it cannot see."""
    made = Made().cpus(AMD, 2).memory(24_600_000).put("/proc/1/comm", "python3\n")
    made.links["/.dockerenv"] = "/.dockerenv"
    options = "rw,lowerdir=/var/lib/docker/l/A:/var/lib/docker/l/B,upperdir=/var/lib/docker/u/diff"
    return made.mount("0:50", "overlay", "overlay", options=options)


def nothing():
    return Made()


MACHINES = {
    one.__name__: one for one in (server, cloud, arm_server, board, laptop, container, nothing)
}
