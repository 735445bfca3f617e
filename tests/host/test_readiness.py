"""Readiness from recorded machines: each setting ok, off and absent, with its cure."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from host.readiness_machines import (
    CPU,
    NAMES,
    OFF,
    SOURCE,
    answers,
    changed,
    governors,
    said,
    server,
)
from recorded_machine import RecordedMachine

from gate.host.readiness.readiness import check_readiness
from gate.linux.cpu_list import cpu_list_text, cpu_numbers
from gate.model.disturbance import Answer


def test_a_machine_in_order_is_ok():
    """A server with every setting as wanted answers ok to all 26 questions, each with its value."""
    found = answers(server(), measured_cpus="2-3", count=lambda: "")
    assert list(found) == NAMES
    assert {name: one.answer for name, one in found.items()} == dict.fromkeys(NAMES, Answer.OK)
    assert all(one.value and one.wanted and one.why and not one.cure for one in found.values())
    assert found["governor"].value == "performance on 4 of 4 processors"
    assert found["free_space"].value == "500.0 GB of 960.0 GB"
    assert found["disk_link"].value == "nvme0n1 16.0 GT/s x4"
    assert found["throttling"].value == "12 times since boot, none while looking"


def test_a_machine_that_tells_nothing_is_never_ok():
    """Of a machine without a single file every answer is unknown, and has a cure."""
    found = answers({})
    assert list(found) == NAMES
    assert {one.answer for one in found.values()} == {Answer.UNKNOWN}
    assert all(one.cure for one in found.values())


@pytest.mark.parametrize("name", [n for n in NAMES if n not in {"perf", "container"}])
def test_each_file_that_is_absent_is_unknown(name):
    """Take away what one question rests on, and its answer is unknown and no other one changes."""
    rests = {
        "governor": [f"{CPU}/cpu{n}/cpufreq/scaling_governor" for n in range(4)],
        "epp": [f"{CPU}/cpu{n}/cpufreq/energy_" for n in range(4)],
        "turbo": [f"{CPU}/intel_pstate"],
        "smt": [f"{CPU}/smt"],
        "cstates": [f"{CPU}/cpu{n}/cpuidle" for n in range(4)],
        "thp": ["/sys/kernel/mm"],
        "swap": ["/proc/swaps"],
        "aslr": ["/proc/sys/kernel/randomize"],
        "numa_balancing": ["/proc/sys/kernel/numa"],
        "time_source": [SOURCE],
        "battery": ["/sys/class/power_supply"],
        "irq": ["/proc/irq"],
        "isolated_cpus": [f"{CPU}/isolated"],
        "mitigations": [f"{CPU}/vulnerabilities"],
        "disk_link": ["/sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0/current"],
        "load": ["/proc/loadavg"],
        "foreign_cpu": ["/proc/stat"],
        "foreign_io": ["/proc/diskstats"],
        "cpu_pressure": ["/proc/pressure/cpu"],
        "memory_pressure": ["/proc/pressure/memory"],
        "throttling": [f"{CPU}/cpu{n}/thermal_throttle" for n in range(4)],
        "steal": ["/proc/stat"],
    }
    said_by = {"free_space": "df -B1 --output=avail,size /", "disk_wear": "nvme smart-log -o json"}
    less = changed(server(), gone=rests.get(name, ()))
    command = said_by.get(name, "?")
    less["commands"] = {c: t for c, t in less["commands"].items() if not c.startswith(command)}
    whole = answers(server(), measured_cpus="2-3")
    found = answers(less, measured_cpus="2-3")
    assert found[name].answer is Answer.UNKNOWN
    assert found[name].cure
    others = {n for n in NAMES if found[n].answer is not whole[n].answer}
    assert others == ({"foreign_cpu", "steal"} if "/proc/stat" in rests.get(name, ()) else {name})


@pytest.mark.parametrize("name", OFF)
def test_each_setting_that_is_off_says_so(name):
    """One setting changed is off with its measured value and a cure, and nothing else is off."""
    files, value, cure = OFF[name]
    found = answers(changed(server(), files), measured_cpus="2-3")
    assert said(found[name]) == ("off", value)
    assert cure in found[name].cure
    assert [n for n, one in found.items() if one.answer is Answer.OFF] == [name]


def test_processors_that_keep_silent_are_not_ok():
    """Performance on the processors that tell is unknown while others do not tell."""
    found = answers(changed(server(), gone=[f"{CPU}/cpu3/cpufreq"]))["governor"]
    assert said(found) == (
        "unknown",
        "performance on 3 of 4 processors, the others do not report it",
    )


def test_a_clock_held_still_needs_no_governor():
    """Powersave with equal least and greatest frequency is ok, and the clock is told."""
    held = {f"{CPU}/cpu{n}/cpufreq/scaling_max_freq": "800000\n" for n in range(4)}
    found = answers(changed(server(), held | governors(*["powersave"] * 4)))
    assert said(found["governor"]) == (
        "ok",
        "powersave on 4 of 4 processors, clock held at 0.8 GHz",
    )


@pytest.mark.parametrize("place", ["boost", "policy0/boost"])
def test_boost_of_amd_is_turbo(place):
    """Where there is no intel_pstate, cpufreq's boost tells, of all processors or of a policy."""
    amd = changed(server(), gone=[f"{CPU}/intel_pstate"])
    for text, answer in (("1\n", "off"), ("0\n", "ok"), ("", "unknown")):
        found = answers(changed(amd, {f"{CPU}/cpufreq/{place}": text}))
        assert found["turbo"].answer.value == answer
    on = answers(changed(amd, {f"{CPU}/cpufreq/{place}": "1\n"}))["turbo"]
    assert f"echo 0 > {CPU}/cpufreq/{place}" in on.cure


def test_a_latency_that_is_held_or_polling_makes_sleep_shallow():
    """Deep states are ok while /dev/cpu_dma_latency is held at 0 µs, or with idle=poll."""
    deep = changed(server(), {f"{CPU}/cpu0/cpuidle/state2/disable": "0\n"})
    assert answers(deep)["cstates"].answer is Answer.OFF
    held = answers(changed(deep, {"/dev/cpu_dma_latency": "\0\0\0\0"}))["cstates"]
    assert said(held) == ("ok", "held at 0 µs by /dev/cpu_dma_latency")
    loose = answers(changed(deep, {"/dev/cpu_dma_latency": "\x64\0\0\0"}))["cstates"]
    assert loose.answer is Answer.OFF
    polling = answers(changed(deep, {"/proc/cmdline": "quiet idle=poll\n"}))["cstates"]
    assert said(polling) == ("ok", "never idle (idle=poll)")


def test_a_virtual_machine_without_cpufreq_names_its_hypervisor():
    """A guest's clock, threads and sleep are unknown, and the cure is the hypervisor's owner."""
    gone = [f"{CPU}/cpu{n}/cpufreq" for n in range(4)] + [f"{CPU}/intel_pstate"]
    guest = changed(server(), commands={"systemd-detect-virt --vm": "kvm\n"}, gone=gone)
    found = answers(guest)
    for name in ("governor", "epp", "turbo", "smt", "cstates"):
        assert found[name].answer is Answer.UNKNOWN
        assert found[name].cure.startswith("the hypervisor decides: ask its owner")
    assert found["governor"].value == "no cpufreq (kvm)"
    assert found["steal"].answer is Answer.UNKNOWN
    flags = changed(server(), {"/proc/cpuinfo": "flags\t\t: fpu hypervisor lahf_lm\n"})
    assert answers(flags)["smt"].answer is Answer.UNKNOWN


def test_a_container_says_so_and_sends_cures_to_its_host():
    """Without the kernel's threads the container is named, and cures are for its host."""
    inside = changed(
        server(),
        {"/run/.containerenv": "", "/proc/sys/kernel/numa_balancing": "1\n", **OFF["swap"][0]},
        gone=["/proc/2/"],
    )
    found = answers(inside)
    assert said(found["container"]) == ("unknown", "podman")
    for name in ("swap", "numa_balancing"):
        assert found[name].answer is Answer.OFF
        assert found[name].cure.startswith("on the container's host: ")
    left_behind = answers(changed(server(), {"/.dockerenv": ""}))
    assert said(left_behind["container"]) == ("ok", "none: the kernel's own threads are seen")


def test_interrupts_are_unknown_until_somebody_names_the_processors():
    """Without measured_cpus neither interrupts nor isolated processors can be judged."""
    found = answers(changed(server(), {f"{CPU}/isolated": "2-3\n"}))
    for name in ("irq", "isolated_cpus"):
        assert found[name].answer is Answer.UNKNOWN
        assert "measured_cpus" in found[name].cure
    assert 'measured_cpus = "2-3"' in found["isolated_cpus"].cure
    both = answers(changed(server(), {f"{CPU}/isolated": "2-3\n"}), measured_cpus="2-3")
    assert said(both["isolated_cpus"]) == ("ok", "2-3 isolated, 2-3 measure")


def test_a_single_node_has_nothing_to_balance():
    """NUMA balancing of one node is ok, on or not told; of no known node it is unknown."""
    one = changed(server(), gone=["/sys/devices/system/node/node1", "/proc/sys/kernel/numa"])
    assert said(answers(one)["numa_balancing"]) == ("ok", "not reported, a single node")


@pytest.mark.parametrize(
    ("reason", "answer"),
    [
        ("", "ok"),
        ("the kernel lets only root count the whole machine (perf_event_paranoid = 4)", "off"),
        ("perf offers no cycle counter on this machine", "unknown"),
    ],
)
def test_counters_are_tried(reason, answer):
    """A counter that opens is ok, one that is forbidden off, one that is not there unknown."""
    found = answers(server(), count=lambda: reason)["perf"]
    assert found.answer.value == answer
    assert "perf_event_paranoid 2" in found.value


def test_names_cannot_steer_a_terminal():
    """Whatever stands in a file, value and cure are one printable line of at most 300 characters."""
    evil = changed(server(), governors("a\x1b[2J" + "x" * 500, *["b\u202e"] * 3))
    found = answers(evil)["governor"]
    assert found.value.isprintable()
    assert len(found.value) <= 300


def test_lists_of_processors():
    """The kernel's lists are read and written alike; what is none is empty."""
    assert cpu_numbers("0-2,8\n") == (0, 1, 2, 8)
    assert cpu_list_text((8, 0, 1, 2)) == "0-2,8"
    assert cpu_numbers("") == cpu_numbers("x") == cpu_numbers("0-99999999") == ()


def test_nothing_waits_but_the_sample():
    """The default looks twice, one second apart, by a clock that is handed in."""
    slept = []
    check_readiness(RecordedMachine(server()), Path("/"), clock=time.monotonic, sleep=slept.append)
    assert slept == [1.0]
