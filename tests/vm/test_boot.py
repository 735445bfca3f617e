"""A real kernel in a real emulator: counted, proven, and every way to die."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from builders import run_gate
from night import at_night
from vm.kernels import CLOUD, NEWEST

PROFILE = """harness = "instructions"
command = "{command}"
timeout = "{timeout}"
[guest]
modules = ["{module}"]
operations = [1000, 5000]
[metric.kernel_instructions_per_io]
tolerance = "1%"
[metric.user_instructions_per_io]
role = "watch"
"""
READ = "dd if=/dev/nullb0 of=/dev/null bs=4k count={operations} iflag=direct"
MODULE = "null_blk nr_devices=1 queue_mode=2"


@pytest.fixture
def boot(tmp_path):
    """Run a profile of this command with a distribution's kernel; the trials of its session."""

    def run(command=READ, module=MODULE, timeout="5 min", kernel=CLOUD):
        (tmp_path / "profiles").mkdir(exist_ok=True)
        text = PROFILE.replace("{command}", command).replace("{module}", module)
        (tmp_path / "profiles" / "p.toml").write_text(text.replace("{timeout}", timeout))
        words = ["run", "p", "--head", str(kernel.place), "--trials", "2", "--quiet"]
        answer = run_gate(words, cwd=tmp_path)
        session = json.loads((tmp_path / "reports" / "sessions" / "p-001.json").read_text())
        (tmp_path / "reports" / "sessions" / "p-001.json").unlink()
        # Counts do not depend on the machine, so their baseline is every machine's.
        assert list(session["host"]["stable"]) == ["machine"]
        assert session["host"]["epoch"] == {}
        assert not emulators(tmp_path), "no emulator is left"
        return answer, session["trials"]

    return run


def emulators(place):
    """Processes of QEMU that still run for this test."""
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended
            words = one.read_bytes()
            found += [words] if b"qemu-system" in words and bytes(place) in words else []
    return found


def value(trial, metric):
    """One value of a trial."""
    return next(one["value"] for one in trial["values"] if one["metric"] == metric)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "agreement"),
    [
        pytest.param(CLOUD, 0.005, id="oldest"),
        # Not made for clouds: it does more of its own beside the reads.
        pytest.param(NEWEST, 0.02, id="newest", marks=pytest.mark.night),
    ],
)
def test_what_a_read_costs_repeats_from_boot_to_boot(kernel, agreement, boot):
    """Two boots with different seeds agree: to half a per cent on a small kernel."""
    answer, trials = boot(kernel=kernel)
    assert answer.status == 0, answer
    first, second = (value(one, "kernel_instructions_per_io") for one in trials)
    assert 1000 < first < 100_000
    assert abs(first / second - 1) < agreement
    assert value(trials[0], "user_instructions_per_io") > 10


@pytest.mark.parametrize(
    ("command", "module", "words"),
    [
        ("echo {operations} c >/proc/sysrq-trigger; echo c >/proc/sysrq-trigger", MODULE,
         "the kernel panicked: Kernel panic - not syncing: sysrq triggered crash"),
        *at_night([
            ("exit {operations}", MODULE, "in the guest, the warm run ended with 232"),
            (READ, "null_blk queue_mode=99", "the module null_blk does not load"),
        ]),
    ],
)  # fmt: skip
def test_a_trial_that_cannot_be_is_told_by_its_log(boot, command, module, words):
    """A panic, a command that fails, a module that refuses: failed, and why."""
    answer, trials = boot(command, module)
    assert answer.status == 4, answer
    assert {one["status"] for one in trials} == {"failed"}
    assert words in trials[0]["note"]


@pytest.mark.night
def test_a_hang_ends_within_its_limit(boot):
    """The guest is killed, and the trial says what it was at."""
    answer, trials = boot("while :; do : {operations}; done", MODULE, "40 s")
    assert answer.status == 4
    assert {one["status"] for one in trials} == {"timeout"}
    assert "while it was at warm: its time was up" in trials[0]["note"]
