"""Readiness between two looks: who computes, writes and waits, what heat and a hypervisor take."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from host.hog import hog
from host.readiness_machines import CPU, PROCESS, answers, changed, server

from gate.host.readiness import ground
from gate.host.readiness.readiness import check_readiness
from gate.linux.machine import ThisMachine
from gate.model import Limits
from gate.model.disturbance import Answer


def stat(user=0, idle=0, steal=0, wait=0):
    """All processors so many ticks after the server's first look."""
    row = f"{100 + user} 0 100 {10000 + idle} {wait} 0 0 {steal} 0 0"
    return {"/proc/stat": f"cpu  {row}\ncpu0 {row}\n"}


def process(pid, name, user, *, io=None, start=50):
    files = {
        f"/proc/{pid}/stat": PROCESS.format(pid=pid, name=name, user=user, system=0, start=start)
    }
    if io is not None:
        files[f"/proc/{pid}/io"] = f"rchar: 9\nread_bytes: {io}\nwrite_bytes: 0\n"
    return files


def disks(sectors):
    return {
        "/proc/diskstats": f" 259 0 nvme0n1 1 0 800 1 1 0 {800 + sectors} 1 0 1 1\n"
        " 7 0 loop0 1 0 999999999 1 1 0 9 1 0 1 1\n"
    }


def test_others_that_compute_are_named():
    """Half of four processors used for a second is off, and names who did most of it first."""
    before = changed(server(), process(10, "hog", 0) | process(11, "a b) c", 40))
    after = changed(
        server(), stat(user=200, idle=200) | process(10, "hog", 150) | process(11, "a b) c", 85)
    )
    found = answers(before, after)["foreign_cpu"]
    assert found.answer is Answer.OFF
    assert found.value == "2.00 processors: hog (10) 1.50, a b) c (11) 0.45"


def test_what_we_use_ourselves_is_not_foreign():
    """The process that looks is taken off, and is not named."""
    before = changed(server(), process(10, "gate", 0))
    after = changed(server(), stat(user=30, idle=370) | process(10, "gate", 30))
    own = answers(before, after, own=10)["foreign_cpu"]
    assert (own.answer, own.value) == (Answer.OK, "0.00 processors")
    foreign = answers(before, after)["foreign_cpu"]
    assert foreign.value == "0.30 processors: gate (10) 0.30"


def test_a_number_that_comes_again_is_another_process():
    """A process of an old number that started anew counts from its own start, not from before."""
    before = changed(server(), process(10, "old", 900, start=1))
    after = changed(server(), stat(user=80, idle=320) | process(10, "new", 80, start=70))
    assert answers(before, after)["foreign_cpu"].value == "0.80 processors: new (10) 0.80"


def test_processes_that_ended_are_told_as_such():
    """Use that no process accounts for is told as that of processes that ended."""
    after = changed(server(), stat(user=100, idle=300))
    found = answers(server(), after)["foreign_cpu"]
    assert found.value == "1.00 processors: processes that ended meanwhile or are small 1.00"


def test_waiting_for_a_disk_and_stolen_time_are_no_use():
    """Idle, iowait and steal are not counted as processors used by others."""
    after = changed(server(), stat(idle=100, wait=150, steal=150))
    assert answers(server(), after)["foreign_cpu"].value == "0.00 processors"


def test_the_limits_of_the_host_count():
    """What host.toml lets others use decides: 0.8 processors are off at 0.25 and ok at 1."""
    after = changed(server(), stat(user=80, idle=320))
    for most, answer in ((0.25, Answer.OFF), (1.0, Answer.OK)):
        found = answers(server(), after, limits=Limits(foreign_cpu=most))["foreign_cpu"]
        assert found.answer is answer
        assert found.wanted == f"below {most:g} processors used by others"


def test_others_that_write_are_named():
    """20 MB/s on the real disk is off, a loop device is not counted, and the writer is named."""
    before = changed(server(), process(10, "dd", 0, io=0) | disks(0))
    after = changed(server(), stat(idle=400) | process(10, "dd", 5, io=18_000_000) | disks(40_000))
    found = answers(before, after)["foreign_io"]
    assert found.answer is Answer.OFF
    assert found.value == "20.48 MB/s: dd (10) 18.00 MB/s"
    less = changed(server(), stat(idle=400) | disks(4_000))
    assert answers(server(), less)["foreign_io"].value == "2.048 MB/s"


@pytest.mark.parametrize("what", ["cpu", "memory"])
@pytest.mark.parametrize(("waited", "answer"), [(40_000, "ok"), (60_000, "off")])
def test_pressure_is_the_share_of_the_sample(what, waited, answer):
    """Some task waiting 4 % of the second is ok, 6 % is off, whatever the averages say."""
    line = f"some avg10=0.00 avg60=9.00 avg300=0.00 total={1000 + waited}\n"
    after = changed(server(), stat(idle=400) | {f"/proc/pressure/{what}": line})
    found = answers(server(), after)[f"{what}_pressure"]
    assert (found.answer.value, found.value) == (answer, f"{waited / 1e4:.1f} % of the time")


def test_throttling_that_moves_is_off():
    """A counter that grew while we looked is off with its count; one that stands still is told."""
    one = {f"{CPU}/cpu1/thermal_throttle/core_throttle_count": "10\n"}
    found = answers(server(), changed(server(), stat(idle=400) | one))["throttling"]
    assert (found.answer, found.value) == (Answer.OFF, "7 times in 1.0 s")
    none = {f"{CPU}/cpu{n}/thermal_throttle/core_throttle_count": "0\n" for n in range(4)}
    assert answers(changed(server(), none))["throttling"].value == "never since boot"


def test_a_cooling_device_at_work_is_throttling():
    """Where no counter is, a processor's cooling device above level 0 is off; a fan is none."""
    place = "/sys/class/thermal/cooling_device0"
    gone = [f"{CPU}/cpu{n}/thermal_throttle" for n in range(4)]
    for kind, level, answer in (
        ("thermal-cpufreq-0", 2, Answer.OFF),
        ("intel_powerclamp", -1, Answer.UNKNOWN),
        ("Fan", 2, Answer.UNKNOWN),
    ):
        arm = changed(
            server(), {f"{place}/type": f"{kind}\n", f"{place}/cur_state": f"{level}\n"}, gone=gone
        )
        assert answers(arm)["throttling"].answer is answer


def test_stolen_time_is_a_share_of_all():
    """A tenth of the processors' time stolen is off; a guest that was never told is unknown."""
    found = answers(server(), changed(server(), stat(idle=360, steal=40)))["steal"]
    assert (found.answer, found.value) == (Answer.OFF, "10.0 %")
    guest = changed(server(), commands={"systemd-detect-virt --vm": "kvm\n"})
    assert answers(guest)["steal"].answer is Answer.UNKNOWN
    told = changed(guest, stat(idle=399, steal=1))
    assert answers(guest, told)["steal"].value == "0.2 %"
    assert answers(guest, told)["steal"].answer is Answer.OK


def test_a_clock_that_stands_still_is_no_rate():
    """Two looks at the same moment divide by nothing: rates are unknown."""
    found = answers(server(), seconds=0.0)
    for name in ("foreign_cpu", "foreign_io", "cpu_pressure", "memory_pressure"):
        assert found[name].answer is Answer.UNKNOWN


def test_a_real_hog_is_found(monkeypatch):
    """A process that computes on this machine while we look is named as using the processors."""
    monkeypatch.setattr(ground, "_NAMED", 1000)  # whoever else does too
    with hog() as spinning:
        checks = check_readiness(
            ThisMachine(),
            Path.cwd(),
            sample=1.5,
            own=os.getpid(),
            limits=Limits(foreign_cpu=0),
            sleep=spinning.burn,
        )
    found = {one.name: one for one in checks}["foreign_cpu"]
    assert found.answer is Answer.OFF
    assert f"({spinning.pid})" in found.value
