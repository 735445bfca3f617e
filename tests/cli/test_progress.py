"""Progress on stderr, on a terminal and elsewhere."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import pytest
from builders import start_gate, write_replay_project

from gate.formats.session.session_file import read_session

ERASE = "\r\x1b[K"


@pytest.fixture
def project(tmp_path):
    """Two benchmarks, three trials each."""
    return write_replay_project(tmp_path / "p", head={"b": [1, 1.1, 0.9], "c": [2, "fail", 2.1]})


def test_one_line_per_trial_elsewhere(project):
    """Without a terminal each trial is one plain line, with the time left but on the last."""
    process = start_gate(["run", "p"], cwd=project.root)
    _, err = process.communicate(timeout=60)
    lines = [line for line in err.splitlines() if "/6 head: " in line]
    assert len(lines) == 6
    for number, line in enumerate(lines, 1):
        assert re.match(rf"[bc] trial {number}/6 head: ", line), line
        assert line.endswith(" left") == (number < 6), line
    assert "\r" not in err
    assert "\x1b" not in err
    assert sum("the recorded trial failed" in line for line in lines) == 1


def test_quiet_is_quiet(project):
    """With --quiet stderr holds nothing but the failures at the end."""
    process = start_gate(["run", "p", "--quiet"], cwd=project.root)
    _, err = process.communicate(timeout=60)
    assert err == "failed: c: the recorded trial failed\n"


def on_terminal(project, columns, *arguments):
    """What a terminal of that width is sent by a run."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = start_gate(
        ["run", "p", *arguments], cwd=project.root, stderr=slave, stdout=subprocess.DEVNULL
    )
    os.close(slave)
    sent = b""
    try:
        while block := os.read(master, 1 << 16):
            sent += block
    except OSError:
        pass  # Linux says so when the other side has closed
    finally:
        os.close(master)
        process.wait(timeout=60)
    return sent.decode("utf-8")


@pytest.mark.parametrize("columns", [120, 80, 30, 0])
def test_a_terminal_shows_one_line_rewritten(columns, project):
    """On a terminal trials share one line no wider than it, and the time left is not cut off."""
    sent = on_terminal(project, columns)
    shown = [part.rstrip("\r\n") for part in sent.split(ERASE)]
    trials = [part for part in shown if re.match(r"[bc] trial \d/6 ", part)]
    assert len(trials) == 6
    for part in trials:
        failed = "failed" in part
        assert "\n" not in part
        assert failed or len(part) < (columns or 80), part
        assert part.endswith(" left") == (" trial 6/6 " not in part), part
    # Only the failed trial and the last words end a line.
    assert [line for line in sent.split("\n")[:-1] if "trial" in line.rsplit(ERASE, 1)[-1]]
    assert sent.count("\n") == 2
    assert shown[-1].startswith("failed: c:")


def test_a_quiet_terminal_is_sent_nothing(project):
    """With --quiet a terminal gets no control characters."""
    assert "\x1b" not in on_terminal(project, 80, "--quiet")


def test_control_characters_of_a_harness_do_not_reach_the_terminal(tmp_path):
    """What a failed program says cannot move the cursor or set the title."""
    project = write_replay_project(tmp_path / "p", head={"b": ["\x1b]0;evil\x07\x1b[2J"]}, trials=1)
    assert "\x1b]" not in on_terminal(project, 80)
    assert "\x1b[2J" not in on_terminal(project, 80)


def test_time_left_follows_the_trials(monkeypatch, capsys):
    """The time left is the mean of the trials so far times those to come."""
    from gate.measure.run_context import Progress
    from gate.model import Stage, Trial, TrialStatus
    from gate.pipeline.progress import ProgressDisplay

    teller = ProgressDisplay()
    for done, duration in enumerate((60.0, 120.0, 30.0, 30.0), 1):
        trial = Trial(
            benchmark="b",
            sequence=done,
            stage=Stage.SCREEN,
            status=TrialStatus.OK,
            started="",
            duration=duration,
        )
        teller(Progress(profile="p", done=done, total=4, side="head", trial=trial, units={}))
    left = [line.partition(":   ")[2] for line in capsys.readouterr().err.splitlines()]
    assert left == ["3 min 00 s left", "3 min 00 s left", "1 min 10 s left", ""]


def test_a_closed_stderr_is_no_success(project):
    """A gate whose stderr nobody reads keeps what it measured and does not end as if all were well."""
    process = start_gate(["run", "p"], cwd=project.root)
    process.stderr.close()
    process.stdout.read()
    process.stdout.close()
    assert process.wait(timeout=60) != 0
    assert read_session(project.root / "reports/sessions/p-001.json").trials
