"""One stage: measured and judged in one job on the machine, no token that writes, no comment."""

import json
import re

import pytest
from github import events
from github.acting import HOSTED
from github.scenarios import SCENARIOS

ONE = pytest.mark.parametrize("user", ["one-stage"], indirect=True)


def acted_on(world, user, pull, **options):
    return world.act("pull_request", events.pull_request(pull), user.clone, run=101, **options)


@ONE
@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
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


@ONE
def test_what_a_benchmark_prints_is_no_command(world, user):
    """It printed `::error`, `::notice` and `::set-output`; the runner obeyed none of them."""
    crashes = next(one for one in SCENARIOS if one.name == "crashes")
    acted = acted_on(world, user, user.pull(crashes.files))
    assert acted.outputs["gate"]["gate"] == "closed"
    assert not [one for one in acted.annotations if one.text in {"open", "injected"}]


@ONE
def test_a_runner_that_never_answers_is_closed(world, user):
    """GitHub calls a skipped required job a success; the job `driftgate` does not."""
    acted = acted_on(world, user, user.pull({"notes.md": "x\n"}), answering=[HOSTED])
    acted.expect(gate="skipped", driftgate="failure")
    assert "gate closed" in acted.summaries["driftgate"]
    assert "no runner answered" in acted.summaries["driftgate"]


@ONE
def test_a_forks_code_never_runs_on_the_machine(world, user):
    """The measuring job does not start, and that is closed, not passed over."""
    acted = acted_on(world, user, user.pull({"notes.md": "x\n"}, fork="stranger/tool"))
    acted.expect(driftgate="failure")
    assert "gate closed" in acted.summaries["driftgate"]
    assert not world.checkouts.exists()


@ONE
def test_no_token_reaches_what_is_measured(world, user):
    """Neither in the checkout's configuration nor in the environment of a benchmark."""
    spies = {
        "tool.py": "import os, pathlib, sys\n"
        "seen = [name for name in os.environ if 'TOKEN' in name or name.startswith('GITHUB_OUT')]\n"
        "here = pathlib.Path(sys.argv[0]).resolve().parent\n"
        "configs = [one.read_text() for one in here.glob('.git/config')]\n"
        f"pathlib.Path({str(world.place / 'seen')!r}).write_text(repr((seen, configs)))\n"
    }
    acted = acted_on(world, user, user.pull(spies), token="ghs_secret")
    seen = (world.place / "seen").read_text()
    assert seen.startswith("([], ["), seen
    assert "AUTHORIZATION" not in seen
    assert "ghs_secret" not in acted.log
