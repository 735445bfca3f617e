"""What somebody else's gate left on this host is no failure of the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from host.kernel import Namespace

TESTS = Path(__file__).parents[1]
INNER = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(TESTS)!r})
from builders import run_gate, start_gate, write_replay_project
project = write_replay_project(Path(sys.argv[1]))
answer = project.gate("run", "p", "--out", "one")
assert (answer.status, answer.err.count("journal")) == (0, 0), answer
gate = start_gate(["run", "p", "--out", "two"], cwd=project.root)
out, err = gate.communicate(timeout=60)
assert (gate.returncode, err.count("journal")) == (0, 0), err
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root for mounts of its own")
def test_a_journal_that_a_killed_gate_left_stops_no_test(tmp_path):
    """The builders' calls have a state directory of their own, and do not touch the host's."""
    space = Namespace(tmp_path / "space")
    space.journal.parent.mkdir()
    space.journal.write_text('{"schema": 1, "ent', "utf-8")
    words = (*space.before, sys.executable, "-c", INNER, str(tmp_path / "p"))
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert space.journal.read_text("utf-8") == '{"schema": 1, "ent'
