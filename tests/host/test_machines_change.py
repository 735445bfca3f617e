"""Recorded machines, with one thing changed: names and readings move nothing, settings one fact."""

from __future__ import annotations

import re

import pytest
from host.recordings import MACHINES, facts, play, recording
from hypothesis import given
from hypothesis import strategies as st

from gate.model import UNKNOWN

CPU = "/sys/devices/system/cpu"
DMI = "/sys/class/dmi/id"
HEX = st.text("0123456789ABCDEF", min_size=8, max_size=16)
NUMBER = st.floats(1, 9999).map("{:.3f}".format)
OCTETS = st.lists(st.integers(0, 255), min_size=6, max_size=6)
READINGS = {
    r"(?im)^(bogomips[^\n:]*:\s*)(.*)$": NUMBER,
    r"(?m)^((?:cpu|CPU) MHz[^\n:]*:\s*)(.*)$": NUMBER,
    r"(?m)^(clock\s*:\s*)(.*)$": NUMBER.map("{}MHz".format),
}
"""What the kernel measures again at every boot or every reading, in /proc/cpuinfo."""
NAMES = {
    "/proc/sys/kernel/hostname": HEX,
    "/etc/hostname": HEX,
    "/etc/machine-id": st.uuids().map(lambda one: one.hex),
    "/proc/sys/kernel/random/boot_id": st.uuids().map(str),
    f"{DMI}/product_serial": HEX,
    f"{DMI}/product_uuid": st.uuids().map(str),
    f"{DMI}/board_serial": HEX,
    f"{DMI}/chassis_asset_tag": HEX,
    "/sys/class/net/eth0/address": OCTETS.map(lambda six: ":".join(f"{one:02x}" for one in six)),
    "/proc/device-tree/serial-number": HEX,
    "/proc/loadavg": NUMBER.map("{0} {0} {0} 1/100 1".format),
    f"{CPU}/cpu0/cpufreq/scaling_cur_freq": st.integers(400_000, 6_000_000).map(str),
}


def disk_of(data):
    """Directories of the disks below the work directory."""
    tails = ("/queue/rotational", "/size")
    found = {
        path.removesuffix(tail) for tail in tails for path in data["files"] if path.endswith(tail)
    }
    return sorted(one for one in found if "/sys/devices/" in one and f"{one}/size" in data["files"])


def twin(name, names, numbers):
    """The same machine type with names and readings of its own."""
    data = recording(name)
    cpuinfo = data["files"].get("/proc/cpuinfo", "")
    for pattern, number in numbers.items():
        cpuinfo = re.sub(pattern, lambda match, told=number: match[1] + told, cpuinfo)
    if "CPU implementer" in cpuinfo:
        cpuinfo += f"Serial\t\t: {names['/etc/hostname']}\n"
    for disk in disk_of(data):
        for file in ("serial", "wwid", "uuid", "device/serial", "device/wwid", "device/vpd_pg80"):
            data["files"][f"{disk}/{file}"] = names["/etc/machine-id"] + "\n"
    data["files"] |= {path: f"{told}\n" for path, told in names.items()}
    if cpuinfo:
        data["files"]["/proc/cpuinfo"] = cpuinfo
    return facts(data)


@given(st.sampled_from(MACHINES), st.fixed_dictionaries(NAMES), st.fixed_dictionaries(READINGS))
def test_names_and_readings_change_nothing(name, names, numbers):
    """Bogomips, MHz, host name, MAC, serial numbers, load: class, fingerprint, facts all stay."""
    one, other = play(name), twin(name, names, numbers)
    assert (other.host_class, other.fingerprint) == (one.host_class, one.fingerprint)
    assert (other.stable, other.epoch) == (one.stable, one.epoch)


@pytest.mark.parametrize("name", MACHINES)
def test_two_of_one_type_match(name):
    """Every recording and a second one of its type, other in all that names it, are one class."""
    names = dict.fromkeys(NAMES, "0A1B2C3D4E5F")
    numbers = dict.fromkeys(READINGS, "1234.567")
    other = twin(name, names, numbers)
    assert (other.host_class, other.fingerprint) == (play(name).host_class, play(name).fingerprint)
    assert other.epoch == play(name).epoch


def edit(path, text):
    """A change of every file whose path matches; None where there is none."""

    def change(data):
        found = [one for one in data["files"] if re.fullmatch(path, one)]
        for one in found:
            data["files"][one] = f"{text}\n"
        return bool(found)

    return change


def rewrite(path, pattern, text):
    """A change inside a file; False where the recording has nothing of it."""

    def change(data):
        before = data["files"].get(path, "")
        data["files"] |= {path: re.sub(pattern, text, before)} if before else {}
        return data["files"].get(path, "") != before

    return change


TOLD = "/proc/sys/kernel/osrelease"
QUEUE = r".*/queue/"
CHANGES = {
    "kernel": (edit(TOLD, "9.9.9-other"), 14),
    "microcode": (rewrite("/proc/cpuinfo", r"(?m)^(microcode\s*:\s*)\S+", r"\g<1>0xfeed"), 17),
    "bios": (edit(f"{DMI}/bios_version", "99.9"), 14),
    "command_line": (edit("/proc/cmdline", "quiet mitigations=off nosmt"), 8),
    "mitigations": (edit(f"{CPU}/vulnerabilities/spectre_v2", "Vulnerable"), 11),
    "governor": (edit(f"{CPU}/.*/scaling_governor", "conservative"), 7),
    "scaling": (edit(f"{CPU}/.*/scaling_driver", "other-cpufreq"), 7),
    "turbo": (edit(f"{CPU}/(intel_pstate/no_turbo|cpufreq/boost)", "7"), 5),
    "smt": (edit(f"{CPU}/smt/control", "forceoff"), 16),
    "offline_cpus": (edit(f"{CPU}/online", "0,4095"), 24),
    "idle": (edit(f"{CPU}/cpuidle/current_governor(_ro)?", "teo"), 19),
    "thp": (edit("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]"), 6),
    "clocksource": (edit(".*/current_clocksource", "jiffies"), 6),
    "swap": (rewrite("/proc/swaps", r"\Z", "/dev/sda9  partition  1  0  -2\n"), 9),
    "disk_scheduler": (edit(QUEUE + "scheduler", "[kyber] none"), 11),
    "disk_queue": (edit(QUEUE + "nr_requests", "7"), 11),
    "disk_write_cache": (edit(QUEUE + "write_cache", "write other"), 9),
    "file_system": (rewrite("/proc/self/mountinfo", r" - (\w+) ", r" - other\1 "), 16),
}
"""A change of each setting, and how many recordings tell of that setting at all."""


def moved(name, change):
    """The facts of one recording before a change, those that it moved, and the machine after."""
    data = recording(name)
    one, other = play(name), facts(data if change(data) else recording(name))
    before, after = one.stable | one.epoch, other.stable | other.epoch
    return before, {key for key in before if before[key] != after[key]}, other


@pytest.mark.parametrize("fact", CHANGES)
def test_a_changed_setting_is_seen_in_its_epoch_fact_alone(fact):
    """On every recording that tells it: that one epoch fact moves, no stable fact, no class."""
    change, wanted = CHANGES[fact]
    told = 0
    for name in MACHINES:
        before, keys, other = moved(name, change)
        told += before[fact] != UNKNOWN
        assert (name, keys) == (name, set() if before[fact] == UNKNOWN else {fact})
        assert (other.fingerprint, other.host_class) == (
            play(name).fingerprint,
            play(name).host_class,
        )
    assert told == wanted


MODEL = r"(?m)^((?:model name|Model Name|CPU part|uarch|cpu)\s*:\s*).*$|(?<=machine = )\d+"
DISK = r"/sys/devices/.*/device/"
REPLACED = {
    "cpu_model": (rewrite("/proc/cpuinfo", MODEL, r"\g<1>7"), 32),
    "memory": (edit("/proc/meminfo", "MemTotal:       2147483648 kB"), 23),
    "system": (rewrite(f"{DMI}/product_name", r"\s*\Z", " Mk2\n"), 14),
    "board": (rewrite(f"{DMI}/board_name", r"\s*\Z", "-2\n"), 8),
    "disk_model": (edit(DISK + "model", "OTHER DISK"), 7),
    "disk_firmware": (edit(DISK + "(firmware_rev|rev)", "F9.9"), 5),
    "disk_size": (edit(r"/sys/devices/.*/(sd[a-z]|vd[a-z]|nvme0n1)/size", "123456789"), 16),
    "disk_lba": (edit(r".*/queue/physical_block_size", "65536"), 11),
    "disk_link": (edit(r".*/max_link_speed", "5.0 GT/s PCIe"), 1),
}
"""A part put in another's place, and how many recordings tell of that part at all."""


@pytest.mark.parametrize("fact", REPLACED)
def test_another_part_is_another_machine(fact):
    """On every recording that tells it: that one stable fact moves, and with it the fingerprint."""
    change, wanted = REPLACED[fact]
    told = 0
    for name in MACHINES:
        before, keys, other = moved(name, change)
        told += before[fact] != UNKNOWN
        assert (name, keys) == (name, set() if before[fact] == UNKNOWN else {fact})
        assert (other.fingerprint == play(name).fingerprint) == (before[fact] == UNKNOWN)
    assert told == wanted
