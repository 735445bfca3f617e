"""Profiles spread over two machines: planned, measured by a matrix, and judged as one check."""

import json
import shutil

import pytest
from workflows import events
from workflows.users import PROFILE

from gate.formats.session.session_file import read_handover

SHARDS = "      machine: bench-1\n"
JUDGED = "      branch: main\n"


@pytest.mark.night
@pytest.mark.parametrize("user", ["two-stages"], indirect=True)
def test_two_shards_are_one_check_and_a_missing_one_closes(world, user, hub):
    """Both sessions are joined; without the second one the gate says what is missing."""
    user.change_on_main(
        {
            "profiles/second.toml": PROFILE.replace('["parse", "print"]', '["print"]'),
            ".github/workflows/driftgate.yml": (SHARDS, f"{SHARDS}      shards: 2\n"),
            ".github/workflows/driftgate-judge.yml": (
                JUDGED,
                f"{JUDGED}      shards: 2\n      allow: new\n",
            ),
        }
    )
    pull = user.pull({"notes.md": "x\n"})
    hub.opened(pull)
    first = world.act("pull_request", events.pull_request(pull), user.clone, run=101)
    assert first.jobs["plan"] == "success", first.log
    shards = {}
    for number in (1, 2):
        file = world.artifacts / f"101/driftgate-session-{number}-of-2/session.json"
        shards[number] = {one.profile for one in read_handover(file).sessions}
    assert sorted(shards.values(), key=sorted) == [{"first"}, {"second"}], first.log
    hub.ran(pull, 101, "success")
    both = hub.judge(pull, user, conclusion="success")
    both.expect(judge="success", publish="success", verdict="success")
    report = json.loads((world.artifacts / "102/driftgate-report/report.json").read_text())
    assert {one["profile"] for one in report["findings"]} == {"first", "second"}

    shutil.rmtree(world.artifacts / "101" / "driftgate-session-1-of-2")
    shutil.rmtree(world.artifacts / "102")
    hub.ran(pull, 201, "success")
    (world.artifacts / "101").rename(world.artifacts / "201")
    one = hub.judge(pull, user, conclusion="success", first=201)
    one.expect(judge="success", publish="success", verdict="failure")
    assert one.outputs["judge"]["gate"] == "closed", one.log
    (comment,) = hub.comments
    assert "issing" in comment
    assert all(name in comment for name in shards[1])
