"""Pinning: a real child runs where it was put, cannot leave, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gate.errors import TrialFailed
from gate.harness.base import Command
from gate.measure.process import pinning
from gate.measure.process.pinning import chosen_cpus, pin_child
from gate.measure.process.process import run_process

USABLE = frozenset(os.sched_getaffinity(0))
FIRST = min(USABLE)
_TELL = "import os; print(sorted(os.sched_getaffinity(0)))"
_WIDEN = f"""
import os
try:
    os.sched_setaffinity(0, {set(USABLE)})
except OSError:
    pass
print(sorted(os.sched_getaffinity(0)))
"""


def groups(process=None):
    """Groups that a process made, this one unless another is named; others' come and go."""
    name = f"{pinning._PREFIX}{process or os.getpid()}-*"
    return {path for parent, _ in pinning._parents() for path in parent.glob(name)}


def run_pinned(text, code, stop):
    command = Command(
        argv=(sys.executable, "-c", code), directory=Path.cwd(), environment=os.environ, timeout=60
    )
    cpus = chosen_cpus(text, USABLE) if text else frozenset()
    with pin_child(cpus) as enter:
        return run_process(command, stop, enter=enter)


def test_a_child_runs_on_the_first_processors(stop):
    """cpus = 1 is the first of the gate's own processors, for the child and what it starts."""
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {_TELL!r}])"
    assert run_pinned("1", _TELL, stop).output == f"[{FIRST}]\n"
    assert run_pinned("1", nested, stop).output == f"[{FIRST}]\n"
    assert run_pinned(f"{FIRST}-{FIRST}", _TELL, stop).output == f"[{FIRST}]\n"
    assert run_pinned(None, _TELL, stop).output == f"{sorted(USABLE)}\n"


def test_a_child_that_widens_itself_stays(stop):
    """Where the host lets us make a cpuset, a child cannot widen its own affinity out of it."""
    with pin_child(frozenset({FIRST})) as enter:
        assert enter is not None
        held = bool(groups())
    out = run_pinned("1", _WIDEN, stop).output
    assert out == (f"[{FIRST}]\n" if held else f"{sorted(USABLE)}\n")


def test_nothing_stays_behind(stop):
    """After a trial, and after one whose children outlived it, no group is left."""
    leaver = "import subprocess; subprocess.Popen(['setsid', 'sleep', '60'])"
    assert run_pinned("1", leaver, stop).status == 0
    assert not groups()


def test_groups_of_a_killed_gate_are_swept(stop):
    """A group whose maker is gone is removed by the next pinned trial, another's is kept."""
    script = (
        "from gate.measure.process.pinning import pin_child\n"
        f"with pin_child(frozenset({{{FIRST}}})):\n    print('made', flush=True)\n    input()"
    )
    words = [sys.executable, "-c", script]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(words, **pipes) as dead, subprocess.Popen(words, **pipes) as alive:
        for one in (dead, alive):
            assert one.stdout.readline() == b"made\n"
        kept = groups(alive.pid)
        assert bool(kept) == bool(groups(dead.pid))
        dead.kill()
        dead.wait()
        with pin_child(frozenset({FIRST})):
            assert not groups(dead.pid)
            assert groups(alive.pid) == kept
        alive.communicate(b"\n")


@pytest.mark.parametrize(
    ("text", "usable", "wanted"),
    [
        ("1", {2, 3, 5}, {2}),
        ("3", {2, 3, 5}, {2, 3, 5}),
        ("0-1,3", {0, 1, 2, 3}, {0, 1, 3}),
        ("2,4-5", {0, 2, 4, 5}, {2, 4, 5}),
    ],
)
def test_which_processors(text, usable, wanted):
    """A count takes the first usable ones, a list these."""
    assert chosen_cpus(text, frozenset(usable)) == wanted


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("3", r"cpus = 3 asks for 3 processors, and 2 may be used here \(0,2\)"),
        ("0", "asks for 0 processors"),
        ("0-2", "asks for processor 1, and only 0,2 may be used here"),
        ("a-b", "no count and no list"),
        ("²", "no count and no list"),
        ("", "no count and no list"),
    ],
)
def test_processors_that_are_not_there(text, told):
    """Asking for what is not there fails the trial and says so."""
    with pytest.raises(TrialFailed, match=told):
        chosen_cpus(text, frozenset({0, 2}))


@pytest.mark.parametrize(("path", "wanted"), [("/a/b", "/m/b"), ("/a", "/m"), ("/ab/c", "/m/ab/c")])
def test_a_group_below_a_mount(path, wanted):
    """A mount that shows /a alone holds what is below /a, and not what only begins so."""
    assert pinning._below("/m", "/a", path) == Path(wanted)
