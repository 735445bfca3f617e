"""A check that takes long enough to be interrupted, and what must be true of its remains."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest
from builders import start_gate, write_replay_project

from gate.formats.baseline.baseline_file import read_baselines
from gate.formats.profile.profile_file import read_profile
from gate.formats.session.session_file import read_session
from gate.measure.process.stop import SIGNALS, Stop

MARK = "DRIFTGATE_TESTED"
"""Variable of every gate that a test starts: its value is found again in all descendants."""
STEADY = (1.0, 1.002, 0.998)


@pytest.fixture(scope="session")
def slow_project():
    """Builder of an accepted project whose trials take a moment, with a planted loss of 30 %."""

    def make(root, *, sides, delay=0.03, loss=1.3, names=("b", "c")):
        project = write_replay_project(root, sides=sides, head=dict.fromkeys(names, STEADY))
        project.accept()
        steady = dict.fromkeys(names, STEADY * 40)
        project.record({**steady, names[0]: [one * loss for one in STEADY * 40]}, steady)
        raw = json.loads(project.recording.read_text("utf-8"))
        project.recording.write_text(json.dumps({**raw, "delay": delay}), "utf-8")
        return project

    return make


@pytest.fixture(scope="session")
def single(tmp_path_factory, slow_project):
    """An accepted project without a base side; to be copied, not used."""
    return slow_project(tmp_path_factory.mktemp("single") / "one", sides=False)


@pytest.fixture(scope="session")
def templates(tmp_path_factory, slow_project, single):
    """An accepted project for each kind of interruption; to be copied, not used."""
    two = slow_project(tmp_path_factory.mktemp("templates") / "two", sides=True)
    return {"pairs": two, "strikes": single, "run": single}


class Started:
    """One gate in a process group of its own, as a shell starts it."""

    def __init__(self, project, *arguments, env=None, **options):
        self.project, self.mark = project, f"{time.monotonic_ns()}"
        self.lock = project.root.parent / f"{project.root.name}.lock"
        self.lock.unlink(missing_ok=True)
        self.process = start_gate(
            arguments,
            cwd=project.root,
            lock=self.lock,
            env={MARK: self.mark, **(env or {})},
            start_new_session=True,
            **options,
        )

    def wait_for(self, condition):
        """Sleep until something is true of a running gate."""
        until = time.monotonic() + 60
        while not condition() and self.process.poll() is None:
            assert time.monotonic() < until, "nothing happened"
            time.sleep(0.002)
        return self

    def measuring(self):
        """Sleep until the gate holds its lock, which is when signals begin to be remembered."""
        return self.wait_for(lambda: self.lock.exists() and self.lock.stat().st_size)

    def kill(self, number, *, group=False):
        """Send a signal to the gate alone, or to its group as a terminal does."""
        (os.killpg if group else os.kill)(self.process.pid, number)

    def end(self):
        """(status, stdout, stderr) of the ended gate."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err

    def alive(self):
        """Descendants that still run, in whatever group."""
        wanted, work = f"{MARK}={self.mark}".encode(), f"GATE_WORK={self.project.root}/".encode()
        found = []
        for entry in Path("/proc").iterdir():
            try:
                given = (
                    (entry / "environ").read_bytes().split(b"\0") if entry.name.isdigit() else []
                )
                # A workload has no variable of the gate's that its profile does not name.
                if wanted in given or any(one.startswith(work) for one in given):
                    found.append((entry / "cmdline").read_bytes())
            except OSError:
                continue
        return found

    def dead(self):
        """Whether every descendant ends (a killed one takes a moment)."""
        until = time.monotonic() + 10
        while self.alive() and time.monotonic() < until:
            time.sleep(0.01)
        return not self.alive()


@pytest.fixture(scope="session")
def started():
    """Start a gate."""
    return Started


@pytest.fixture(scope="session")
def all_parse():
    """Assert that every file a reader would open is whole."""

    def check(root):
        for path in root.rglob("*.json"):
            document = json.loads(path.read_text("utf-8"))
            if "trials" in document:
                read_session(path)
        for path in (root / "profiles").glob("*.toml"):
            read_profile(path)
        assert read_baselines(root / "baselines")

    return check


@pytest.fixture
def stop():
    """A stop nobody asked for."""
    return Stop()


@pytest.fixture
def handlers():
    """This process's signal handlers, put back afterwards: a stop leaves signals ignored."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield before
    for number, handler in before.items():
        signal.signal(number, handler)
