"""Two stages: measured without any token, judged and told from the default branch."""

import re

import pytest
from github import events
from github.acting import HOSTED
from github.scenarios import SCENARIOS

TWO = pytest.mark.parametrize("user", ["two-stages"], indirect=True)
MARKER = "<!-- driftgate:gate -->"


def measured(world, user, pull, **options):
    """The first stage; how it ended."""
    acted = world.act("pull_request", events.pull_request(pull), user.clone, run=101, **options)
    return acted, "success" if acted.jobs["measure"] == "success" else "failure"


@TWO
@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_a_pull_request_is_judged_and_told(world, user, hub, scenario):
    """What the second stage says of a first one, in job, summary, comment and check alike."""
    pull = user.pull(scenario.files)
    hub.opened(pull)
    first, conclusion = measured(world, user, pull)
    hub.ran(pull, 101, conclusion)
    acted = hub.judge(pull, user, conclusion=conclusion)
    said = acted.outputs["judge"]
    assert said["gate"] == scenario.gate, first.log + acted.log
    assert int(said["status"]) in scenario.statuses, acted.log
    assert said["verdict"] in scenario.verdicts
    acted.expect(judge="success" if scenario.gate == "open" else "failure", publish="success")
    (comment,) = hub.comments
    assert comment.splitlines()[0] == MARKER
    assert f"ate {scenario.gate}" in comment.splitlines()[1]
    (check,) = hub.checks
    assert (check["name"], check["head_sha"]) == ("driftgate", pull.head)
    assert check["status"] == "completed"
    assert check["conclusion"] == ("success" if scenario.gate == "open" else "failure")
    for text in (acted.summaries["judge"], comment):
        assert re.search(r"https://github.com/acme/tool/actions/runs/102/artifacts/\d+", text)
        for wanted in scenario.shown:
            assert re.search(wanted, text), text
    assert "ghs_" not in first.log + acted.log


@TWO
def test_a_new_commit_edits_the_comment_that_is_there(world, user, hub):
    """One comment for a pull request, whatever happens to it."""
    for run, files in ((201, {"profiles/first.toml": None}), (301, {"notes.md": "x\n"})):
        pull = user.pull(files)
        if run == 201:
            hub.opened(pull)
        acted = world.act("pull_request", events.pull_request(pull), user.clone, run=run)
        conclusion = "success" if acted.jobs["measure"] == "success" else "failure"
        hub.ran(pull, run, conclusion)
        judged = hub.judge(pull, user, conclusion=conclusion, first=run)
    (comment,) = hub.comments
    assert "ate open" in comment.splitlines()[1], acted.log + judged.log
    assert [one["conclusion"] for one in hub.checks] == ["failure", "success"]


@TWO
def test_a_runner_that_never_answers_is_closed(world, user, hub):
    """No artifact, a run that was cancelled: closed, with the reason, in comment and check."""
    pull = user.pull({"notes.md": "x\n"})
    hub.opened(pull)
    acted, _ = measured(world, user, pull, answering=[HOSTED])
    acted.expect(measure="skipped")
    hub.ran(pull, 101, "cancelled")
    judged = hub.judge(pull, user, conclusion="cancelled")
    judged.expect(judge="failure", publish="success")
    assert judged.outputs["judge"]["gate"] == "closed"
    (comment,) = hub.comments
    (check,) = hub.checks
    assert check["conclusion"] == "failure"
    for text in (comment, judged.summaries["judge"], check["output"]["summary"]):
        assert "cancelled" in text
    assert "ate closed" in comment.splitlines()[1]


@TWO
def test_a_fork_is_measured_without_a_token_and_judged_by_the_base(world, user, hub):
    """Its code runs on the machine only; the second stage never checks it out."""
    pull = user.pull({"notes.md": "x\n"}, fork="stranger/tool")
    hub.opened(pull)
    first, conclusion = measured(world, user, pull)
    assert conclusion == "success", first.log
    hub.ran(pull, 101, conclusion)
    world.checkouts.unlink()
    acted = hub.judge(pull, user, conclusion=conclusion)
    acted.expect(judge="success", publish="success")
    assert len(hub.comments) == 1
    checked_out = world.checkouts.read_text().splitlines()
    assert checked_out == ["acme/tool main tree false"]
    assert not (world.place / "home/.gitconfig").exists()


@TWO
def test_a_fork_that_moved_meanwhile_is_left_alone(world, user, hub):
    """What was measured is no longer the head: neither comment nor check."""
    pull = user.pull({"notes.md": "x\n"}, fork="stranger/tool")
    _, conclusion = measured(world, user, pull)
    hub.ran(pull, 101, conclusion)
    newer = user.pull({"notes.md": "y\n"}, fork="stranger/tool")
    hub.opened(newer)
    acted = hub.judge(pull, user, conclusion=conclusion)
    assert acted.jobs["judge"] == "failure"
    assert not hub.written


@TWO
def test_a_head_that_moves_while_it_is_judged_is_left_alone(world, user, hub):
    """The commit is asked for again just before anything is written."""
    pull = user.pull({"notes.md": "x\n"}, fork="stranger/tool")
    hub.opened(pull)
    _, conclusion = measured(world, user, pull)
    hub.ran(pull, 101, conclusion)
    hub.when("GET", "/artifacts/", lambda: hub.moved(pull.number, "e" * 40))
    acted = hub.judge(pull, user, conclusion=conclusion)
    assert not hub.comments
    assert {one["head_sha"] for one in hub.checks} <= {pull.head}  # which it says the truth of
    assert acted.jobs["publish"] != "success"


@TWO
def test_the_files_ask_for_what_act_cannot_show(user, driftgate):
    """Permissions, the environment of forks, concurrency: act passes over them."""
    measure = (driftgate / ".github/workflows/measure.yml").read_text()
    (environment,) = re.findall(r"^    environment: (.*)$", measure, re.MULTILINE)
    assert "head.repo.full_name != github.repository && inputs.fork-environment" in environment
    job = measure[measure.index("\n  measure:") :]
    assert "\n    permissions: {}\n" in job
    assert "cancel-in-progress: false" in job
    assert "timeout-minutes:" in job
    assert "secrets" not in measure
    assert measure.count("persist-credentials: false") == measure.count("uses: actions/checkout@")
    mine = (user.clone / ".github/workflows/driftgate.yml").read_text()
    assert "fork-environment: driftgate-fork" in mine
