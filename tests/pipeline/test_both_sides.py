"""A pull request that has both sides is judged by them, whatever was accepted before."""

from __future__ import annotations

import json

import pytest
from builders import QUIET, write_replay_project


@pytest.mark.parametrize(("loss", "code", "status"), [(0.0, "G002", 0), (0.2, "G060", 10)])
def test_without_a_baseline_the_change_is_judged(tmp_path, loss, code, status):
    """Nothing was ever accepted: no `new`, but a word on the change, and the level is not known."""
    steady = [*QUIET] * 20
    project = write_replay_project(tmp_path, sides=True)
    project.record({"b": [(1 + loss) * one for one in steady]}, {"b": steady})
    answer = project.gate("check", "p", "--out", "out")
    assert answer.status == status, answer
    (found,) = json.loads((project.root / "out/report.json").read_text())["findings"]
    assert (found["code"], found["method"]) == (code, "pairs")
    assert found["level"]["state"] == "not known here"
