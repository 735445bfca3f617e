"""A real fault of a device while a trial runs: whose it is decides what becomes of the trial."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from builders import run_gate
from lab import failing_device
from turns import MACHINE

PROFILE = """
harness = "hyperfine"
shell = "sh"
command = "COMMAND"
trials = { screen = 2 }
EXPECTS
[metric.wall]
"""
READ = "dd if={device} of=/dev/null bs=4096 skip=1536 count=1 iflag=direct"
"""A block beyond the end that the device's file has left."""
pytestmark = MACHINE
needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/dev/loop-control").exists(),
    reason="only root can make a device that fails",
)


@pytest.fixture
def device(tmp_path):
    """A loop device whose file was cut short."""
    with failing_device(tmp_path / "image") as device:
        yield device


def session_of(root, command, *, expects="", ends):
    """(Trials, what was said) of one watched session of this command."""
    (root / "profiles").mkdir()
    text = PROFILE.replace("COMMAND", command).replace("EXPECTS", expects)
    (root / "profiles/p.toml").write_text(text, "utf-8")
    (root / "baselines/lab").mkdir(parents=True)
    # Other work on this machine is no part of this test.
    (root / "baselines/lab/host.toml").write_text(
        'schema = 1\nhost_class = "lab"\n[stable]\n[limits]\nsteal = "100%"\nforeign_cpu = 1000.0\n'
        'foreign_io = "900 GB/s"\nmemory_pressure = "100%"\n',
        "utf-8",
    )
    answer = run_gate(["run", "p", "--quiet"], cwd=root, watch=True)
    assert answer.status == ends, answer
    return json.loads((root / "reports/sessions/p-001.json").read_text("utf-8")), answer


@needs_root
def test_a_trial_that_fails_by_an_io_error_fails_and_says_why(device, tmp_path):
    """The failure stays a failure, is not taken again, and its note holds the kernel's line."""
    session, _ = session_of(tmp_path, READ.format(device=device), ends=4)
    assert [trial["status"] for trial in session["trials"]] == ["failed", "failed"]
    for trial in session["trials"]:
        assert "; meanwhile the kernel reported an I/O error: " in trial["note"]
        assert f"I/O error, dev {device.rpartition('/')[2]}, sector 12288" in trial["note"]
        assert not trial.get("aside")


@needs_root
def test_a_fault_beside_a_trial_sets_it_aside(device, tmp_path):
    """A trial that gave its values while a device failed is kept and not counted; a fault each
    time is more than the limit, and the session is disturbed by it."""
    harmless = f"{READ.format(device=device)} 2> /dev/null || true"
    session, answer = session_of(tmp_path, harmless, ends=5)
    assert {trial["status"] for trial in session["trials"]} == {"aside"}
    assert len(session["trials"]) == 4
    reasons = [reason for trial in session["trials"] for reason in trial["aside"]]
    assert {reason["kind"] for reason in reasons} == {"kernel_log"}
    assert all(trial["values"] for trial in session["trials"])
    assert (
        "4 of 4 trials were disturbed: kernel_log: the kernel reported an I/O error" in answer.err
    )


@needs_root
def test_a_fault_that_is_expected_counts_for_nothing(device, tmp_path):
    """A profile that provokes faults itself names the kind, and its trials count."""
    harmless = f"{READ.format(device=device)} 2> /dev/null || true"
    session, _ = session_of(tmp_path, harmless, expects='expects = ["kernel_log"]', ends=0)
    assert [trial["status"] for trial in session["trials"]] == ["ok", "ok"]
