"""What the host is read from: /proc/stat, kernel threads, RAPL, hardware counters."""

from __future__ import annotations

import errno
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.linux import perf_event
from gate.linux.kernel_counters import find_energy
from gate.linux.perf_event import CounterFiles, Event, NoCounters
from gate.linux.proc_stat import TICK, StatFile, idle, parse_proc_stat
from gate.linux.processes import base_name, kthread_seconds, read_kthreads

STAT = """\
cpu  300 20 200 5000 40 7 30 10 5 0
cpu0 100 10 150 2500 30 3 20 4 5 0
cpu1 200 10 50 2500 10 4 10 6 0 0
intr 123456 0 9 0 0
ctxt 987654321
btime 1700000000
"""


def proc(root, **threads):
    """A /proc with these tasks: number -> (name, flags, utime, stime, start, schedstat)."""
    for number, (name, flags, user, system, start, exact) in threads.items():
        place = root / number.removeprefix("p")
        place.mkdir(parents=True)
        fields = ["S", "2", "0", "0", "0", "-1", str(flags), *"0000", str(user), str(system)]
        fields += ["0", "0", "20", "0", "1", "0", str(start), "0"]
        (place / "stat").write_text(f"{place.name} ({name}) {' '.join(fields)}\n")
        if exact is not None:
            (place / "schedstat").write_text(f"{exact} 1 1\n")


def test_a_look_at_proc_stat(tmp_path):
    """Every figure comes out in seconds, the total apart from each processor, switches too."""
    (tmp_path / "stat").write_text(STAT)
    reading = parse_proc_stat(StatFile(tmp_path).look())
    ticks = (300, 20, 200, 5000, 40, 7, 30, 10)
    assert reading.total == pytest.approx([one * TICK for one in ticks])
    assert sorted(reading.each) == ["cpu0", "cpu1"]
    assert idle(reading.each["cpu1"]) == pytest.approx((2500 + 10 + 6) * TICK)
    assert reading.switches == 987654321


def test_an_old_kernel_has_fewer_columns(tmp_path):
    """Figures that a kernel does not print are zero."""
    (tmp_path / "stat").write_text("cpu 1 2 3 4\ncpu0 1 2 3 4\nintr 1\nctxt 5\n")
    assert parse_proc_stat(StatFile(tmp_path).look()).total[4:] == (0.0, 0.0, 0.0, 0.0)


def test_nonsense_is_no_reading(tmp_path):
    """A file without a processor is refused, not read as idle."""
    (tmp_path / "stat").write_text("intr 1\nctxt 5\n")
    with pytest.raises(ValueError, match="no line of a processor"):
        parse_proc_stat(StatFile(tmp_path).look())


def test_the_processors_here_add_up():
    """On this machine the seconds of a real stretch are those of all processors, to some ticks."""
    source = StatFile()
    before = parse_proc_stat(source.look())
    time.sleep(0.5)
    after = parse_proc_stat(source.look())
    gained = sum(after.total) - sum(before.total)
    assert gained <= (after.at - before.at + 0.1) * len(after.each)
    assert idle(after.total) >= idle(before.total)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("kworker/0:1-events", "kworker"),
        ("kworker/u8:3-loop0", "kworker"),
        ("ksoftirqd/1", "ksoftirqd"),
        ("loop0", "loop"),
        ("jbd2/vda-8", "jbd2"),
        ("jbd2/dm-0-8", "jbd2"),
        ("irq/24-nvme0q1", "irq"),
        ("dmcrypt_write/253:0", "dmcrypt_write"),
        ("md127_raid1", "md"),
        ("scsi_eh_0", "scsi_eh"),
        ("kswapd0", "kswapd"),
        ("rcu_preempt", "rcu_preempt"),
        ("0", "0"),
    ],
)
def test_names_without_numbers(name, plain):
    """Threads of one kind have one name, whatever their numbers."""
    assert base_name(name) == plain


@given(st.text(min_size=1))
def test_every_thread_keeps_some_name(name):
    """No name becomes empty, so no thread's time is lost."""
    assert base_name(name)


def test_kernel_threads_alone_are_counted(tmp_path):
    """Only tasks with the kernel's mark count; nanoseconds are taken where there are any."""
    proc(
        tmp_path,
        p2=("kthreadd", 0x208040, 1, 2, 5, None),
        p9=("kworker/0:0 (odd) name", 0x4208060, 0, 300, 6, 3_004_000_000),
        p77=("bash", 0x400000, 500, 500, 7, 10_000_000_000),
    )
    (tmp_path / "self").mkdir()
    found = read_kthreads(tmp_path)
    assert {thread.name: thread.seconds for thread in found.values()} == {
        "kthreadd": pytest.approx(3 * TICK),
        "kworker": pytest.approx(3.004),
    }


def test_time_in_between_by_name(tmp_path):
    """Threads of one name add up, new ones count whole, a number used again is another thread."""
    proc(
        tmp_path / "a",
        p5=("kworker/0:1", 0x200000, 0, 0, 6, 1_000_000_000),
        p6=("kworker/1:1", 0x200000, 0, 0, 6, 2_000_000_000),
        p7=("loop0", 0x200000, 0, 0, 6, 9_000_000_000),
        p8=("gone", 0x200000, 0, 0, 6, 1),
    )
    proc(
        tmp_path / "b",
        p5=("kworker/0:1", 0x200000, 0, 0, 6, 1_500_000_000),
        p6=("kworker/1:1", 0x200000, 0, 0, 6, 2_250_000_000),
        p7=("loop0", 0x200000, 0, 0, 99, 40_000_000),
    )
    used = kthread_seconds(read_kthreads(tmp_path / "a"), read_kthreads(tmp_path / "b"))
    assert used == {"kworker": pytest.approx(0.75), "loop": pytest.approx(0.04)}


def test_no_proc_no_threads(tmp_path):
    """Where /proc is not there, nothing is claimed."""
    assert read_kthreads(tmp_path / "none") == {}


def zone(root, name, label, energy, most=262_143_328_850):
    """A powercap zone."""
    place = root / name
    place.mkdir(parents=True)
    (place / "name").write_text(f"{label}\n")
    (place / "energy_uj").write_text(f"{energy}\n")
    (place / "max_energy_range_uj").write_text(f"{most}\n")
    return place / "energy_uj"


def test_energy_of_two_packages(tmp_path):
    """Packages add up; their parts, the board and a second way to the same counter do not."""
    first = zone(tmp_path, "intel-rapl:0", "package-0", 1_000_000)
    second = zone(tmp_path, "intel-rapl:1", "package-1", 5_000_000)
    for name, label in (
        ("intel-rapl:0:0", "core"),
        ("intel-rapl:2", "psys"),
        ("intel-rapl-mmio:0", "package-0"),
    ):
        zone(tmp_path, name, label, 7)
    energy = find_energy(tmp_path)
    before = energy.look()
    first.write_text("3500000")
    second.write_text("5250000")
    assert energy.used(before, energy.look()) == pytest.approx(2.75)


@given(early=st.integers(0, 10**9), used=st.integers(0, 10**9 - 1))
def test_energy_counters_begin_anew(tmp_path_factory, early, used):
    """A counter that passed its end gives the same Joule as one that did not."""
    most = 10**9
    root = tmp_path_factory.mktemp("powercap")
    file = zone(root, "intel-rapl:0", "package-0", early, most)
    energy = find_energy(root)
    before = energy.look()
    file.write_text(str((early + used) % most if early + used > most else early + used))
    assert energy.used(before, energy.look()) == pytest.approx(used * 1e-6, abs=2e-6)


def test_no_energy_has_a_reason(tmp_path, monkeypatch):
    """Without a counter, or without the right to read it, there is a plain reason."""
    assert "no RAPL counter" in find_energy(tmp_path / "none").reason
    file = zone(tmp_path, "intel-rapl:0", "package-0", 1)
    read = type(file).read_bytes

    def refused(path):
        if path.name == "energy_uj":
            raise PermissionError(errno.EACCES, "no")
        return read(path)

    monkeypatch.setattr(type(file), "read_bytes", refused)
    assert find_energy(tmp_path).reason == "intel-rapl:0/energy_uj may be read by root only"


SOFTWARE = (Event(1, 1, user=True), Event(1, 3, user=False))
"""Task clock and context switches: they are counted where there is no hardware to count."""


def test_counting_works_where_the_kernel_lets_us():
    """Counters of all processors only grow, and are closed with their owner."""
    before = set(Path("/proc/self/fd").iterdir())
    try:
        files = CounterFiles(SOFTWARE)
    except NoCounters as error:
        said = str(error)
        files = None
    if files is None:
        assert "perf_event_paranoid" in said or "perf_event_open" in said
        return
    early = files.look()
    time.sleep(0.05)
    late = files.look()
    assert len(late) == 2
    assert all(b >= a for a, b in zip(early, late, strict=True))
    assert late != early
    files.close()
    assert set(Path("/proc/self/fd").iterdir()) <= before


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (errno.ENOENT, "perf offers no cycle counter on this machine"),
        (errno.EOPNOTSUPP, "perf offers no cycle counter on this machine"),
        (errno.EACCES, "perf_event_paranoid = 4"),
        (errno.EPERM, "CAP_PERFMON"),
        (errno.ENOSYS, "no perf_event_open"),
        (errno.EMFILE, "Too many open files"),
    ],
)
def test_every_refusal_has_a_plain_reason(error, words, tmp_path):
    """Whatever the kernel answers, the reader is told why there are no cycles."""
    (tmp_path / "paranoid").write_text("4\n")
    assert words in perf_event._why(error, tmp_path / "paranoid")


def test_an_unknown_machine_counts_nothing(monkeypatch):
    """A processor whose system call number the gate does not know is a reason, not a crash."""
    monkeypatch.setattr(perf_event, "_SYSCALL", {})
    with pytest.raises(NoCounters, match="does not know how to count on"):
        CounterFiles(SOFTWARE)
