"""Processes that outlive the measured one: work that goes on is named, what only ends is not."""

from __future__ import annotations

import os
import sys

import pytest

from gate.harness.base import Command
from gate.measure.process import stragglers
from gate.measure.process.process import run_process
from gate.measure.process.stop import Stop

FORK = "import os, sys, time\nif os.fork(): os._exit(0)\n"
LEAVE = "os.setsid()\nif os.fork(): os._exit(0)\n"


@pytest.fixture
def outcome(tmp_path):
    def run(script):
        argv = (sys.executable, "-c", script)
        return run_process(
            Command(argv=argv, directory=tmp_path, environment=dict(os.environ), timeout=60), Stop()
        )

    return run


@pytest.mark.parametrize("leave", ["", LEAVE], ids=["same group", "daemon"])
@pytest.mark.parametrize("then", ["time.sleep(60)", "while True: pass"], ids=["asleep", "at work"])
def test_what_works_on_is_named(outcome, leave, then):
    """A child in the background, or a daemon, that goes on: asleep or at work."""
    done = outcome(FORK + leave + then)
    assert (done.status, len(done.stragglers), done.orphans) == (0, 1, True)
    named = done.stragglers[0].startswith(f"{sys.executable} -c import os, sys, time")
    assert named or (leave and done.stragglers[0] == "a process that was started meanwhile")


def test_a_process_that_is_about_to_end_is_no_straggler(outcome):
    """One that ends within a moment without work, as helpers of pools do, breaks nothing."""
    done = outcome(FORK + "time.sleep(0.1)")
    assert (done.stragglers, done.orphans) == ((), True)


def test_a_pool_of_workers_leaves_nothing(outcome):
    """multiprocessing's own helpers, spawned and forked, are given the time to end."""
    script = (
        "import multiprocessing as m\n"
        "with m.get_context('fork').Pool(2) as pool: pool.map(abs, range(4))\n"
        "lock = m.get_context('spawn').Semaphore()\n"
    )
    assert outcome(script).stragglers == ()


def test_two_stragglers_are_two(outcome):
    """A child that left a shell with a job of its own is named with it."""
    script = "import subprocess\nsubprocess.Popen(['sh', '-c', 'sleep 60; true'])"
    done = outcome(script)
    assert set(done.stragglers) == {"sh -c sleep 60; true", "sleep 60"}


def test_work_of_a_moment_is_named_too(monkeypatch):
    """One that used 40 ms of CPU after the end and is gone at the next look did work."""
    looks, used = iter([[7], [], [7], []]), iter([0.1, 0.14])
    monkeypatch.setattr(stragglers, "_cpu", lambda _: next(used))
    found = stragglers.wait_for_stragglers(lambda: next(looks))
    assert (len(found.names), found.is_any) == (1, True)
