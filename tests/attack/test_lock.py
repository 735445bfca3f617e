"""The lock of the host, attacked by another user of it: `nobody`, with real flocks and files."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from gate.errors import CannotJudge
from gate.host import lock
from gate.host.lock import exclusive
from gate.host.lock_holder import this_process

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody else")
NOBODY = 65534
_HOLD = """
import fcntl, os, sys
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
handle = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o666)
os.fchmod(handle, 0o666) if os.fstat(handle).st_uid == os.geteuid() else None
fcntl.flock(handle, fcntl.LOCK_EX)
os.ftruncate(handle, 0)
os.pwrite(handle, sys.argv[2].encode(), 0)
if sys.argv[3:] == ["child"] and os.fork():
    os._exit(0)
print(os.getpid(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def place():
    """A lock in a directory like /tmp."""
    with tempfile.TemporaryDirectory(dir="/tmp") as root:
        Path(root).chmod(0o1777)
        yield Path(root, "driftgate.lock")


@contextmanager
def holding(place, says="", *more):
    """`nobody` holds the lock, and wrote that into its file; gives the process that does."""
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(place), says, *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield int(process.stdout.readline())
        process.stdin.close()


def refusal(place):
    with pytest.raises(CannotJudge) as caught, exclusive(place):
        pass
    return caught.value.message


@pytest.mark.parametrize("says", ["", "4\n1\nroot\n\ngate check\n", "no number"])
def test_whoever_holds_it_is_named_by_the_kernel(place, says):
    """What the file says of another process is not believed; /proc/locks knows who holds it."""
    with holding(place, says) as number:
        message = refusal(place)
    assert f"process {number} (python" in message, message
    assert "nobody" in message
    assert "gate check" not in message


def test_a_child_that_inherited_it_is_named(place):
    """The process that took the lock is gone, and its child holds it on."""
    with holding(place, "", "child") as number:
        message = refusal(place)
    assert f"process {number} (python" in message, message


def test_a_forged_text_delays_nobody(place, monkeypatch):
    """A living holder that names a gate long gone is no guardian: nobody waits for it to tidy up."""
    slept, sleep = [], lock.time.sleep
    monkeypatch.setattr(lock.time, "sleep", lambda seconds: (slept.append(seconds), sleep(seconds)))
    with holding(place, "4194000\n12345\nroot\n\ngate check\n"):
        refusal(place)
    assert lock._STEP not in slept


def test_a_hard_link_stops_no_gate(place):
    """Another name of the lock's file makes nobody refuse."""
    with exclusive(place):
        pass
    code = f"import os; os.setuid({NOBODY}); os.link({str(place)!r}, {str(place) + '.2'!r})"
    subprocess.run([sys.executable, "-c", code], check=True)
    with exclusive(place):
        refusal(place)


def test_a_lock_that_is_another_name_of_a_file_leaves_that_alone(place):
    """It serves as a lock, and is neither emptied, written nor opened to others."""
    victim = place.with_name("victim")
    victim.write_text("text", "ascii")
    victim.chmod(0o600)
    os.link(victim, place)
    with exclusive(place):
        assert f"process {os.getpid()} " in refusal(place)
    assert victim.read_text("ascii") == "text"
    assert stat.S_IMODE(victim.stat().st_mode) == 0o600


def test_a_file_that_was_unlinked_meanwhile_is_no_lock(place, monkeypatch):
    """`nobody` removes the file that he made just before it is locked: the new one is locked too."""
    place.touch(0o666)
    os.chown(place, NOBODY, NOBODY)
    real, done = lock.hold, []

    def late(handle):
        if not done:
            done.append(place.unlink())
        real(handle)

    monkeypatch.setattr(lock, "hold", late)
    with exclusive(place):
        assert place.exists()
        assert this_process().text().splitlines()[0] == place.read_text("ascii").splitlines()[0]
        refusal(place)


def test_a_file_that_is_exchanged_while_it_is_held_is_told(place):
    """Nobody can prevent it in /tmp: whoever measured is told that another may have beside him."""
    told = []
    with exclusive(place, tell=told.append):
        place.unlink()
    assert len(told) == 1
    assert "another gate may have measured beside this one" in told[0]


@pytest.fixture
def roots(monkeypatch, place):
    """The directory that only root can have made, and the two of everybody."""
    directory = place.with_name("driftgate")
    monkeypatch.setattr(lock, "_COMMON", place)
    monkeypatch.setattr(lock, "_SYSTEM", place.with_name("run.lock"))
    monkeypatch.setattr(lock, "_ROOTS", directory / "lock")
    return directory


def test_the_directory_that_root_made_is_preferred(roots, place):
    """With it, whoever holds the files that everybody can make stops nobody."""
    roots.mkdir(mode=0o755)
    roots.chmod(0o755)
    for name in ("lock", "lock.queue"):
        (roots / name).touch()
        (roots / name).chmod(0o666)
    with holding(place), exclusive():
        with pytest.raises(CannotJudge) as caught, exclusive():
            pass
        assert caught.value.place == str(roots / "lock")


@pytest.mark.parametrize("whose", ["nobody's", "everybody's"])
def test_a_directory_that_others_may_write_is_not_believed(roots, place, whose):
    """Somebody else made it first, or may exchange the files in it: all is as without it."""
    roots.mkdir()
    (roots / "lock").touch()
    (roots / "lock").chmod(0o666)
    if whose == "nobody's":
        os.chown(roots, NOBODY, NOBODY)
    else:
        roots.chmod(0o777)
    with holding(place), pytest.raises(CannotJudge) as caught, exclusive():
        pass
    assert caught.value.place == str(place)


def test_the_package_has_what_makes_the_directory():
    """systemd-tmpfiles makes directory and files with the owner and modes that are believed."""
    text = Path(lock.__file__).parents[1].joinpath("cli/systemd/driftgate.conf").read_text("utf-8")
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    assert rows == [
        ["d", "/run/lock/driftgate", "0755", "root", "root"],
        ["f", "/run/lock/driftgate/lock", "0666", "root", "root"],
        ["f", "/run/lock/driftgate/lock.queue", "0666", "root", "root"],
    ]
