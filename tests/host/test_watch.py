"""Two looks at the machine: which limits were passed, by how much and by whom."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import pytest
from host.hog import hog
from recorded_machine import RecordedMachine

from gate.host.disturbance import messages
from gate.host.disturbance.messages import Meanwhile, Processors, disturbances, processors_between
from gate.host.disturbance.other_processes import ForeignWork
from gate.host.disturbance.watch import Watch, find_throttle
from gate.linux.proc_stat import Raw, parse_proc_stat, waited_for
from gate.model import KINDS, Limits

QUIET = Meanwhile(
    seconds=10.0,
    asleep=0.0,
    processors=Processors(total=20.0, busy=10.0, interrupts=0.1, steal=0.0),
    others=ForeignWork({"sshd": 0.1}, {"journald": 4096.0}, 0.2),
    explained=9.7,
    waited=0.0,
    throttled=(),
    reported=(),
)


def told(**changes):
    """(kind, text) of a stretch that was quiet but for `changes`."""
    found = disturbances(replace(QUIET, **changes), Limits())
    assert all(one.kind in KINDS for one in found)
    return [(one.kind, one.text) for one in found]


def cpu(**used):
    return ForeignWork(used, {}, 0.0)


def test_a_quiet_stretch_disturbs_nothing():
    """A daemon that wakes up now and then, and an entry in a log, are no disturbance."""
    assert told() == []


def test_foreign_processor_time():
    """Above a quarter of a processor others disturb; the worst three are named with their share."""
    assert told(others=cpu(a=2.5)) == []
    ((kind, text),) = told(others=cpu(hog=9.7, cc1=1.0, sh=0.6, ls=0.55, x=0.01))
    assert kind == "foreign_cpu"
    assert text == (
        "processes outside the trial used 1.19 CPUs (foreign_cpu = 0.25 in [limits]): hog 0.97, cc1 0.10, sh 0.06"
    )


def test_two_ticks_do_not_decide():
    """Of a short trial three clock ticks are the least that counts."""
    assert told(seconds=0.02, others=cpu(a=0.02), explained=None) == []
    assert [kind for kind, _ in told(seconds=0.02, others=cpu(a=0.03))] == ["foreign_cpu"]


def test_time_that_nobody_explains():
    """What lived and died unseen is told where it is gross and the trial's own time is known."""
    busy = Processors(total=20.0, busy=19.9, interrupts=0.1, steal=0.0)
    ((kind, text),) = told(processors=busy, explained=9.7)
    assert kind == "foreign_cpu"
    assert text.startswith(
        "1.01 CPUs were used (foreign_cpu = 0.25 in [limits]) that neither the trial nor a process"
    )
    assert told(processors=busy, explained=12.4) == []
    assert told(processors=busy, explained=None) == []
    assert told(processors=None, explained=9.7) == []


def test_foreign_input_and_output():
    """Above 8 MB/s other processes' reads and writes disturb; half a megabyte never does."""
    assert told(others=ForeignWork({}, {"dd": 8e7}, 0.0)) == []
    ((kind, text),) = told(others=ForeignWork({}, {"dd": 1.2e9, "cp": 3e8, "x": 1.0}, 0.0))
    assert kind == "foreign_io"
    assert text == (
        "processes outside the trial read and wrote 150.0 MB/s (foreign_io = 8.000 MB/s in [limits]): "
        "dd 120.0 MB/s, cp 30.00 MB/s"
    )
    assert told(seconds=0.01, others=ForeignWork({}, {"dd": 5e5}, 0.0), explained=None) == []


def test_steal_memory_and_sleep():
    """Each is told with its figure and its limit, and only above it."""
    stolen = Processors(total=20.0, busy=10.0, interrupts=0.0, steal=1.0)
    assert told(processors=stolen) == []
    assert told(processors=replace(stolen, steal=2.4)) == [
        ("steal", "the hypervisor took 12.0 % of the processors' time (steal = 5.0 % in [limits])")
    ]
    assert told(waited=0.5) == []
    assert told(waited=3.4) == [
        (
            "memory_pressure",
            "tasks waited for memory in 34.0 % of the time (memory_pressure = 5.0 % in [limits])",
        )
    ]
    assert told(asleep=0.5) == []
    assert told(asleep=89.0) == [("asleep", "the machine was suspended for 1 min 29 s")]


def test_throttling_and_faults_have_no_limit():
    """One throttled processor and one fault of the machine are enough."""
    assert told(throttled=("cpu3 met a thermal limit 4 times",)) == [
        ("throttling", "cpu3 met a thermal limit 4 times")
    ]
    assert told(reported=(("an I/O error", "I/O error, dev sda, sector 0"),)) == [
        ("kernel_log", "the kernel reported an I/O error: I/O error, dev sda, sector 0")
    ]


def test_limits_of_the_host_are_kept():
    """What host.toml allows is not told."""
    seen = replace(QUIET, others=ForeignWork({"a": 12.0}, {"a": 9e8}, 0.0), waited=5.0)
    generous = Limits(foreign_cpu=1.3, foreign_io=1e8, memory_pressure=0.6)
    assert len(disturbances(seen, Limits())) == 3
    assert disturbances(seen, generous) == ()


def test_what_proc_stat_tells():
    """Busy is what is neither idle nor stolen, by the clock and not by the sampled columns."""

    def look(at, total):
        return parse_proc_stat(
            Raw(at=at, processors=f"cpu {total}\ncpu0 {total}\n".encode(), switches=b"0")
        )

    early, late = look(100.0, "10 0 10 100 0 0 0 0"), look(102.0, "60 0 20 180 10 1 2 30")
    seen = processors_between(early, late)
    assert seen == Processors(
        total=2.0,
        busy=pytest.approx(0.8),
        interrupts=pytest.approx(0.03),
        steal=pytest.approx(0.3),
    )
    assert processors_between(None, late) is None


HOT = {
    "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "5\n",
    "/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count": "7\n",
    "/sys/devices/system/cpu/cpu1/thermal_throttle/package_throttle_count": "7\n",
    "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq": "3500000\n",
    "/sys/devices/system/cpu/cpufreq/policy0/bios_limit": "3500000\n",
    "/sys/class/thermal/cooling_device0/type": "Processor\n",
    "/sys/class/thermal/cooling_device0/cur_state": "0\n",
    "/sys/class/thermal/cooling_device1/type": "Fan\n",
    "/sys/class/thermal/cooling_device1/cur_state": "0\n",
    "/sys/class/thermal/cooling_device2/type": "intel_powerclamp\n",
    "/sys/class/thermal/cooling_device2/cur_state": "-1\n",
}


def throttled(**after):
    """What is told when files, named by their ends, hold something else at the second look."""
    files = dict(HOT)
    watched = find_throttle(RecordedMachine({"files": files}))
    before = watched.look()
    for end, text in after.items():
        (path,) = (one for one in HOT if one.replace("/", "_").endswith(end))
        files[path] = text
    return tuple(watched.changes(before, watched.look()))


def test_throttling_is_told_by_what_the_machine_has():
    """Thermal limits met, lowered ceilings and cooling that slows down are told; a fan is not."""
    assert throttled() == ()
    assert throttled(cpu0_thermal_throttle_core_throttle_count="6\n") == (
        "cpu0 met a thermal limit 1 time",
    )
    assert throttled(
        cpu0_thermal_throttle_core_throttle_count="6\n",
        cpu1_thermal_throttle_core_throttle_count="10\n",
    ) == ("cpu0 and 1 more met a thermal limit 3 times",)
    assert throttled(scaling_max_freq="2100000\n") == (
        "scaling_max_freq of policy0 went from 3.50 to 2.10 GHz",
    )
    assert throttled(cooling_device0_cur_state="3\n", cooling_device1_cur_state="9\n") == (
        "cooling device cooling_device0 (Processor) went from state 0 to 3",
    )
    assert throttled(scaling_max_freq="3600000\n", bios_limit="junk\n") == ()


def test_a_machine_without_any_of_it():
    """A virtual machine without thermal files and PSI is watched for the rest."""
    nothing = find_throttle(RecordedMachine({}))
    assert (nothing.counters, nothing.ceilings, nothing.states) == ((), (), ())
    assert list(nothing.changes({}, {})) == []
    assert waited_for(RecordedMachine({}), "memory") is None
    psi = "some avg10=0.00 avg60=0.00 avg300=0.00 total=237364\nfull avg10=0.00 total=1\n"
    played = RecordedMachine({"files": {"/proc/pressure/memory": psi}})
    assert waited_for(played, "memory") == pytest.approx(0.237364)
    told = Watch(machine=RecordedMachine({})).blind
    assert "not watched for disturbance: memory pressure (PSI)" in told


def test_a_real_hog_disturbs(monkeypatch):
    """A process that computes beside a stretch is told by name and share, whoever else does."""
    monkeypatch.setattr(messages, "_NAMED", 1000)
    monkeypatch.setattr(messages, "_SHOWN", 0.0)
    watch = Watch(Limits(foreign_cpu=0.0))
    with hog() as one:
        watch.begin()
        one.burn()
        found = {one.kind: one.text for one in watch.end(None)}
    name = os.path.basename(os.path.realpath(sys.executable))[:15]  # noqa: PTH119
    assert "foreign_cpu" in found
    assert f"{name} " in found["foreign_cpu"] or "python" in found["foreign_cpu"]


def test_what_is_expected_is_not_told():
    """A kind that the workload makes itself, and a companion of it, set nothing aside."""
    with hog() as one:
        for watch in (
            Watch(expects=["foreign_cpu"]),
            Watch(Limits(foreign_cpu=100.0), companions=["nobody"]),
        ):
            watch.begin()
            one.burn()
            assert "foreign_cpu" not in {one.kind for one in watch.end(None)}


def test_an_end_without_a_beginning():
    """A trial that failed before it began was disturbed by nothing."""
    assert Watch().end(0.0) == ()
