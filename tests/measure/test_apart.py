"""Computing in a forked child: values and errors come back, and its death is an error."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gate.errors import InputError, MeasureError
from gate.measure.process.stop import Stop, StopRequested
from gate.pipeline import subprocess_call
from gate.pipeline.subprocess_call import (
    call_in_subprocess,
    lasting_subprocess,
    wait_until_loaded,
)


def test_a_value_comes_back_from_another_process(stop):
    """The function runs elsewhere, in a session of its own, and its value is the caller's."""
    number, session = call_in_subprocess(stop, lambda: (os.getpid(), os.getsid(0)))
    assert number != os.getpid()
    assert session == number


def test_a_large_value_comes_back(stop):
    """More than a pipe holds comes back whole."""
    assert call_in_subprocess(stop, lambda: "x" * (8 << 20)) == "x" * (8 << 20)


def test_an_error_of_ours_comes_back_whole(stop):
    """A GateError keeps its code, place and cure on its way out of the child."""

    def refuse():
        raise InputError("G201", "cannot be read.", cure="Check it.", place="here")

    with pytest.raises(InputError) as caught:
        call_in_subprocess(stop, refuse)
    assert str(caught.value) == "here: cannot be read. Check it."
    assert caught.value.code == "G201"


def test_a_killed_child_is_an_error(stop):
    """A child that the kernel kills (out of memory) is told, not waited for for ever."""
    with pytest.raises(MeasureError, match="status -9"):
        call_in_subprocess(stop, lambda: os.kill(os.getpid(), signal.SIGKILL))


def test_a_stop_ends_the_child(stop, handlers):
    """A signal while the child computes ends the call, and the child with it."""
    mine = Path(f"/proc/self/task/{os.getpid()}/children")
    before = set(mine.read_text("ascii").split())
    children = set()

    def interrupt():
        until = time.monotonic() + 60
        while not children and time.monotonic() < until:
            children.update(set(mine.read_text("ascii").split()) - before)
        os.kill(os.getpid(), signal.SIGTERM)

    with ThreadPoolExecutor(1) as pool, stop.listening():
        told = pool.submit(interrupt)
        with pytest.raises(StopRequested):
            call_in_subprocess(stop, time.sleep, 3600)
        told.result()
    assert children
    assert not [number for number in children if Path(f"/proc/{number}").exists()]


@pytest.fixture
def light(monkeypatch):
    """A lasting child that loads nothing first."""
    monkeypatch.setattr(subprocess_call, "_HEAVY", ())


def test_one_child_does_all_calls_of_a_check(stop, light):
    """Inside the block every call is answered by one process, which is gone after it; errors come back
    and end it not."""
    with lasting_subprocess():
        wait_until_loaded(stop)
        first = call_in_subprocess(stop, os.getpid)
        with pytest.raises(FileNotFoundError):
            call_in_subprocess(stop, os.stat, "/nowhere")
        assert call_in_subprocess(stop, os.getpid) == first != os.getpid()
    assert not Path(f"/proc/{first}").exists()
    assert call_in_subprocess(stop, os.getpid) != first


def test_the_lasting_child_loads_what_judging_needs(stop):
    """When nothing is to compute any more jinja2 is there, and this process has not loaded it."""
    with lasting_subprocess():
        wait_until_loaded(stop)
        child = call_in_subprocess(stop, os.getpid)
        loaded = Path(f"/proc/{child}/maps").read_text("utf-8")
        assert "markupsafe" in loaded
        assert call_in_subprocess(stop, os.getpid) == child


def test_a_lasting_child_that_is_killed_is_an_error_once(stop, light):
    """A call that it was killed in says so; the next one has a child of its own."""
    with lasting_subprocess():
        child = call_in_subprocess(stop, os.getpid)
        with pytest.raises(MeasureError, match="status -9"):
            call_in_subprocess(stop, os.kill, child, signal.SIGKILL)
        assert call_in_subprocess(stop, os.getpid) not in {child, os.getpid()}


def test_a_stop_ends_the_lasting_child(stop, handlers, light):
    """A signal while it computes ends the call and the child; what is left to do is done in another."""
    with lasting_subprocess(), stop.listening():
        child = call_in_subprocess(stop, os.getpid)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        before = signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
        try:
            with pytest.raises(StopRequested):
                call_in_subprocess(stop, time.sleep, 3600)
        finally:
            signal.signal(signal.SIGALRM, before)
        assert not Path(f"/proc/{child}").exists()
        assert call_in_subprocess(Stop(), os.getpid) != child
