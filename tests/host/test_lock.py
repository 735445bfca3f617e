"""One measurement at a time on one host."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import signal
import stat
import subprocess
import time

import pytest
from builders import start_gate, write_replay_project

from gate.errors import CannotJudge, InputError
from gate.host.lock import exclusive, lock_path


@pytest.fixture
def place(tmp_path):
    """A lock of its own."""
    return tmp_path / "own.lock"


@pytest.fixture
def measuring(tmp_path, place):
    """A gate that measures until it is killed, once it holds the lock."""
    project = write_replay_project(tmp_path / "slow", head={"b": ["hang", "hang"]}, trials=2)
    gate = start_gate(["run", "p"], cwd=project.root, lock=place)
    until = time.monotonic() + 60
    while not (place.exists() and place.stat().st_size) and gate.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.005)
    yield gate
    gate.kill()
    gate.communicate(timeout=60)


def again(tmp_path, place, *command):
    """(status, stderr) of a second gate on the same lock."""
    project = write_replay_project(tmp_path / "quick")
    gate = start_gate([*(command or ("run", "p"))], cwd=project.root, lock=place)
    _, err = gate.communicate(timeout=60)
    return gate.returncode, err


@pytest.mark.parametrize(
    "command", [("run", "p"), ("check", "p", "--out", "o")], ids=lambda c: c[0]
)
def test_a_second_gate_is_refused_with_the_holder(command, measuring, tmp_path, place):
    """While one gate measures another ends at once with status 5 and the first one's number."""
    status, err = again(tmp_path, place, *command)
    assert status == 5, err
    assert re.fullmatch(
        rf"error\[G240\]: {re.escape(str(place))}: process {measuring.pid} measures on this host\. .+\n",
        err,
    )
    assert measuring.poll() is None
    assert not (tmp_path / "quick/o").exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_lock_is_free_after_any_end(number, measuring, tmp_path, place):
    """However the holder ends, the next gate measures at once, and the file's text is its own."""
    measuring.send_signal(number)
    measuring.communicate(timeout=60)
    status, err = again(tmp_path, place)
    assert status == 0, err
    assert int(place.read_text("ascii")) != measuring.pid


def test_held_and_released(place):
    """Inside the block nobody else gets the lock, after it anybody; an error releases it too."""
    with exclusive(place):
        assert place.read_text("ascii") == f"{os.getpid()}\n"
        with pytest.raises(CannotJudge, match=f"process {os.getpid()} measures"), exclusive(place):
            pass
        with pytest.raises(CannotJudge), exclusive(place):
            pass
    with pytest.raises(RuntimeError), exclusive(place):
        raise RuntimeError
    with exclusive(place):
        pass


def test_a_holder_in_its_last_breath(place):
    """A killed gate's own child holds the lock a moment longer: the next gate waits for that."""
    place.touch()
    with place.open("rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        dying = subprocess.Popen(["sleep", "0.2"], pass_fds=[stream.fileno()])
    with exclusive(place):
        assert dying.poll() is not None or dying.wait(5) == 0
    dying.wait()


def test_a_shorter_number_replaces_a_longer_one(place):
    """What an earlier holder wrote does not mix with the holder's number."""
    place.write_text("123456789012\nrest\n")
    with exclusive(place):
        assert place.read_text("ascii") == f"{os.getpid()}\n"


def test_a_holder_that_has_not_said_its_number(place):
    """A lock held without a number, or with junk, is still refused in words."""
    for content in (b"", b"\xff\xfe" * 40):
        place.write_bytes(content)
        with place.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            with pytest.raises(CannotJudge, match="measures on this host"), exclusive(place):
                pass


def test_everybody_may_use_the_file(place):
    """The file is made for all users, whatever this one's umask."""
    before = os.umask(0o077)
    try:
        with exclusive(place):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE(place.stat().st_mode) == 0o666


def test_children_do_not_hold_the_lock(place):
    """The lock is not inherited by programs, which may outlive the gate."""
    with exclusive(place):
        held = [f for f in os.listdir("/proc/self/fd") if _is(f, place)]  # noqa: PTH208
        assert len(held) == 1
        assert not os.get_inheritable(int(held[0]))


def _is(descriptor, place):
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}") == str(place)  # noqa: PTH115
    except OSError:
        return False


def _directory(place):
    place.mkdir()


def _link(place):
    place.symlink_to(place.parent / "elsewhere")


def _in_a_file(place):
    place.parent.rmdir()
    place.parent.write_text("")


@pytest.mark.parametrize(
    "spoil", [_directory, _link, _in_a_file, lambda place: place.parent.rmdir()]
)
def test_an_unusable_lock_is_told(spoil, tmp_path):
    """A lock that cannot be opened is an error with its path and cure, not a traceback."""
    place = tmp_path / "below" / "own.lock"
    place.parent.mkdir()
    spoil(place)
    status, err = again(tmp_path, place)
    assert status == 2, err
    assert err.startswith(f"error[G208]: {place}: the measuring lock cannot be taken: ")
    assert err.count("\n") == 1
    assert not (tmp_path / "elsewhere").exists(), "a link planted in /tmp was followed"


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EPERM])
def test_a_lock_that_may_not_be_opened(number, place, monkeypatch):
    """Missing rights are told as such (root is never refused, so the refusal is acted)."""

    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match=os.strerror(number)), exclusive(place):
        pass


@pytest.mark.parametrize("step", ["flock", "ftruncate", "pwrite"])
def test_a_lock_that_cannot_be_taken(step, place, monkeypatch):
    """A file system without locks, or a full one, is told; nothing stays open."""

    def refuse(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with monkeypatch.context() as patch:
        patch.setattr(fcntl if step == "flock" else os, step, refuse)
        with pytest.raises(InputError, match="cannot be taken: No space left"), exclusive(place):
            pass
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    with exclusive(place):
        pass


def test_one_path_for_the_host():
    """Every working directory and environment leads to one lock."""
    assert lock_path() == lock_path()
    assert lock_path().is_absolute()
