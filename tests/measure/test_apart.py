"""Computing in a forked child: values and errors come back, and its death is an error."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gate.errors import InputError
from gate.measure.process.stop import StopRequested
from gate.pipeline.subprocess_call import call_in_subprocess


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
    with pytest.raises(RuntimeError, match="status -9"):
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
