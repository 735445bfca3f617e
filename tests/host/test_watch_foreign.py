"""What processes outside a trial did between two looks, by name."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from host.hog import BURNT, hog

from gate.host.disturbance.other_processes import blind_spots, used_between
from gate.linux.proc_stat import TICK
from gate.linux.processes import ProcessStat, in_container, read_processes

HZ = round(1 / TICK)
GATE = 50


def one(name, parent=2, *, own=0.0, reaped=0.0, moved=0, kernel=False):
    """A process that has used so many seconds."""
    return ProcessStat(name, parent, kernel, round(own * HZ), round(reaped * HZ), moved)


INIT = {(1, 0): one("systemd", 0), (2, 0): one("sshd", 1), (GATE, 7): one("gate", 40)}


def used(before, after, **more):
    """(CPU-seconds by name, bytes by name) between two tables."""
    found = used_between(INIT | before, INIT | after, own=GATE, **more)
    return {name: round(seconds, 3) for name, seconds in found.cpu.items()}, found.moved


def test_what_a_process_uses_in_between_counts():
    """Of a process that lives at both looks the difference counts, of a new one everything."""
    cpu, moved = used(
        {(10, 1): one("hog", own=5, moved=100)},
        {(10, 1): one("hog", own=6.5, moved=400), (11, 2): one("new", own=0.25, moved=7)},
    )
    assert cpu == {"hog": 1.5, "new": 0.25}
    assert moved == {"hog": 300, "new": 7}


def test_a_number_that_came_again_is_another_process():
    """The start time tells a process from the one that had its number before."""
    cpu, _ = used({(10, 1): one("old", own=9)}, {(10, 2): one("young", own=0.5)})
    assert cpu == {"young": 0.5}


def test_children_that_came_and_went_count_through_their_parent():
    """Short-lived children are seen as time that a living parent has reaped."""
    cpu, _ = used({(10, 1): one("make")}, {(10, 1): one("make", reaped=3)})
    assert cpu == {"make": 3.0}


def test_what_a_dead_child_had_used_before_does_not_count():
    """A parent inherits all that its child ever used: what it used before the first look is not
    of this trial, also where the parent ended too and handed it on to its own."""
    before = {
        (10, 1): one("make"),
        (11, 1): one("sh", 10),
        (12, 1): one("cc", 11, own=100, moved=1000),
    }
    cpu, moved = used(before, {(10, 1): one("make", reaped=101, moved=1024)})
    assert cpu == {"make": 1.0}
    assert moved == {"make": 24}


def test_a_table_with_a_loop_ends():
    """Two dead processes that are each other's parents, as a slow look may tell, hang nothing."""
    before = {(11, 1): one("a", 12), (12, 1): one("b", 11)}
    assert used(before, {}) == ({}, {})


def test_the_gate_and_its_dead_children_are_no_strangers():
    """Neither what the gate uses counts, nor the trial that it waited for, nor orphans of it that
    went to process 1 or to an ancestor."""
    before = {(40, 1): one("bash", 1), (GATE, 7): one("gate", 40)}
    after = {
        (1, 0): one("systemd", 0, reaped=50, moved=9999),
        (40, 1): one("bash", 1, reaped=60, moved=8888),
        (GATE, 7): one("gate", 40, own=3, reaped=70, moved=7777),
    }
    assert used(before, after) == ({}, {})


def test_an_ancestors_own_work_counts():
    """A shell or a runner that works itself while the trial runs is a stranger to it."""
    cpu, _ = used({(40, 1): one("runner", 1)}, {(40, 1): one("runner", 1, own=2)})
    assert cpu == {"runner": 2.0}


def test_kernel_threads_work_for_everybody():
    """Their time is told apart and is nobody's."""
    after = {(9, 0): one("kworker/0:1", own=4, kernel=True)}
    found = used_between(INIT, INIT | after, own=GATE)
    assert (found.cpu, found.kernel) == ({}, 4.0)


def test_companions_belong_to_the_trial():
    """A server that the profile names is not counted; the kernel keeps 15 characters of a name."""
    after = {(10, 1): one("a-long-database", own=2, moved=5), (11, 1): one("other", own=1)}
    cpu, moved = used({}, after, companions=frozenset({"a-long-database-server"[:15]}))
    assert cpu == {"other": 1.0}
    assert moved == {}
    found = used_between(INIT, INIT | after, own=GATE, companions=frozenset({"a-long-database"}))
    assert found.companions == 2.0, "what explains the time of the processors is lacking"


def test_a_hog_of_this_machine_is_seen_by_name():
    """A real process is told with what it burnt, and all together with no more than there was."""
    with hog() as spinning:
        began = time.monotonic()
        before = read_processes()
        spinning.burn()
        after = read_processes()
        lasted = time.monotonic() - began
    name = after[next(key for key in after if key[0] == spinning.pid)].name
    found = used_between(before, after, own=1)  # for once nobody is the gate
    assert found.cpu[name] >= BURNT - 2 * TICK
    assert sum(found.cpu.values()) <= 2 * (lasted + 1) * (os.cpu_count() or 1)


def test_a_writer_of_this_machine_is_seen_with_its_bytes(tmp_path):
    """Four MiB that a real process wrote are told to the byte, or a little more."""
    program = (
        "import os, sys, time\n"
        "f = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)\n"
        "os.write(f, bytes(4 << 20)); os.fsync(f); print(flush=True); sys.stdin.read()\n"
    )
    before = read_processes()
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "file")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as writer:
        writer.stdout.readline()
        after = read_processes()
        writer.stdin.close()
    (key,) = (key for key in after if key[0] == writer.pid)
    alone = used_between(before, {key: after[key]}, own=1)
    assert 4 << 20 <= sum(alone.moved.values()) <= 6 << 20


def test_names_are_plain(tmp_path):
    """A process may call itself anything: brackets, spaces and line breaks are read, none shown."""
    place = tmp_path / "7"
    place.mkdir()
    words = ["S", "1", "7", "7", "0", "-1", "4194304", *"0000", "150", "50", "7", "3"]
    words += ["20", "0", "1", "0", "123", "0"]
    (place / "stat").write_bytes(b"7 (a) b\n\x1b(c) " + " ".join(words).encode())
    (place / "io").write_text("rchar: 1\nread_bytes: 10\nwrite_bytes: 20\n")
    (tmp_path / "8").mkdir()
    (tmp_path / "self").mkdir()
    assert read_processes(tmp_path) == {
        (7, 123): ProcessStat("a) b??(c", 1, False, 200, 10, 30, threads=1, start=123)
    }
    assert read_processes(tmp_path / "absent") == {}


@pytest.mark.parametrize(
    ("namespace", "table", "told"),
    [
        ("pid:[4026531836]", {(1, 0): one("init", 0, moved=None), (2, 0): one("x")}, ""),
        ("pid:[4026532999]", {(1, 0): one("init", 0)}, "in a container"),
        ("pid:[4026531836]", {(2, 0): one("x")}, "/proc hides them"),
        (
            "pid:[4026531836]",
            {(1, 0): one("init", 0), (2, 0): one("x", moved=None)},
            "block I/O: only root",
        ),
    ],
)
def test_what_cannot_be_seen_is_told(namespace, table, told, tmp_path):
    """A container, a /proc that hides others and missing rights are told, each in words."""
    link = tmp_path / "pid"
    link.symlink_to(namespace)
    said = blind_spots(table, contained=in_container(link))
    assert (told in said) if told else (said == "")
