"""One measurement at a time on one host."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import pwd
import re
import signal
import stat
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from builders import start_gate, write_replay_project

from gate.errors import CannotJudge, InputError
from gate.formats import disk
from gate.host import lock
from gate.host.lock import exclusive, lock_path
from gate.host.lock_holder import Holder, this_process
from gate.linux.proc_stat import TICK
from gate.linux.processes import read_processes


def user():
    """Who runs this test."""
    return pwd.getpwuid(os.geteuid()).pw_name


@pytest.fixture
def place(tmp_path):
    """A lock of its own."""
    return tmp_path / "own.lock"


@pytest.fixture
def measuring(tmp_path, place):
    """A gate that measures until it is killed, once it holds the lock."""
    project = write_replay_project(tmp_path / "slow", head={"b": ["hang", "hang"]}, trials=2)
    gate = start_gate(["run", "p"], cwd=project.root, lock=place)
    wait_for(lambda: (place.exists() and place.stat().st_size) or gate.poll() is not None)
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
        rf"error\[G240\]: {re.escape(str(place))}: process {measuring.pid} \(-c run p, {user()}\) "
        r"measures here since \d\d:\d\d:\d\d UTC\. .+--wait '10 min'\.\n",
        err,
    )
    assert measuring.poll() is None
    assert not (tmp_path / "quick/o/p").exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_lock_is_free_after_any_end(number, measuring, tmp_path, place):
    """However the holder ends, the next gate measures at once, and the file's text is its own."""
    measuring.send_signal(number)
    measuring.communicate(timeout=60)
    status, err = again(tmp_path, place)
    assert status == 0, err
    assert place.read_text("ascii") == "", "whoever ends well leaves no name behind"


def test_held_and_released(place):
    """Inside the block nobody else gets the lock, after it anybody; an error releases it too."""
    with exclusive(place):
        number, born, owner, since, command = place.read_text("utf-8").splitlines()
        assert (int(number), owner) == (os.getpid(), user())
        assert int(born) > 0
        assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", since)
        assert command
        named = rf"process {os.getpid()} \(.+, {user()}\) measures here since"
        with pytest.raises(CannotJudge, match=named), exclusive(place):
            pass
        with pytest.raises(CannotJudge), exclusive(place):
            pass
    with pytest.raises(RuntimeError), exclusive(place):
        raise RuntimeError
    with exclusive(place):
        pass


def test_a_holder_in_its_last_breath(place, monkeypatch):
    """A killed gate's own child holds the lock a moment longer: the next gate waits for that."""
    monkeypatch.setattr(disk, "_LAST_BREATH", 60.0)  # a moment is longer on a busy machine
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
        assert place.read_text("utf-8").startswith(f"{os.getpid()}\n")
        assert place.read_text("utf-8").count("\n") == 5


def test_a_holder_that_has_not_said_its_number(place):
    """A lock held without a number, or with junk, is refused with the process that the kernel
    names; none of the junk is shown."""
    for content in (b"", b"\xff\xfe" * 40, b"9" * 400, b"\x1b[31m4711\n1\nroot\n", b"0\n" * 9):
        place.write_bytes(content)
        with place.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            told = f"^process {os.getpid()} [(].*[)] holds the lock, and has not said what it does$"
            with pytest.raises(CannotJudge) as refused, exclusive(place):
                pass
            assert re.search(told, refused.value.message.rstrip("."))


def test_what_others_wrote_steers_no_terminal(place):
    """Names and commands in the file are cut and made printable: everybody may write there."""
    own = this_process()
    place.write_text(f"{own.number}\n{own.born}\nro\x1b[2Jot\nnow\ngate\x07 {'x' * 500}\n")
    shown = Holder.read(place.read_bytes()).description()
    assert shown.startswith(f"process {own.number} (gate  xxx")
    assert shown.isprintable()
    assert len(shown) < 200


def test_a_number_that_came_again_is_not_the_holder():
    """Where the process of that number was started at another time, somebody else holds it."""
    own = this_process()
    shown = replace(own, born=f"{own.born}1").description()
    assert shown.startswith("a killed gate is being tidied up after, or another process measures ")
    assert f"process {own.number}" in shown
    assert own.description().startswith(f"process {own.number} (")


def test_the_day_is_told_where_it_is_another():
    """A holder of today is shown with the time alone, one of another day with the date."""
    known = Holder(number=os.getpid(), user="root", since="2001-02-03 04:05:06", command="gate run")
    assert known.description() == (
        f"process {os.getpid()} (gate run, root) measures here since 2001-02-03 04:05:06 UTC"
    )
    today = time.strftime("%Y-%m-%d", time.gmtime())
    assert replace(known, since=f"{today} 04:05:06").description().endswith("since 04:05:06 UTC")


def test_a_secret_on_the_command_line_is_not_written(place, monkeypatch):
    """The lock is for everybody's eyes: what is given after an equals sign stays out of it."""
    line = ["/usr/bin/gate", "check", "p", "--base-env", "TOKEN=secret"]
    monkeypatch.setattr("sys.argv", line)
    with exclusive(place):
        assert "gate check p --base-env TOKEN=..." in place.read_text("utf-8")


def test_waiting_ends_with_the_lock(place):
    """One that may wait gets the lock when the holder ends, and told once whom it waited for."""
    said, slept = [], []
    with place.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)

        def pause(seconds):
            slept.append(seconds)
            if len(slept) == 3:
                fcntl.flock(stream, fcntl.LOCK_UN)

        with exclusive(place, wait=600, tell=said.append, pause=pause):
            assert slept == [0.2, 0.2, 0.2], "the first in the queue looks often"
    (told,) = said
    assert re.fullmatch(
        r"waiting, 1st in the queue: process .+; (10 min 00 s|9 min 5\d s) left", told
    )


def test_waiting_has_a_limit(place):
    """A holder that goes on is refused when the time is up, and the message tells the wait."""
    with place.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with (
            pytest.raises(CannotJudge, match=r"and did so for the 1 s that were waited") as over,
            exclusive(place, wait=1.0),
        ):
            pass
    assert over.value.code == "G240"


def test_waiting_can_be_interrupted(place):
    """Whatever the pause raises ends the waiting, and nothing stays open."""
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    def pause(_):
        raise KeyboardInterrupt

    with place.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(KeyboardInterrupt), exclusive(place, wait=60, pause=pause):
            pass
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def test_an_interrupted_wait_says_so(measuring, tmp_path, place):
    """A gate that waits ends at a signal with its status, has measured nothing, and says how to
    go on; the one that measures is not touched."""
    project = write_replay_project(tmp_path / "waits")
    gate = start_gate(["run", "p", "--wait", "10min"], cwd=project.root, lock=place)
    assert gate.stderr.readline().startswith(
        f"waiting, 1st in the queue: process {measuring.pid} ("
    )
    gate.send_signal(signal.SIGTERM)
    _, err = gate.communicate(timeout=60)
    assert gate.returncode == 143, err
    assert "interrupted; sessions finished: 0. Run the same command again." in err
    assert measuring.poll() is None
    assert not (project.root / "reports").exists()


PROFILE = """
harness = "hyperfine"
command = "sh -c 'until test -e go; do sleep 0.05; done'"
trials = { screen = 3 }
[metric.wall]
tolerance = "10%"
"""


def until_told(root):
    """A project whose trials last until there is a file `go`."""
    (root / "profiles").mkdir(parents=True)
    (root / "profiles/c.toml").write_text(PROFILE, "utf-8")
    return root


def test_the_second_check_waits_and_disturbs_nothing(tmp_path, place):
    """Two checks at once: while the first measures, the second has no child and uses less than a
    tenth of a processor; then it measures, and began after the first had ended."""
    first, second = until_told(tmp_path / "first"), until_told(tmp_path / "second")
    (second / "go").touch()
    one = start_gate(["run", "c", "--quiet"], cwd=first, lock=place)
    wait_for(lambda: (place.exists() and place.stat().st_size) or one.poll() is not None)
    two = start_gate(["run", "c", "--wait", "5min"], cwd=second, lock=place)
    assert two.stderr.readline().startswith(f"waiting, 1st in the queue: process {one.pid} (")
    early = read_processes()
    time.sleep(1.5)
    late = read_processes()
    assert one.poll() is None
    (key,) = (key for key in late if key[0] == two.pid)
    assert late[key].own + late[key].reaped - early[key].own - early[key].reaped <= 0.15 / TICK
    assert not [process for process in late.values() if process.parent == two.pid]
    assert not (second / "reports").exists()
    (first / "go").touch()
    assert one.wait(120) == 0
    _, err = two.communicate(timeout=120)
    assert two.returncode == 0, err
    (before,) = (first / "reports/sessions").glob("*.json")
    (after,) = (second / "reports/sessions").glob("*.json")
    ended = json.loads(before.read_text("utf-8"))["ended"]
    assert json.loads(after.read_text("utf-8"))["started"] >= ended
    one.communicate()


def wait_for(condition):
    """Sleep until something is true."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_everybody_may_use_the_file(place):
    """The file is made for all users, whatever this one's umask."""
    before = os.umask(0o077)
    try:
        with exclusive(place):
            pass
        assert stat.S_IMODE(place.stat().st_mode) == 0o666
        place.chmod(0o600)
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


@pytest.fixture
def host(monkeypatch):
    """The directories of the two locks: everybody's, and one where only its owner may make any."""
    with tempfile.TemporaryDirectory() as root:
        common, system = Path(root, "tmp"), Path(root, "run")
        for directory, mode in ((Path(root), 0o755), (common, 0o1777), (system, 0o755)):
            directory.mkdir(exist_ok=True)
            directory.chmod(mode)
        monkeypatch.setattr(lock, "_COMMON", common / "gate.lock")
        monkeypatch.setattr(lock, "_SYSTEM", system / "gate.lock")
        yield common, system


@contextmanager
def another_user(system):
    """Somebody who may not make files in the system's directory."""
    own = os.geteuid()
    if own:
        system.chmod(0o555)
    else:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(own)
        system.chmod(0o755)


def _busy():
    with pytest.raises(CannotJudge), exclusive():
        pass


@pytest.mark.parametrize("there", [False, True])
def test_root_and_users_exclude_each_other(there, host):
    """Where only root can make /run/lock's file, root, and users before and after it did, still
    measure one at a time; and everybody may open what root made."""
    common, system = host
    if there:
        with exclusive():
            assert (common / "gate.lock").stat().st_size > 0
            assert stat.S_IMODE((system / "gate.lock").stat().st_mode) == 0o666
            with another_user(system):
                _busy()
    with another_user(system), exclusive():
        assert (system / "gate.lock").exists() == there
        _busy()
        with first_user():
            _busy()
            assert (system / "gate.lock").exists()
        _busy()
    with exclusive():
        pass


@contextmanager
def first_user():
    """Back to who runs the tests, for a moment."""
    now, own = os.geteuid(), os.getuid()
    os.seteuid(own)
    try:
        yield
    finally:
        os.seteuid(now)


def test_one_who_sees_another_tmp(host, monkeypatch):
    """Those who were given a /tmp of their own are excluded by the lock in /run/lock."""
    common, _ = host
    with exclusive():
        monkeypatch.setattr(lock, "_COMMON", common / "own.lock")
        _busy()
    with exclusive():
        pass


def test_a_pipe_is_no_lock(place):
    """A pipe at the place of the lock is refused."""
    os.mkfifo(place)
    with pytest.raises(InputError, match="no file of its own"), exclusive(place):
        pass


def test_a_killed_gate_is_tidied_up_after(place, monkeypatch):
    """While the guardian of a gate that is gone holds the lock, that is told once, and the lock is
    waited for longer than the guardian may kill."""
    assert lock._TIDYING > lock.KILLING
    told = []
    place.touch()
    with place.open("rb+") as stream:
        if not (gate := os.fork()):
            fcntl.flock(stream, fcntl.LOCK_EX)
            os.pwrite(stream.fileno(), this_process().text().encode(), 0)
            os._exit(0)
        os.waitpid(gate, 0)  # this process holds what it held, as its guardian does
        steps = iter(range(3))

        def sleep(seconds):
            if seconds == lock._STEP and next(steps, None) is None:
                fcntl.flock(stream, fcntl.LOCK_UN)

        monkeypatch.setattr(lock.time, "sleep", sleep)
        with exclusive(place, tell=told.append):
            pass
    assert told == ["waiting: a killed gate is being tidied up after; 45 s at most"]
