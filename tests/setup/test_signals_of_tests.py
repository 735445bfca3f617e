"""Whoever starts the tests may ignore signals; what the tests start must not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
INNER = """
import os, signal, subprocess, sys, time, types
sys.path.insert(0, {tests!r})
import conftest
conftest.pytest_configure(types.SimpleNamespace(**{config}))
child = subprocess.Popen(["sleep", "60"])
child.send_signal({number})
os.kill(os.getpid(), {number})
time.sleep(0.01)
print(child.wait(60))
"""


def begun(number, ignored=True, **config):
    """How a child ends that the tests' process sends the signal, and then itself."""
    done = subprocess.run(
        [sys.executable, "-c", INNER.format(tests=str(TESTS), number=int(number), config=config)],
        preexec_fn=(lambda: signal.signal(number, signal.SIG_IGN)) if ignored else None,
        env={key: value for key, value in os.environ.items() if "XDIST" not in key},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_a_signal_that_was_ignored_reaches_what_tests_start(number):
    """Under nohup, or behind `&` in a script, children hear it; the tests themselves go on."""
    assert begun(number) == (0, f"-{int(number)}\n")


def test_a_terminal_that_goes_away_ends_no_worker():
    """A worker goes with the tests' first process, which is the one that nohup was said to."""
    ended = begun(signal.SIGHUP, ignored=False, workerinput={})
    assert ended == (0, f"-{int(signal.SIGHUP)}\n")
    assert begun(signal.SIGHUP, ignored=False)[0] == -signal.SIGHUP
