"""Those who wait for the measuring lock: first come, first served, whoever dies or stops meanwhile."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from gate.errors import CannotJudge, InputError
from gate.host import lock_queue
from gate.host.lock import anybody_waits, exclusive
from gate.host.lock_queue import LockQueue, queue_beside

WAITER = """
import sys, time
from pathlib import Path
from gate.host import lock, lock_queue
lock_queue._TO_TAKE = 1.0
place, name, turns, seconds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
for _ in range(turns):
    with lock.exclusive(place, wait=60, tell=lambda text: print(text, flush=True)):
        print("measures", flush=True)
        with place.with_name("log").open("a") as log:
            log.write(name + "\\n")
        time.sleep(seconds)
    seconds = 0
"""
"""A gate that measures so many times, the first time for so many seconds."""


@pytest.fixture
def place(tmp_path):
    """A lock of its own."""
    return tmp_path / "own.lock"


@pytest.fixture
def start(place):
    """Starts gates that want the lock, and ends those that are left."""
    started = []

    def begin(name, *, turns=1, seconds=0.0):
        words = (str(place), name, str(turns), str(seconds))
        gate = subprocess.Popen(
            [sys.executable, "-c", WAITER, *words], stdout=subprocess.PIPE, text=True
        )
        started.append(gate)
        return gate

    yield begin
    for gate in started:
        gate.kill()
        gate.communicate()


def waits(gate, nth=""):
    """Read what a gate says up to the line that says so."""
    said = gate.stdout.readline()
    while not re.match(rf"waiting.*{nth}", said):
        assert said, "it ended"
        said = gate.stdout.readline()
    return said


def turns(place):
    """Whose turn it was, one after another."""
    return place.with_name("log").read_text("utf-8").split()


def test_first_come_first_served(start, place):
    """Six gates that came one after another measure in that order, though all look by themselves."""
    names = [f"n{number}" for number in range(6)]
    with exclusive(place):
        gates = []
        for name in names:
            gates.append(start(name, seconds=0.05))
            waits(gates[-1])
    assert [gate.wait(60) for gate in gates] == [0] * 6
    assert turns(place) == names


def test_two_that_wait_get_their_turn_while_a_third_keeps_coming(start, place):
    """One that measures again at once goes behind those who came meanwhile: none of it goes first."""
    third = start("third", turns=4, seconds=1.5)
    while third.stdout.readline() != "measures\n":
        pass
    first = start("first")
    waits(first)
    second = start("second")
    waits(second)
    assert [gate.wait(60) for gate in (first, second, third)] == [0, 0, 0]
    assert turns(place) == ["third", "first", "second", "third", "third", "third"]


def test_one_that_is_killed_in_the_queue_leaves_no_place(start, place):
    """After a SIGKILL those behind move up, are told so, and get their turn."""
    with exclusive(place):
        gates = []
        for name in ("first", "killed", "last"):
            gates.append(start(name))
            waits(gates[-1])
        gates[1].kill()
        gates[1].wait()
        assert f"2nd in the queue: process {os.getpid()} (" in waits(gates[2], "2nd")
    assert gates[0].wait(60) == gates[2].wait(60) == 0
    assert turns(place) == ["first", "last"]


def test_one_that_is_stopped_is_passed(start, place):
    """One that was stopped (Ctrl-Z) in the queue holds nobody up for ever, and goes on later."""
    with exclusive(place):
        stopped, other = start("stopped"), start("other")
        waits(stopped)
        stopped.send_signal(signal.SIGSTOP)
        waits(other)
    assert other.wait(60) == 0
    assert turns(place) == ["other"]
    stopped.send_signal(signal.SIGCONT)
    assert stopped.wait(60) == 0
    assert turns(place) == ["other", "stopped"]


@contextmanager
def in_queue(place):
    """Somebody who waits and does not look."""
    handle = os.open(queue_file(place), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        with LockQueue(handle).joined():
            yield
    finally:
        os.close(handle)


def queue_file(place):
    return place.with_name(f"{place.name}.queue")


def test_a_newcomer_that_may_not_wait_is_refused(place):
    """Without --wait nobody goes before those who wait: while the lock is held, and when the first
    of them takes it a moment after it became free."""
    with in_queue(place):
        with exclusive_behind(place), pytest.raises(CannotJudge, match="; 1 waits for it already"):
            exclusive(place).__enter__()
        with place.open("rb+") as first:

            def pause(_):
                fcntl.flock(first, fcntl.LOCK_EX)

            with pytest.raises(CannotJudge) as refused, exclusive(place, pause=pause):
                pass
    assert refused.value.code == "G240"
    with exclusive(place):
        assert not anybody_waits(place)


@contextmanager
def exclusive_behind(place):
    """The lock, held by somebody who took it before anybody waited."""
    with place.open("wb") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        yield


def test_the_place_is_told_and_told_again_when_it_changes(place):
    """4th, then 2nd, then 1st: a line whenever somebody before it is gone."""
    said = []
    with exclusive_behind(place), in_queue(place):
        two = [in_queue(place), in_queue(place)]
        for one in two:
            one.__enter__()

        def pause(seconds):
            if seconds == lock_queue._LATER and two:
                for one in two:
                    one.__exit__(None, None, None)
                two.clear()
            else:
                raise InterruptedError

        with pytest.raises(InputError), exclusive(place, wait=60, tell=said.append, pause=pause):
            pass
    assert [text.split(":")[0] for text in said] == [
        "waiting, 4th in the queue",
        "waiting, 2nd in the queue",
    ]


def test_whoever_holds_the_lock_sees_whether_somebody_waits(place):
    """Between its profiles a gate asks so: 2 wait, then nobody."""
    with exclusive(place):
        assert not anybody_waits(place)
        with in_queue(place):
            assert anybody_waits(place)
        assert not anybody_waits(place)


@pytest.fixture
def hasty(monkeypatch):
    """Those who do not take their turn are passed soon."""
    monkeypatch.setattr(lock_queue, "_TO_TAKE", 0.2)
    monkeypatch.setattr(lock_queue, "_LATER", 0.05)


@pytest.mark.parametrize("first", [0, lock_queue._END - 1])
def test_numbers_locked_to_annoy_hold_nobody_up(first, place, hasty):
    """Another user who locks all numbers, or the last of them, neither keeps the lock from others nor
    breaks their waiting; with and without --wait."""
    handle = os.open(queue_file(place), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX, 0, first)
        other = """if True:
            import sys
            from pathlib import Path
            from gate.host import lock, lock_queue
            lock_queue._TO_TAKE = lock_queue._LATER = 0.2
            with lock.exclusive(Path(sys.argv[1]), wait=float(sys.argv[2])):
                print("measures")
        """
        for wait in ("0", "20"):
            done = subprocess.run(
                [sys.executable, "-c", other, place, wait],
                capture_output=True,
                check=False,
                text=True,
                timeout=60,
            )
            assert (done.returncode, done.stdout) == (0, "measures\n"), done.stderr
    finally:
        os.close(handle)


def test_two_without_numbers_still_take_turns(place, monkeypatch):
    """Where the file system knows no such locks, or the queue's file cannot be made, the lock is
    waited for without order."""
    locking = fcntl.fcntl

    def refuse(handle, command, *more):
        if command in {fcntl.F_OFD_GETLK, fcntl.F_OFD_SETLK}:
            raise OSError(22, "Invalid argument")
        return locking(handle, command, *more)

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    with place.open("wb") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)

        def pause(_):
            fcntl.flock(holder, fcntl.LOCK_UN)

        with exclusive(place, wait=60, pause=pause):
            pass

    def cannot(path):
        raise PermissionError(13, "Permission denied", path)

    queue_file(place).unlink()
    with queue_beside(place, cannot) as queue:
        assert (queue.length(), queue.place()) == (0, 1)


def test_what_stands_at_the_queues_place_is_not_touched(place):
    """A link is refused with its path, another name of a file serves; both keep their text."""
    victim = place.with_name("victim")
    victim.write_text("text", "ascii")
    victim.chmod(0o600)
    os.link(victim, queue_file(place))
    with exclusive(place):
        pass
    assert (victim.read_text("ascii"), victim.stat().st_mode & 0o777) == ("text", 0o600)
    queue_file(place).unlink()
    queue_file(place).symlink_to(victim)
    with pytest.raises(InputError) as refused, exclusive(place):
        pass
    assert (refused.value.code, refused.value.place) == ("G208", str(queue_file(place)))
    assert victim.read_text("ascii") == "text"


def test_the_queue_is_for_everybody(place):
    """Its file is empty and may be used by all users, whatever this one's umask."""
    before = os.umask(0o077)
    try:
        with exclusive(place):
            pass
    finally:
        os.umask(before)
    assert queue_file(place).stat().st_mode & 0o777 == 0o666
    assert queue_file(place).stat().st_size == 0


def test_waiting_in_the_queue_uses_no_processor(start, place):
    """Ten that wait for two seconds use less than a twentieth of a processor together."""
    with exclusive(place):
        gates = [start(f"n{number}") for number in range(10)]
        for gate in gates:
            waits(gate)
        ticks = [os.sysconf("SC_CLK_TCK"), *[used(gate.pid) for gate in gates]]
        time.sleep(2.0)
        spent = sum(used(gate.pid) for gate in gates) - sum(ticks[1:])
    assert spent / ticks[0] <= 0.05 * 2.0
    assert [gate.wait(60) for gate in gates] == [0] * 10


def used(number):
    """Clock ticks of a process."""
    words = Path(f"/proc/{number}/stat").read_text("ascii").rpartition(")")[2].split()
    return int(words[11]) + int(words[12])
