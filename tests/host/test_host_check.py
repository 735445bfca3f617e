"""`gate host check`: its table, its status, its JSON, its probe, and an interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from host.readiness_machines import CPU, changed, server
from recorded_machine import RecordedMachine

import gate.cli.host.check
import gate.host.lock
from gate.cli.main import run

BAD = {
    f"{CPU}/intel_pstate/no_turbo": "0\n",
    "/proc/sys/kernel/randomize_va_space": "\x1b[31m0\n",
}
_APART = """
import sys
from pathlib import Path
import gate.host.lock
lock = Path(sys.argv.pop(1))
gate.host.lock.lock_path = lambda: lock
from gate.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.fixture
def on(monkeypatch, tmp_path):
    """Runs `gate host check` on a recorded machine; gives the status and what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(gate.host.lock, "lock_path", lambda: tmp_path / "lock")
    check = gate.cli.host.check.check_readiness

    def look(capsys, recording, *arguments):
        machine = RecordedMachine(recording)
        monkeypatch.setattr(gate.cli.host.check, "ThisMachine", lambda: machine)
        monkeypatch.setattr(gate.cli.host.check, "no_counter", lambda: "")
        monkeypatch.setattr(gate.cli.host.check, "SAMPLE", 0.0)
        later = iter((0.0, 1.0))
        monkeypatch.setattr(
            gate.cli.host.check,
            "check_readiness",
            lambda *args, **more: check(
                *args, **more | {"sleep": lambda _: None, "clock": lambda: next(later)}
            ),
        )
        status = run(["host", "check", *arguments])
        return status, capsys.readouterr()

    return look


def test_a_table_with_cures_and_a_sum(on, capsys):
    """What is off is marked, with what is wanted and its cure below; status 5; 80 columns."""
    status, told = on(capsys, changed(server(), BAD))
    lines = told.out.splitlines()
    assert status == 5
    assert all(len(one) <= 80 for one in lines)
    assert "✓ governor        ok      performance on 4 of 4 processors" in lines
    at = lines.index("✗ turbo           off     on")
    assert lines[at + 1] == " " * 26 + "wanted: off"
    assert lines[at + 2].startswith(" " * 26 + "cure: gate host tune turbo")
    assert "\x1b" not in told.out
    assert sum(int(word.split()[0]) for word in lines[-1].split(", ")) == 26
    assert " 2 off, " in lines[-1]


def test_status_0_where_nothing_is_off_unless_strict(on, capsys):
    """With unknowns only the status is 0; --strict makes it 5 and shows their cures too."""
    status, told = on(capsys, server())
    assert status == 0
    assert "cure:" not in told.out
    status, told = on(capsys, server(), "--strict")
    assert status == 5
    assert told.out.count("cure:") == int(told.out.splitlines()[-1].split()[-2])


def test_json_has_every_field(on, capsys):
    """--json holds all checks with their cures, the sum, the status, and no probe."""
    status, told = on(capsys, changed(server(), BAD), "--json")
    answer = json.loads(told.out)
    assert (answer["schema"], answer["exit_status"], answer["probe"]) == (1, status, None)
    assert sum(answer["summary"].values()) == len(answer["checks"]) == 26
    turbo = next(one for one in answer["checks"] if one["name"] == "turbo")
    assert set(turbo) == {"name", "answer", "value", "wanted", "why", "cure"}
    assert (turbo["answer"], turbo["value"]) == ("off", "on")


def test_host_toml_names_the_processors_that_measure(on, capsys, tmp_path):
    """The class's measured_cpus decide on interrupts, and its limits on what others may use."""
    folder = tmp_path / "baselines/lab"
    folder.mkdir(parents=True)
    (folder / "host.toml").write_text(
        'schema = 1\nhost_class = "lab"\nmeasured_cpus = "0-1"\n\n'
        '[limits]\nforeign_cpu = 3\n\n[stable]\nmemory = "8 GiB"\n',
        "utf-8",
    )
    status, told = on(capsys, server(), "--host-class", "lab", "--json")
    answer = json.loads(told.out)
    checks = {one["name"]: one for one in answer["checks"]}
    assert status == 5
    assert answer["measured_cpus"] == "0-1"
    assert checks["irq"]["value"] == "1 of 1 on 0-1: 24 (nvme0q1)"
    assert checks["foreign_cpu"]["wanted"] == "below 3 processors used by others"


def test_seconds_below_ten_are_refused(on, capsys):
    """A probe of less than ten seconds has too few trials to tell anything: usage error."""
    status, told = on(capsys, server(), "--probe", "--seconds", "9")
    assert status == 2
    assert "error[G200]" in told.err


def started(tmp_path, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", _APART, str(tmp_path / "lock"), "host", "check", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ours(place):
    """Processes other than this one whose command line names the directory."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(place).encode() in words:
                found.append(int(entry.name))
    return found


def test_a_probe_that_is_interrupted_leaves_nothing(tmp_path):
    """Ctrl-C in the middle of a probe: status 130, one line, no file, no process, a free lock."""
    work = tmp_path / "work"
    work.mkdir()
    with started(tmp_path, "--probe", "--work", str(work)) as gate:
        until = time.monotonic() + 60
        while not list(work.glob("driftgate-work-*/probe")) and time.monotonic() < until:
            time.sleep(0.01)
        gate.send_signal(signal.SIGINT)
        _, errors = gate.communicate(timeout=60)
    assert gate.returncode == 130
    assert "error[G290]: interrupted" in errors
    assert not list(work.iterdir())
    until = time.monotonic() + 60  # a control ends by itself
    while ours(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert not ours(tmp_path)
    with gate_lock(tmp_path):
        pass


def gate_lock(tmp_path):
    return gate.host.lock.exclusive(tmp_path / "lock")


def test_a_probe_waits_for_nobody_by_default(tmp_path):
    """While another gate measures, a probe is refused with status 5; a look alone is not."""
    with gate_lock(tmp_path), started(tmp_path, "--probe") as probe:
        _, errors = probe.communicate(timeout=60)
    assert probe.returncode == 5
    assert "error[G240]" in errors
    with gate_lock(tmp_path), started(tmp_path, "--json") as look:
        told, _ = look.communicate(timeout=60)
    assert json.loads(told)["probe"] is None


@pytest.mark.slow
def test_a_probe_of_this_machine(tmp_path):
    """Ten seconds on the real machine: at least five trials of each piece, noise above zero."""
    with started(tmp_path, "--probe", "--seconds", "10", "--json") as gate:
        told, errors = gate.communicate(timeout=180)
    assert gate.returncode in {0, 5}, errors
    answer = json.loads(told)
    pieces = {one["name"]: one for one in answer["probe"]["pieces"]}
    assert list(pieces) == ["CPU", "memory", "file"]
    for one in pieces.values():
        assert one["trials"] >= 5
        assert one["noise"] > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "lock.queue"]
