"""Two stages, both run: measured without any token, judged and told from the default branch."""

import re

import pytest
from night import at_night
from workflows import events
from workflows.scenarios import CRASH, SCENARIOS

TWO = pytest.mark.parametrize("user", ["two-stages"], indirect=True)
MARKER = "<!-- driftgate:gate -->"
FORKS = "      # fork-environment: driftgate-fork"
JUDGED = "      # forks: true"


def measured(world, user, pull, **options):
    """The first stage; how it ended."""
    acted = world.act("pull_request", events.pull_request(pull), user.clone, run=101, **options)
    return acted, "success" if acted.jobs.get("measure") == "success" else "failure"


@TWO
@pytest.mark.parametrize(
    "scenario",
    [CRASH, *at_night(one for one in SCENARIOS if one.name not in {"fine", "crashes"})],
    ids=str,
)
def test_a_pull_request_is_judged_and_told(world, user, hub, scenario):
    """What the second stage says of a first one, in job, summary, comment and check alike."""
    pull = user.pull(scenario.files)
    hub.opened(pull)
    first, conclusion = measured(world, user, pull)
    hub.ran(pull, 101, conclusion)
    acted = hub.judge(pull, user, conclusion=conclusion)
    said = acted.outputs["judge"]
    assert said["gate"] == scenario.gate == "closed", first.log + acted.log
    assert int(said["status"]) in scenario.statuses, acted.log
    assert said["verdict"] in scenario.verdicts
    acted.expect(judge="success", publish="success", verdict="failure")
    assert f"the gate is closed, {said['verdict']}" in acted.summaries["verdict"]
    (comment,) = hub.comments
    assert comment.splitlines()[0] == MARKER
    assert "ate closed" in comment.splitlines()[1]
    (check,) = hub.checks
    assert (check["name"], check["head_sha"]) == ("driftgate", pull.head)
    assert (check["status"], check["conclusion"]) == ("completed", "failure")
    for text in (acted.summaries["judge"], comment):
        assert re.search(r"https://github.com/acme/tool/actions/runs/102/artifacts/\d+", text)
        for wanted in scenario.shown:
            assert re.search(wanted, text), text
    assert "ghs_" not in first.log + acted.log


@pytest.mark.night
@TWO
@pytest.mark.parametrize("asked", [False, True], ids=["not asked for", "nobody reviews"])
def test_a_fork_is_not_measured_unless_somebody_must_approve_it(world, user, hub, asked):
    """Its code never comes near the machine, and that is closed, not passed over."""
    if asked:  # as an environment that GitHub makes by itself, which has no reviewers
        user.change_on_main({".github/workflows/driftgate.yml": (FORKS, FORKS.replace("# ", ""))})
        hub.environment("driftgate-fork", reviewers=0)
    pull = user.pull({"notes.md": "x\n"}, fork="stranger/tool")
    hub.opened(pull)
    first, conclusion = measured(world, user, pull, env={"GATE_API_URL": hub.url})
    assert first.jobs.get("approve") == "failure", first.log
    assert first.jobs.get("measure", "skipped") == "skipped"
    assert not world.checkouts.exists()
    hub.ran(pull, 101, conclusion, measured=False)
    if asked:
        return  # the second stage sees the same
    acted = hub.judge(pull, user, conclusion=conclusion)
    assert acted.outputs["judge"]["gate"] == "closed", acted.log
    acted.expect(judge="success", publish="success", verdict="failure")
    (comment,) = hub.comments
    assert "ate closed" in comment.splitlines()[1]
    assert "pull requests of forks are not measured here" in comment
    assert "crashed" not in comment
    told = [(one["name"], one["conclusion"]) for one in hub.checks]
    assert told == [("driftgate: not measured", "neutral")]


@pytest.mark.night
@TWO
def test_an_approved_fork_is_measured_without_a_token_and_judged_by_the_base(world, user, hub):
    """Its code runs on the machine only; the second stage never checks it out."""
    user.change_on_main(
        {
            ".github/workflows/driftgate.yml": (FORKS, FORKS.replace("# ", "")),
            ".github/workflows/driftgate-judge.yml": (JUDGED, JUDGED.replace("# ", "")),
        }
    )
    pull = user.pull({"notes.md": "x\n"}, fork="stranger/tool")
    hub.opened(pull)
    hub.environment("driftgate-fork", reviewers=1)
    first, conclusion = measured(world, user, pull, env={"GATE_API_URL": hub.url})
    first.expect(approve="success", measure="success")
    hub.ran(pull, 101, conclusion)
    world.checkouts.unlink()
    acted = hub.judge(pull, user, conclusion=conclusion)
    acted.expect(judge="success", publish="success", verdict="success")
    assert len(hub.comments) == 1
    assert world.checkouts.read_text().splitlines() == ["acme/tool main tree false"]
    assert not (world.place / "home/.gitconfig").exists()


@TWO
def test_the_files_ask_for_what_act_cannot_show(user, driftgate):
    """Permissions, the environment of forks, concurrency: act passes over them."""
    measure = (driftgate / ".github/workflows/measure.yml").read_text()
    assert re.findall(r"^    environment: (.*)$", measure, re.MULTILINE) == [
        "${{ inputs.fork-environment }}"
    ]
    head, _, job = measure.partition("\n  measure:")
    assert "environment:" in head[head.index("\n  approve:") :]
    assert "\n    permissions: {}\n" in job
    assert "needs: [plan, approve]" in job
    assert "concurrency:" not in job  # GitHub would cancel the second job that waits
    assert "timeout-minutes:" in job
    assert "secrets" not in measure
    assert measure.count("persist-credentials: false") == measure.count("uses: actions/checkout@")
    mine = (user.clone / ".github/workflows/driftgate.yml").read_text()
    assert "fork-environment: driftgate-fork" in mine
    assert "branches: [main]" in mine
    judge = (user.clone / ".github/workflows/driftgate-judge.yml").read_text()
    assert "branch: main" in judge


@pytest.mark.night
@TWO
def test_the_merge_queue_is_measured_without_anybodys_approval(world, user):
    """It is no fork, although its event names no repository of a head."""
    pull = user.pull({"notes.md": "x\n"})
    acted = world.act("merge_group", events.merge_group(pull), user.clone, run=101)
    assert acted.jobs.get("measure") == "success", acted.log
    assert acted.jobs.get("approve", "skipped") == "skipped"
