"""One child process: its limits, its descendants, its output, and its death."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from gate.harness.base import Command
from gate.harness.process import ask
from gate.measure.process import process
from gate.measure.process.process import run_process
from gate.measure.process.stop import Stop, StopRequested

PYTHON = sys.executable
FOREVER = "import time\ntime.sleep(3600)\n"
NOTE = "import os, sys\nopen(sys.argv[1] + f'/{os.getpid()}', 'w').close()\n"
"""A process that leaves its number, so that a test can ask for it."""
DEAF = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
FORK = "import os\nos.fork()\n"
FORK_AWAY = "import os\nif os.fork() == 0: os.setsid()\n"


@pytest.fixture
def notes(tmp_path):
    """Where the children leave their numbers."""
    place = tmp_path / "notes"
    place.mkdir()
    return place


@pytest.fixture
def command(tmp_path, notes):
    """A command that runs a Python script."""

    def make(script, timeout=60.0, **more):
        return Command(
            argv=(PYTHON, "-c", script, str(notes)),
            directory=more.get("directory", tmp_path),
            environment={**os.environ, **more.get("environment", {})},
            timeout=timeout,
        )

    return make


def runs(number):
    """Whether a process runs; one that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text("ascii").rpartition(") ")[2][0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(notes, count):
    """Whether `count` processes left their number and all have ended, soon."""
    numbers = [int(path.name) for path in notes.iterdir()]
    assert len(numbers) == count
    until = time.monotonic() + 20
    while any(map(runs, numbers)) and time.monotonic() < until:
        time.sleep(0.005)
    return not any(map(runs, numbers))


def descriptors():
    """How many file descriptors this process holds."""
    return len(list(Path("/proc/self/fd").iterdir()))


def wait_for(condition):
    """Sleep until something is true."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "nothing happened"
        time.sleep(0.002)


def test_an_ordinary_child(command, stop):
    """Status, both outputs and the time of a child that ends by itself come back."""
    script = "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.exit(7)"
    outcome = run_process(command(script), stop)
    assert (outcome.status, outcome.output, outcome.errors) == (7, "out\n", "err\n")
    assert not outcome.timed_out
    assert 0 < outcome.duration < 60


def test_a_child_has_its_directory_variables_and_no_input(command, stop, tmp_path):
    """The child sees its directory, its variables, an empty stdin, and leads a session."""
    script = (
        "import os, sys\n"
        "print(os.getcwd(), os.environ['MINE'], repr(sys.stdin.read()), os.getsid(0) == os.getpid())"
    )
    outcome = run_process(command(script, environment={"MINE": "yes"}), stop)
    assert outcome.output == f"{tmp_path} yes '' True\n"


@pytest.mark.parametrize(
    ("script", "count"),
    [
        (FORK + NOTE + FOREVER, 2),
        (DEAF + FORK + NOTE + FOREVER, 2),
        (FORK + FORK + NOTE + FOREVER, 4),
        (FORK_AWAY + NOTE + FOREVER, 2),
        (FORK_AWAY + DEAF + FORK + NOTE + FOREVER, 4),
    ],
    ids=["child", "deaf", "grandchildren", "own-session", "deaf-own-session"],
)
def test_a_timeout_kills_all_descendants(script, count, command, stop, notes, monkeypatch):
    """When its time is up a child dies with every descendant, whatever they ignore or left."""
    monkeypatch.setattr(process, "_GRACE", 0.2)
    outcome = run_process(command(script, timeout=0.5), stop)
    assert outcome.timed_out
    assert outcome.status in {-signal.SIGTERM, -signal.SIGKILL}
    assert gone(notes, count)


def test_sigterm_comes_first(command, stop, notes):
    """A child that wants to tidy up at its timeout may do so."""
    script = (
        "import signal, sys\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('tidy'), sys.exit(3)))\n"
        "open(sys.argv[1] + '/ready', 'w').close()\n" + FOREVER
    )
    outcome = run_process(command(script, timeout=1.0), stop)
    assert (outcome.timed_out, outcome.output, outcome.status) == (True, "tidy\n", 3)


@pytest.mark.parametrize("leave", ["", "os.setsid()\n"], ids=["same-group", "own-session"])
def test_a_child_that_forks_and_exits_leaves_nothing(leave, command, stop, notes):
    """What a normally ended child left in the background is killed, and does not hold us up."""
    script = (
        "import os, sys\nready, told = os.pipe()\n"
        "if os.fork(): os.read(ready, 1); os._exit(0)\n"
        f"{leave}{NOTE}os.write(told, b'x')\n{FOREVER}"
    )
    outcome = run_process(command(script), stop)
    assert (outcome.status, outcome.timed_out) == (0, False)
    assert gone(notes, 1)


def test_a_hundred_megabytes_of_output(command, stop, tmp_path, monkeypatch):
    """A flood on stdout neither blocks the child nor is kept whole, nor stays on the disk."""
    script = (
        "import os\nblock = b'\\xff' * (1 << 20)\n"
        "for _ in range(100): os.write(1, block)\nos.write(2, b'end')"
    )
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # nobody else's
    outcome = run_process(command(script), stop)
    assert (outcome.status, outcome.errors) == (0, "end")
    assert len(outcome.output) == 16 << 20
    assert not [path for path in tmp_path.rglob("*") if path.stat().st_size >= 100 << 20]


@pytest.mark.parametrize(
    ("argv", "directory", "kind"),
    [
        (("/nowhere/program",), ".", FileNotFoundError),
        (("/etc/passwd",), ".", PermissionError),
        (("/",), ".", PermissionError),
        (("true",), "nowhere", FileNotFoundError),
        (("true", "x" * (4 << 20)), ".", OSError),
    ],
    ids=["missing", "not-executable", "a-directory", "no-directory", "too-long"],
)
def test_what_cannot_be_started(argv, directory, kind, stop, tmp_path):
    """A program that cannot be started raises its OSError and leaves no descriptor open."""
    before = descriptors()
    wrong = Command(
        argv=argv, directory=tmp_path / directory, environment=dict(os.environ), timeout=9
    )
    with pytest.raises(kind):
        run_process(wrong, stop)
    assert descriptors() == before


def test_a_stop_before_the_start_starts_nothing_lasting(command, notes):
    """A stop that was asked for before ends the child at once."""
    stop = Stop()
    stop.number = signal.SIGTERM
    with pytest.raises(StopRequested):
        run_process(command(FORK + FOREVER), stop)
    assert not list(notes.iterdir())


_GATE = """
import os, sys
from pathlib import Path
from gate.harness.base import Command
from gate.measure.process.process import run_process
from gate.measure.process.stop import Stop, StopRequested
with Stop().listening() as stop:
    try:
        run_process(Command(argv=(sys.executable, "-c", sys.argv[2], sys.argv[1]), directory=Path.cwd(),
            environment=dict(os.environ), timeout=300), stop)
    except StopRequested as request:
        print("stopped", request.number)
"""


@pytest.fixture
def measuring(notes, tmp_path):
    """A process that runs one child as the gate does, once that child runs."""

    begun = []

    def start(script, count):
        gate = subprocess.Popen(
            [PYTHON, "-c", _GATE, str(notes), script],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        begun.append(gate)
        wait_for(lambda: len(list(notes.iterdir())) == count or gate.poll() is not None)
        return gate

    yield start
    for gate in begun:
        gate.kill()
        gate.communicate()


def test_the_child_dies_with_a_killed_gate(measuring, notes):
    """After a SIGKILL of the gate its direct child does not go on loading the host."""
    gate = measuring(NOTE + FOREVER, 1)
    gate.kill()
    gate.communicate(timeout=60)
    assert gone(notes, 1)


@pytest.mark.parametrize(
    ("number", "deaf"),
    [(signal.SIGINT, ""), (signal.SIGTERM, ""), (signal.SIGHUP, ""), (signal.SIGTERM, DEAF)],
    ids=["SIGINT", "SIGTERM", "SIGHUP", "deaf"],
)
def test_a_stop_kills_all_descendants(number, deaf, measuring, notes):
    """A signal to the gate ends the trial with all its descendants, also those that ignore it."""
    gate = measuring(deaf + FORK + NOTE + FOREVER, 2)
    gate.send_signal(number)
    out, err = gate.communicate(timeout=60)
    assert (out, err) == (f"stopped {int(number)}\n", "")
    assert gone(notes, 2)


def test_a_second_stop_does_not_break_the_killing(measuring, notes):
    """Signals that come while a stubborn child is being ended are not lost on its descendants."""
    gate = measuring(DEAF + FORK + NOTE + FOREVER, 2)
    while gate.poll() is None:
        gate.send_signal(signal.SIGINT)
        time.sleep(0.05)
    out, err = gate.communicate(timeout=60)
    assert (out, err) == ("stopped 2\n", "")
    assert gone(notes, 2)


def test_a_child_killed_from_outside_is_told(command, stop):
    """A child that somebody else killed comes back with that signal, not as a timeout."""
    outcome = run_process(command("import os\nos.kill(os.getpid(), 9)"), stop)
    assert (outcome.status, outcome.timed_out) == (-9, False)


def test_many_children_leave_no_descriptor(command, stop):
    """A long session does not run out of descriptors."""
    run_process(command("pass"), stop)
    before = descriptors()
    for _ in range(5):
        run_process(command("pass"), stop)
    assert descriptors() == before


def test_questions_to_programs_are_not_interrupted():
    """A terminal's Ctrl-C does not reach the program that is asked for its version."""
    script = "import os; print(os.getsid(0) == os.getpid())"
    assert ask((PYTHON, "-c", script), dict(os.environ), cure="") == "True\n"


def test_questions_to_git_are_not_interrupted(tmp_path, monkeypatch):
    """A terminal's Ctrl-C does not reach git, whose silence would read as `no checkout`."""
    from gate import vcs

    git = tmp_path / "git"
    git.write_text(f"#!{PYTHON}\nimport os\nprint(os.getsid(0) == os.getpid())\n", "utf-8")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert vcs.user_name(tmp_path) == "True"


def test_strays_are_looked_for_until_none_is_left(monkeypatch):
    """One that was born while the first was killed is killed in the next pass."""
    killed = []
    passes = iter(([7], [8], []))
    monkeypatch.setattr(process, "marked_processes", lambda _: next(passes))
    monkeypatch.setattr(process.os, "kill", lambda number, _: killed.append(number))
    process.kill_strays("mark")
    assert killed == [7, 8]
