"""One stage: measured and judged in one job on the machine, no token that writes, no comment."""

import json
import re

import pytest
from night import at_night
from workflows import events
from workflows.acting import HOSTED, REPOSITORY
from workflows.hub import TOKEN
from workflows.scenarios import FINE, SCENARIOS

ONE = pytest.mark.parametrize("user", ["one-stage"], indirect=True)
SPY = """\
import os, pathlib, sys

seen = [name for name in os.environ if "TOKEN" in name or name.startswith("GITHUB_OUT")]
here = pathlib.Path(sys.argv[0]).resolve().parent
configs = [one.read_text() for one in here.glob(".git/config")]
pathlib.Path({where!r}).write_text(repr((seen, configs)))
print("::error title=driftgate::open", "::set-output name=gate::open", sep="\\n")
print("::notice::injected", file=sys.stderr)
sys.exit(7)
"""


def acted_on(world, user, pull, **options):
    return world.act("pull_request", events.pull_request(pull), user.clone, run=101, **options)


@ONE
@pytest.mark.parametrize(
    "scenario",
    [FINE, *at_night(one for one in SCENARIOS if one.name not in {"fine", "crashes"})],
    ids=str,
)
def test_a_pull_request_gets_its_verdict(world, user, scenario):
    """Job results, outputs, summary, annotations and artifacts say the same."""
    acted = acted_on(world, user, user.pull(scenario.files))
    ended = "success" if scenario.gate == "open" else "failure"
    acted.expect(gate=ended, driftgate=ended)
    said = acted.outputs["gate"]
    assert said["gate"] == scenario.gate, acted.log
    assert int(said["status"]) in scenario.statuses, acted.log
    assert said["verdict"] in scenario.verdicts
    summary = acted.summaries["gate"]
    assert f"Gate {scenario.gate}" in summary.splitlines()[0]
    assert re.search(r"https://github.com/acme/tool/actions/runs/101/artifacts/\d+", summary)
    for wanted in scenario.shown:
        assert re.search(wanted, summary), summary
    errors = [one for one in acted.annotations if one.level == "error"]
    assert bool(errors) == (scenario.gate == "closed")
    # act drops a title that holds `=`, as that of a benchmark does; GitHub's runner keeps it.
    assert len([one for one in errors if one.job == "gate"]) <= 10
    assert [one.title for one in errors if one.job == "driftgate"] == ["driftgate"] * bool(errors)
    report = json.loads((world.artifacts / "101/driftgate-report/report.json").read_text())
    assert (report["gate"], report["verdict"]) == (said["gate"], said["verdict"])
    page = (world.artifacts / "101/driftgate-report.html/driftgate-report.html").read_text()
    assert f"gate {scenario.gate}" in page.lower()
    told = [json.dumps(one) for one in report["edits"]]
    for wanted in scenario.edits:
        assert any(re.search(wanted, one) for one in told), told


@pytest.mark.night
@ONE
def test_a_benchmark_commands_nothing_and_finds_no_token(world, user):
    """It printed `::error` and `::set-output`, looked for secrets, and crashed: broken, no more."""
    spy = {"tool.py": SPY.format(where=str(world.place / "seen"))}
    acted = acted_on(world, user, user.pull(spy), token="ghs_secret")
    acted.expect(gate="failure", driftgate="failure")
    said = acted.outputs["gate"]
    assert (said["gate"], said["verdict"], said["status"]) == ("closed", "broken", "4"), acted.log
    assert not [one for one in acted.annotations if one.text in {"open", "injected"}]
    seen = (world.place / "seen").read_text()
    assert seen.startswith("([], ["), seen
    assert "AUTHORIZATION" not in seen
    assert "ghs_secret" not in acted.log


@pytest.mark.night
@ONE
def test_a_runner_that_never_answers_is_closed(world, user):
    """GitHub calls a skipped required job a success; the job `driftgate` does not."""
    acted = acted_on(world, user, user.pull({"notes.md": "x\n"}), answering=[HOSTED])
    acted.expect(gate="skipped", driftgate="failure")
    assert "gate closed" in acted.summaries["driftgate"]
    assert "no runner answered" in acted.summaries["driftgate"]


@pytest.mark.night
@ONE
def test_a_forks_code_never_runs_on_the_machine(world, user):
    """The measuring job does not start, and that is closed, not passed over."""
    acted = acted_on(world, user, user.pull({"notes.md": "x\n"}, fork="stranger/tool"))
    acted.expect(driftgate="failure")
    assert "gate closed" in acted.summaries["driftgate"]
    assert not world.checkouts.exists()


@pytest.mark.night
@ONE
def test_the_merge_queue_is_measured_and_judged(world, user):
    """A required job that never came would keep the queue waiting for ever."""
    pull = user.pull(FINE.files)
    acted = world.act("merge_group", events.merge_group(pull), user.clone, run=101)
    acted.expect(gate="success", driftgate="success")
    assert acted.outputs["gate"]["gate"] == "open"


@pytest.mark.night
@ONE
@pytest.mark.parametrize("asked", [False, True], ids=["no token", "approved"])
def test_a_change_of_workflows_is_closed_until_somebody_approved_it(world, user, hub, asked):
    """The job that judges runs as the change says: git's facts close it, GitHub's may open it."""
    pull = user.pull({".github/workflows/extra.yml": "on: push\njobs: {}\n"})
    hub.opened(pull)
    given = {}
    if asked:
        hub.add_token(TOKEN, {"checks": "read", "pull-requests": "read"})
        hub.repository(REPOSITORY)["permissions"]["ada"] = "write"
        hub.add_review(REPOSITORY, pull.number, "ada", commit=pull.head)
        given = {"token": TOKEN, "env": {"GATE_API_URL": hub.url}}
    acted = acted_on(world, user, pull, **given)
    ended = "success" if asked else "failure"
    acted.expect(gate=ended, driftgate=ended)
    assert ("G289" in acted.summaries["gate"]) is not asked, acted.log
