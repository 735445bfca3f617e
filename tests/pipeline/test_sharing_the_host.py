"""A check that measures several profiles: others who wait get their turn between two of them."""

from __future__ import annotations

import json
import signal
import time
from contextlib import contextmanager
from unittest import mock

import pytest
from builders import start_gate, write_replay_project

from gate.host.lock import exclusive
from gate.host.tuning.tuning import TuningResult
from gate.measure.process.stop import Stop
from gate.pipeline import host_reservation
from gate.pipeline.host_reservation import HostClaim, reserved_host
from gate.pipeline.progress import ProgressDisplay

PROFILE = """
harness = "hyperfine"
command = "sh -c 'until test -e go-{name}; do sleep 0.05; done'"
trials = {{ screen = 2 }}
[metric.wall]
tolerance = "10%"
"""


@pytest.fixture
def place(tmp_path):
    """A lock of its own."""
    return tmp_path / "own.lock"


@pytest.fixture
def measuring(tmp_path, place):
    """Starts a gate on two profiles, each of which lasts until there is a file; ends it."""
    root, started = tmp_path / "long", []
    (root / "profiles").mkdir(parents=True)
    for name in "cd":
        (root / f"profiles/{name}.toml").write_text(PROFILE.format(name=name), "utf-8")

    def begin(*command):
        gate = start_gate(command, cwd=root, lock=place)
        started.append(gate)
        wait_for(lambda: (place.exists() and place.stat().st_size) or gate.poll() is not None)
        return root, gate

    yield begin
    for gate in started:
        gate.kill()
        gate.communicate(timeout=60)


def wait_for(condition):
    """Sleep until something is true."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def waiting(tmp_path, place, name="short"):
    """A short gate that waits in the queue."""
    project = write_replay_project(tmp_path / name)
    gate = start_gate(["run", "p", "--wait", "5min"], cwd=project.root, lock=place)
    assert gate.stderr.readline().startswith("waiting, ")
    return gate


@pytest.mark.parametrize("command", [("check", "--out", "out"), ("run", "--out", "out")])
def test_another_measures_between_two_profiles(command, measuring, tmp_path, place):
    """One that waits has measured before the second profile is begun; that is told, and the first
    gate goes on by itself, though it may not wait for anybody at its start."""
    root, gate = measuring(*command)
    other = waiting(tmp_path, place)
    (root / "go-c").touch()
    assert other.wait(60) == 0
    assert gate.poll() is None
    (root / "go-d").touch()
    _, said = gate.communicate(timeout=60)
    assert gate.returncode == (5 if command[0] == "check" else 0), said
    assert "another gate waits for this host: it goes first" in said
    files = sorted((root / "out").rglob("head.json" if command[0] == "check" else "?-*.json"))
    sessions = [json.loads(file.read_text("utf-8")) for file in files]
    assert [one["state"] for one in sessions] == ["complete", "complete"]
    other.communicate()


def test_nobody_waits_and_nothing_is_given_up(measuring, place):
    """Where nobody waits the host is kept: the name in the lock's file stays as it was written."""
    root, gate = measuring("run", "--out", "out")
    held = place.read_text("utf-8")
    (root / "go-c").touch()
    wait_for(lambda: list((root / "out").glob("d-*.json")))
    assert place.read_text("utf-8") == held
    (root / "go-d").touch()
    _, said = gate.communicate(timeout=60)
    assert (gate.returncode, "goes first" in said) == (0, False), said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_one_that_ends_while_others_have_their_turn(number, measuring, tmp_path, place):
    """Interrupted or killed while it waits for its next turn it leaves its finished session, touches
    nothing of the gate that measures, and holds nobody up."""
    root, gate = measuring("run", "--out", "out")
    held = waiting_until_told(tmp_path, place)
    (root / "go-c").touch()
    wait_for(lambda: place.read_text("utf-8").startswith(f"{held.pid}\n"))
    time.sleep(0.5)
    gate.send_signal(number)
    _, said = gate.communicate(timeout=60)
    assert gate.returncode == (143 if number == signal.SIGTERM else -9), said
    assert ("sessions finished: 1" in said) == (number == signal.SIGTERM)
    assert held.poll() is None
    assert place.read_text("utf-8").startswith(f"{held.pid}\n")
    (tmp_path / "other/go-c").touch()
    _, said = held.communicate(timeout=60)
    assert held.returncode == 0, said
    with exclusive(place):
        pass


def waiting_until_told(tmp_path, place):
    """A gate that waits in the queue, and then measures until there is a file."""
    root = tmp_path / "other"
    (root / "profiles").mkdir(parents=True)
    (root / "profiles/c.toml").write_text(PROFILE.format(name="c"), "utf-8")
    gate = start_gate(["run", "--wait", "5min"], cwd=root, lock=place)
    assert gate.stderr.readline().startswith("waiting, ")
    return gate


@pytest.mark.parametrize(("names", "given"), [(("thp",), 0), ((), 1)])
def test_a_tuned_host_is_kept(names, given, tmp_path, place, monkeypatch):
    """Where settings are tuned the host is kept until they are put back; else it is given away
    before the second run, and not before the first."""
    given_away = []

    @contextmanager
    def tuned(*_, **__):
        yield TuningResult(names=names)

    @contextmanager
    def alone(lock, say):
        given_away.append(1)
        yield

    monkeypatch.setattr(host_reservation, "tune_host", tuned)
    monkeypatch.setattr(host_reservation, "alone", alone)
    monkeypatch.setattr(host_reservation, "anybody_waits", lambda: True)
    claim = HostClaim(store=None, work=tmp_path / "work", host_class="lab")
    with (
        mock.patch("gate.host.lock.lock_path", return_value=place),
        reserved_host(claim, ProgressDisplay(quiet=True), Stop()) as host,
    ):
        host.await_turn()
        assert len(given_away) == 1
        host.await_turn()
        assert len(given_away) == 1 + given
