"""A calibration measures in the same light process as a check, round after round."""

from __future__ import annotations

import json
import subprocess
import sys

from builders import HOST_CLASS, PLAY

from gate.harness.planted.planting import planted_loss

HEAVY = {"numpy", "scipy", "jinja2", "urllib3"}
_TOLD = """
import json, sys
from pathlib import Path
import gate.host.lock
from gate.measure import recorder
told = Path(sys.argv.pop(1))
gate.host.lock.lock_path = lambda: told.with_suffix(".lock")
add, seen = recorder.SessionRecorder.add, []
def watched(self, trial):
    add(self, trial)
    seen.append(sorted({name.partition(".")[0] for name in sys.modules}))
    told.write_text(json.dumps(seen))
recorder.SessionRecorder.add = watched
from gate.__main__ import main
main()
"""
SEED = next(seed for seed in range(100) if planted_loss(seed, 0, (0.1,)))
"""The first round of this draw is a planted one: it confirms, and another one follows."""


def test_judging_a_round_leaves_the_measuring_process_light(project, tmp_path):
    """The trials of later rounds are not taken in a process that grew by judging earlier ones."""
    told = tmp_path / "modules.json"
    command = ["calibrate", "p", "--rounds", "2", "--plant", "10%", "--seed", str(SEED), "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", PLAY + _TOLD, str(told), *command],
        cwd=project.root,
        env={"GATE_HOST_CLASS": HOST_CLASS, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = [set(one) for one in json.loads(told.read_text("utf-8"))]
    assert len(seen) > 12, "the planted round did not confirm"
    assert not HEAVY & set().union(*seen)
