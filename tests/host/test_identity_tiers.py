"""Which tier a change is seen in: names and live values in none, settings in the second."""

from __future__ import annotations

import dataclasses

import pytest
from host.made import CPU, INTEL, MACHINES, NVME, XEON, server
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.host.host_file import facts_of
from gate.model import UNKNOWN

EPOCH = facts_of("epoch")

HEX = st.text("0123456789abcdef", min_size=12, max_size=12)
NAME = st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True)
NAMES = {
    "/proc/sys/kernel/hostname": NAME,
    "/etc/machine-id": st.uuids().map(lambda one: one.hex),
    "/sys/class/dmi/id/product_serial": HEX,
    "/sys/class/dmi/id/product_uuid": st.uuids().map(str),
    "/sys/class/dmi/id/board_serial": HEX,
    "/sys/class/net/eth0/address": HEX.map(lambda one: ":".join(one[i : i + 2] for i in range(0, 12, 2))),
    f"{NVME}/device/serial": HEX,
    f"{NVME.rpartition('/')[0]}/serial": HEX,
    f"{NVME}/wwid": HEX.map("eui.{}".format),
    f"{NVME}/uuid": st.uuids().map(str),
    "/proc/sys/kernel/random/boot_id": st.uuids().map(str),
    "/proc/loadavg": st.floats(0, 99).map("{0:.2f} {0:.2f} {0:.2f} 1/1 1".format),
    "/sys/class/hwmon/hwmon1/temp1_input": st.integers(0, 110_000).map(str),
    f"{CPU}/cpufreq/policy0/scaling_cur_freq": st.integers(800_000, 5_000_000).map(str),
}  # fmt: skip
COMMAND_LINE = (
    "BOOT_IMAGE=/vmlinuz-{name} root=UUID={uuid} ro resume=UUID={uuid} ip={address}::::{name}:eth0 "
    "quiet console=ttyS0,115200 BOOTIF=01-{mac} isolcpus=2-3 systemd.hostname={name} "
    "rd.luks.uuid=luks-{uuid} rd.lvm.lv={name}/root ds=nocloud;h={name} mitigations=off "
    "x.uuid={uuid} x.server={address} -- --name {name}"
)


@given(
    st.sampled_from(sorted(MACHINES)),
    st.fixed_dictionaries(NAMES),
    st.floats(100, 6000),
    st.floats(100, 12000),
)
def test_names_and_live_values_change_nothing(machine, names, mhz, bogomips):
    """Two machines that differ in bogomips, MHz, hostname, MAC, serial or UUID do not differ."""
    made = MACHINES[machine]()
    before = made.read()
    made.files |= {path: f"{text}\n" for path, text in names.items()}
    for old, new in (("2000.113", f"{mhz:.3f}"), ("4000.00", f"{bogomips:.2f}")):
        text = made.files.get("/proc/cpuinfo", "")
        made.files["/proc/cpuinfo"] = text.replace(old, new)
    after = made.read()
    assert (after.stable, after.epoch) == (before.stable, before.epoch)
    assert (after.fingerprint, after.host_class) == (before.fingerprint, before.host_class)


@given(NAME, st.uuids(), st.ip_addresses(), HEX)
def test_a_command_line_of_one_machine_tells_its_kind(name, uuid, address, digits):
    """Names, UUIDs, addresses, disks and consoles are dropped; the rest stays, in its order."""
    mac = "-".join(digits[i : i + 2] for i in range(0, 12, 2))
    text = COMMAND_LINE.format(name=name, uuid=uuid, address=address, mac=mac)
    told = server().put("/proc/cmdline", f"{text}\n").read().epoch["command_line"]
    assert told == "ro quiet isolcpus=2-3 mitigations=off"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("quiet ro", "quiet ro"),
        ("ro quiet", "ro quiet"),
        ('dyndbg="file a.c +p; file b.c +p" quiet', 'dyndbg="file a.c +p; file b.c +p" quiet'),
        ("root=/dev/vda", "nothing"),
        ("", UNKNOWN),
        ("init=/sbin/init token=abc rd.iscsi.password=x", "init=/sbin/init"),
        ("ro systemd.set_credential=a:b tailscale.authkey=k x.api_key=k x.Key=k quiet", "ro quiet"),
        ("ro X.PASSWORD=a x.cred=a init=/bin/a,token:b url2=http://me:pw@lab/ quiet", "ro quiet"),
        (
            "iommu.passthrough=1 hotkey=1 usbcore.authorized_default=2",
            "iommu.passthrough=1 hotkey=1 usbcore.authorized_default=2",
        ),
        ("nohz_full=1-3 rcu_nocbs=1-3 pcie_aspm=off", "nohz_full=1-3 rcu_nocbs=1-3 pcie_aspm=off"),
    ],
)
def test_the_command_line(text, told):
    """What a kind of machine is booted with is kept as it stands, in order."""
    assert server().put("/proc/cmdline", text).read().epoch["command_line"] == told


def test_the_epoch_of_a_server():
    """Every setting that a full machine tells, as it is said to the reader."""
    assert server().read().epoch == {
        "kernel": "6.12.1",
        "preemption": "PREEMPT_DYNAMIC",
        "command_line": "ro quiet isolcpus=2-3",
        "microcode": "0xd0003d1",
        "bios": "1.9.2 (11/17/2022)",
        "mitigations": "mmio: Vulnerable: Clear CPU buffers attempted, no microcode; "
        "spectre_v2: Enhanced IBRS",
        "governor": "performance",
        "epp": "performance",
        "scaling": "intel_pstate (active)",
        "turbo": "off",
        "smt": "on",
        "offline_cpus": "none",
        "idle": "intel_idle, menu",
        "thp": "madvise, defrag madvise",
        "clocksource": "tsc",
        "numa_balancing": "on",
        "swap": "on (partition)",
        "disk_scheduler": "none",
        "disk_queue": "nr_requests 1023",
        "disk_write_cache": "write back",
        "disk_layers": "none",
        "file_system": "ext4, errors=remount-ro, relatime, rw",
        "tuned": "nothing",
    }


WEAK = f"{CPU}/vulnerabilities"
MOVES = {
    "kernel": ("/proc/sys/kernel/osrelease", "6.13.0", "6.13.0"),
    "preemption": ("/proc/sys/kernel/version", "#2 SMP PREEMPT_RT Mon", "PREEMPT_RT"),
    "bios": ("/sys/class/dmi/id/bios_version", "1.10.2", "1.10.2 (11/17/2022)"),
    "governor": (
        f"{CPU}/cpufreq/policy3/scaling_governor",
        "powersave",
        "7 x performance + powersave",
    ),
    "epp": (
        f"{CPU}/cpufreq/policy3/energy_performance_preference",
        "power",
        "7 x performance + power",
    ),
    "scaling": (f"{CPU}/intel_pstate/status", "passive", "intel_pstate (passive)"),
    "turbo": (f"{CPU}/intel_pstate/no_turbo", "0", "on"),
    "smt": (f"{CPU}/smt/control", "off", "off"),
    "idle": (f"{CPU}/cpuidle/current_driver", "acpi_idle", "acpi_idle, menu"),
    "thp": (
        "/sys/kernel/mm/transparent_hugepage/enabled",
        "[always] madvise never",
        "always, defrag madvise",
    ),
    "clocksource": (
        "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        "hpet",
        "hpet",
    ),
    "numa_balancing": ("/proc/sys/kernel/numa_balancing", "0", "off"),
    "swap": ("/proc/swaps", "Filename Type", "off"),
    "mitigations": (
        f"{WEAK}/meltdown",
        "Mitigation: PTI",
        (
            "mmio: Vulnerable: Clear CPU buffers attempted, no microcode; meltdown: PTI; "
            "spectre_v2: Enhanced IBRS"
        ),
    ),
    "disk_scheduler": (f"{NVME}/queue/scheduler", "none [kyber]", "kyber"),
    "disk_queue": (f"{NVME}/queue/nr_requests", "63", "nr_requests 63"),
    "disk_write_cache": (f"{NVME}/queue/write_cache", "write through", "write through"),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_setting_that_moves_is_seen_in_the_epoch_and_nowhere_else(name):
    """Each setting opens an epoch, alone, and makes no other machine of it."""
    path, text, told = MOVES[name]
    before, after = server().read(), server().put(path, f"{text}\n").read()
    assert after.stable == before.stable
    assert {one for one in EPOCH if after.epoch[one] != before.epoch[one]} == {name}
    assert after.epoch[name] == told


def test_another_microcode_is_an_epoch():
    """Microcode is read from what the processors run, all of it where they differ."""
    made = server().cpus(INTEL, 8, **XEON | {"microcode": "0xd0003f6"})
    assert made.read().stable == server().read().stable
    assert made.read().epoch["microcode"] == "0xd0003f6"
    mixed = made.files["/proc/cpuinfo"].replace("0xd0003f6", "0xd0003d1", 1)
    assert made.put("/proc/cpuinfo", mixed).read().epoch["microcode"] == "0xd0003d1, 0xd0003f6"


def test_other_mount_options_are_an_epoch_and_other_names_are_not():
    """`noatime` is told; sub-volume, device, owner and label are not."""
    made = server()
    made.mounted = []
    made.mount("259:2", "ext4", "/dev/nvme0n1p2", options="rw,noatime,uid=7,resuid=5,source=/dev/x")
    told = made.read().epoch["file_system"]
    assert told == "ext4, noatime, relatime, rw"


def test_what_was_tuned_is_an_epoch_fact():
    """The settings that the gate changed stand beside the numbers."""
    host = server().read(tuned=("governor", "turbo"))
    assert host.epoch["tuned"] == "governor, turbo"
    assert host.fingerprint == server().read().fingerprint


def test_a_fact_too_long_still_shows_every_change():
    """What is cut off at 200 characters is seen in the hash at the end."""
    words = [f"option{i}=on" for i in range(40)]
    first = server().put("/proc/cmdline", " ".join([*words, "last=1"])).read()
    second = server().put("/proc/cmdline", " ".join([*words, "last=2"])).read()
    told = first.epoch["command_line"]
    assert len(told) <= 200
    assert told != second.epoch["command_line"]


def test_programs_change_no_fact_but_live_ones():
    """Which programs are installed, and what they say, is no part of who the machine is."""
    made = server()
    before = made.read()
    made.commands = {
        "lscpu -J": '{"lscpu": [{"field": "Model name:", "data": "Other"}]}',
        "systemd-detect-virt --vm": "microsoft\n",
        "uname -m": "riscv64\n",
        "smartctl -j -A -n standby /dev/nvme0n1": '{"temperature": {"current": 41},'
        ' "nvme_smart_health_information_log": {"percentage_used": 3}}',
        "nvme smart-log -o json /dev/nvme0n1": '{"percent_used": 9, "temperature": 320}',
    }
    after = made.read()
    assert (after.stable, after.epoch) == (before.stable, before.epoch)
    changed = {name for name, value in after.live.items() if before.live[name] != value}
    assert changed == {"disk_wear", "disk_temperature", "detected_virt"}
    assert after.live["disk_wear"] == "3 % of its rated writes"
    assert after.live["disk_temperature"] == "41 °C"


@pytest.mark.parametrize("said", ["[]", "{", "null", '{"percent_used": "x"}', "[" * 100_000])
def test_what_a_program_says_wrongly_is_unknown(said):
    """Output that is no JSON, or of another form, is as good as none."""
    made = server()
    made.commands["nvme smart-log -o json /dev/nvme0n1"] = said
    assert made.read().live["disk_wear"] == UNKNOWN


def test_wear_by_nvme_alone():
    """Where smartctl is missing nvme tells wear, and temperature in kelvin."""
    made = server()
    made.commands["nvme smart-log -o json /dev/nvme0n1"] = '{"percent_used": 9, "temperature": 320}'
    live = made.read().live
    assert (live["disk_wear"], live["disk_temperature"]) == ("9 % of its rated writes", "47 °C")


def test_live_facts_of_a_server():
    """What the kernel says of this moment; the link that trained below what it could is here."""
    live = server().read().live
    assert live["disk_link_now"] == "8 GT/s x2"
    assert live["cpu_temperature"] == "45 °C"
    assert live["cpu_mhz"] == "2000 MHz"
    assert live["load"] == "0.10 0.20 0.30"


def test_the_link_of_the_moment_is_no_identity():
    """A link that trains slower is recorded; what it could do at best is who the disk is."""
    made = server()
    before = made.read()
    slot = NVME.partition("/nvme/")[0]
    made.put(f"{slot}/current_link_speed", "2.5 GT/s PCIe\n")
    after = made.read()
    assert dataclasses.replace(after, live={}) == dataclasses.replace(before, live={})
    assert after.live["disk_link_now"] == "2.5 GT/s x2"


def test_power():
    """Mains, battery and the firmware's profile, without the batteries' own names."""
    made = server()
    supply = "/sys/class/power_supply"
    for name, texts in {
        "AC": {"type": "Mains", "online": "0"},
        "BAT0": {"type": "Battery", "status": "Discharging", "serial_number": "1234"},
        "hid-aa:bb:cc:dd:ee:ff": {"type": "Battery", "scope": "Device", "status": "Full"},
    }.items():
        for key, text in texts.items():
            made.put(f"{supply}/{name}/{key}", f"{text}\n")
    made.put("/sys/firmware/acpi/platform_profile", "balanced\n")
    assert made.read().live["power"] == "no mains, battery discharging, profile balanced"
