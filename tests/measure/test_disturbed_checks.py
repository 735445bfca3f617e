"""Checks of an unchanged system, disturbed in their middle: never called regressed.

Everything is real: harnesses, hogs, watch and lock. By default one check of each kind is run, that
of the disk with both sides; DRIFTGATE_DISTURBED_CHECKS=30 runs so many, half of them with both, and
with `-o log_cli_level=INFO` tells how they ended. Other work on the machine
only adds to the disturbance, and changes nothing of what is asserted.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from functools import cache

import pytest
from builders import run_gate, start_gate
from measure.hogs import can_compete, competing
from night import at_night

LOG = logging.getLogger(__name__)
CHECKS = int(os.environ.get("DRIFTGATE_DISTURBED_CHECKS", "1"))
HEAD = """
trials = { screen = 3, confirm_pairs = 12 }
timeout = "60 s"
"""
SIDES = """
[side.base]
env = { NUMBER = "1" }
[side.head]
env = { NUMBER = "2" }
"""
COMMAND = f"""
harness = "hyperfine"
shell = "sh"
command = 'i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done'
{HEAD}
SIDES
[metric.wall]
[metric.cpu]
floor = "2 ms"
"""
DISK = f"""
harness = "fio"
job = "disk.fio"
{HEAD}
SIDES
[metric.iops]
"""
JOB = """
[disk]
filename=own.data
rw=write
bs=64k
size=8m
fsync=16
time_based
runtime=0.4
"""
KINDS = {
    "cpu": {"foreign_cpu", "steal"},
    "disk": {"foreign_io", "foreign_cpu", "steal"},
    "memory": {"memory_pressure", "foreign_io", "foreign_cpu", "steal"},
}
"""What each hog may be told as: a writer and a starved reader use processors too."""


@pytest.fixture(scope="module")
def accepted(tmp_path_factory):
    """A project with an accepted baseline of five short sessions, taken whatever goes on here."""

    @cache
    def make(text, sides):
        root = tmp_path_factory.mktemp("project") / "p"
        if sides:  # the same workload, so that one baseline serves both
            shutil.copytree(make(text, sides=False), root)
            (root / "profiles/p.toml").write_text(text.replace("SIDES", SIDES), "utf-8")
            return root
        (root / "profiles").mkdir(parents=True)
        (root / "profiles/disk.fio").write_text(JOB, "utf-8")
        (root / "profiles/p.toml").write_text(text.replace("SIDES", ""), "utf-8")
        told = run_gate(["run", "p", "--repeat", "5", "--quiet"], cwd=root)
        assert told.status == 0, told
        paths = sorted((root / "reports/sessions").glob("*.json"))
        reason = ["--reason", "r", "--by", "me"]
        done = run_gate(["baseline", "accept", *paths, *reason], cwd=root)
        assert done.status == 0, done
        return root

    return make


def first_trial(path, gate):
    """Sleep until a session holds a trial, or the gate has ended."""
    until = time.monotonic() + 120
    while gate.poll() is None and time.monotonic() < until:
        if path.exists() and '"benchmark"' in path.read_text("utf-8").partition('"trials"')[2]:
            return
        time.sleep(0.01)


def disturbed_check(root, kind, out, seconds):
    """(Report, sessions) of a check that a hog joins after its first trial, for so long at most."""
    gate = start_gate(["check", "p", "--out", out, "--quiet"], cwd=root, watched=True)
    first_trial(root / out / "p/head.json", gate)
    with competing(kind, root):
        until = time.monotonic() + seconds
        while gate.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
    _, err = gate.communicate(timeout=300)
    report = json.loads((root / out / "report.json").read_text("utf-8"))
    assert gate.returncode in {0, 4, 5}, (report["findings"], err)
    sessions = [json.loads(one.read_text("utf-8")) for one in (root / out / "p").glob("*.json")]
    return report, sessions


@pytest.mark.parametrize("kind", ["cpu", *at_night(["disk", "memory"])])
def test_a_disturbed_check_is_never_regressed(kind, accepted):
    """Disturbed trials are taken again, or marked where both sides bear it, or the verdict says by
    what the host was disturbed; a regression is never told."""
    if not can_compete(kind):
        pytest.fail("this test needs root and a memory controller to make a reader wait")
    endings = []
    for number in range(CHECKS):
        sides = (number + (kind == "disk")) % 2 == 1
        root = accepted(DISK if kind == "disk" else COMMAND, sides=sides)
        # Some hogs stay to the end, some leave in between, so that taking again succeeds.
        seconds = 60.0 if number % 4 < 2 else 1.0
        report, sessions = disturbed_check(root, kind, f"out-{number}", seconds)
        shutil.rmtree(root / f"out-{number}")
        verdicts = {finding["verdict"] for finding in report["findings"]}
        assert "regressed" not in verdicts, report["findings"]
        reasons = {
            reason["kind"]
            for session in sessions
            for trial in session["trials"]
            for reason in (*trial.get("aside", ()), *trial.get("marks", ()))
        }
        assert reasons & KINDS[kind], (number, verdicts)
        told = [one["headline"] for one in report["findings"] if one["code"] == "G036"]
        assert all("trials were disturbed: " in one or "at rest" in one for one in told), told
        endings.append((report["verdict"], "retaken" if not told else "disturbed"))
    LOG.info("%s: %s", kind, {one: endings.count(one) for one in sorted(set(endings))})
