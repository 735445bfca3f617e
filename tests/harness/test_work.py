"""What the harnesses tell of the measured window, and what they leave out of it."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from unittest import mock

import pytest
from builders import run_gate, start_gate

from gate.formats.session.session_file import read_session
from gate.harness.base import Outcome, Usage
from gate.harness.fio.metrics import fio_work
from gate.harness.fio.output import parse
from gate.harness.hyperfine import HyperfineRun, _memory
from gate.model import IdleReference, TrialStatus, Value
from gate.units import in_base, parse_quantity, show

OUTPUT = Path(__file__).parents[1] / "data" / "tool-output"


@pytest.fixture
def grouped():
    """A recorded document of fio, to be changed."""
    return json.loads((OUTPUT / "fio-3.33-file-server-qd32.json").read_text("utf-8"))


def work(document):
    """What the harness makes of a document."""
    return fio_work(parse(json.dumps(document)))


def test_the_window_of_a_fio_run(grouped):
    """The window ends with the run, is as long as the longest side, and holds every I/O and byte."""
    job = grouped["jobs"][0]
    sides = [job[side] for side in ("read", "write") if job[side]["total_ios"]]
    found = work(grouped)
    assert found.ended == grouped["timestamp_ms"] / 1000
    assert found.seconds == max(side["runtime"] for side in sides) / 1000
    assert found.operations == sum(side["total_ios"] for side in sides)
    assert found.transferred == sum(side["io_bytes"] for side in sides)


@pytest.mark.parametrize("where", ["global options", "job options"])
def test_a_late_start_has_no_window(grouped, where):
    """A job told to start late ran at an unknown time: no window is claimed."""
    target = grouped if where == "global options" else grouped["jobs"][0]
    target.setdefault(where, {})["startdelay"] = "1"
    assert work(grouped) is None


def test_no_time_stamp_no_window(grouped):
    """A document without the time of its end places nothing."""
    del grouped["timestamp_ms"]
    assert work(grouped) is None


def outcome(memory):
    """The end of a process with this peak memory."""
    usage = Usage(user=0.0, system=0.0, memory=memory, voluntary=0, involuntary=0)
    return Outcome(status=0, output="", errors="", timed_out=False, duration=1.0, usage=usage)


def test_memory_where_the_export_has_none():
    """hyperfine 1.15 exports no memory: the kernel's figure stands in, if there is one."""
    old = HyperfineRun(exit_code=0, values=(Value(metric="wall", value=1.0),))
    new = HyperfineRun(exit_code=0, values=(Value(metric="memory", value=5e6),))
    assert _memory(old, outcome(3e8)) == (Value(metric="memory", value=3e8),)
    assert _memory(old, outcome(0.0)) == ()
    assert _memory(new, outcome(3e8)) == ()


def test_joule_are_units():
    """Energy has its prefixes, in both directions."""
    assert in_base("mJ") == ("J", 1e-3)
    assert parse_quantity("250 µJ", "J") == pytest.approx(250e-6)
    assert show(2.5e-3, "J") == "2.500 mJ"
    assert show(1234.0, "J") == "1.234 kJ"


PROFILE = """
harness = "hyperfine"
command = "{command}"
shell = "{shell}"
trials = {{ screen = 2 }}
timeout = "60 s"
[side.head]
dir = "."
[metric.cpu_per_op]
tolerance = "20%"
[metric.cpu]
tolerance = "20%"
[metric.own_cpu_per_op]
role = "watch"
"""


@pytest.fixture
def project(tmp_path):
    """Builder of a project with one command under account."""

    def make(command, shell="sh"):
        (tmp_path / "profiles").mkdir()
        text = PROFILE.format(command=command, shell=shell)
        (tmp_path / "profiles" / "c.toml").write_text(text)
        return tmp_path

    return make


SPIN = "python3 -c 'import time\\nwhile time.process_time() < 0.4: pass'"


@pytest.mark.parametrize("shell", ["none", "sh"])
def test_a_command_under_account(project, shell):
    """A command that spins 0.4 s costs that, once: the shell is not tried out in its window.

    The look at the idle machine is handed in: a busy one would leave no cost to be told.
    """
    root = project("python3 {{side}}/spin.py", shell).resolve()
    text = (root / "profiles" / "c.toml").read_text("utf-8").replace("{{side}}", "{side}")
    (root / "profiles" / "c.toml").write_text(text)
    (root / "spin.py").write_text("import time\nwhile time.process_time() < 0.4: pass\n")
    rest = IdleReference(seconds=1.5, busy=0.0)
    with mock.patch("gate.measure.cpu.account.measure_idle", return_value=rest):
        answer = run_gate(["run", "c", "--out", "out", "--quiet"], cwd=root)
    assert answer.status == 0, answer.err
    session = read_session(root / "out" / "c-001.json")
    assert session.idle == rest
    for trial in session.trials:
        found = {value.metric: value.value for value in trial.values}
        assert trial.cpu.operations == 1
        own = trial.cpu.owners.own_user + trial.cpu.owners.own_system
        assert own == pytest.approx(found["cpu"], abs=0.1), "and nothing was run beside it"
        assert found["own_cpu_per_op"] == pytest.approx(own)


def test_a_failing_command_has_no_bill(project):
    """A trial that fails keeps no bill and no values, and the next one is taken all the same."""
    root = project("false {side}", "none")
    answer = run_gate(["run", "c", "--out", "out", "--quiet"], cwd=root)
    assert answer.status == 4
    session = read_session(root / "out" / "c-001.json")
    assert [(t.status, t.cpu, t.values) for t in session.trials] == [
        (TrialStatus.FAILED, None, ())
    ] * 2


JOB = """
[forever]
ioengine=io_uring
force_async=1
rw=randread
bs=4k
size=1m
iodepth=2
rate_iops=200
time_based=1
runtime=3600
filename=data
"""
FIO = """
harness = "fio"
job = "jobs/forever.fio"
[metric.cpu_per_io]
tolerance = "20%"
"""


def alive(mark, root):
    """What still runs with this mark in its environment, or is a workload of this project."""
    marked, work = f"DRIFTGATE_TESTED={mark}".encode(), f"GATE_WORK={root}/".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            given = (entry / "environ").read_bytes() if entry.name.isdigit() else b""
            if marked in given or work in given:
                found.append((entry / "cmdline").read_bytes())
        except OSError:
            continue
    return found


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_account_leaves_nothing(tmp_path, number):
    """Whatever ends the gate during an accounted trial, nothing runs on, and it can be resumed."""
    root = tmp_path / "project"
    (root / "profiles" / "jobs").mkdir(parents=True)
    (root / "profiles" / "c.toml").write_text(FIO)
    (root / "profiles" / "jobs" / "forever.fio").write_text(JOB)
    mark = f"{time.monotonic_ns()}"
    gate = start_gate(
        ["run", "c", "--out", "out", "--quiet"], cwd=root, env={"DRIFTGATE_TESTED": mark}
    )
    until = time.monotonic() + 60
    while not any(b"job.fio" in one for one in alive(mark, root)):
        assert time.monotonic() < until, "fio was never started"
        time.sleep(0.05)
    time.sleep(1)
    os.kill(gate.pid, number)
    gate.communicate(timeout=60)
    until = time.monotonic() + 30
    while alive(mark, root) and time.monotonic() < until:
        time.sleep(0.05)
    assert alive(mark, root) == []
    session = read_session(root / "out" / "c-001.json")
    assert session.trials == ()
    assert session.idle is not None, "and it goes on from there with its own reference"
