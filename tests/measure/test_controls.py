"""The built-in controls: what they leave behind, when they run, and where they are recorded."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from builders import run_gate, write_replay_project
from judge.build import session as made_session

from gate.formats.session.session_file import read_session
from gate.host import controls as host_controls
from gate.host.controls import CONTROLS
from gate.measure import order as measure_controls
from gate.measure import recorder as disturbance
from gate.measure.order import APART, FIRST, Controls
from gate.measure.process.stop import StopRequested
from gate.measure.recorder import SessionRecorder
from gate.model import Source, State

PROFILE = """
harness = "hyperfine"
command = "true {side}"
trials = { screen = 2, confirm_pairs = 9 }
expects = ["steal", "foreign_cpu", "foreign_io", "memory_pressure"]
[side.base]
dir = "base"
[side.head]
dir = "head"
[metric.wall]
tolerance = "500%"
"""


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_gives_seconds_and_leaves_nothing(name):
    """It takes some time, and neither a child, an open file nor its memory stays."""
    files, memory, others = open_files(), resident(), children()
    seconds = [CONTROLS[name]() for _ in range(3)]
    assert all(0 < one < 60 for one in seconds)
    assert open_files() == files
    assert resident() - memory < 8 << 20
    assert children() == others


def children() -> list[str]:
    """Child processes of this one, dead ones that nobody has waited for among them."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()


def open_files() -> int:
    """Files that this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_the_median_piece_counts(monkeypatch):
    """A piece that was preempted does not count; a pace that is slower throughout does."""
    monkeypatch.setattr(host_controls, "_PIECES", 5)
    for seconds, total in (([2.0, 2.0, 9.0, 2.0, 8.0], 10.0), ([3.0] * 5, 15.0)):
        readings = iter(at for one in seconds for at in (100.0, 100.0 + one))
        monkeypatch.setattr(host_controls, "_clock", lambda readings=readings: next(readings))
        assert host_controls._paced(lambda: None) == total


def test_a_control_that_is_killed_is_no_number():
    """A child that dies before it has told its time is an error, not a fast control."""
    with pytest.raises(ChildProcessError, match="killed before it gave its time"):
        host_controls._in_child(lambda: os.kill(os.getpid(), signal.SIGKILL) or 1.0)


def test_a_control_goes_on_where_hangups_are_ignored():
    """What nohup made the gate ignore ends no control either."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert host_controls._in_child(lambda: os.kill(os.getpid(), signal.SIGHUP) or 1.0) == 1.0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_control_that_fails_is_no_number(capfd):
    """Neither does an exception in the child come back as one, nor run the parent's exit."""

    def fail():
        raise MemoryError

    with pytest.raises(ChildProcessError):
        host_controls._in_child(fail)
    assert capfd.readouterr().out == ""


class Asked:
    """A stop that comes at its nth check."""

    def __init__(self, after=None):
        self.after, self.checks = after, 0

    def check(self):
        self.checks += 1
        if self.after is not None and self.checks > self.after:
            raise StopRequested(signal.SIGTERM)


def sitting(stop, harness="fio", *, restarts=False):
    """What controls need of a sitting."""
    return SimpleNamespace(stop=stop, profile=SimpleNamespace(harness=harness), restarts=restarts)


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets, and controls that give 1, 2, 3 ... and never fork."""
    now = SimpleNamespace(seconds=1000.0, runs=0)

    def run():
        now.runs += 1
        return float(now.runs)

    monkeypatch.setattr(measure_controls, "CONTROLS", {"a": run, "b": run})
    monkeypatch.setattr(measure_controls.time, "monotonic", lambda: now.seconds)
    return now


@pytest.fixture
def recorder(tmp_path, monkeypatch):
    """Makes recorders of sessions of a source, on a machine that nobody disturbs."""
    calm = disturbance.snapshot()
    monkeypatch.setattr(disturbance, "snapshot", lambda: calm)

    def make(source=Source.MEASURED, name="s", **more):
        one = made_session(source=source, state=State.PARTIAL, id=name, **more)
        lacking = ("watch", "storage", "accountant", "tuned", "reread", "countdown")
        run = SimpleNamespace(**dict.fromkeys(lacking))
        return SessionRecorder(run, one, tmp_path / f"{name}.json")

    return make


def kept(recorder):
    """The controls, as the next trial writes them to disk with it."""
    recorder._write()
    return read_session(recorder.path).controls


def test_counted_instructions_need_no_controls(clock, recorder):
    """What no other work on the machine changes is not judged by how fast the machine is."""
    own = recorder()
    controls = Controls(sitting(Asked(), "instructions"), own)
    controls.begin()
    controls.run()
    assert clock.runs == 0
    assert not own.session.controls


def test_restarts_into_other_kernels_have_no_controls(clock, recorder):
    """A slower kernel slows them too: they would tell of the change, not of the machine."""
    own = recorder()
    controls = Controls(sitting(Asked(), restarts=True), own)
    controls.begin()
    controls.run()
    assert (clock.runs, own.session.controls) == (0, {})


def test_when_they_run(clock, recorder):
    """Twice at the start, once in ten seconds between trials, once at the end; in that order."""
    own = recorder()
    controls = Controls(sitting(Asked()), own)
    controls.begin()
    assert kept(own) == {"a": (1.0, 3.0), "b": (2.0, 4.0)}
    controls.between()
    clock.seconds += APART - 0.1
    controls.between()
    assert clock.runs == 2 * FIRST
    clock.seconds += 0.1
    controls.between()
    controls.between()
    controls.run()
    assert kept(own) == {"a": (1.0, 3.0, 5.0, 7.0), "b": (2.0, 4.0, 6.0, 8.0)}


def test_pairs_share_every_run(clock, recorder):
    """The sessions of base and head hold the same runs: they were measured in one sitting."""
    base, head = recorder(name="base"), recorder(name="head")
    controls = Controls(sitting(Asked()), base, head)
    controls.begin()
    controls.run()
    assert kept(base) == kept(head) == {"a": (1.0, 3.0, 5.0), "b": (2.0, 4.0, 6.0)}


@pytest.mark.parametrize("source", [Source.REPLAYED, Source.IMPORTED])
def test_what_is_not_measured_has_none(source, clock, recorder):
    """Recorded and imported values were not taken on this host now: nothing runs."""
    own = recorder(source)
    controls = Controls(sitting(Asked()), own)
    controls.begin()
    controls.between()
    controls.run()
    assert (kept(own), clock.runs) == ({}, 0)


def test_a_resumed_session_keeps_what_it_had(clock, recorder):
    """The runs of before the interruption come first."""
    own = recorder(builtin={"a": (9.0,), "b": (8.0,)})
    Controls(sitting(Asked()), own).begin()
    assert kept(own) == {"a": (9.0, 1.0, 3.0), "b": (8.0, 2.0, 4.0)}


def test_a_control_that_cannot_run_is_noted(clock, recorder, monkeypatch):
    """It ends no sitting; the session says that it is lacking, and why."""

    def broken():
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setitem(measure_controls.CONTROLS, "a", broken)
    own = recorder()
    Controls(sitting(Asked()), own).begin()
    own._write()
    read = read_session(own.path)
    assert read.controls == {"b": (1.0, 2.0)}
    assert read.notes == (
        "the built-in control a could not be run: [Errno 12] Cannot allocate memory",
    )


def test_a_signal_stops_between_two_controls(clock, recorder):
    """A stop request is heard before the next one begins; what is on disk stays whole."""
    own = recorder()
    with pytest.raises(StopRequested):
        Controls(sitting(Asked(after=3)), own).begin()
    assert kept(own) == {"a": (1.0,), "b": (2.0,)}


@pytest.mark.parametrize(
    ("controls", "wrong"),
    [
        ({"cpu-spin": [0.04, -0.04]}, "controls"),
        ({"cpu-spin": [0.0]}, "controls"),
        ({"cpu-spin": []}, "controls"),
        ({"\x1b[2J": [0.04]}, "controls"),
        ({"cpu-spin": [1e400]}, "controls"),
        ({"cpu-spin": ["0.04"]}, "controls"),
        ({"cpu-spin": 0.04}, "controls"),
    ],
    ids=["negative", "zero", "none", "escape", "endless", "text", "no list"],
)
def test_strange_controls_are_refused(controls, wrong, recorder):
    """A session that was tampered with is refused when it is read, with the place."""
    from gate.errors import InputError

    path = recorder().path
    data = json.loads(path.read_text("utf-8"))
    data["controls"] = controls
    path.write_text(json.dumps(data).replace("Infinity", "1e400"), "utf-8")
    with pytest.raises(InputError, match=wrong):
        read_session(path)


def test_a_real_session_holds_them(tmp_path):
    """`gate run` on this machine: both controls, three runs at least; accepting keeps them."""
    for name in ("profiles/p.toml", "base/x", "head/x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(PROFILE if name.startswith("prof") else name, "utf-8")
    answer = run_gate(("run", "p", "--json", "--quiet"), cwd=tmp_path, controls=True)
    assert answer.status == 0, answer.err
    path = tmp_path / answer.json["sessions"][0]["path"]
    held = read_session(path).controls
    assert held.keys() == {"cpu-spin", "memory-copy"}
    assert all(len(runs) >= FIRST + 1 and min(runs) > 0 for runs in held.values())
    accepted = run_gate(
        ("baseline", "accept", path, "--reason", "first", "--by", "me"), cwd=tmp_path
    )
    assert accepted.status == 0, accepted.err
    (text,) = (tmp_path / "baselines").rglob("p.toml")
    (line,) = (one for one in text.read_text("utf-8").splitlines() if one.startswith("controls"))
    assert line.startswith("controls = { cpu-spin = [")
    assert len(line) < 160


def test_a_replayed_check_runs_none(tmp_path, monkeypatch):
    """The replay harness stays fast: no control runs in a whole check with pairs."""

    def never():
        raise AssertionError

    monkeypatch.setitem(measure_controls.CONTROLS, "cpu-spin", never)
    project = write_replay_project(tmp_path, sides=True)
    project.accept()
    project.record({"b": [1.3, 1.302, 1.298] * 30}, {"b": [1.0, 1.002, 0.998] * 30})
    answer = run_gate(("check", "p", "--out", "out", "--quiet"), cwd=project.root, controls=True)
    assert answer.status == 10
    for path in (tmp_path / "out/p").glob("*.json"):
        assert replace(read_session(path), controls={}) == read_session(path)
