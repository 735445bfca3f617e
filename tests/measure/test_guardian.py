"""The guardian: what a killed gate leaves, it ends; an ordered end needs none of it."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gate.host.lock import exclusive
from gate.host.lock_holder import this_process
from gate.linux.processes import own_mark, start_of
from gate.measure.process import guardian as guarding
from gate.measure.process.guardian import with_guardian
from gate.measure.process.process import gate_processes, with_gate_mark

AWAY = "import os\nif os.fork() == 0: os.setsid()\nif os.fork() == 0: os.setsid()\n"
NOTE = "import os, sys\nopen(sys.argv[1] + f'/{os.getpid()}', 'w').close()\n"
DEAF = "import signal\nfor one in (1, 2, 15): signal.signal(one, signal.SIG_IGN)\n"
FOREVER = "import time\ntime.sleep(3600)\n"
_GATE = """
import os, sys
from pathlib import Path
from gate.harness.base import Command
from gate.host.lock import exclusive
from gate.measure.process.guardian import with_guardian
from gate.measure.process.process import run_process
from gate.measure.process.stop import Stop, StopRequested
with Stop().listening() as stop, exclusive(Path(sys.argv[3])) as lock, with_guardian(lock, Path(sys.argv[4])) as number:
    print(number, flush=True)
    try:
        run_process(Command(argv=(sys.executable, "-c", sys.argv[2], sys.argv[1]), directory=Path.cwd(),
            environment=dict(os.environ), timeout=300), stop)
    except StopRequested as request:
        print("stopped", request.number)
"""


def runs(number):
    return start_of(number) != ""


def wait_for(condition):
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "nothing happened"
        time.sleep(0.002)


class Gate:
    """A process that runs one command, guarded, as the gate does."""

    def __init__(self, tmp_path, script, count):
        self.notes, self.lock = tmp_path / "notes", tmp_path / "lock"
        self.notes.mkdir()
        self.process = subprocess.Popen(
            [sys.executable, "-c", _GATE, self.notes, script, self.lock, tmp_path / "state"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.guardian = int(self.process.stdout.readline())
        wait_for(lambda: len(self.children) == count)

    @property
    def children(self):
        return [int(path.name) for path in self.notes.iterdir()]


@pytest.fixture
def started(tmp_path):
    """Start a gate; whatever is left of it is killed after the test."""
    gates = []

    def start(script, count):
        gates.append(Gate(tmp_path, script, count))
        return gates[-1]

    yield start
    for gate in gates:
        gate.process.kill()
        gate.process.communicate()
        for number in (gate.guardian, *gate.children):
            if runs(number):
                os.kill(number, signal.SIGKILL)


def test_nothing_outlives_a_killed_gate(started):
    """Grandchildren that left the group and ignore signals die with a gate that was killed."""
    gate = started(DEAF + AWAY + NOTE + FOREVER, 4)
    gate.process.kill()
    gate.process.wait(60)
    wait_for(lambda: not any(map(runs, gate.children)))
    wait_for(lambda: not runs(gate.guardian))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_ordered_end(number, started):
    """A gate that ends by itself takes its guardian with it before it says its last word."""
    gate = started(AWAY + NOTE + FOREVER, 4)
    gate.process.send_signal(number)
    out, err = gate.process.communicate(timeout=60)
    assert (out, err) == (f"stopped {int(number)}\n", "")
    assert not runs(gate.guardian)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_the_guardian_hears_nothing(number, started):
    """A terminal's signals, to the group or to it alone, do not end the guardian."""
    gate = started(NOTE + FOREVER, 1)
    os.kill(gate.guardian, number)
    gate.process.kill()
    wait_for(lambda: not any(map(runs, gate.children)))
    wait_for(lambda: not runs(gate.guardian))


def test_a_killed_guardian_changes_nothing(started):
    """A gate whose guardian is gone measures on and ends as ever."""
    gate = started(NOTE + FOREVER, 1)
    os.kill(gate.guardian, signal.SIGKILL)
    gate.process.send_signal(signal.SIGTERM)
    assert gate.process.communicate(timeout=60) == ("stopped 15\n", "")
    assert not any(map(runs, gate.children))


def test_the_guardian_holds_two_files_and_no_more(started):
    """No output, terminal or directory of the gate is kept open; nor do children hold its pipe."""
    gate = started(NOTE + FOREVER, 1)
    place = Path(f"/proc/{gate.guardian}")
    wait_for(lambda: (place / "comm").read_text("ascii") == "gate-guardian\n")
    wait_for(lambda: len(list((place / "fd").iterdir())) == 5)
    held = sorted(str(one.readlink()) for one in (place / "fd").iterdir())
    pipe = next(one for one in held if one.startswith("pipe:"))
    assert held == sorted(["/dev/null"] * 3 + [str(gate.lock), pipe])
    assert str((place / "cwd").readlink()) == "/"
    theirs = [str(p.readlink()) for p in Path(f"/proc/{gate.children[0]}/fd").iterdir()]
    assert pipe not in theirs


def test_the_lock_is_held_until_all_is_tidy(tmp_path, monkeypatch):
    """The next gate begins once the guardian has put everything back, and not before."""
    done = tmp_path / "done"

    def slowly(_):
        time.sleep(1.0)
        done.touch()

    monkeypatch.setattr(guarding, "restore", slowly)
    gate = os.fork()
    if gate == 0:
        with exclusive(tmp_path / "lock") as lock, with_guardian(lock, tmp_path):
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(gate, 0)
    with exclusive(tmp_path / "lock"):
        assert done.exists()


def test_a_lock_without_a_living_name_is_not_waited_for_long(tmp_path, monkeypatch):
    """Where a dead gate's lock is never freed, the next one says so after a while."""
    from gate.errors import CannotJudge
    from gate.host import lock

    monkeypatch.setattr(lock, "_TIDYING", 0.2)
    place = tmp_path / "lock"
    place.touch()
    with place.open("rb+") as stream:
        if not (gate := os.fork()):
            fcntl.flock(stream, fcntl.LOCK_EX)
            os.pwrite(stream.fileno(), this_process().text().encode(), 0)
            os._exit(0)
        os.waitpid(gate, 0)
        with pytest.raises(CannotJudge, match="gone from here"), exclusive(place):
            pass


def test_the_mark(tmp_path):
    """What carries this process's mark is found, and nothing else."""
    marked = subprocess.Popen(["sleep", "60"], env=with_gate_mark(os.environ))
    other = subprocess.Popen(["sleep", "60"])
    try:
        wait_for(lambda: list(gate_processes(own_mark())) == [marked.pid])
    finally:
        for child in (marked, other):
            child.kill()
            child.wait()


def test_an_unreadable_journal_does_not_stop_the_killing(tmp_path, monkeypatch):
    """The guardian leaves a journal that it cannot use to the next start, and ends."""
    (tmp_path / "tuning.json").write_text("{")
    killed = []
    monkeypatch.setattr(guarding, "_kill_all", killed.append)
    guarding._tidy_up(2**22 + 1, "1", tmp_path)
    assert killed == [f"{2**22 + 1}-1"]
    assert (tmp_path / "tuning.json").read_text() == "{"
