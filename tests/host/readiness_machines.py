"""Machines made of files, and what a readiness check says of them."""

from __future__ import annotations

import copy
from pathlib import Path

from recorded_machine import RecordedMachine

from gate.host.readiness.readiness import check_readiness

NAMES = [
    "governor",
    "epp",
    "turbo",
    "smt",
    "cstates",
    "thp",
    "swap",
    "aslr",
    "numa_balancing",
    "time_source",
    "battery",
    "free_space",
    "irq",
    "isolated_cpus",
    "mitigations",
    "disk_link",
    "disk_wear",
    "perf",
    "container",
    "load",
    "foreign_cpu",
    "foreign_io",
    "cpu_pressure",
    "memory_pressure",
    "throttling",
    "steal",
]
SOURCE = "/sys/devices/system/clocksource/clocksource0"
CPU = "/sys/devices/system/cpu"
DISK = "/sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0/nvme0n1"
MOUNT = "27 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw\n"
STAT = "cpu  100 0 100 10000 0 0 0 0 0 0\ncpu0 100 0 100 10000 0 0 0 0 0 0\n"
LATER = "cpu  100 0 100 10400 0 0 0 0 0 0\ncpu0 100 0 100 10400 0 0 0 0 0 0\n"
"""A second later on four processors that had nothing to do."""
PROCESS = "{pid} ({name}) S 1 1 1 0 -1 0 0 0 0 0 {user} {system} 0 0 20 0 1 0 {start} 0 0\n"
SWAPS = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"


def server(cpus=4):
    """A bare-metal server on which everything is as it should be: a recording to be changed."""
    files = {
        f"{CPU}/online": f"0-{cpus - 1}\n",
        f"{CPU}/intel_pstate/no_turbo": "1\n",
        f"{CPU}/smt/active": "0\n",
        f"{CPU}/smt/control": "off\n",
        f"{CPU}/isolated": "\n",
        f"{CPU}/vulnerabilities/meltdown": "Not affected\n",
        f"{CPU}/vulnerabilities/spectre_v2": "Mitigation: Retpolines\n",
        "/dev/cpu_dma_latency": "\x00\ufffd5w",
        "/proc/cmdline": "root=/dev/nvme0n1p2 quiet\n",
        "/proc/cpuinfo": "flags\t\t: fpu vme\n",
        "/proc/2/comm": "kthreadd\n",
        "/proc/loadavg": "0.03 0.10 0.20 1/300 999\n",
        "/proc/stat": STAT,
        "/proc/swaps": SWAPS,
        "/proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n",
        "/proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\nfull x\n",
        "/proc/diskstats": " 259 0 nvme0n1 1 0 800 1 1 0 800 1 0 1 1\n 7 0 loop0 1 0 9 1 1 0 9 1 0 1 1\n",
        "/proc/irq/24/smp_affinity_list": "0-3\n",
        "/proc/irq/24/effective_affinity_list": "0\n",
        "/proc/irq/24/nvme0q1/x": "",
        "/proc/irq/9/smp_affinity_list": "3\n",
        "/proc/self/mountinfo": MOUNT,
        "/proc/sys/kernel/numa_balancing": "0\n",
        "/proc/sys/kernel/perf_event_paranoid": "2\n",
        "/proc/sys/kernel/randomize_va_space": "2\n",
        "/sys/block/nvme0n1/device/model": "SAMSUNG MZQL2960\n",
        "/sys/class/power_supply/AC/type": "Mains\n",
        "/sys/class/power_supply/AC/online": "1\n",
        "/sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
        "/sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet\n",
        "/sys/devices/system/node/node0/cpulist": "0-1\n",
        "/sys/devices/system/node/node1/cpulist": "2-3\n",
        "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
        f"{DISK}/dev": "259:1\n",
        f"{DISK}/device/model": "SAMSUNG MZQL2960\n",
        f"{DISK}/nvme0n1p2/dev": "259:2\n",
        f"{DISK}/nvme0n1p2/partition": "2\n",
        **link("/sys/devices/pci0000:00/0000:00:1d.0"),
        **link("/sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0"),
    }
    for cpu in range(cpus):
        files |= {
            f"{CPU}/cpu{cpu}/cpufreq/scaling_governor": "performance\n",
            f"{CPU}/cpu{cpu}/cpufreq/scaling_min_freq": "800000\n",
            f"{CPU}/cpu{cpu}/cpufreq/scaling_max_freq": "3400000\n",
            f"{CPU}/cpu{cpu}/cpufreq/energy_performance_preference": "performance\n",
            f"{CPU}/cpu{cpu}/thermal_throttle/core_throttle_count": "3\n",
            f"{CPU}/cpu{cpu}/thermal_throttle/package_throttle_count": "0\n",
        }
        for state, (name, wait) in enumerate((("POLL", 0), ("C1", 2), ("C6", 133))):
            files |= {
                f"{CPU}/cpu{cpu}/cpuidle/state{state}/name": f"{name}\n",
                f"{CPU}/cpu{cpu}/cpuidle/state{state}/latency": f"{wait}\n",
                f"{CPU}/cpu{cpu}/cpuidle/state{state}/disable": f"{int(wait > 100)}\n",
            }
    return {
        "files": files,
        "links": {
            "/": "/",
            "/sys/dev/block/259:2": f"{DISK}/nvme0n1p2",
            "/sys/class/block/nvme0n1": DISK,
            "/sys/class/block/nvme0n1p2": f"{DISK}/nvme0n1p2",
        },
        "names": {},
        "commands": {
            "df -B1 --output=avail,size /": "  Avail 1B-blocks\n500000000000 960000000000\n",
            "nvme smart-log -o json /dev/nvme0n1": '{"critical_warning":0,"percent_used":4}',
        },
    }


def link(device, now="16.0 GT/s PCIe", most="16.0 GT/s PCIe", width="4"):
    return {
        f"{device}/current_link_speed": f"{now}\n",
        f"{device}/max_link_speed": f"{most}\n",
        f"{device}/current_link_width": f"{width}\n",
        f"{device}/max_link_width": "4\n",
    }


def changed(recording, files=None, commands=None, gone=(), **more):
    """The recording with other files or answers; a path that ends a name in `gone` is absent."""
    new = copy.deepcopy(recording)
    for kind, value in {"files": files or {}, "commands": commands or {}, **more}.items():
        new[kind] |= value
    for start in gone:
        for kind in ("files", "links"):
            new[kind] = {p: t for p, t in new[kind].items() if not p.startswith(start)}
    return new


class Moving:
    """A machine that is another one from the first sleep on."""

    def __init__(self, before, after, seconds=1.0):
        self._now, self._after, self._seconds = before, after, seconds
        self._at = 0.0

    def sleep(self, seconds):
        assert seconds == self._seconds
        self._now, self._at = self._after, self._at + seconds

    def clock(self):
        return self._at

    def __getattr__(self, name):
        return getattr(self._now, name)


def answers(before, after=None, *, work="/", seconds=1.0, **more):
    """What is said of a recording, by name; `after` is the same machine a while later."""
    if after is None:
        told = "/proc/stat" in before.get("files", {})
        after = changed(before, {"/proc/stat": LATER}) if told else before
    machine = Moving(RecordedMachine(before), RecordedMachine(after), seconds)
    found = check_readiness(
        machine, Path(work), sample=seconds, clock=machine.clock, sleep=machine.sleep, **more
    )
    return {one.name: one for one in found}


def said(one):
    return one.answer.value, one.value


def governors(*names):
    return {f"{CPU}/cpu{n}/cpufreq/scaling_governor": f"{g}\n" for n, g in enumerate(names)}


OFF = {
    "governor": (
        governors("powersave", "powersave", "performance", "powersave"),
        "powersave on 3, performance on 1 of 4 processors",
        "cpupower frequency-set -g performance",
    ),
    "epp": (
        {f"{CPU}/cpu1/cpufreq/energy_performance_preference": "balance_power\n"},
        "performance on 3, balance_power on 1 of 4 processors",
        "echo performance | tee",
    ),
    "turbo": ({f"{CPU}/intel_pstate/no_turbo": "0\n"}, "on", f"echo 1 > {CPU}/intel_pstate"),
    "smt": (
        {f"{CPU}/smt/active": "1\n", f"{CPU}/smt/control": "on\n"},
        "on (on)",
        f"echo off > {CPU}/smt/control",
    ),
    "cstates": (
        {f"{CPU}/cpu3/cpuidle/state2/disable": "0\n"},
        "enabled: C6 133 µs",
        "cpupower idle-set -D 10",
    ),
    "thp": (
        {"/sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n"},
        "always",
        "echo madvise >",
    ),
    "swap": (
        {"/proc/swaps": SWAPS + "/dev/sda2  partition 8388604 1048576 -2\n"},
        "on, 1.0 of 8.0 GiB used",
        "swapoff -a",
    ),
    "aslr": (
        {"/proc/sys/kernel/randomize_va_space": "0\n"},
        "0",
        "sysctl kernel.randomize_va_space=2",
    ),
    "numa_balancing": (
        {"/proc/sys/kernel/numa_balancing": "1\n"},
        "on, 2 nodes",
        "sysctl kernel.numa_balancing=0",
    ),
    "time_source": (
        {f"{SOURCE}/current_clocksource": "hpet\n"},
        "hpet",
        f"echo tsc > {SOURCE}/current_clocksource",
    ),
    "battery": (
        {
            "/sys/class/power_supply/AC/online": "0\n",
            "/sys/class/power_supply/BAT0/type": "Battery\n",
            "/sys/class/power_supply/BAT0/status": "Discharging\n",
            "/sys/class/power_supply/BAT0/capacity": "41\n",
        },
        "discharging (41 %)",
        "plug it in",
    ),
    "irq": (
        {"/proc/irq/24/effective_affinity_list": "2\n"},
        "1 of 1 on 2-3: 24 (nvme0q1)",
        "gate host tune irq",
    ),
    "isolated_cpus": (
        {f"{CPU}/isolated": "3\n"},
        "3 isolated, 2-3 measure",
        "isolcpus=2-3",
    ),
    "disk_link": (
        link("/sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0", now="8.0 GT/s PCIe"),
        "nvme0n1 8.0 GT/s x4, could be 16 GT/s x4",
        "reseat",
    ),
    "load": ({"/proc/loadavg": "1.50 0.10 0.20 1/300 999\n"}, "1.50", "wait a minute"),
}
"""What puts one setting off: files, the value told, and a part of the cure."""
