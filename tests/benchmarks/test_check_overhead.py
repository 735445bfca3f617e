"""What a check costs beyond its trials and controls: everything but the measured processes.

The values are replayed, so no trial takes time, and no control runs; what is left is starting,
planning, recording, judging and writing the report, in a process of its own as a user starts it.
"""

from __future__ import annotations

import pytest
from builders import start_gate, write_replay_project


@pytest.mark.parametrize("loss", [0.0, 0.4], ids=["passed", "regressed"])
def test_a_check_beyond_its_trials(loss, tmp_path, benchmark):
    """One benchmark against five accepted sessions, from the command line to the report; the aim is
    0.7 s on a machine that does nothing else."""
    steady = [1.0, 1.002, 0.998] * 20
    project = write_replay_project(tmp_path / "p")
    project.accept()
    project.record({"b": [(1.0 + loss) * one for one in steady]}, {"b": steady})
    numbers = iter(range(1000))

    def check():
        words = ["check", "p", "--quiet", "--no-why", "--out", f"out-{next(numbers)}"]
        gate = start_gate(words, cwd=project.root)
        out, err = gate.communicate(timeout=120)
        return gate.returncode, out, err

    status, _, err = benchmark.pedantic(check, rounds=5, warmup_rounds=1)
    assert status == (10 if loss else 0), err
