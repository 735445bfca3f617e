"""As a new user would: an empty repository, one command, and then only what it prints."""

import json
import os
import re
import subprocess

import pytest
from workflows import events
from workflows.acting import REPOSITORY, World
from workflows.hub import Hub
from workflows.users import SHAPES, User

EXAMPLE = "print(sum(i * i for i in range({})))\n"
QUICK = "total = 0\nfor _ in range({}):\n    total += 1\n"
ASKED = {
    "one-stage": "gate init --github one-stage",
    "two-stages": 'gate init --github two-stages --command "python3 -I -S {side}/mine.py"',
}
"""What they type: the one takes the example that comes with it, the other has a command."""
SLOWER = {
    "one-stage": {"bench/example.py": EXAMPLE.format(2_000_000)},
    "two-stages": {"mine.py": QUICK.format(3_000_000)},
}


class Newcomer(User):
    """Somebody with an empty repository, the gate in PATH, and the sheet that it printed."""

    def start(self, shape: str) -> str:
        if shape == "two-stages":
            (self.clone / "mine.py").write_text(QUICK.format(200_000))
        printed = self.shell(ASKED[shape])
        if shape == "one-stage":  # "replace it by your own command", it says
            (self.clone / "bench/example.py").write_text(EXAMPLE.format(100_000))
        for line in printed.splitlines():
            if re.match(r"  (gate|git|cd) ", line):
                self.shell(line)
        return printed

    def shell(self, line: str) -> str:
        place = self.world.place / "bin"
        if not place.exists():
            place.mkdir()
            (place / "gate").symlink_to(self.world.env["DRIFTGATE_GATE"])
        done = subprocess.run(
            line,
            shell=True,
            cwd=self.clone,
            env=self.environment | {"PATH": f"{place}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture(params=SHAPES)
def story(request, tmp_path, driftgate, gate):
    """The shape, the newcomer after the printed steps, what was printed, and GitHub."""
    world = World(tmp_path, driftgate, {"DRIFTGATE_GATE": str(gate)})
    newcomer = Newcomer(world)
    printed = newcomer.start(request.param)
    with Hub(world) as hub:
        yield request.param, newcomer, printed, hub


@pytest.mark.night
def test_from_nothing_to_a_closed_gate_and_an_accepted_baseline(story):
    """A first baseline by the printed steps; a slower commit is closed; its level is accepted."""
    shape, user, printed, hub = story
    (baseline,) = user.clone.glob("baselines/*/first.toml")
    assert user.git("status", "--porcelain") == ""
    assert user.git("rev-parse", "origin/main") == user.git("rev-parse", "main")

    pull = user.pull(SLOWER[shape])
    hub.opened(pull)
    acted = user.world.act("pull_request", events.pull_request(pull), user.clone, run=101)
    hub.ran(pull, 101, "failure", machine="driftgate")  # the label unless another is asked for
    if shape == "one-stage":
        acted.expect(gate="failure", driftgate="failure")
        told = acted.outputs["gate"]
    else:
        acted = hub.judge(pull, user, conclusion="failure")
        told = acted.outputs["judge"]
        assert "ate closed" in hub.comments[0]
        assert [one["conclusion"] for one in hub.checks] == ["failure"]
    assert (told["gate"], told["verdict"]) == ("closed", "regressed"), acted.log

    accepted = accept(shape, user, hub, pull, printed)
    name = str(baseline.relative_to(user.clone))
    before = user.git("show", f"origin/main:{name}")
    after = user.git("show", f"{accepted}:{name}")
    assert "examples of squares" in after
    assert "examples of squares" not in before
    changed = user.git("diff", "--name-only", f"origin/main...{accepted}").splitlines()
    assert set(changed) == {name, *SLOWER[shape]}
    assert (hub.checks[-1]["name"], hub.checks[-1]["conclusion"]) == ("driftgate", "success")


def accept(shape, user, hub, pull, printed):
    """By the comment that the command told of, or by the workflow; gives the commit."""
    reason = "seven million examples of squares are wanted (#7)"
    if shape == "one-stage":
        (line,) = re.findall(r"^  (/driftgate accept) REASON$", printed, re.MULTILINE)
        body = f"{line} {reason}"
        number = hub.add_comment(REPOSITORY, pull.number, body, login="dev")
        payload = events.issue_comment(pull, comment=number, body=body, login="dev")
        event = "issue_comment"
    else:
        payload = events.workflow_dispatch(pull=str(pull.number), reason=reason)
        event = "workflow_dispatch"
    acted = hub.act(event, payload, user, run=501, workflow="driftgate-accept.yml")
    acted.expect(accept="success", judge="success", publish="success")
    user.git("fetch", "--quiet", "origin")
    assert json.dumps(hub.repository(REPOSITORY)["pulls"]).count('"number"') == 1
    return f"origin/{pull.branch}"
