"""Accepting the level of a pull request: by whom, of what, and what stands in the repository then."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace

import pytest
from builders import HOST_CLASS, run_gate
from pipeline.accept.accepting import ALICE, BASELINE, PULL, RUN, WORD, World, git
from publish.github_server import GitHubServer
from publish.server_client import REPOSITORY

from gate.formats.baseline.baseline_file import read_baseline
from gate.model import Kernel, Stage, State
from gate.model.kernel_config import config_digest

BRANCH = "driftgate/accept-17-"


@pytest.fixture
def world(tmp_path):
    with GitHubServer(tmp_path / "hub") as hub:
        yield World(tmp_path, hub)


def nothing_written(world):
    assert world.branches() in (["main", "work"], ["main"])
    assert not world.pulls()
    assert world.hub.asked("POST", "/git/") == []


def merged(world):
    """A pull request whose branch cannot be written to any more; its head."""
    head = world.pull_request(state="closed")
    world.hub.repository(REPOSITORY)["pulls"][0]["merged"] = True
    return head


def refused(world, answer, status, code, *words):
    """It ended so, said so, wrote nothing but the answer to who asked."""
    assert (answer.status, answer.out) == (status, ""), answer
    assert f"error[{code}]" in answer.err
    for word in words:
        assert word in answer.err
    nothing_written(world)


def test_a_pull_request_carries_the_baseline_and_nothing_else(world):
    """One commit on the base branch's tip, whose only change is the accepted baseline."""
    head = merged(world)
    one = world.measured(head)
    answer = world.accept()
    assert answer.status == 0, answer
    branch = f"{BRANCH}{head[:12]}"
    tip = world.tip(branch)
    assert world.outputs() == {"pull": "18", "branch": branch, "commit": tip, "run": ""}
    assert git(world.bare, "rev-parse", f"{tip}^") == world.main
    assert world.changed(world.main, tip) == [BASELINE]
    (pull,) = world.pulls()
    assert (pull["base"]["ref"], pull["head"]["ref"]) == ("main", branch)
    assert world.tip("main") == world.main
    git(world.root, "fetch", "-q", "origin", branch)
    git(world.root, "checkout", "-q", tip)
    known = read_baseline(world.root / BASELINE)
    (series,) = known.series
    assert [point.epoch for point in series.points] == [1] * 5 + [2]
    accepted = next(s for s in known.sessions if s.id == one.id)
    assert (accepted.by, accepted.reason, accepted.commit) == (ALICE, WORD[-1], head)
    diff = run_gate(["baseline", "diff", "main"], cwd=world.root)
    line = f"p b wall: 1.000 -> 1.200 s (+20.0 %), epoch 2, because: {WORD[-1]}\n"
    assert diff.out == line


def test_the_text_is_that_of_baseline_accept(world):
    """The commit holds byte for byte what `gate baseline accept` writes, but for its time."""
    head = merged(world)
    world.measured(head)
    assert world.accept().status == 0
    (artifact,) = (world.hub.state.directory / "artifacts").glob("*.zip")
    session = world.root / "reports" / "s.json"
    session.write_bytes(zipfile.ZipFile(artifact).read("session.json"))
    handover = json.loads(session.read_text())
    session.write_text(json.dumps(handover["sessions"][0]))
    local = world.project.gate("baseline", "accept", session, *WORD)
    assert local.status == 0, local

    def timeless(text):
        return [line for line in text.splitlines() if not line.startswith("accepted =")]

    tip = world.tip(f"{BRANCH}{head[:12]}")
    assert timeless((world.root / BASELINE).read_text()) == timeless(world.text(tip))


def test_the_kernel_of_the_session_comes_along(world):
    """Its configuration is a file of the same commit, and the pull request says what it is for.

    Asking again makes nothing anew, and a file that is there already is not carried.
    """
    kernel = Kernel(
        release="6.1",
        version="#1",
        build_id="aa",
        command_line="quiet",
        config={"HZ": "250", "SMP": "y"},
    )
    head = merged(world)
    one = replace(world.session(1.2), kernel=kernel)
    world.hub.add_run(REPOSITORY, RUN, head=head, conclusion="failure")
    world.uploaded(one)
    world.back()
    assert world.accept().status == 0
    name = f"baselines/lab/kernel-{config_digest(kernel.config)}.config"
    tip = world.tip(f"{BRANCH}{head[:12]}")
    assert world.changed(world.main, tip) == sorted([BASELINE, name])
    text = git(world.bare, "show", f"{tip}:{name}")
    assert text == "CONFIG_HZ=250\nCONFIG_SMP=y"
    (pull,) = world.pulls()
    assert "is how the kernel of these sessions was configured (2 options)" in pull["body"]
    assert f"kernel-{config_digest(kernel.config)}.config" in pull["body"]
    assert world.accept().status == 0
    assert world.tip(f"{BRANCH}{head[:12]}") == tip


def test_who_asked_is_answered_once(world):
    """One comment with the diff and a link; asking again edits it, and makes nothing anew."""
    head = merged(world)
    world.measured(head)
    first = world.accept("--json", *WORD)
    tip = world.tip(f"{BRANCH}{head[:12]}")
    again = world.accept("--json", *WORD)
    assert (first.json["action"], again.json["action"]) == ("opened", "edited")
    assert (again.json["commit"], world.tip(f"{BRANCH}{head[:12]}")) == (tip, tip)
    assert len(world.pulls()) == 1
    (said,) = world.said()
    assert said.startswith("<!-- driftgate:accept -->\n**driftgate: this level is proposed")
    assert "#18 carries it" in said
    assert "`p b wall`: 1.000 → 1.200 s (+20.0\u00a0%), epoch 2" in said


def test_another_reason_is_a_further_commit(world):
    """The same session asked for anew, for a better reason: the pull request goes on with it."""
    head = merged(world)
    world.measured(head)
    world.accept()
    first = world.tip(f"{BRANCH}{head[:12]}")
    assert world.accept("--by", ALICE, "--reason", "a better one").status == 0
    second = world.tip(f"{BRANCH}{head[:12]}")
    assert git(world.bare, "rev-parse", f"{second}^") == first
    assert world.text(second).count('reason = "a better one"') == 1
    assert WORD[-1] not in world.text(second)
    (pull,) = world.pulls()
    assert "**Reason:** a better one" in pull["body"]


def test_a_branch_left_by_a_killed_call_is_used(world):
    """Killed between commit and pull request: the next call opens what is missing."""
    head = merged(world)
    world.measured(head)
    world.hub.fault(status=422, method="POST", path="/pulls")
    assert world.accept().status == 6
    tip = world.tip(f"{BRANCH}{head[:12]}")
    assert world.accept().status == 0
    assert world.tip(f"{BRANCH}{head[:12]}") == tip
    assert len(world.pulls()) == 1


def test_the_branch_is_there_where_github_does_not_let_actions_open_pull_requests(world):
    head = merged(world)
    world.measured(head)
    world.hub.repository(REPOSITORY)["actions_may_create_pulls"] = False
    answer = world.accept()
    assert answer.status == 6
    assert "Allow GitHub Actions to create and approve pull requests" in answer.err
    assert f"{BRANCH}{head[:12]}" in world.branches()


def test_a_commit_on_the_branch_itself(world):
    """On top of the measured head, the base branch untouched, no pull request."""
    head = world.pull_request()
    world.measured(head)
    answer = world.accept()
    assert answer.status == 0, answer
    tip = world.tip("work")
    assert world.outputs() == {"pull": "", "branch": "work", "commit": tip, "run": str(RUN)}
    assert git(world.bare, "rev-parse", f"{tip}^") == head
    assert world.changed(head, tip) == [BASELINE]
    assert world.text(tip, "tool.txt") == "slow\n"
    assert not world.pulls()
    (said,) = world.said()
    assert "**driftgate: this level is accepted for this pull request.**" in said
    assert f"Commit `{tip[:12]}` on `work` carries it." in said
    assert "whoever approves that approves the level" in said
    (check,) = world.hub.repository(REPOSITORY)["checks"]
    assert (check["name"], check["head_sha"]) == ("driftgate accept", tip)
    assert world.files(tip)[BASELINE] in check["output"]["summary"]


def test_a_fork_gets_no_commit(world):
    """Its branch cannot be written to: a pull request carries the level, if forks are judged."""
    head = world.pull_request(fork="mallory/name")
    one = world.session(1.2)
    world.hub.add_run(REPOSITORY, RUN, head=head, fork="mallory/name")
    world.uploaded(one)
    world.back()
    refused(world, world.accept(), 6, "G288", "pull requests of forks are not measured here")
    assert world.accept(*WORD, "--forks").status == 0
    assert len(world.pulls()) == 1
    assert world.hub.repository(REPOSITORY)["checks"] == []


@pytest.mark.parametrize("login", ["bob", "mallory", "eve-who-is-nobody"])
def test_nobody_without_write_permission_accepts(world, login):
    """Nothing happens, not even an answer."""
    head = world.pull_request()
    world.measured(head)
    answer = world.accept("--by", login, "--reason", "because I say so")
    refused(world, answer, 6, "G276", "has no write permission")
    assert world.said() == []
    assert {path for how, path, _ in world.hub.log} == {
        f"/repos/{REPOSITORY}/collaborators/{login}/permission"
    }


@pytest.mark.parametrize("login", ["", "a b", "../../x", "a\nb", "-x"])
def test_a_login_is_a_login(world, login):
    answer = world.accept("--by", login, "--reason", "r")
    assert (answer.status, world.hub.log) == (2, [])


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        ("  ", "no reason"),
        ("\u202e\u200b", "no reason"),
        ("...", "no reason"),
        ("a\nb", "more than one line"),
        ("x" * 501, "longer than 500"),
    ],
)
def test_a_reason_is_one_line_that_says_something(world, reason, why):
    head = world.pull_request()
    world.measured(head)
    refused(world, world.accept("--by", ALICE, "--reason", reason), 2, "G220", why)


def test_a_reason_cannot_hide_or_break_out(world):
    """Control and invisible characters go; what is left is inert in TOML and Markdown."""
    head = merged(world)
    world.measured(head)
    reason = '\x1b[31m@team </td><img src=x> "]\u202e |'
    assert world.accept("--by", ALICE, "--reason", reason).status == 0
    tip = world.tip(f"{BRANCH}{head[:12]}")
    assert 'reason = "@team </td><img src=x> \\"] |"' in world.text(tip)
    (pull,) = world.pulls()
    assert "`@team </td><img src=x>" in pull["body"]


def test_the_session_must_be_of_the_present_head(world):
    """A run of the head that uploaded a session of another commit."""
    head = world.pull_request()
    one = world.session(1.2)
    world.hub.add_run(REPOSITORY, RUN, head=head)
    subject = replace(one.subject, commit=world.main)
    world.uploaded(replace(one, subject=subject))
    world.back()
    refused(world, world.accept(), 6, "G277", f"is of {world.main}, not of {head}")


def test_a_session_of_no_commit(world):
    head = world.pull_request()
    one = world.session(1.2)
    world.hub.add_run(REPOSITORY, RUN, head=head)
    world.uploaded(replace(one, subject=replace(one.subject, commit="")))
    world.back()
    refused(world, world.accept(), 6, "G277", "is of no commit")


def test_a_newer_head_was_not_measured(world):
    """The pull request moved on: what was measured before is not taken for it."""
    head = world.pull_request()
    world.measured(head)
    git(world.root, "checkout", "-q", "work")
    newer = world.commit("work", tool="slower\n")
    world.back()
    refused(world, world.accept(), 6, "G277", f"measured {newer}")


def test_the_newest_run_of_the_head_counts(world):
    """Started again, it measured again; runs of other events, heads and endings do not count."""
    head = world.pull_request()
    world.measured(head, 1.5)
    git(world.root, "checkout", "-q", "work")
    one = world.session(1.2)
    for run, more in (
        (901, {"started": "2026-11-22T12:00:00Z"}),
        (902, {"started": "2026-11-22T13:00:00Z", "event": "push"}),
        (903, {"started": "2026-11-22T13:00:00Z", "conclusion": "cancelled"}),
        (904, {"started": "2026-11-22T13:00:00Z", "file": "other.yml"}),
    ):
        started = more.pop("started")
        made = world.hub.add_run(REPOSITORY, run, head=head, **more)
        made["run_started_at"] = started
    world.hub.repository(REPOSITORY)["runs"][0]["run_started_at"] = "2026-11-22T11:00:00Z"
    world.uploaded(one, run=901)
    world.back()
    answer = world.accept()
    assert answer.status == 0, answer
    assert "1.000 -> 1.200 s" in answer.out


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"event": "push"}, "no completed run"),
        ({"conclusion": None}, "ended as not ended"),
        ({"conclusion": "cancelled"}, "ended as cancelled"),
    ],
)
def test_a_run_that_is_named_must_have_measured_this_head(world, more, why):
    head = world.pull_request()
    world.back()
    world.hub.add_run(REPOSITORY, RUN, head=head, **more)
    refused(world, world.accept(*WORD, "--run", str(RUN)), 6, "G277", why)


def test_shards_are_all_needed(world):
    """Two profiles on two machines: with one missing nothing is accepted, with both all is."""
    head = world.pull_request()
    one = world.session(1.2)
    world.hub.add_run(REPOSITORY, RUN, head=head)
    names = [f"driftgate-session-{k}-of-2" for k in (1, 2)]
    world.uploaded(one, name=names[0], shard=1, shards=2)
    world.back()
    answer = world.accept(*WORD, "--shards", "2")
    refused(world, answer, 6, "G275", names[1], "does not exist")
    world.uploaded(name=names[1], shard=2, shards=2)
    assert world.accept(*WORD, "--shards", "2").status == 0


def test_a_shard_cannot_pass_for_the_whole(world):
    head = world.pull_request()
    one = world.session(1.2)
    world.hub.add_run(REPOSITORY, RUN, head=head)
    world.uploaded(one, shard=1, shards=2)
    world.back()
    refused(world, world.accept(), 6, "G277", "part 1 of 2")


def test_a_check_that_ended_early_is_not_accepted(world):
    head = world.pull_request()
    one = world.session(1.2)
    world.hub.add_run(REPOSITORY, RUN, head=head)
    world.uploaded(one, error="G262: the journal \x1b[31mcannot be used")
    world.back()
    refused(world, world.accept(), 4, "G277", "measuring ended early: G262: the journal cannot")


@pytest.mark.parametrize(
    ("how", "status", "code", "why"),
    [
        ({"disturbances": ("steal 12 %",)}, 2, "G220", "it was disturbed: steal 12 %"),
        ({"state": State.PARTIAL}, 2, "G220", "it is partial"),
        ({"planted": 0.2}, 2, "G220", "a calibration slowed it on purpose"),
        ({"stage": Stage.CONFIRM}, 3, "G280", "no session of the head side"),
        ({"trials": ()}, 2, "G220", "0 of 3 trials"),
        ({"profile": "../../evil"}, 2, "G206", "no plain name"),
    ],
)
def test_what_may_not_become_a_baseline(world, how, status, code, why):
    """Each is refused, with the reason in the log and in the answer."""
    head = world.pull_request()
    one = world.session(1.2)
    world.hub.add_run(REPOSITORY, RUN, head=head)
    world.uploaded(replace(one, **how))
    world.back()
    refused(world, world.accept(), status, code, why)
    (said,) = world.said()
    assert "**driftgate: nothing was accepted** (asked for by `alice`)." in said


@pytest.mark.parametrize("how", [{"profile_digest": "sha256:other"}, {"profile": "unknown"}])
def test_what_the_base_branch_does_not_have_only_its_own_branch_can_carry(world, how):
    head = merged(world)
    one = world.session(1.2)
    world.hub.add_run(REPOSITORY, RUN, head=head)
    world.uploaded(replace(one, **how))
    world.back()
    refused(world, world.accept(), 6, "G277", "a profile text that main does not have")


def test_another_host_class_is_no_way_to_a_baseline_of_ones_own(world):
    head = world.pull_request()
    one = world.session(1.2)
    world.hub.add_run(REPOSITORY, RUN, head=head)
    world.uploaded(replace(one, host=replace(one.host, host_class="mallory")))
    world.back()
    refused(world, world.accept(), 6, "G277", "of host class mallory; the baselines are of lab")


def test_what_passed_needs_no_acceptance(world):
    head = world.pull_request()
    world.measured(head, 1.0)
    refused(world, world.accept(), 6, "G277", "there is nothing to accept")


def test_tolerances_of_the_session_count_for_nothing(world):
    """A session that brings a tolerance of 400 % still opens an epoch where the level moved."""
    head = world.pull_request()
    one = world.session(1.2)
    loose = tuple(replace(metric, tolerance=4.0) for metric in one.metrics)
    world.hub.add_run(REPOSITORY, RUN, head=head)
    world.uploaded(replace(one, metrics=loose))
    world.back()
    answer = world.accept()
    assert answer.status == 0, answer
    assert "epoch 2" in answer.out


def test_invisible_characters_reach_no_file(world):
    """A description that turns the direction of writing would mislead the reviewer of the diff."""
    head = world.pull_request()
    one = world.session(1.2)
    world.hub.add_run(REPOSITORY, RUN, head=head)
    world.uploaded(replace(one, subject=replace(one.subject, description="a\u202eb")))
    world.back()
    refused(world, world.accept(), 6, "G277", "characters that nobody can see")


HOSTILE = {
    "no JSON": b"{",
    "NaN": b'{"schema": 1, "sessions": [NaN]}',
    "deep": b"[" * 100_000,
    "other schema": b'{"schema": 99}',
    "a list": b"[]",
    "binary": b"\xff\xfe",
    "html": b"<script>alert(1)</script>",
    "extra": b'{"schema": 1, "version": "", "sessions": [], "path": "/etc/passwd"}',
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_artifact_is_refused(world, content):
    """Nothing is written; the message names the artifact and no place of this machine."""
    head = world.pull_request()
    world.back()
    world.hub.add_run(REPOSITORY, RUN, head=head)
    world.artifact(content)
    answer = world.accept()
    assert answer.status in {2, 6}, answer
    nothing_written(world)
    assert "/tmp/" not in answer.err
    assert "/tmp/" not in "".join(world.said())


def test_no_session_at_all(world):
    head = world.pull_request()
    world.back()
    world.hub.add_run(REPOSITORY, RUN, head=head)
    world.uploaded()
    refused(world, world.accept(), 3, "G280", "no session")


def test_the_base_branch_has_another_baseline_by_now(world):
    """Somebody accepted meanwhile: what he accepted is not lost."""
    head = world.pull_request()
    world.measured(head)
    text = (world.root / BASELINE).read_text()
    (world.root / BASELINE).write_text(text.replace("first baseline", "another reason"))
    moved = world.commit("main")
    git(world.root, "checkout", "-q", world.main)
    answer = world.accept()
    refused(world, answer, 6, "G274", f"{BASELINE} is another one on main than in this checkout")
    assert world.tip("main") == moved


def test_the_head_moves_while_it_is_written(world):
    """A push between reading and writing keeps what was pushed."""
    head = world.pull_request()
    world.measured(head)
    git(world.root, "checkout", "-q", "work")
    (world.root / "tool.txt").write_text("pushed meanwhile\n")
    git(world.root, "commit", "-q", "-a", "-m", "meanwhile")
    pushed = git(world.root, "rev-parse", "HEAD")
    git(world.root, "push", "-q", "origin", "HEAD:refs/heads/later")
    world.back()
    world.hub.when(
        "PATCH", "/git/refs/", lambda: git(world.bare, "update-ref", "refs/heads/work", pushed)
    )
    answer = world.accept()
    assert answer.status == 6
    assert "error[G274]" in answer.err
    assert world.tip("work") == pushed


def test_the_head_moves_while_it_is_judged(world):
    """A pull request that moved on gets no proposal of what it was."""
    head = world.pull_request()
    world.measured(head)
    git(world.root, "checkout", "-q", "work")
    newer = world.commit("later", tool="newer\n")
    world.back()
    world.hub.when(
        "GET", "/git/ref/", lambda: git(world.bare, "update-ref", "refs/heads/work", newer)
    )
    answer = world.accept()
    assert answer.status == 6
    assert "error[G274]" in answer.err
    assert not world.pulls()


def test_accepting_twice_on_the_branch_replaces_and_says_so(world):
    """The branch has the baseline of an earlier level of its own: that is not in force, and goes."""
    head = world.pull_request()
    world.measured(head)
    assert world.accept().status == 0
    git(world.root, "fetch", "-q", "origin")
    git(world.root, "checkout", "-q", "-B", "work", "origin/work")
    newer = world.commit("work", tool="slower\n")
    one = world.session(1.4)
    world.hub.add_run(REPOSITORY, 950, head=newer)
    world.uploaded(one, run=950)
    world.back()
    answer = world.accept()
    assert answer.status == 0, answer
    assert "1.000 -> 1.400 s" in answer.out
    (said,) = world.said()
    assert f"- the branch had another `{BASELINE}`, which this replaces" in said
    assert git(world.bare, "rev-parse", "work^") == newer


@pytest.mark.parametrize("is_merged", [False, True])
def test_closed_and_merged(world, is_merged):
    """What was merged may still be accepted, what was closed may not."""
    head = world.pull_request(state="closed")
    world.measured(head)
    world.hub.repository(REPOSITORY)["pulls"][0]["merged"] = is_merged
    answer = world.accept()
    if is_merged:
        assert answer.status == 0, answer
    else:
        refused(world, answer, 6, "G277", "was closed")


def test_a_missing_permission_of_the_token_is_named(world):
    head = world.pull_request()
    world.measured(head)
    world.hub.add_token("ghs_the-token-of-this-job", {"actions": "read", "pull-requests": "write"})
    answer = world.accept()
    assert answer.status == 6
    assert "checks: read" in answer.err


def test_baselines_of_the_merge_base_on_request(world):
    """--merge-base reads them from git, whatever the working tree says."""
    git(world.root, "add", "-f", "profiles/p.json")
    main = world.commit("main")
    head = world.pull_request()
    world.measured(head)
    (world.root / BASELINE).write_text("nonsense")
    assert world.accept().status == 2
    assert world.accept(*WORD, "--merge-base", main).status == 0


def test_a_first_baseline_of_a_profile_that_the_base_has(tmp_path):
    """No baseline yet: it is new, and comes with the host's file."""
    with GitHubServer(tmp_path / "hub") as hub:
        world = World(tmp_path, hub, baseline=False)
        head = merged(world)
        world.measured(head)
        answer = world.accept()
        assert answer.status == 0, answer
        tip = world.tip(f"{BRANCH}{head[:12]}")
        assert world.changed(world.main, tip) == [f"baselines/{HOST_CLASS}/host.toml", BASELINE]
        assert "new at 1.200 s" in answer.out


# The comment command.


def test_a_comment_asks(world):
    """`/driftgate accept REASON`, read from the API by the comment's number."""
    head = merged(world)
    world.measured(head)
    number = world.comment("/driftgate accept checksums are on by default\n\nThanks!")
    answer = world.gate("accept", "--comment", str(number))
    assert answer.status == 0, answer
    tip = world.tip(f"{BRANCH}{head[:12]}")
    assert 'reason = "checksums are on by default"' in world.text(tip)
    assert 'by = "alice"' in world.text(tip)
    assert len(world.hub.asked("POST", f"/issues/comments/{number}/reactions")) == 2


@pytest.mark.parametrize(
    ("body", "login", "more", "code"),
    [
        ("/driftgate accept x", "bob", {}, "G276"),
        ("/driftgate accept x", "mallory", {"author_association": "OWNER"}, "G276"),
        ("/driftgate accept x", ALICE, {"updated_at": "2026-11-22T23:00:00Z"}, "G276"),
        ("/driftgate accept", ALICE, {}, "G220"),
    ],
)
def test_comments_that_are_refused(world, body, login, more, code):
    head = world.pull_request()
    world.measured(head)
    number = world.comment(body, login=login, **more)
    answer = world.gate("accept", "--comment", str(number))
    refused(world, answer, 2 if code == "G220" else 6, code)
    assert len(world.said()) == 1  # whoever asks gets an answer


def test_a_comment_on_an_issue(world):
    world.pull_request()
    number = world.comment("/driftgate accept x", issue=3)
    answer = world.gate("accept", "--comment", str(number))
    refused(world, answer, 6, "G277", "on an issue, not on a pull request")


def test_a_comment_that_is_gone(world):
    world.pull_request()
    refused(world, world.gate("accept", "--comment", "5"), 6, "G277", "there is no comment 5")


@pytest.mark.parametrize("body", ["LGTM", "> /driftgate accept x", "```\n/driftgate accept x\n```"])
def test_other_comments_are_none_of_our_business(world, body):
    world.pull_request()
    number = world.comment(body, login="mallory")
    answer = world.gate("accept", "--comment", str(number))
    assert (answer.status, answer.err) == (0, "")
    assert "holds no command" in answer.out
    nothing_written(world)


@pytest.mark.parametrize("words", [(), ("--by", ALICE), ("--comment", "1", "--reason", "x")])
def test_half_a_question_is_a_usage_error(world, words):
    answer = world.gate("accept", "--pull", str(PULL), *words)
    assert (answer.status, world.hub.log) == (2, [])


def test_the_answer_as_a_file(world, tmp_path):
    head = world.pull_request()
    world.measured(head)
    assert world.accept(*WORD, "--comment-body-file", str(tmp_path / "body.md")).status == 0
    assert [(tmp_path / "body.md").read_text()] == world.said()
