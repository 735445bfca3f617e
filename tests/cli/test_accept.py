"""What accepting says beside what it writes."""

from __future__ import annotations

import json

from builders import write_replay_project

STEADY = (0.04, 0.0401, 0.0399, 0.04, 0.0402)
WILD = (0.04, 0.06, 0.03, 0.05, 0.02)
"""Seconds of a control in five sittings."""


def test_controls_that_tell_nothing_are_told(tmp_path):
    """A control of 20 to 60 ms over five sittings bears any host: told, with the cure, and accepted all
    the same; of the steady one beside it there is no word."""
    project = write_replay_project(tmp_path)
    paths = [project.session() for _ in range(5)]
    for path, steady, wild in zip(paths, STEADY, WILD, strict=True):
        session = json.loads(path.read_text())
        session["controls"] = {"cpu-spin": [steady] * 3, "memory-copy": [wild] * 3}
        path.write_text(json.dumps(session))
    answer = project.gate("baseline", "accept", *paths, "--reason", "first", "--by", "me")
    assert answer.status == 0, answer
    told = [line.strip() for line in answer.out.splitlines() if "control" in line]
    (warning,) = told
    assert warning == (
        "warning: the built-in control memory-copy scatters so much over 5 accepted sessions that a "
        "host 2586.0 % slower is borne: it tells nothing; accept quieter ones"
    )
